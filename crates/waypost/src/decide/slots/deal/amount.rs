//! The numbers that a text says, and the number that each is for an argument: an amount in its unit, a
//! length of time, a sum of money, a year.

use jiff::{Unit, civil::Date};
use serde_json::Value as Json;
use waypost_text::extract::{Kind, Moment, Reading, Value};
use waypost_text::text::Span;
use waypost_text::units;

use crate::decide::slots::scope;
use crate::pack::Tool;
use crate::pack::suggest::is_year;
use crate::understand::Turn;

/// A value as a number that an argument might take.
#[derive(Debug, Clone, Copy)]
pub(in crate::decide::slots) struct Counted {
    pub(in crate::decide::slots) number: f64,
    /// True if it has no unit.
    pub(in crate::decide::slots) bare: bool,
    /// The side of a stretch of years that it is.
    pub(in crate::decide::slots) edge: Option<Edge>,
}

/// A year alone, or a side of a stretch of years.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::decide::slots) enum Edge {
    Whole,
    First,
    Last,
}

/// The fit of a number to an argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::decide::slots) enum Fit {
    /// It counts what the argument counts.
    Unit(f64),
    /// Neither says a unit.
    Bare(f64),
    /// It has a unit, and the argument says none: the words beside it must speak for it.
    Loose(f64),
}

impl Fit {
    pub(in crate::decide::slots) fn number(self) -> f64 {
        match self {
            Fit::Unit(number) | Fit::Bare(number) | Fit::Loose(number) => number,
        }
    }
}

/// The numbers that a value may be; several for the sides of a stretch of years.
pub(in crate::decide::slots) fn counted(turn: &Turn<'_>, value: &Value) -> Vec<Counted> {
    // Twenty digits are no number that could be reckoned with, but one as they stand.
    let is_misread = scope::is_misread(turn, value) && exact(value).is_none();
    if is_glued(turn, value) || is_misread || is_caption(turn, value) {
        return Vec::new();
    }
    let one = |number, bare| vec![Counted { number, bare, edge: None }];
    let plain = || {
        value.alternatives.iter().find_map(|other| match other {
            Reading::Number(number) => Some(*number),
            _ => None,
        })
    };
    match &value.reading {
        Reading::Number(number) => one(*number, value.kind == Kind::Number),
        Reading::Quantity { value: number, .. } => {
            // "1.2m" is 1.2 meters or 1.2 million; the argument knows which it can be.
            let plain = plain();
            one(plain.unwrap_or(*number), plain.is_some())
        }
        Reading::Money { value: number, .. } => one(*number, false),
        Reading::Duration(_) => one(0.0, false),
        // "Number 4" and "#4" count as 4 where nothing is counted through.
        Reading::Ordinal(place) => {
            let number = plain().or(is_signed(value).then_some(*place as f64));
            number.map(|number| one(number, true)).unwrap_or_default()
        }
        Reading::Range(start, end) => {
            let years = years(start, end);
            let mut sides: Vec<Counted> = years
                .map(|(number, edge)| Counted { number, bare: false, edge: Some(edge) })
                .collect();
            if value.rule.name() == NEXT {
                sides.push(Counted { number: 0.0, bare: false, edge: None });
            }
            sides
        }
        _ => Vec::new(),
    }
}

/// The whole number of a text as its digits say it, where a float holds only some of them: 9,007,199,254,740,993. `None` for any
/// other value, and beyond 64 bits.
pub(in crate::decide::slots) fn exact(value: &Value) -> Option<Json> {
    /// Up to here a float holds every whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let Reading::Number(number) = value.reading else { return None };
    let grouped = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | ' ' | '\'' | '_');
    let digits = value.text.strip_prefix('-').unwrap_or(&value.text);
    if number.abs() < EXACT || !digits.chars().all(grouped) {
        return None;
    }
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let whole: i128 = digits.parse().ok()?;
    let whole = if number < 0.0 { -whole } else { whole };
    // What stands behind a point is no group of digits.
    if whole as f64 != number {
        return None;
    }
    i64::try_from(whole).map(Json::from).or_else(|_| u64::try_from(whole).map(Json::from)).ok()
}

/// Returns whether a number is written with the sign for one: #42, № 42.
pub(in crate::decide::slots) fn is_signed(value: &Value) -> bool {
    value.text.starts_with(['#', '№', '＃'])
}

/// The rule that reads a stretch of counted days, weeks or years from now.
const NEXT: &str = "range.last_n";
/// The rule that reads one day, week or year beside this one.
const PERIOD: &str = "range.period";

/// The years of a stretch that begins and ends with one: the first and the last of several.
fn years(start: &Moment, end: &Moment) -> impl Iterator<Item = (f64, Edge)> {
    let (first, last) = match (start, end) {
        (Moment::Date(start), Moment::Date(end)) => (new_year(*start), new_year(*end)),
        _ => (None, None),
    };
    let both = first.zip(last.map(|year| year - 1)).filter(|(first, last)| first <= last);
    let sides = both.map(|(first, last)| {
        let (first, last) = (f64::from(first), f64::from(last));
        if first < last {
            vec![(first, Edge::First), (last, Edge::Last)]
        } else {
            vec![(first, Edge::Whole)]
        }
    });
    sides.into_iter().flatten()
}

fn new_year(date: Date) -> Option<i16> {
    (date.day_of_year() == 1).then_some(date.year())
}

/// Returns whether a number is a part of a formula or of a code: "3x^2", "B12".
fn is_glued(turn: &Turn<'_>, value: &Value) -> bool {
    let joins = |c: char| c.is_ascii_alphabetic() || c == '^';
    let before = value.span.start.checked_sub(1);
    let before = before
        .is_some_and(|at| turn.said.text.slice(Span { start: at, end: at + 1 }).starts_with(joins));
    let end = value.span.end;
    value.kind == Kind::Number
        && (before
            || is_hyphenated(turn, value.span)
            || turn.said.text.slice(Span { start: end, end: end + 1 }).starts_with(joins))
}

/// Returns whether a number is what a program calls an attachment: "[Image #1]".
fn is_caption(turn: &Turn<'_>, value: &Value) -> bool {
    let behind = Span { start: value.span.end, end: value.span.end + 1 };
    let before = turn.said.text.slice(Span { start: 0, end: value.span.start });
    let opened =
        before.rsplit(['[', ']', '\n']).next().is_some_and(|words| words.len() < before.len());
    is_signed(value)
        && turn.said.text.slice(behind) == "]"
        && opened
        && before.trim_end().ends_with(char::is_alphabetic)
}

/// Returns whether a number stands behind letters and a hyphen that make a code with it: "w-12", but no "top-5".
fn is_hyphenated(turn: &Turn<'_>, number: Span) -> bool {
    let text = turn.said.text.slice(Span { start: 0, end: number.start });
    let Some(before) = text.strip_suffix(['-', '_']) else { return false };
    let letters = before.len() - before.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
    let letters = &before[before.len() - letters..];
    match letters.len() {
        0 => false,
        1 => true,
        _ => !turn.said.has_word(&letters.to_lowercase()),
    }
}

/// The number that a value is for an argument; `None` where it measures something else.
pub(in crate::decide::slots) fn fit(
    tool: &Tool,
    name: &str,
    value: &Value,
    counted: Counted,
) -> Option<Fit> {
    if let Some(edge) = counted.edge {
        let is_meant = is_year(name) && suits(tool.words(name), edge);
        return is_meant.then_some(Fit::Unit(counted.number));
    }
    let own = tool.annotation(name).and_then(|note| note.unit.as_deref());
    let unit = own.or_else(|| tool.suggested(name)?.unit);
    let Some(unit) = unit else { return unitless(tool, name, value, counted) };
    let measured = match &value.reading {
        Reading::Number(number) if value.kind == Kind::Percentage => match unit {
            "percent" => Some(*number),
            ONE => Some(number / 100.0),
            _ => None,
        },
        Reading::Number(_) => suffixed(&value.text, unit),
        Reading::Quantity { value, unit: said, .. } => convert(*value, &said.to_string(), unit),
        Reading::Money { value, .. } => (unit == MONEY).then_some(*value),
        Reading::Duration(length) => units::duration(length, unit),
        Reading::Range(start, end) => stretch(start, end, unit),
        _ => None,
    };
    match measured {
        Some(number) => Some(Fit::Unit(number)),
        None => counted.bare.then_some(Fit::Bare(counted.number)),
    }
}

/// A number for an argument that says no unit.
fn unitless(tool: &Tool, name: &str, value: &Value, counted: Counted) -> Option<Fit> {
    if counted.bare {
        return Some(Fit::Bare(counted.number));
    }
    // A pack that says nothing of a unit means none.
    let open = !tool.is_annotated(name);
    match &value.reading {
        Reading::Quantity { value, .. } if open => Some(Fit::Loose(*value)),
        _ => None,
    }
}

/// "300K" is 300 kelvin where the argument is in kelvin, rather than 300 thousand.
fn suffixed(text: &str, unit: &str) -> Option<f64> {
    let digits = text.trim_end_matches(char::is_alphabetic);
    let suffix = text.get(digits.len()..)?.trim();
    let same = !suffix.is_empty() && units::code(suffix) == Some(unit);
    if same { digits.trim().replace(',', "").parse().ok() } else { None }
}

/// The length of a stretch of time that ends or begins now, in a unit of time; `None` for anything else.
pub(in crate::decide::slots) fn length(value: &Value, unit: &str) -> Option<f64> {
    match &value.reading {
        Reading::Duration(length) => units::duration(length, unit),
        Reading::Range(start, end) if [NEXT, PERIOD].contains(&value.rule.name()) => {
            stretch(start, end, unit)
        }
        _ => None,
    }
}

fn stretch(start: &Moment, end: &Moment, unit: &str) -> Option<f64> {
    let counted = match unit {
        "a" => Unit::Year,
        "mo" => Unit::Month,
        "wk" => Unit::Week,
        "d" => Unit::Day,
        "h" => Unit::Hour,
        "min" => Unit::Minute,
        _ => return None,
    };
    let length = match (start, end) {
        (Moment::Date(start), Moment::Date(end)) => {
            start.until((counted.max(Unit::Day), *end)).ok()?
        }
        (Moment::Instant(start), Moment::Instant(end)) => start.until((counted, end)).ok()?,
        _ => return None,
    };
    units::duration(&length.fieldwise(), unit)
}

/// The unit that stands for amounts of money of any currency; nothing is converted into another.
pub(crate) const MONEY: &str = "money";

/// The unit of shares and probabilities, as UCUM writes it: 6% is 0.06 of it.
pub(crate) const ONE: &str = "1";

fn convert(value: f64, from: &str, to: &str) -> Option<f64> {
    if from == to { Some(value) } else { units::convert(value, from, to) }
}

/// Returns whether an argument for a year may be this side of a stretch: one that says no side takes
/// a year alone.
fn suits(words: &[String], edge: Edge) -> bool {
    let says = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let first = says(&["start", "from", "begin", "beginning", "first", "min", "after", "since"]);
    let last = says(&["end", "to", "until", "last", "max", "before"]);
    match edge {
        Edge::Whole => !first || !last,
        Edge::First => first && !last,
        Edge::Last => last && !first,
    }
}
