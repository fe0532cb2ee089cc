//! Reads of a chat request what was said last, and which tools its conversation cannot do without.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use waypost_text::language::Language;
use waypost_text::text::Text;

use super::Untouched;
use crate::understand::language;
use crate::understand::own::own;

/// The number of a user's messages that count, from the last one back.
const TURNS: usize = 4;
/// The characters at the beginning and at the end of a message that are read: a question stands before or behind what it
/// is about.
const BEGINNING: usize = 500;
const END: usize = 1500;
/// The longest part of a message that is ranked as one request, in bytes: about as many words as the catalog reads of a text.
const PART: usize = 240;

/// A message of a user.
#[derive(Debug)]
pub(super) struct Said {
    /// Its sentences, normalized and without numbers; short ones that stand together are one part.
    pub(super) parts: Vec<String>,
    /// Its language; `None` if that is none that the program knows.
    pub(super) language: Option<Language>,
}

/// The messages of a user, the last one first.
pub(super) fn said(request: &Json) -> Result<Vec<Said>, Untouched> {
    let of_user = messages(request)?.iter().rev().filter(|message| message["role"] == "user");
    // Programs of agents put other words around those of a user; these say nothing of what is wanted.
    let texts = of_user.map(|message| own(&text(&message["content"]), &[], false).words);
    let texts = texts.filter(|text| text.contains(char::is_alphanumeric)).take(TURNS);
    let said: Vec<Said> = texts.map(|text| read(&text)).collect();
    if said.is_empty() { Err(Untouched::NothingSaid) } else { Ok(said) }
}

fn read(text: &str) -> Said {
    let count = text.chars().count();
    let is_read = |(at, _): &(usize, char)| *at < BEGINNING || *at + END >= count;
    let text: String = text.chars().enumerate().filter(is_read).map(|(_, c)| c).collect();
    let text = Text::new(&text);
    let mut parts: Vec<String> = Vec::new();
    // Numbers are values of arguments, and say nothing of which tool takes them.
    let words = text.normalized().replace(|c: char| c.is_ascii_digit(), " ");
    for sentence in words.split_inclusive(['\n', '.', '!', '?', '。']) {
        match parts.last_mut() {
            Some(last) if last.len() + sentence.len() <= PART => last.push_str(sentence),
            _ => parts.push(sentence.to_owned()),
        }
    }
    Said { parts, language: language(&text) }
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
        names.extend(calls(message));
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

/// The names of the tools that a message calls.
pub(super) fn calls(message: &Json) -> impl Iterator<Item = &str> {
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    // `function_call` is from before there were several calls of a message.
    let functions = calls.map(|call| &call["function"]).chain([&message["function_call"]]);
    functions.filter_map(|function| function["name"].as_str())
}

fn messages(request: &Json) -> Result<&[Json], Untouched> {
    let messages = request["messages"].as_array().ok_or(Untouched::NoMessages)?;
    if messages.iter().all(Json::is_object) { Ok(messages) } else { Err(Untouched::NoMessages) }
}
