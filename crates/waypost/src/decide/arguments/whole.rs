//! An argument that takes all of the user's own words: a question, a thought.

use serde_json::json;
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::Kind;
use waypost_text::text::Span;

use super::{FilledValue, Match, Wanted};
use crate::pack::spec::FreeText;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let text = &wanted.turn.said.text;
    let is_task = wanted.annotation.text == Some(FreeText::Task);
    if !takes(wanted) || !is_task && !wanted.draft.consumed.is_empty() {
        return None;
    }
    let all = Span { start: 0, end: text.original().chars().count() };
    let words = text.slice(wanted.draft.clause.unwrap_or(all)).trim();
    let value = match wanted.annotation.text {
        Some(FreeText::Task) => json!(wanted.turn.task_of(wanted.draft.clause)),
        _ => json!(words),
    };
    if words.is_empty() || !wanted.tool.accepts(wanted.name, &value) {
        return None;
    }
    Some(Match::Found(FilledValue::new(value, Evidence::span(words, By::Text))))
}

/// Returns whether the pack says that the argument takes the whole, or else the schema says that it is
/// a thought and the tool needs nothing beside it.
fn takes(wanted: &Wanted<'_>) -> bool {
    let (tool, name) = (wanted.tool, wanted.name);
    match wanted.annotation.text {
        Some(words) => matches!(words, FreeText::Whole | FreeText::Task),
        None => {
            let thought = tool.suggested(name).is_some_and(|suggested| suggested.thought);
            let mut others = tool.arguments().filter(|other| *other != name);
            // What is to be written in a form is not written so by chance, and a quotation says itself
            // what is meant.
            let formed = tool.shape(name).is_some_and(|shape| shape.description.contains("format"));
            let quotes = wanted.turn.said.values.iter().any(|value| value.kind == Kind::Quoted);
            wanted.annotation.kind == Some(Kind::Text)
                && !formed
                && !quotes
                && thought
                && tool.requires(name)
                && !others.any(|other| tool.requires(other))
        }
    }
}
