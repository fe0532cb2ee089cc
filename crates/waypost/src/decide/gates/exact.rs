//! Says a call exactly, so that a person can approve it: the tool, and each argument with its value and
//! where it came from, one a line. It decides nothing.
//!
//! No value can be taken for another or for a line of its own: what is not plain text is written as
//! JSON, and characters that are not seen are written by their numbers.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use waypost_core::records::decision::{Call, Evidence, Source};
use waypost_core::records::request::{Tested, shorten};

use super::Check;
use crate::pack::messages::{Sentence, readable};
use crate::pack::spec::Access;
use crate::pack::{Tool, is_in, localized};

/// The most characters of the values of a call that a person is shown, some ten pages; a call with more cannot be approved.
pub(super) const LONGEST: usize = 30_000;
/// The longest quotation of the user's words, and of what a server says about its tool.
const QUOTED: usize = 80;
const SUMMARY: usize = 240;

/// The call, one line for the tool and one for each argument, in the order of the
/// schema, and what was said and fills none of them.
pub(super) fn call(proposal: &Check<'_>, call: &Call) -> String {
    let Some(tool) = proposal.pack().tool(&call.tool) else { return call.tool.clone() };
    let mut lines = vec![proposal.sentence(&head(proposal, tool))];
    lines.extend(arguments(tool, call).map(|(name, value)| {
        let value = written(value);
        let line = Sentence::new("approve_argument")
            .with("what", visible(&label(proposal, tool, name)))
            .with("origin", origin(proposal, call.evidence.get(name), &value))
            .with("value", value);
        proposal.sentence(&line)
    }));
    if call.arguments.is_empty() {
        lines.push(proposal.say("approve_bare"));
    }
    lines.extend(left_open(proposal, tool, call));
    lines.extend(super::approval::conditions(proposal.turn, call).into_iter().map(|condition| {
        let line = match super::approval::tested(proposal.turn, &condition) {
            Some(own) => tested(proposal, "approve_tested", own),
            None => Sentence::new("approve_condition")
                .with("text", visible(&shorten(&condition, QUOTED))),
        };
        proposal.sentence(&line)
    }));
    if !proposal.leftover.is_empty() {
        let words = proposal.leftover.iter().map(|span| proposal.turn.said.text.slice(*span));
        let words = visible(&shorten(&words.collect::<Vec<_>>().join(" … "), QUOTED));
        let unused = proposal.sentence(&Sentence::new("unused").with("text", words));
        lines.push(format!("- {unused}"));
    }
    lines.join("\n")
}

/// The line of the tool: what it does in the user's language, or else what is written about it as a quotation.
fn head(proposal: &Check<'_>, tool: &Tool) -> Sentence {
    let language = proposal.turn.said.language;
    let summary = localized(&tool.spec.label, language).unwrap_or(&tool.spec.summary);
    let shown = visible(&shorten(summary, SUMMARY));
    let shown = shown.trim_end_matches(['.', '。']);
    let head = Sentence::new("approve_tool")
        .with("tool", visible(&tool.spec.name))
        .with("server", visible(&tool.spec.server));
    head.with(if is_in(summary, language) { "label" } else { "summary" }, shown)
}

/// A sentence about a condition that was tested: its words, and what was read.
pub(super) fn tested(proposal: &Check<'_>, sentence: &'static str, tested: &Tested) -> Sentence {
    let number = readable(tested.value, proposal.turn.said.language);
    let unit = tested.unit.as_ref().map(|unit| format!(" {}", visible(unit))).unwrap_or_default();
    Sentence::new(sentence)
        .with("text", visible(&shorten(&tested.condition, QUOTED)))
        .with("tool", visible(&tested.tool))
        .with("what", visible(&tested.what))
        .with("value", format!("{number}{unit}"))
}

/// The arguments that a destructive call leaves out: without them it may take away more than what was meant.
fn left_open(proposal: &Check<'_>, tool: &Tool, call: &Call) -> Option<String> {
    /// The most arguments that are named.
    const MOST: usize = 8;
    if proposal.turn.access(&tool.spec.name) != Access::Destructive {
        return None;
    }
    let open = tool.arguments().filter(|name| !call.arguments.contains_key(*name));
    let names: Vec<String> =
        open.take(MOST).map(|name| visible(&label(proposal, tool, name))).collect();
    let sentence = Sentence::new("approve_open").with("what", names.join(", "));
    (!names.is_empty()).then(|| proposal.sentence(&sentence))
}

/// Says what a destructive call takes away for good: in the pack's words, or by the arguments that
/// name it.
pub(super) fn lost(proposal: &Check<'_>, call: &Call) -> String {
    let Some(tool) = proposal.pack().tool(&call.tool) else { return String::new() };
    if let Some(own) = of_pack(proposal, tool, call) {
        return own;
    }
    let values: Vec<String> = named(tool, call).into_iter().map(written).collect();
    if values.is_empty() {
        return proposal.say("lost_unnamed");
    }
    proposal.sentence(&Sentence::new("lost").with("what", values.join(", ")))
}

/// The pack's sentence about the loss, if the call has every value that it names.
fn of_pack(proposal: &Check<'_>, tool: &Tool, call: &Call) -> Option<String> {
    let text = localized(&tool.spec.loss, proposal.turn.said.language)?;
    let values = call.arguments.iter();
    let values: BTreeMap<&str, String> =
        values.map(|(name, value)| (name.as_str(), written(value))).collect();
    proposal.messages.fill(text, &values)
}

/// The values that name what a call is about: of the required arguments, or else of those that
/// somebody gave. A yes or no names nothing.
fn named<'a>(tool: &Tool, call: &'a Call) -> Vec<&'a Json> {
    let given = |name: &str| {
        let receipt = call.evidence.get(name);
        receipt.is_none_or(|receipt| receipt.source != Source::Default)
    };
    let values = |counts: &dyn Fn(&str) -> bool| -> Vec<&'a Json> {
        let named =
            call.arguments.iter().filter(|(name, value)| counts(name) && !value.is_boolean());
        named.map(|(_, value)| value).collect()
    };
    let required = values(&|name| tool.requires(name));
    if required.is_empty() { values(&given) } else { required }
}

/// The arguments of a call in the order of the schema; any that it does not know come last.
fn arguments<'a>(tool: &'a Tool, call: &'a Call) -> impl Iterator<Item = (&'a str, &'a Json)> {
    let known = tool.arguments().filter_map(|name| call.arguments.get_key_value(name));
    let others = call.arguments.iter().filter(|(name, _)| tool.property(name).is_none());
    known.chain(others).map(|(name, value)| (name.as_str(), value))
}

/// The name of an argument for people; the one of its schema where another argument would be called the same.
fn label(proposal: &Check<'_>, tool: &Tool, name: &str) -> String {
    let of = |name| proposal.pack().argument_label(tool, name, proposal.turn.said.language);
    let label = of(name);
    let is_shared = tool.arguments().any(|other| other != name && of(other) == label);
    if is_shared { name.to_owned() } else { label }
}

/// Says where a value came from; words that are the value itself are not said twice.
fn origin(proposal: &Check<'_>, receipt: Option<&Evidence>, written: &str) -> String {
    let Some(receipt) = receipt else { return proposal.say("from_caller") };
    match (receipt.source, receipt.text.as_deref()) {
        (Source::Span, Some(words)) if words != written => {
            let text = visible(&shorten(words.trim(), QUOTED));
            proposal.sentence(&Sentence::new("from_words").with("text", text))
        }
        (Source::Span, _) => proposal.say("from_words_alone"),
        (Source::Memory, _) => proposal.say("from_before"),
        (Source::Default, _) => proposal.say("from_default"),
        (Source::Option, _) => proposal.say("from_choice"),
        (Source::Llm, _) => proposal.say("from_model"),
        (Source::Caller, _) => proposal.say("from_caller"),
    }
}

/// The characters of the values of a call, if they are too many to be shown.
pub(super) fn too_long(call: &Call) -> Option<usize> {
    let count = call.arguments.values().map(|value| written(value).chars().count()).sum();
    (count > LONGEST).then_some(count)
}

/// A value as a person reads it: plain words as they are, lists of them with commas, and anything
/// that could be mistaken as JSON.
pub(super) fn written(value: &Json) -> String {
    let plain = |value: &Json| match value {
        Json::String(text) => is_plain(text).then(|| text.clone()),
        Json::Number(_) | Json::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    let list = |items: &Vec<Json>| -> Option<String> {
        let items: Option<Vec<String>> = items.iter().map(plain).collect();
        let apart = |items: &Vec<String>| items.iter().all(|item| !item.contains(','));
        items.filter(|items| !items.is_empty() && apart(items)).map(|items| items.join(", "))
    };
    let simple = match value {
        // A list of one is not the thing itself, and JSON says so.
        Json::Array(items) if items.len() > 1 => list(items),
        Json::Array(_) => None,
        other => plain(other),
    };
    simple.unwrap_or_else(|| visible(&value.to_string()))
}

/// Returns whether a text reads as itself and as nothing else: a number and `true` are written
/// without quotation marks, so a text that looks like one is not.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.trim() == text
        && !text.chars().any(is_hidden)
        && serde_json::from_str::<Json>(text).is_err()
}

/// The text with every character that is not seen written by its number.
pub(super) fn visible(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            hidden if is_hidden(hidden) => {
                written.push_str(&format!("\\u{{{:x}}}", u32::from(hidden)));
            }
            seen => written.push(seen),
        }
    }
    written
}

/// Returns whether a character has no shape of its own, or changes the order of others: a control,
/// a space without width or of another width, a blank of Braille, a change of direction, a tag.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}'
            | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_written_so_that_it_is_taken_for_no_other() {
        for (value, shown) in [
            (json!("team"), "team"),
            (json!("a b.txt"), "a b.txt"),
            (json!("2025-11-06"), "2025-11-06"),
            (json!(5), "5"),
            (json!("5"), "\"5\""),
            (json!("true"), "\"true\""),
            (json!(""), "\"\""),
            (json!(" x"), "\" x\""),
            (json!("one\ntwo"), "\"one\\ntwo\""),
            (json!("txt\u{202e}gpj.exe"), "\"txt\\u{202e}gpj.exe\""),
            (json!(["a.py", "b.py"]), "a.py, b.py"),
            (json!(["a.py"]), "[\"a.py\"]"),
            (json!(["a, b", "c"]), "[\"a, b\",\"c\"]"),
            (json!([1, "1"]), "[1,\"1\"]"),
            (json!([]), "[]"),
            (json!({ "title": "x" }), "{\"title\":\"x\"}"),
            (json!(null), "null"),
        ] {
            assert_eq!(written(&value), shown);
        }
    }

    #[test]
    fn a_name_of_a_server_makes_no_line_of_its_own() {
        assert_eq!(visible("Reads.\n- path: safe"), "Reads.\\u{a}- path: safe");
    }
}
