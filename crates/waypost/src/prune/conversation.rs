//! Reads of a chat request what was said last, and which tools its conversation cannot do without.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use waypost_text::text::Text;

use super::Untouched;
use crate::understand::own::own;

/// The number of a user's messages that count, from the last one back.
const TURNS: usize = 4;
/// A message counts this share of the one behind it.
const FADES: f64 = 0.5;
/// The longest part of a message that is read, in characters: its end, where the question stands.
const CHARACTERS: usize = 4000;

/// The texts of a user, normalized, each with its weight, the last one first.
pub(super) fn said(request: &Json) -> Result<Vec<(String, f64)>, Untouched> {
    let of_user = messages(request)?.iter().rev().filter(|message| message["role"] == "user");
    // Programs of agents put other words around those of a user; these say nothing of what is wanted.
    let texts = of_user.map(|message| own(&text(&message["content"]), &[], false).words);
    let texts = texts.filter(|text| text.contains(char::is_alphanumeric)).take(TURNS);
    let weights = std::iter::successors(Some(1.0), |weight| Some(weight * FADES));
    let said: Vec<(String, f64)> =
        texts.zip(weights).map(|(text, weight)| (normalized(&text), weight)).collect();
    if said.is_empty() { Err(Untouched::NothingSaid) } else { Ok(said) }
}

fn normalized(text: &str) -> String {
    let count = text.chars().count();
    let end: String = text.chars().skip(count.saturating_sub(CHARACTERS)).collect();
    Text::new(&end).normalized().to_owned()
}

/// The words of a message: a string, or the text of its parts.
fn text(content: &Json) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let parts = content.as_array().into_iter().flatten();
    let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}

/// The names of the tools that were used in the conversation, and of those that the next turn has to use.
pub(super) fn names(request: &Json) -> Result<BTreeSet<&str>, Untouched> {
    let mut names = BTreeSet::new();
    for message in messages(request)? {
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        names.extend(calls.filter_map(|call| call["function"]["name"].as_str()));
        // As it was written before there were several calls of a message.
        names.extend(message["function_call"]["name"].as_str());
        // A result names its call by an id, and so a tool that a message before names; some name it themselves.
        if message["role"] == "tool" || message["role"] == "function" {
            names.extend(message["name"].as_str());
        }
    }
    let choice = &request["tool_choice"];
    names.extend(choice["function"]["name"].as_str());
    let allowed = choice["allowed_tools"]["tools"].as_array().into_iter().flatten();
    names.extend(allowed.filter_map(|tool| tool["function"]["name"].as_str()));
    Ok(names)
}

fn messages(request: &Json) -> Result<&[Json], Untouched> {
    let messages = request["messages"].as_array().ok_or(Untouched::NoMessages)?;
    if messages.iter().all(Json::is_object) { Ok(messages) } else { Err(Untouched::NoMessages) }
}
