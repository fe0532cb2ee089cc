//! Reads a model's reply: calls that it asks for, or words for the user. One tolerant reader, whatever shape the calls come in.
//!
//! The ladder, from the surest: the whole reply as JSON; JSON within tags such as `<calls>` or `<tool_call>`, each of them a
//! call or a list; a fence or objects that are the whole reply. What holds no call is words, and so is prose with an object or a
//! fence in it: a model that quotes a call, as one that stood in a mail, does not ask for it. Source: S2-17.

use serde_json::{Map, Value as Json};

use crate::decide::cascade::json::first_object;
use crate::decide::further::Wish;

/// The most calls that are read from one reply.
const MOST: usize = 16;
/// The tags within which models write calls.
const TAGS: [&str; 5] = ["calls", "tool_calls", "tool_call", "call", "selected_tools"];
/// The keys under which they list them.
const LISTS: [&str; 4] = ["calls", "tool_calls", "selected_tools", "tools"];

/// What a reply says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    /// It asks for these calls.
    Calls(Vec<Wish>),
    /// It answers.
    Words,
}

/// Returns whether a reply that begins like this may still become calls: nothing of it is shown to the user yet.
pub(super) fn may_be_calls(begun: &str) -> bool {
    let begun = begun.trim_start();
    begun.is_empty() || begun.starts_with(['{', '[', '<', '`'])
}

/// Reads a whole reply.
pub(super) fn read(text: &str) -> Said {
    let trimmed = text.trim();
    let rungs: [fn(&str) -> Vec<Wish>; 4] = [whole, tagged, fenced, objects];
    let calls = rungs.into_iter().map(|rung| rung(trimmed)).find(|calls| !calls.is_empty());
    match calls {
        Some(mut calls) => {
            calls.truncate(MOST);
            Said::Calls(calls)
        }
        None => Said::Words,
    }
}

fn whole(text: &str) -> Vec<Wish> {
    serde_json::from_str(text).map(|json| wishes(&json)).unwrap_or_default()
}

fn tagged(text: &str) -> Vec<Wish> {
    let of_tag = |tag: &str| {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        let mut found = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(&open) {
            let inner = &rest[at + open.len()..];
            let end = inner.find(&close).unwrap_or(inner.len());
            found.extend(whole(inner[..end].trim()));
            if found.is_empty() {
                found.extend(within(&inner[..end]).0);
            }
            rest = &inner[end..];
        }
        found
    };
    TAGS.iter().map(|tag| of_tag(tag)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// A reply that is one fence.
fn fenced(text: &str) -> Vec<Wish> {
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    let inner = inner.filter(|inner| !inner.contains("```")).unwrap_or_default();
    whole(inner.trim_start_matches("json").trim())
}

/// A reply of nothing but objects: a list without brackets.
fn objects(text: &str) -> Vec<Wish> {
    let (found, beside) = within(text);
    let joins = |c: char| c.is_whitespace() || c == ',';
    if beside.chars().all(joins) { found } else { Vec::new() }
}

/// The calls among the objects in a text, and what stands beside the objects.
fn within(text: &str) -> (Vec<Wish>, String) {
    let (mut rest, mut found, mut beside) = (text, Vec::new(), String::new());
    while let Some(object) = first_object(rest).filter(|_| found.len() < MOST) {
        found.extend(whole(object));
        let start = object.as_ptr() as usize - rest.as_ptr() as usize;
        beside.push_str(&rest[..start]);
        rest = &rest[start + object.len()..];
    }
    if found.len() < MOST {
        beside.push_str(rest);
    }
    (found, beside)
}

/// The calls in a value: a call, a list of calls, or an object that holds such a list.
fn wishes(json: &Json) -> Vec<Wish> {
    match json {
        Json::Array(items) => items.iter().filter_map(wish).collect(),
        Json::Object(fields) => match LISTS.iter().find_map(|key| fields.get(*key)?.as_array()) {
            Some(items) => items.iter().filter_map(wish).collect(),
            None => wish(json).into_iter().collect(),
        },
        _ => Vec::new(),
    }
}

/// A call: its tool and arguments by the names that models use for them. Arguments may be JSON within a text.
fn wish(json: &Json) -> Option<Wish> {
    let nested = json.get("function").filter(|inner| inner.is_object());
    let json = nested.unwrap_or(json);
    let named = ["tool", "name", "function"].iter().find_map(|key| json.get(*key)?.as_str());
    let tool = named.or_else(|| json.as_str())?.trim().to_owned();
    let given = ["arguments", "args", "parameters", "input"].iter().find_map(|key| json.get(*key));
    let arguments = match given {
        Some(Json::Object(map)) => map.clone(),
        Some(Json::String(text)) => serde_json::from_str(text).ok()?,
        _ => Map::new(),
    };
    (!tool.is_empty()).then_some(Wish { tool, arguments })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &[(&str, &str)]) {
        let said = match read(text) {
            Said::Calls(calls) => calls,
            Said::Words => Vec::new(),
        };
        let said: Vec<(String, String)> = said
            .into_iter()
            .map(|call| (call.tool, Json::Object(call.arguments).to_string()))
            .collect();
        let wanted: Vec<(String, String)> =
            wanted.iter().map(|(tool, it)| ((*tool).to_owned(), (*it).to_owned())).collect();
        assert_eq!(said, wanted, "{text}");
    }

    #[test]
    fn s2_17_calls_are_read_in_every_shape_that_models_write_them() {
        let a = r#"{"tool":"price","arguments":{"symbol":"A"}}"#;
        let one: &[(&str, &str)] = &[("price", r#"{"symbol":"A"}"#)];
        check(a, one);
        check(&format!("[{a}]"), one);
        check(&format!("{{\"calls\":[{a}]}}"), one);
        check(&format!("<calls>[{a}]</calls>"), one);
        check(&format!("I will look.\n<tool_call>\n{a}\n</tool_call>"), one);
        check(&format!("<tool_call>{a}</tool_call><tool_call>{a}</tool_call>"), &[one[0], one[0]]);
        check(&format!("```json\n{a}\n```"), one);
        check(&format!("{a}\n{a}"), &[one[0], one[0]]);
        check(r#"{"name":"price","args":{"symbol":"A"}}"#, one);
        check(r#"{"function":{"name":"price","arguments":"{\"symbol\":\"A\"}"}}"#, one);
        check(r#"<selected_tools>["price"]</selected_tools>"#, &[("price", "{}")]);
        check(&format!("<calls>[{a}]"), one);
    }

    #[test]
    fn a_call_that_is_quoted_is_none() {
        let a = r#"{"tool":"delete","arguments":{"id":1}}"#;
        for text in [
            format!("{a} is what the mail asks for. I did not do it."),
            format!("The mail says: {a}"),
            format!("```json\n{a}\n```\nThis stands in the mail."),
            format!("In the mail stands\n```json\n{a}\n```\nand no more."),
            format!("[{a}] was in the file."),
        ] {
            assert_eq!(read(&text), Said::Words, "{text}");
        }
    }

    #[test]
    fn what_holds_no_call_is_words() {
        for text in ["", "Apple stands at 231.", "{", "<b>Apple</b>", r#"{"answer": 3}"#, "[1, 2]"]
        {
            assert_eq!(read(text), Said::Words, "{text}");
        }
    }

    #[test]
    fn a_flood_of_calls_is_cut() {
        let flood = r#"{"tool":"price","arguments":{}} "#.repeat(500);
        let Said::Calls(calls) = read(&flood) else { panic!("there are calls") };
        assert_eq!(calls.len(), MOST);
    }

    #[test]
    fn words_are_known_by_how_they_begin() {
        assert!(may_be_calls("") && may_be_calls("  <ca") && may_be_calls("```json"));
        assert!(!may_be_calls("Apple"));
    }
}
