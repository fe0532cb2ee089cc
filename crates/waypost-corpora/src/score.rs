//! Runs the extractors on cases and compares.

use std::fmt::Write;

use waypost_text::extract::{self, Context, Kind, Reading, Value, canonical};
use waypost_text::text::Text;

use crate::case::{Case, Expectation, Wanted};
use crate::expected::Expected;
use crate::spelling;
use crate::split::Part;

/// A choice of cases to score; a field that is `None` lets every case through.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The name of a corpus.
    pub corpus: Option<String>,
    /// A language, or a tag of the corpus.
    pub lang: Option<String>,
    /// A kind of the tables.
    pub kind: Option<String>,
    /// Something that stands in the text.
    pub text: Option<String>,
    /// True if only the negative cases are taken.
    pub negatives: bool,
    /// True if numbers are asked for alone, as `parse --kind number` does.
    pub asked: bool,
}

impl Selection {
    /// Returns whether a case is chosen.
    pub fn has(&self, case: &Case) -> bool {
        let any = |wanted: &Option<String>, known: &[&str]| {
            wanted.as_deref().is_none_or(|wanted| known.contains(&wanted))
        };
        any(&self.corpus, &[case.corpus.name()])
            && any(&self.lang, &[&case.lang, case.main_language()])
            && any(&self.kind, &[case.kind])
            && self.text.as_deref().is_none_or(|words| case.text.contains(words))
            && (!self.negatives || case.is_negative())
    }
}

/// The outcome of a case.
#[derive(Debug)]
pub struct Outcome<'a> {
    /// The case.
    pub case: &'a Case,
    /// All that was found.
    pub found: Vec<Value>,
    /// True if it is right: for a negative case, if nothing was found that may not be.
    pub right: bool,
    /// True if it is right without cutting function words.
    pub exact: bool,
}

/// Scores the chosen cases.
pub fn score<'a>(cases: &'a [Case], selection: &Selection) -> Vec<Outcome<'a>> {
    let chosen = cases.iter().filter(|case| selection.has(case));
    chosen.map(|case| outcome(case, selection.asked)).collect()
}

/// The kind that a case asks for alone, as the models of Recognizers-Text do.
fn asked_kind(case: &Case, asked: bool) -> Option<Kind> {
    match case.kind {
        // Ranges of numbers are found in no other way.
        "number range" => Some(Kind::Interval),
        "money" if wants_interval(case) => Some(Kind::Money),
        "quantity" | "temperature" if wants_interval(case) => Some(Kind::Quantity),
        "number" if asked => Some(Kind::Number),
        "ordinal" if asked => Some(Kind::Ordinal),
        "percentage" if asked => Some(Kind::Percentage),
        _ => None,
    }
}

/// Returns whether a range of amounts is wanted; asking for a single amount would take it apart.
fn wants_interval(case: &Case) -> bool {
    let is_interval = |expected: &Expected| matches!(expected, Expected::Interval { .. });
    let wants = |wanted: &Wanted| wanted.values.iter().any(is_interval);
    matches!(&case.expectation, Expectation::Find(wanted) if wanted.iter().any(wants))
}

fn outcome(case: &Case, asked: bool) -> Outcome<'_> {
    let context = Context {
        now: &case.now,
        language: case.language,
        gazetteers: &[],
        conventions: case.conventions,
        wanted: extract::Kinds::NONE,
    };
    let text = Text::new(&case.text);
    let found = match asked_kind(case, asked) {
        Some(kind) => extract::of_kind(&text, &context, kind),
        None => extract::extract(&text, &context),
    };
    let (right, exact) = match &case.expectation {
        Expectation::Find(wanted) => {
            let trimmed = |words: &str| spelling::trimmed(words, case.language);
            (all_found(wanted, &found, &trimmed), all_found(wanted, &found, &spelling::exact))
        }
        Expectation::Nothing(kinds) => {
            let clean = !found.iter().any(|value| is_find(value, kinds));
            (clean, clean)
        }
    };
    Outcome { case, found, right, exact }
}

/// Returns whether a value counts as found. Something that cannot be (February 30th) is reported,
/// not found.
fn is_find(value: &Value, kinds: &[&str]) -> bool {
    kinds.contains(&kind_of(value)) && !matches!(value.reading, Reading::Fault(_))
}

/// The kind, where temperatures and ages are kinds of their own.
fn kind_of(value: &Value) -> &str {
    match value.reading {
        Reading::Quantity { dimension: "temperature", .. } => "temperature",
        Reading::Quantity { dimension: "time" | "age", .. } => "age",
        _ => value.kind.name(),
    }
}

/// Returns whether each wanted value is found, each by a value of its own.
fn all_found(wanted: &[Wanted], found: &[Value], spelled: &dyn Fn(&str) -> String) -> bool {
    let mut left: Vec<(&Value, String)> =
        found.iter().map(|value| (value, spelled(&value.text))).collect();
    wanted.iter().all(|wanted| {
        let words = wanted.text.as_deref().map(spelled);
        let at = left.iter().position(|(value, text)| {
            words.as_ref().is_none_or(|words| words == text) && means(wanted, value)
        });
        at.map(|at| left.remove(at)).is_some()
    })
}

fn means(wanted: &Wanted, value: &Value) -> bool {
    let readings = || std::iter::once(&value.reading).chain(&value.alternatives);
    wanted.values.iter().any(|expected| readings().any(|reading| expected.is(value, reading)))
}

/// A compact block about a case: its words, what was wanted, what was found.
///
/// `None` for a case that is held out.
pub fn failure(outcome: &Outcome<'_>) -> Option<String> {
    let Outcome { case, found, .. } = outcome;
    if case.part() == Part::HeldOut {
        return None;
    }
    let mut out = format!(
        "{} {} {} | {} | now {}",
        case.corpus.name(),
        case.lang,
        case.kind,
        case.text.trim(),
        case.now.datetime()
    );
    // Writing to a string cannot fail.
    match &case.expectation {
        Expectation::Find(wanted) => {
            for wanted in wanted {
                let words = wanted.text.as_deref().unwrap_or("(any words)");
                let _ = write!(out, "\n  want  {words} = {}", wanted.shown);
            }
        }
        Expectation::Nothing(kinds) => {
            let _ = write!(out, "\n  want  none of {}", kinds.join(", "));
        }
    }
    for value in found {
        let _ = write!(out, "\n  found {} = {} ", value.text, value.kind.name());
        let readings = std::iter::once(&value.reading).chain(&value.alternatives);
        let readings: Vec<String> = readings.map(said).collect();
        let _ = write!(out, "{}  [{}]", readings.join(" or "), value.rule);
    }
    if found.is_empty() {
        out.push_str("\n  found nothing");
    }
    Some(out)
}

fn said(reading: &Reading) -> String {
    match reading {
        Reading::Fault(fault) => fault.name().to_owned(),
        reading => canonical(reading).to_string(),
    }
}
