//! What speaks for a number as that of an argument: its unit, the words beside it, what is usual. "Household size of 5 with 100000
//! nets" fills two arguments.

use serde_json::{Value as Json, json};
use waypost_core::text_match::{find_word, is_han};
use waypost_text::extract::{Kind, Reading, Value};
use waypost_text::text::Span;

use super::amount::{Counted, Fit, MONEY, exact, is_signed};
use super::features::{Feature, Features, TOLD};
use super::said::Item;
use super::{Alone, Offer, Slot, amount, bounds};
use crate::decide::slots::DraftCall;
use crate::decide::slots::cues::{CUED, nearest, nearness};
use crate::pack::Tool;
use crate::pack::suggest::{is_year, words_of};
use crate::understand::Turn;

/// How much less words speak for a number that is unusual for an argument.
const UNUSUAL: f64 = 0.7;

/// Returns whether an argument takes one number that is not part of a place, or a list of numbers.
pub(in crate::decide::slots) fn takes(tool: &Tool, name: &str) -> bool {
    let kind = tool.annotation(name).and_then(|note| note.kind);
    if tool.is_list(name) {
        return kind == Some(Kind::Number);
    }
    let number = tool.is_number(name) && kind.is_none_or(|kind| kind == Kind::Number);
    let year = || kind.is_none() && tool.is_free_text(name) && is_year(name);
    number || year()
}

/// The numbers of a turn, as the arguments of a tool see them.
pub(in crate::decide::slots) struct Numbers<'a> {
    pub(in crate::decide::slots) turn: &'a Turn<'a>,
    pub(in crate::decide::slots) draft: &'a DraftCall,
    pub(in crate::decide::slots) tool: &'a Tool,
    /// The arguments that take one.
    pub(in crate::decide::slots) names: Vec<&'a str>,
    /// The places of the numbers that some argument counts.
    pub(in crate::decide::slots) spans: Vec<Span>,
    /// The words that are written as codes are.
    pub(in crate::decide::slots) codes: &'a [Value],
}

impl Numbers<'_> {
    /// A number as the value of an argument for one, with what speaks for it; `None` where it measures something else.
    pub(in crate::decide::slots) fn offer(
        &self,
        item: (usize, &Item<'_>),
        slot: (usize, &Slot<'_>),
    ) -> Option<Offer> {
        let ((item, said), (place, slot)) = (item, slot);
        let (value, counted) = (said.value, said.counted?);
        let fit = amount::fit(self.tool, slot.name, value, counted)?;
        let usual = is_usual(self.tool, slot.name, counted.number);
        if bounds::is_part(self.turn, &self.spans, value.span) && !bounds::is_end(slot.name) {
            return None;
        }
        let is_limit = self.is_limit_of_another(slot.name, value, fit);
        if is_limit && !self.is_asked(slot.name, value) {
            return None;
        }
        // "1,200,000 household size 5": what stands beside the words may be meant for others.
        let trust = if usual { 1.0 } else { UNUSUAL };
        let before = self.draft.memory.as_ref();
        let before = before.is_some_and(|past| past.arguments.contains_key(slot.name));
        let features = Features::default()
            .with_if(Feature::Unit, matches!(fit, Fit::Unit(_)))
            .with_if(Feature::Asked, self.is_asked(slot.name, value))
            .with(Feature::Cue, trust * self.cued(slot.name, value, counted) / CUED)
            .with_if(Feature::Before, before);
        // "[Image #1]": a number with a sign is the name of something.
        let may = counted.bare
            && !is_signed(value)
            && self.has_right(slot.name, value)
            && self.can_be(slot.name, counted);
        let alone = match (may, usual) {
            (true, true) => Alone::Yes,
            // Beside others it is none that is asked for, as that of 一戶五人.
            (true, false) => Alone::Solitary,
            (false, _) => Alone::No,
        };
        if alone == Alone::No && !counted.bare && features.told() < TOLD {
            return None;
        }
        let form = form(self.tool, slot.name, value, counted);
        let in_order = counted.bare;
        Some(Offer { item, slot: place, features, form, alone, in_order, class: 0 })
    }

    /// Returns whether a number limits something else that is named right before it: "wards with rainfall above 100" counts no
    /// wards. A range with both ends, and a most that is included ("at most 10"), may still be of this argument.
    fn is_limit_of_another(&self, name: &str, value: &Value, fit: Fit) -> bool {
        /// The longest word between a name and its limit: "is", "of", 是.
        const LINK: usize = 2;
        let said = &self.turn.said;
        let mut bounds = said.bounds().iter();
        let Some(range) = bounds.find(|range| range.span.overlaps(value.span)) else {
            return false;
        };
        let interval = range.interval;
        let is_open = interval.low.is_none() != interval.high.is_none();
        if !is_open || interval.high_included || bounds::is_end(name) || matches!(fit, Fit::Unit(_))
        {
            return false;
        }
        let names = said.discourse.mentions.iter().filter(|own| own.span.end <= range.span.start);
        let is_named = names.map(|own| own.span.end).max().is_some_and(|end| {
            let gap = said.text.slice(Span { start: end, end: range.span.start }).trim().to_owned();
            gap.chars().count() <= LINK && gap.chars().all(char::is_alphabetic)
        });
        is_named && nearest(self.turn, self.tool, name, range.span, &[]) < CUED
    }

    /// Returns whether a number answers the question for an argument: it is the only one, and no word speaks for another argument.
    fn is_asked(&self, name: &str, value: &Value) -> bool {
        if self.spans.len() != 1 || !self.turn.asks_for(self.tool, name) {
            return false;
        }
        // "Household size is 5" answers another question than how many nets there are.
        let others = self.names.iter().filter(|other| **other != name);
        let mut cues = others.flat_map(|other| self.tool.cues(other));
        !cues
            .any(|cue| nearness(self.turn, cue, value.span, &self.spans).is_some_and(|n| n >= TOLD))
    }

    /// The score of the words of an argument beside a number or within it.
    fn cued(&self, name: &str, value: &Value, counted: Counted) -> f64 {
        nearest(self.turn, self.tool, name, value.span, &self.spans)
            .max(within(self.turn, self.tool, name, value))
            .max(counts_results(self.turn, self.tool, name, value, counted))
    }

    /// Returns whether a number that nothing claims may fill an argument: one that a pack knows or that is needed, or any where
    /// the number is all that is said.
    fn has_right(&self, name: &str, value: &Value) -> bool {
        let said = self.turn.said.text.original().trim();
        self.tool.is_annotated(name) || self.tool.requires(name) || said == value.text
    }

    /// Returns whether an argument can take a number that was said without a unit.
    fn can_be(&self, name: &str, counted: Counted) -> bool {
        /// Numbers that are years without a word that says so.
        const YEARS: std::ops::Range<f64> = 1000.0..3000.0;
        let unit = self.tool.annotation(name).and_then(|note| note.unit.as_deref());
        // Prices are said without their currency.
        let unit = unit.filter(|unit| *unit != MONEY);
        let text_too = self.tool.shape(name).is_some_and(|shape| shape.types.string);
        let timely =
            !is_year(name) || counted.number.fract() == 0.0 && YEARS.contains(&counted.number);
        unit.is_none() && !text_too && timely && self.tool.accepts(name, &plain(counted.number))
    }
}

/// Returns the spans of the numbers.
pub(in crate::decide::slots) fn spans(turn: &Turn<'_>) -> Vec<Span> {
    let counts = |kind: Kind| matches!(kind, Kind::Number | Kind::Percentage | Kind::Quantity);
    turn.said.values.iter().filter(|value| counts(value.kind)).map(|value| value.span).collect()
}

/// The score of words of an argument within a number itself: the "number" of "number 42", and the sign of "#42".
fn within(turn: &Turn<'_>, tool: &Tool, name: &str, value: &Value) -> f64 {
    const NUMBERED: [&str; 5] = ["number", "num", "no", "nr", "id"];
    if !matches!(value.reading, Reading::Ordinal(_)) {
        return 0.0;
    }
    let words = turn.said.text.slice(value.span).to_lowercase();
    let numbers = || tool.words(name).iter().any(|word| NUMBERED.contains(&word.as_str()));
    let named = || tool.cues(name).iter().any(|cue| find_word(&words, cue).is_some());
    if named() || is_signed(value) && numbers() { CUED } else { 0.0 }
}

/// The score of a number that counts what the tool gives, for the argument that says how much it gives: "list the first 5 orders".
fn counts_results(
    turn: &Turn<'_>,
    tool: &Tool,
    name: &str,
    value: &Value,
    counted: Counted,
) -> f64 {
    const MOST: [&str; 8] = ["limit", "count", "max", "maximum", "top", "n", "num", "size"];
    const OF: [&str; 14] = [
        "of", "per", "page", "result", "results", "item", "items", "entry", "entries", "record",
        "records", "row", "rows", "number",
    ];
    /// The shortest noun that may be what a tool gives, in letters.
    const SHORTEST: usize = 3;
    let stem = |word: &str| word.trim_end_matches('s').to_owned();
    let own: Vec<String> = words_of(&tool.spec.name)
        .into_iter()
        .chain(words_of(&tool.spec.summary))
        .map(|word| stem(&word))
        .collect();
    // `max_price` counts no results.
    let limits = |name: &str| {
        let words = tool.words(name);
        let is = |word: &String, known: &[&str]| known.contains(&word.as_str());
        words.iter().any(|word| is(word, &MOST))
            && words
                .iter()
                .all(|word| is(word, &MOST) || is(word, &OF) || own.contains(&stem(word)))
    };
    let is_count = counted.bare && counted.number >= 1.0 && counted.number.fract() == 0.0;
    if !is_count || !limits(name) || tool.arguments().filter(|name| limits(name)).count() > 1 {
        return 0.0;
    }
    let end = turn.said.text.original().chars().count();
    let behind = turn.said.text.slice(Span { start: value.span.end, end }).trim_start();
    if behind.starts_with(is_han) {
        return if names_in(behind, &tool.spec.summary) { CUED } else { 0.0 };
    }
    let noun = behind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let noun = noun.to_lowercase();
    let says = noun.len() >= SHORTEST && own.contains(&stem(&noun));
    if says { CUED } else { 0.0 }
}

/// Returns whether words in Han begin, behind a classifier, with a noun of a summary: 隻鴿子 and 列出鴿子.
fn names_in(words: &str, summary: &str) -> bool {
    let noun = |skipped: usize| -> String { words.chars().skip(skipped).take(2).collect() };
    (0..=1).map(noun).any(|noun| {
        noun.chars().count() == 2 && noun.chars().all(is_han) && summary.contains(noun.as_str())
    })
}

/// Returns whether a number lies within the usual range of an argument.
pub(in crate::decide::slots) fn is_usual(tool: &Tool, name: &str, number: f64) -> bool {
    let soft = tool.annotation(name).and_then(|note| note.soft);
    soft.is_none_or(|[least, most]| (least..=most).contains(&number))
}

/// A number for an argument, in its unit: as it was said, unless it was converted.
pub(in crate::decide::slots) fn form(
    tool: &Tool,
    name: &str,
    value: &Value,
    counted: Counted,
) -> Json {
    let number = amount::fit(tool, name, value, counted).map_or(counted.number, Fit::number);
    let form = match number.to_bits() == counted.number.to_bits() {
        true => exact(value).unwrap_or_else(|| plain(number)),
        false => whole(tool, name, number),
    };
    let text = json!(form.to_string());
    let takes_text = tool.shape(name).is_some_and(|shape| shape.types.string);
    let as_text = takes_text && !tool.accepts(name, &form) && tool.accepts(name, &text);
    if as_text { text } else { form }
}

/// A converted number as an argument takes it: the conversion leaves no trace in the last digits.
fn whole(tool: &Tool, name: &str, number: f64) -> Json {
    /// Nine digits behind the point are more than anybody says.
    const DIGITS: f64 = 1e9;
    let rounded = (number * DIGITS).round() / DIGITS;
    let value = plain(rounded);
    if tool.accepts(name, &value) { value } else { plain(number) }
}

/// A number as a schema wants it: 25, not 25.0.
pub(in crate::decide::slots) fn plain(number: f64) -> Json {
    /// Beyond this, a float of 64 bits does not hold every whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT { json!(number as i64) } else { json!(number) }
}
