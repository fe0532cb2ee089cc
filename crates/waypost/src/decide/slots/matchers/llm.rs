//! The values that a model proposes, and what bears them out.
//!
//! A model's word is no evidence for itself. A proposed value runs only if something else says the
//! same:
//!
//! - *the words*: an extractor reads them as this value, the vocabulary of the argument knows them for
//!   it, or, where the argument takes text as it is written, they are the value. Every item of a list
//!   and every field of an object needs words of its own, and a yes or no needs them as well;
//! - *memory*: the value of the same argument in the call that this one follows;
//! - *an option* that was shown for this very argument, which the text answers;
//! - *the default* of the argument.
//!
//! Nobody asks the model which words it read: what it would quote is looked for all the same. Words
//! that are denied bear nothing out, and a number within a date or a name is not that number.
//! What is not borne out is proposed in the question, one yes away (see [`proposals`]).

use serde_json::{Map, Value as Json};
use waypost_core::records::decision::{By, Call, Evidence, Source};
use waypost_core::records::request::{Choice, PastCall};
use waypost_core::text_match::find_word;
use waypost_text::extract::{Kind, Reading, Value};
use waypost_text::text::{Span, Text};

use super::{FilledValue, Match, Wanted, named};
use crate::decide::slots::open::question;
use crate::decide::slots::{DraftCall, Gap, fit, scope};
use crate::pack::Tool;
use crate::pack::messages::Sentence;
use crate::understand::Turn;
use crate::understand::mention::Stance;

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let value = wanted.draft.proposed.get(wanted.name)?;
    // The name of a place was bound to its entry.
    if value.is_string() && is_place(wanted.tool, wanted.name) {
        return None;
    }
    let (evidence, spans) =
        match backing(wanted.turn, wanted.draft, wanted.tool, wanted.name, value)? {
            Backing::Words(spans) => {
                let words = spans.first().map(|span| wanted.turn.said.text.slice(*span).to_owned());
                let numeric = value.is_number();
                let evidence = Evidence { source: Source::Llm, text: words, by: By::Llm };
                // A word may name several things; a number counts one.
                (evidence, if numeric { spans } else { Vec::new() })
            }
            Backing::Option => {
                (Evidence { source: Source::Llm, text: None, by: By::Llm }, Vec::new())
            }
            Backing::Memory(tool) => (Evidence::new(Source::Memory, By::Memory(tool)), Vec::new()),
            // The matcher of defaults says so itself.
            Backing::Default => return None,
        };
    Some(Match::Found(FilledValue { value: value.clone(), evidence, spans }))
}

/// What bears a value out that a model proposes for a call, as its receipt; `None` where nothing but the model does.
pub(crate) fn receipt(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    name: &str,
    value: &Json,
) -> Option<Evidence> {
    Some(match backing(turn, draft, tool, name, value)? {
        Backing::Words(spans) => {
            let text = spans.first().map(|span| turn.said.text.slice(*span).to_owned());
            Evidence { source: Source::Llm, text, by: By::Llm }
        }
        Backing::Option => Evidence::new(Source::Llm, By::Llm),
        Backing::Memory(tool) => Evidence::new(Source::Memory, By::Memory(tool)),
        Backing::Default => Evidence::new(Source::Default, By::Default),
    })
}

/// The ground that bears a proposed value out.
enum Backing {
    /// These words; none where they are shared, as those of a point are.
    Words(Vec<Span>),
    /// An option that was shown for the argument.
    Option,
    /// An earlier call of this tool.
    Memory(String),
    /// The default of the argument.
    Default,
}

/// Returns what bears a value out, the surest first; `None` where nothing but the model does.
fn backing(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    name: &str,
    value: &Json,
) -> Option<Backing> {
    let words = Words { turn, draft, tool, name };
    if let Some(spans) = words.say(value) {
        return Some(Backing::Words(spans));
    }
    if words.deny(value) {
        return None;
    }
    if is_place(tool, name) {
        // A place must be said or remembered: a model knows a box for anything.
        return remembered(turn, draft, tool, name, value).map(Backing::Memory);
    }
    if was_shown(turn, tool, name, value) {
        return Some(Backing::Option);
    }
    if let Some(tool) = remembered(turn, draft, tool, name, value) {
        return Some(Backing::Memory(tool));
    }
    let default = tool.annotation(name).and_then(|note| note.default.as_ref());
    (default == Some(value)).then_some(Backing::Default)
}

fn is_place(tool: &Tool, name: &str) -> bool {
    let kind = tool.annotation(name).and_then(|note| note.kind);
    matches!(kind, Some(Kind::Point | Kind::Bbox))
}

/// Returns whether the question that is open offers this value for this very argument, and the words name nothing else:
/// "pregnant women" is an answer, and none to the question for the level of care.
fn was_shown(turn: &Turn<'_>, tool: &Tool, name: &str, value: &Json) -> bool {
    let asked = turn
        .asked()
        .is_some_and(|(active, asked)| active.spec.name == tool.spec.name && asked == name);
    let vocabulary = named::vocabulary(tool, name);
    let names_other =
        turn.said.discourse.mentions.iter().any(|mention| mention.key(vocabulary).next().is_none());
    let mut options = turn.context.options.iter();
    asked && !names_other && options.any(|choice| tool.canonical(name, &choice.value) == *value)
}

/// The tool of the earlier call that had this value for this argument: the one that the call follows,
/// or, where words point back, the last one.
fn remembered(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    name: &str,
    value: &Json,
) -> Option<String> {
    let last = || {
        let past = turn.context.last_calls.last().filter(|past| past.tool == tool.spec.name);
        past.filter(|_| turn.said.points_back())
    };
    let past: &PastCall = draft.memory.as_ref().or_else(last)?;
    (past.arguments.get(name) == Some(value)).then(|| past.tool.clone())
}

/// The words of a turn, as they may bear out a value of one argument.
struct Words<'a> {
    turn: &'a Turn<'a>,
    draft: &'a DraftCall,
    tool: &'a Tool,
    name: &'a str,
}

impl Words<'_> {
    /// The words that say a value; `None` if they do not.
    fn say(&self, value: &Json) -> Option<Vec<Span>> {
        if let Some(read) = self.reading(value, &scope::values(self.turn, self.draft)) {
            return Some(vec![read]);
        }
        if let Some(named) = self.named(value, Stance::Said) {
            return Some(vec![named]);
        }
        match value {
            Json::Array(items) => self.all(items.iter()),
            Json::Object(fields) => self.all(fields.values()),
            Json::Number(number) => self.counted(number.as_f64()?),
            Json::String(words) => self.quoted(words, Stance::Said).map(|span| vec![span]),
            Json::Bool(_) | Json::Null => None,
        }
    }

    /// The words of every one of several values, if all are said and there is one.
    fn all<'v>(&self, values: impl Iterator<Item = &'v Json>) -> Option<Vec<Span>> {
        let said: Option<Vec<Vec<Span>>> = values.map(|value| self.say(value)).collect();
        said.filter(|said| !said.is_empty()).map(|said| said.into_iter().flatten().collect())
    }

    /// Returns whether the words deny a value: it is neither used nor offered.
    fn deny(&self, value: &Json) -> bool {
        let denied = scope::denied(self.turn, self.draft);
        let place = value.as_str().filter(|_| is_place(self.tool, self.name));
        let entry = place.and_then(|word| self.turn.pack.find_entry(word));
        let is_entry = |value: &&Value| match (&value.reading, entry) {
            (Reading::Entity { gazetteer, key, .. }, Some((own, same, _))) => {
                gazetteer == own && key == same
            }
            _ => false,
        };
        denied.iter().any(is_entry)
            || self.reading(value, &denied).is_some()
            || self.named(value, Stance::Denied).is_some()
            || value.as_str().is_some_and(|words| self.quoted(words, Stance::Denied).is_some())
    }

    /// The words that an extractor reads as this value: "Tokyo" is `Asia/Tokyo`, "half past five"
    /// `17:30`.
    fn reading(&self, value: &Json, among: &[&Value]) -> Option<Span> {
        let fits = |said: &&&Value| {
            fit::fit(self.turn, self.tool, self.name, said).as_ref() == Some(value)
        };
        among.iter().find(fits).map(|said| said.span)
    }

    /// The name of this value in the vocabulary of the argument.
    fn named(&self, value: &Json, stance: Stance) -> Option<Span> {
        let vocabulary = named::vocabulary(self.tool, self.name);
        let mut mentions = self.turn.said.discourse.mentions.iter();
        let named = mentions.find(|mention| {
            scope::takes(self.draft, mention.span)
                && mention.key(vocabulary).any(|key| value == key)
                && self.turn.said.stance(mention.span) == stance
        });
        named.map(|mention| mention.span)
    }

    /// The words that count a number: "half a million", the longitude of 121.5W, digits as they stand.
    fn counted(&self, number: f64) -> Option<Vec<Span>> {
        let said = scope::values(self.turn, self.draft);
        let exact = said.iter().filter(|value| !scope::is_misread(self.turn, value));
        let read = exact.into_iter().find(|value| counts(&value.reading, number));
        match read.map(|value| (value, &value.reading)) {
            // The parts of a place share its words.
            Some((_, Reading::Point(_) | Reading::Bbox(_))) => Some(Vec::new()),
            Some((value, _)) => Some(vec![value.span]),
            None => self.stands(number).map(|span| vec![span]),
        }
    }

    /// The digits of a number that no extractor read, with a minus right before them if it is negative.
    fn stands(&self, number: f64) -> Option<Span> {
        let text = &self.turn.said.text;
        let normalized = text.normalized();
        let mut at = 0;
        normalized.split_inclusive(|c: char| !(c.is_ascii_digit() || c == '.')).find_map(|piece| {
            let from = at + piece.len() - piece.trim_start_matches('.').len();
            at += piece.len();
            let word = piece.trim_matches(|c: char| !c.is_ascii_digit());
            let same = word.parse::<f64>().is_ok_and(|read| is_same(read, number.abs()));
            let signed = normalized[..from].ends_with(['-', '\u{2212}', '\u{2013}']);
            let span = text.span(from, from + word.len());
            (same && (number >= 0.0 || signed) && self.is_free(span)).then_some(span)
        })
    }

    /// The words of a text that the argument takes as they are written, and that are meant so.
    fn quoted(&self, words: &str, stance: Stance) -> Option<Span> {
        // A day or a time is what an extractor reads, however it is written.
        let kind = self.tool.annotation(self.name).and_then(|note| note.kind);
        if kind.is_some_and(is_timely) {
            return None;
        }
        // A model quotes what was typed; here words that slipped are the ones that were meant.
        let (text, wanted) = (&self.turn.said.text, Text::new(words.trim()));
        let wanted = match self.turn.said.is_foreign {
            true => wanted,
            false => self.turn.pack.corrected(wanted, self.turn.said.language),
        };
        let wanted = wanted.normalized();
        let mut from = 0;
        while let Some(at) = find_word(&text.normalized()[from..], wanted) {
            let span = text.span(from + at, from + at + wanted.len());
            if scope::takes(self.draft, span) && self.turn.said.stance(span) == stance {
                return Some(span);
            }
            from += at + wanted.len();
        }
        None
    }

    /// Returns whether digits are about the call and part of no value that says something else.
    fn is_free(&self, span: Span) -> bool {
        let within = self.turn.said.values.iter().find(|value| value.span.overlaps(span));
        scope::takes(self.draft, span)
            && self.turn.said.stance(span) == Stance::Said
            && within.is_none_or(|value| is_countable(value.kind))
            && !self.turn.said.unread.iter().any(|unread| unread.span.overlaps(span))
    }
}

fn is_timely(kind: Kind) -> bool {
    matches!(kind, Kind::Date | Kind::Range | Kind::Datetime | Kind::Time)
}

/// Returns whether the digits within a value of this kind are numbers by themselves.
fn is_countable(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Number
            | Kind::Ordinal
            | Kind::Percentage
            | Kind::Quantity
            | Kind::Money
            | Kind::Interval
            | Kind::Point
            | Kind::Bbox
            | Kind::Quoted
    )
}

fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

/// Returns whether a reading is this number, or has it as a part.
fn counts(reading: &Reading, number: f64) -> bool {
    match reading {
        Reading::Number(value) | Reading::Quantity { value, .. } | Reading::Money { value, .. } => {
            is_same(*value, number)
        }
        Reading::Point(point) => {
            is_same(point.longitude, number) || is_same(point.latitude, number)
        }
        Reading::Bbox(sides) => sides.iter().any(|side| is_same(*side, number)),
        _ => false,
    }
}

/// The values that a model proposes and nothing bears out, where the words do not say otherwise: they
/// are asked about, and stand for no default and no memory meanwhile.
pub(in crate::decide::slots) fn proposals(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    calls: &[Call],
) -> Map<String, Json> {
    let open = draft.proposed.iter().filter(|(name, value)| {
        tool.property(name).is_some()
            && says_something(value)
            && calls.iter().all(|call| is_open(call, name, value))
            && can_be_offered(turn, tool, name, value)
            && backing(turn, draft, tool, name, value).is_none()
            && !(Words { turn, draft, tool, name }).deny(value)
    });
    open.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Returns whether a value says anything: an empty one leaves its argument out.
fn says_something(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::String(words) => !words.trim().is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(fields) => !fields.is_empty(),
        Json::Bool(_) | Json::Number(_) => true,
    }
}

/// Returns whether nobody but a default or an earlier call says what an argument is, and they say
/// something else.
fn is_open(call: &Call, name: &str, value: &Json) -> bool {
    let assumed = call.evidence.get(name).is_none_or(|receipt| {
        matches!(receipt.source, Source::Default | Source::Memory) && receipt.text.is_none()
    });
    assumed && call.arguments.get(name) != Some(value)
}

/// Returns whether a value can be shown and taken: one that the schema accepts, or the name of a place;
/// what is required is shown in any case but for words that the schema refuses.
fn can_be_offered(turn: &Turn<'_>, tool: &Tool, name: &str, value: &Json) -> bool {
    let accepted = tool.accepts(name, value);
    match value.as_str() {
        Some(word) if is_place(tool, name) => turn.pack.find_entry(word).is_some(),
        Some(_) => accepted,
        None => accepted || tool.requires(name),
    }
}

/// The question that asks whether the values that a model proposed are meant. One of several that the
/// schema lists stands first among them.
pub(in crate::decide::slots) fn confirmation(
    turn: &Turn<'_>,
    tool: &Tool,
    values: &Map<String, Json>,
) -> Option<Gap> {
    let (argument, first) = values.iter().next()?;
    let shown: Vec<String> =
        values.iter().map(|(name, value)| label(turn, tool, name, value)).collect();
    let shown = shown.join(", ");
    let mut choices = vec![Choice { label: shown.clone(), value: Json::Object(values.clone()) }];
    if values.len() == 1 && !tool.is_list(argument) {
        let others = question::listed(turn, tool, argument).into_iter();
        choices.extend(others.filter(|choice| choice.value != *first));
        choices.truncate(question::LISTED);
    }
    Some(Gap {
        tool: tool.spec.name.clone(),
        argument: argument.clone(),
        sentence: Sentence::new("confirm_value").with("value", shown),
        choices,
    })
}

fn label(turn: &Turn<'_>, tool: &Tool, name: &str, value: &Json) -> String {
    match value.as_str() {
        Some(key) if is_place(tool, name) => turn.pack.find_entry(key).map_or_else(
            || key.to_owned(),
            |(gazetteer, key, _)| turn.pack.label(gazetteer, key, turn.said.language),
        ),
        Some(key) if !tool.lists(name, key) => key.to_owned(),
        _ => turn.pack.value_label(tool, name, value, turn.said.language),
    }
}
