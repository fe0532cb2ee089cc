//! Looks up what a handler needs before a word is said. Only here are documents searched, and only
//! for a route that says so: a handler is never given the retriever.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::retrieval::{Found, Passage, Retriever};
use waypost_core::records::request::shorten;

use super::{Job, Work, degrade, earlier};
use crate::pack::messages::{Messages, Sentence};

/// The most passages that a written answer may draw on.
const PASSAGES: usize = 6;
/// The longest part of a passage that a model sees, in characters.
const PASSAGE_CHARACTERS: usize = 1200;

/// The material that a handler starts from.
#[derive(Debug, Default)]
pub struct Prepared {
    /// The passages of the documents that fit the question, the best first.
    pub passages: Vec<Passage>,
    /// The parts of the search that failed, by name.
    pub failed: Vec<(String, Error)>,
}

/// Looks up what the job's route needs. Source: S4-33, ADR-0002: routing and retrieval are done
/// before the first word is streamed, so that what fails in them fails cleanly.
///
/// # Errors
///
/// `CANCELLED`; other faults of the search are in [`Prepared::failed`], and the work goes on without
/// passages.
pub async fn prepare(job: Job<'_>, retriever: &dyn Retriever) -> Result<Prepared> {
    if !job.route.retrieval {
        return Ok(Prepared::default());
    }
    match find(job, retriever).await {
        Ok(Found { passages, failed }) => {
            let name = |part: String| format!("retrieval.{part}");
            let failed = failed.into_iter().map(|(part, error)| (name(part), error)).collect();
            Ok(Prepared { passages, failed })
        }
        Err(error) if error.code() == Code::Cancelled => Err(error),
        Err(error) => {
            Ok(Prepared { passages: Vec::new(), failed: vec![("retrieval".to_owned(), error)] })
        }
    }
}

/// Finds passages for the question. One that points back, or that names nothing, such as "why?", is searched with the words
/// that it is about, because alone it finds what has the same common words.
async fn find(job: Job<'_>, retriever: &dyn Retriever) -> Result<Found> {
    let (turn, question) = (job.turn, job.question());
    let follows = turn.said.points_back() || turn.names_nothing(question);
    let subject = earlier::subject(turn).filter(|_| follows);
    let joined = subject.map(|subject| format!("{question}\n{subject}"));
    let question = joined.as_deref().unwrap_or(question);
    retriever.find(question, turn.said.language, PASSAGES).await
}

impl Prepared {
    /// Notes in the work what could not be looked up.
    pub(super) fn note(&self, work: &mut Work) {
        for (what, error) in &self.failed {
            degrade(work, what, error);
        }
    }

    /// The passages as a model sees them, numbered.
    pub(super) fn numbered(&self) -> String {
        let mut text = String::new();
        for (index, passage) in self.passages.iter().enumerate() {
            let headings = passage.headings.join(" / ");
            let words = shorten(&passage.text, PASSAGE_CHARACTERS);
            let _ = writeln!(text, "[{}] {headings}\n{words}\n", index + 1);
        }
        text
    }
}

/// The line that names where an answer comes from; nothing where it comes from nowhere.
pub(super) fn sources(passages: &[Passage], job: Job<'_>, messages: &Messages) -> String {
    cited_sources(passages, &BTreeSet::new(), job, messages)
}

/// The same for the passages that are cited by their numbers, or for all where none is.
pub(super) fn cited_sources(
    passages: &[Passage],
    cited: &BTreeSet<usize>,
    job: Job<'_>,
    messages: &Messages,
) -> String {
    if passages.is_empty() {
        return String::new();
    }
    let title = messages.say(job.turn.said.language, &Sentence::new("sources"));
    let mut text = format!("\n\n{title}:");
    for (number, passage) in (1..).zip(passages) {
        if cited.is_empty() || cited.contains(&number) {
            let headings = passage.headings.join(" › ");
            let _ = write!(text, "\n[{number}] {headings} ({})", passage.document);
        }
    }
    text
}
