//! The values that a model proposes, as far as the user's words or the schema support them.
//!
//! A number that the user never wrote is not believed: it becomes a choice (see
//! [`ungrounded`]). A value that the schema lists is.

use serde_json::Value as Json;
use waypost_core::records::decision::{By, Evidence, Source};
use waypost_core::records::request::Choice;
use waypost_text::extract::Reading;

use super::{DraftCall, FilledValue, Gap, Match, Wanted, fit};
use crate::pack::Tool;
use crate::pack::messages::Sentence;
use crate::turn::Turn;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let value = wanted.draft.proposed.get(wanted.name)?;
    // A place or a day must stand in the words; another value may also stand in the schema.
    let listed = wanted.annotation.kind.is_none() && is_listed(wanted.tool, wanted.name, value);
    let supported =
        grounded(wanted.turn, value) || is_form(wanted.turn, wanted.tool, wanted.name, value);
    if !listed && !supported {
        return None;
    }
    let evidence = Evidence { source: Source::Llm, text: None, by: By::Llm };
    Some(Match::Found(FilledValue::new(value.clone(), evidence)))
}

/// Returns whether a value that was said means this one: "Tokyo" is `Asia/Tokyo`, "half past five"
/// `17:30`.
fn is_form(turn: &Turn<'_>, tool: &Tool, name: &str, value: &Json) -> bool {
    turn.values.iter().any(|said| fit::fit(turn, tool, name, said).as_ref() == Some(value))
}

/// Returns whether the schema lists the value, or every item of it where the argument takes a list.
fn is_listed(tool: &Tool, name: &str, value: &Json) -> bool {
    let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let listed = tool.listed(name);
    tool.is_list(name) == value.is_array()
        && !values.is_empty()
        && values.iter().all(|value| listed.contains(value))
}

/// Returns whether the value is supported: every number and word of it stands in the user's text.
fn grounded(turn: &Turn<'_>, value: &Json) -> bool {
    let text = turn.text.normalized();
    match value {
        Json::Array(items) => !items.is_empty() && items.iter().all(|item| grounded(turn, item)),
        Json::Number(number) => {
            let read = number.as_f64().is_some_and(|number| is_read(turn, number));
            let written = number.to_string();
            let short = written.trim_end_matches(".0");
            let magnitude = short.trim_start_matches('-');
            let negative = written.starts_with('-');
            read || stands(text, magnitude, negative)
        }
        Json::String(words) => {
            waypost_core::text_match::find_word(text, &words.to_lowercase()).is_some()
        }
        _ => false,
    }
}

/// Returns whether the extractors read this number: "half a million", the longitude of 121.5W.
fn is_read(turn: &Turn<'_>, wanted: f64) -> bool {
    let same = |number: f64| (number - wanted).abs() < 1e-9;
    turn.values.iter().any(|value| match value.reading {
        Reading::Number(number) | Reading::Quantity { value: number, .. } => same(number),
        Reading::Point(point) => same(point.longitude) || same(point.latitude),
        Reading::Bbox(sides) => sides.into_iter().any(same),
        _ => false,
    })
}

/// Returns whether a number stands in a text as written, with a minus right before it if it is
/// negative.
fn stands(text: &str, magnitude: &str, negative: bool) -> bool {
    let signed = |word: &str| {
        let mut places = text.match_indices(word).map(|(at, _)| &text[..at]);
        places.any(|before| before.ends_with(['-', '\u{2212}', '\u{2013}']))
    };
    let mut numbers = waypost_core::text_match::numbers(text);
    numbers.any(|word| same_number(word, magnitude) && (!negative || signed(word)))
}

fn same_number(written: &str, wanted: &str) -> bool {
    matches!((written.parse::<f64>(), wanted.parse::<f64>()), (Ok(a), Ok(b)) if (a - b).abs() < 1e-9)
}

/// The values that a model proposes and nothing supports: they are offered as a choice, never run.
pub(crate) fn ungrounded(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
) -> serde_json::Map<String, Json> {
    draft
        .proposed
        .iter()
        .filter(|(name, value)| {
            let is_place = tool.annotation(name).is_some_and(|note| note.kind.is_some());
            let listed = !is_place && is_listed(tool, name, value);
            let supported = grounded(turn, value) || is_form(turn, tool, name, value);
            tool.property(name).is_some() && !listed && !supported
        })
        .filter(|(name, value)| tool.requires(name) || tool.accepts(name, value))
        .filter(|(_, value)| value.as_str().is_none_or(|word| turn.pack.find_entry(word).is_some()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The question that asks whether the values that a model proposed are meant.
pub(crate) fn confirmation(
    turn: &Turn<'_>,
    tool: &Tool,
    argument: &str,
    values: &serde_json::Map<String, Json>,
) -> Gap {
    let shown = values.values().map(|value| match value.as_str() {
        Some(key) => turn.pack.find_entry(key).map_or_else(
            || key.to_owned(),
            |(gazetteer, key, _)| turn.pack.label(gazetteer, key, turn.language),
        ),
        None => value.to_string(),
    });
    let shown: Vec<String> = shown.collect();
    let shown = shown.join(", ");
    Gap {
        tool: tool.spec.name.clone(),
        argument: argument.to_owned(),
        sentence: Sentence::new("confirm_value").with("value", shown.clone()),
        choices: vec![Choice { label: shown, value: Json::Object(values.clone()) }],
    }
}
