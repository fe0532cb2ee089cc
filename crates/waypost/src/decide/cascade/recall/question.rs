//! The key of a decision: the words with every value in its one form, and everything that could
//! make the same words mean something else.

use serde_json::json;
use waypost_text::extract::{self, Value};
use waypost_text::text::Span;

use super::super::DecisionDependencies;
use crate::understand::mention::Mention;
use crate::understand::{Turn, read};

/// A question whose decision can be kept or recalled.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Question {
    /// Pack, student, model, language, zone, enabled parts, and the caller's claims.
    setting: String,
    /// Every value and name of the text in its one form, in order.
    entities: Vec<String>,
    /// The normalized text with its values as marks.
    text: String,
}

/// A longer text is hardly ever asked twice, and would fill the room of many.
const LONGEST: usize = 2_000;

impl Question {
    /// The question of a turn; `None` where the turn may use more than its own words.
    pub(super) fn of(turn: &Turn<'_>, dependencies: &DecisionDependencies<'_>) -> Option<Self> {
        if turn.said.text.normalized().len() > LONGEST || !turn.stands_alone() {
            return None;
        }
        let setting = json!([
            turn.pack.id,
            dependencies.bundle.id(),
            dependencies.model.map(waypost_core::ports::model::Model::name),
            turn.said.language.tag(),
            turn.now.time_zone().iana_name(),
            turn.now.offset().to_string(),
            turn.permits.enabled.without_recall(),
            turn.request.trusted,
            turn.context.flags,
        ]);
        let (text, entities) = canonical(turn);
        Some(Self { setting: setting.to_string(), entities, text })
    }

    /// Returns whether two questions have the same values and the same setting.
    pub(super) fn is_beside(&self, other: &Question) -> bool {
        self.entities == other.entities && self.setting == other.setting
    }

    /// The words, without the characters between them.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.text
            .split(|c: char| !(c.is_alphanumeric() || c == '‹'))
            .filter(|word| !word.is_empty())
    }

    /// The text and its values, for a signature that finds questions like this one.
    pub(super) fn parts(&self) -> (&str, &[String], &str) {
        (&self.setting, &self.entities, &self.text)
    }

    /// Returns whether a value of the words would be another one on another day.
    pub(super) fn is_relative(&self, turn: &Turn<'_>) -> bool {
        /// Another day of another month and year, at another hour.
        const ELSEWHEN: jiff::SignedDuration = jiff::SignedDuration::from_hours(24 * 400 + 7);
        let Ok(now) = turn.now.checked_add(ELSEWHEN) else { return true };
        let (values, discourse) = read(turn.pack, &turn.said.text, turn.said.language, None, &now);
        entities(&values, &discourse.mentions) != self.entities
    }
}

/// The normalized text with its values and names as marks, and these in their one form.
fn canonical(turn: &Turn<'_>) -> (String, Vec<String>) {
    let values = turn.said.values.iter().map(|value| (value.span, value.kind.name()));
    let mentions = turn.said.discourse.mentions.iter().map(|mention| (mention.span, "name"));
    let mut marks: Vec<(Span, &str)> = values.chain(mentions).collect();
    marks.sort();
    let normalized = turn.said.text.normalized();
    let (mut text, mut at) = (String::with_capacity(normalized.len()), 0);
    for (span, mark) in marks {
        let bytes = turn.said.text.bytes(span);
        // A value that lies within another is among the entities all the same.
        if bytes.start < at {
            continue;
        }
        text.push_str(&normalized[at..bytes.start]);
        text.push_str(" ‹");
        text.push_str(mark);
        text.push(' ');
        at = bytes.end;
    }
    text.push_str(&normalized[at..]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (text, entities(&turn.said.values, &turn.said.discourse.mentions))
}

fn entities(values: &[Value], mentions: &[Mention]) -> Vec<String> {
    let values = values.iter().map(|value| {
        let form = extract::canonical(&value.reading);
        // An impossible value has no form but its words.
        let form = if form.is_null() { json!(value.text) } else { form };
        (value.span, format!("{} {form}", value.kind.name()))
    });
    let mentions =
        mentions.iter().map(|mention| (mention.span, format!("name {}", json!(mention.entries))));
    let mut all: Vec<(Span, String)> = values.chain(mentions).collect();
    all.sort();
    all.into_iter().map(|(_, form)| form).collect()
}
