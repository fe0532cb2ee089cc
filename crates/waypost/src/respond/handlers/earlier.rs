//! The earlier turns of a conversation, for a model that writes an answer and for the search for its passages.
//!
//! The route is decided by then, so that no history biases it.

use std::fmt::Write as _;

use waypost_core::records::request::{Topic, shorten};

use super::Job;
use crate::pack::spec::HandlerName;
use crate::understand::Turn;

/// The number of earlier topics that a model sees. Source: S4-19.
const TOPICS: usize = 6;
/// The longest topic that a model sees, in characters. Source: S4-7.
const TOPIC_CHARACTERS: usize = 60;
/// The most characters of the last answer that a model sees where the question is about something new.
const ANSWER: usize = 600;
/// The most earlier turns that a follow-up is searched with.
const SUBJECTS: usize = 3;

/// The earlier turns as a model that answers a question sees them; nothing at the beginning of a conversation.
pub(super) fn before(job: Job<'_>) -> String {
    let told = told(job.turn, ANSWER);
    if told.is_empty() {
        return told;
    }
    format!("Earlier turns, which only say what the words of this one stand for:\n{told}\n")
}

/// The topics of the earlier turns, oldest first, and so much of the last answer.
pub(super) fn told(turn: &Turn<'_>, answer_characters: usize) -> String {
    let mut told = String::new();
    let history = &turn.context.history;
    for line in &history[history.len().saturating_sub(TOPICS)..] {
        let topic = shorten(&line.topic, TOPIC_CHARACTERS);
        let _ = writeln!(told, "Earlier: [{}] \"{topic}\"", line.route.to_uppercase());
    }
    if let Some(answer) = &turn.context.answer {
        let _ = writeln!(told, "Your last answer:\n{}\n", shorten(answer, answer_characters));
    }
    told
}

/// The words of the earlier turns that a follow-up is about, oldest first: back to the last one that stands alone.
pub(super) fn subject(turn: &Turn<'_>) -> Option<String> {
    let is_talk = |topic: &&Topic| {
        let route = turn.pack.route(&topic.route);
        route.is_some_and(|route| route.handler == HandlerName::Converse)
    };
    let mut topics: Vec<&str> = Vec::new();
    let history = turn.context.history.iter().rev();
    for topic in history.filter(|topic| !is_talk(topic)).take(SUBJECTS) {
        topics.insert(0, &topic.topic);
        if !turn.leans(&topic.topic) {
            break;
        }
    }
    (!topics.is_empty()).then(|| topics.join("\n"))
}
