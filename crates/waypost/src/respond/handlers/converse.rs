//! Talks: greets, thanks, and goes on from the last answer. Without a model it says sentences of the
//! pack, with one the model sees the last answer and nothing that would have to be looked up.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use async_trait::async_trait;
use waypost_core::error::Result;
use waypost_core::ports::model::{Message, Prompt, Speaker};
use waypost_core::records::session::ANSWER_CHARACTERS;
use waypost_core::text_match::find_word;
use waypost_text::text::Text;

use super::written::{Marks, Wrote, written};
use super::{Handler, HandlerDependencies, Job, Prepared, Work, earlier, say, system};
use crate::pack::localized;
use crate::pack::messages::{Messages, Sentence};
use crate::pack::spec::{HandlerName, TalkSpec};

pub(super) struct Converse;

/// The longest written answer, in tokens, where the route does not say it.
const MAX_TOKENS: u32 = 400;

#[async_trait]
impl Handler for Converse {
    fn name(&self) -> HandlerName {
        HandlerName::Converse
    }

    async fn run(
        &self,
        job: Job<'_>,
        prepared: &Prepared,
        dependencies: HandlerDependencies<'_>,
    ) -> Result<Work> {
        let mut work = Work::said(String::new(), "converse");
        let marks = Marks::default();
        let wrote = written(job, &mut work, prepared, dependencies, marks, || prompt(job)).await?;
        if matches!(wrote, Wrote::Whole { .. }) {
            return Ok(work);
        }
        work.text = talk(job, dependencies.messages);
        say(dependencies, &work.text).await;
        Ok(work)
    }
}

fn prompt(job: Job<'_>) -> Prompt {
    let mut material = earlier::told(job.turn, ANSWER_CHARACTERS);
    let _ = write!(material, "Message: {}", job.question());
    let messages = vec![
        system(job, &job.turn.pack.spec.prompts.converse),
        Message { role: Speaker::User, content: material },
    ];
    super::prompt(job, messages, MAX_TOKENS)
}

/// The first sentence of the pack whose words stand in the text, and whose holes can be filled.
fn talk(job: Job<'_>, messages: &Messages) -> String {
    let turn = job.turn;
    let found = turn.said.named(std::slice::from_ref(&turn.pack.talk));
    let mut holes = BTreeMap::new();
    if let Some(answer) = &turn.context.answer {
        holes.insert("answer", answer.clone());
    }
    let fits = |talk: &&TalkSpec| {
        let mut entries = found.iter().flat_map(|mention| &mention.entries);
        let named = entries.any(|(_, name)| *name == talk.name);
        talk.words.is_empty() || named || is_said(turn.said.text.normalized(), &talk.words)
    };
    let fitting = turn.pack.spec.talk.iter().filter(fits);
    let mut said =
        fitting.filter_map(|talk| messages.fill(localized(&talk.say, turn.said.language)?, &holes));
    said.next()
        .unwrap_or_else(|| messages.say(turn.said.language, &Sentence::new("talk_without_model")))
}

/// Returns whether one of the words stands in the text as it is written. A search for names passes
/// over what a longer phrase of politeness holds ("thank you so much"), and here just that is
/// looked for.
fn is_said(text: &str, words: &[String]) -> bool {
    words.iter().any(|word| find_word(text, Text::new(word).normalized()).is_some())
}
