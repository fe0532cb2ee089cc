//! Tells the user of the writes of earlier turns whose answers never came, and of the work that was cut short.

use serde_json::{Map, Value as Json};
use waypost_core::records::answer::Answer;
use waypost_core::records::request::shorten;
use waypost_core::records::run::Run;
use waypost_core::records::write::{Untold, WriteEnd};

use super::memory::Memory;
use crate::decide::switches::TEXT_CHARACTERS;
use crate::pack::messages::{Messages, Sentence};
use crate::understand::{EarlierRun, Turn};

/// The longest value that is shown, in characters: enough to know the call again.
const VALUE_CHARACTERS: usize = 80;

/// A sentence for each of them; `None` where there are none.
pub(super) fn words(turn: &Turn<'_>, messages: &Messages, memory: &Memory) -> Option<String> {
    let sentences = memory.untold.iter().map(|Untold { write, end }| {
        let name = match end {
            WriteEnd::Done => "earlier_done",
            WriteEnd::Failed => "earlier_failed",
            WriteEnd::Unknown => "earlier_unknown",
        };
        let call = format!("{}{}", write.tool, values(&write.arguments));
        messages.say(turn.said.language, &Sentence::new(name).with("call", call))
    });
    let about = match &turn.run {
        Some(EarlierRun::Resumed(run) | EarlierRun::Abandoned(run)) => Some(&run.id),
        _ => None,
    };
    let cut = memory.cut.iter().filter(|run| Some(&run.id) != about);
    let sentences: Vec<String> =
        sentences.chain(cut.map(|run| cut_short(turn, messages, run))).collect();
    (!sentences.is_empty()).then(|| sentences.join("\n"))
}

fn cut_short(turn: &Turn<'_>, messages: &Messages, run: &Run) -> String {
    let name = if turn.pack.spec.commands { "run_cut_short" } else { "run_cut_short_only" };
    let sentence = Sentence::new(name)
        .with("text", shorten(&run.request.text, TEXT_CHARACTERS))
        .with("done", run.finished().to_string())
        .with("all", run.calls.len().to_string());
    messages.say(turn.said.language, &sentence)
}

/// The answer with these words before its own.
pub(super) fn before(earlier: Option<String>, answer: Answer) -> Answer {
    match earlier {
        Some(earlier) => Answer { text: format!("{earlier}\n{}", answer.text), ..answer },
        None => answer,
    }
}

fn values(arguments: &Map<String, Json>) -> String {
    let each = arguments.iter().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{name}: {}", shorten(&value, VALUE_CHARACTERS))
    });
    let each: Vec<String> = each.collect();
    if each.is_empty() { String::new() } else { format!(" ({})", each.join(", ")) }
}
