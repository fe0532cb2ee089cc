//! Tells the user of the writes of earlier turns whose answers never came.

use serde_json::{Map, Value as Json};
use waypost_core::records::answer::Answer;
use waypost_core::records::request::shorten;
use waypost_core::records::write::{Untold, WriteEnd};

use crate::pack::messages::{Messages, Sentence};
use crate::turn::Turn;

/// The longest value that is shown, in characters: enough to know the call again.
const VALUE_CHARACTERS: usize = 80;

/// A sentence for each write; `None` where there are none.
pub(super) fn words(turn: &Turn<'_>, messages: &Messages, untold: &[Untold]) -> Option<String> {
    let sentences = untold.iter().map(|Untold { write, end }| {
        let name = match end {
            WriteEnd::Done => "earlier_done",
            WriteEnd::Failed => "earlier_failed",
            WriteEnd::Unknown => "earlier_unknown",
        };
        let call = format!("{}{}", write.tool, values(&write.arguments));
        messages.say(turn.language, &Sentence::new(name).with("call", call))
    });
    let sentences: Vec<String> = sentences.collect();
    (!sentences.is_empty()).then(|| sentences.join("\n"))
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
