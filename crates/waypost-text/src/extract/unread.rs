//! Finds what looks like a value and that no extractor could read: 9999999-01-01, "the 45th of
//! November", twenty digits, "1.2.3 degrees", "hundreds of", "near Gotham".
//!
//! It only says what a stretch looks like. Whether an argument wants such a value, and nothing else says
//! it, is for others: most numbers with two hyphens are no date. Shapes of digits are the same in every
//! language; the words beside them are those of the tables.

use super::grammar::lexicon::Lexicon;
use super::grammar::sentence::Sentence;
use super::grammar::term::{Relation, Role, Term, Unit};
use super::grammar::token::{Shape, is_han};
use super::kind::Kind;
use super::value::{Reading, Value};
use crate::language::Language;
use crate::text::{Span, Spans, Text};

/// A stretch of a text that looks like a value and is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread {
    /// The kind that it looks like: a date, a time, a number, or a point for a place.
    pub kind: Kind,
    /// Its place in the text.
    pub span: Span,
}

/// The longest stretch that a word such as "of" takes between a number and a month, in characters.
const LONGEST_LINK: usize = 24;
/// The most stretches that are told: one question is asked about the first that matters.
const MOST: usize = 8;
/// The greatest whole number up to which arithmetic holds all.
const GREATEST_EXACT: u64 = 1 << 53;
/// The last day and month of a calendar, and the last hour of a clock.
const LAST_DAY: f64 = 31.0;
const LAST_MONTH: f64 = 12.0;
const LAST_HOUR: f64 = 24.0;

/// Finds the stretches of `text` that look like values beside `values`, which were read.
///
/// # Example
///
/// ```
/// use waypost_text::extract::{Kind, unread};
/// use waypost_text::{language::Language, text::Text};
///
/// let text = Text::new("sst on 9999999-01-01");
/// let found = unread(&text, &[], Language::En);
/// assert_eq!((found[0].kind, text.slice(found[0].span)), (Kind::Date, "9999999-01-01"));
/// assert!(unread(&Text::new("version 1.2.3"), &[], Language::En).is_empty());
/// ```
pub fn unread(text: &Text, values: &[Value], language: Language) -> Vec<Unread> {
    let mut found = Vec::new();
    if text.normalized().contains(char::is_numeric) {
        found = figures(text, values, language);
    }
    let counted =
        |value: &&Value| matches!(value.reading, Reading::Number(_) | Reading::Ordinal(_));
    if values.iter().any(|value| counted(&value)) {
        found.extend(impossible(text, values, language));
    }
    found.extend(uncounted(text, values, language));
    found.sort_by_key(|unread| unread.span);
    found.dedup_by(|later, kept| later.span.overlaps(kept.span));
    found.truncate(MOST);
    found
}

/// A run of digits with signs, of which spaces, brackets or Han stand on both sides.
struct Chunk<'a> {
    words: &'a str,
    start: usize,
    end: usize,
}

/// Figures that are of the form of a date, a time or a number, and were not read as one.
fn figures(text: &Text, values: &[Value], language: Language) -> Vec<Unread> {
    let sentence = Sentence::new(text, language);
    // The day that was stated as today was read, though it is no value.
    let stated = super::stated_bytes(&sentence, language).unwrap_or_default();
    let mut values = values.iter().peekable();
    let mut found = Vec::new();
    for chunk in chunks(text.normalized()).filter(|chunk| !stated.contains(&chunk.start)) {
        let span = text.span(chunk.start, chunk.end);
        let inexact = is_inexact(chunk.words);
        // Values and chunks both stand in the order of the text.
        while values.next_if(|value| value.span.end <= span.start).is_some() {}
        let overlapping = values.peek().filter(|value| value.span.overlaps(span));
        if overlapping.is_some_and(|value| !(inexact && is_number(value))) {
            continue;
        }
        let kind = if inexact || is_mistyped(text.slice(span)) || is_power(chunk.words) {
            Some(Kind::Number)
        } else {
            kind_of(chunk.words, || is_measured(&sentence, chunk.end))
        };
        found.extend(kind.map(|kind| Unread { kind, span }));
        if found.len() == MOST {
            break;
        }
    }
    found
}

fn is_number(value: &Value) -> bool {
    matches!(value.reading, Reading::Number(_) | Reading::Quantity { .. } | Reading::Money { .. })
}

/// The stretches that begin with a digit and stand apart: an identifier, a path or an address does not.
fn chunks(text: &str) -> impl Iterator<Item = Chunk<'_>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-/.:".contains(c);
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = at + text[at..].find(is_part)?;
            let rest = &text[start..];
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            at = start + length;
            let words = rest[..length].trim_end_matches(['-', '/', '.', ':']);
            let before = text[..start].chars().next_back();
            let behind = text[at..].chars().next();
            if words.starts_with(|c: char| c.is_ascii_digit())
                && before.is_none_or(parts)
                && behind.is_none_or(parts)
            {
                return Some(Chunk { words, start, end: start + words.len() });
            }
        }
        None
    })
}

/// Returns whether a character stands between words: a space, Han, a bracket, a comma.
fn parts(c: char) -> bool {
    c.is_whitespace()
        || is_han(c)
        || "()[]{}<>\"'“”‘’「」『』《》,;!?，。、；：！？（）…".contains(c)
}

/// Returns whether a whole number is greater than arithmetic holds to the last digit.
fn is_inexact(words: &str) -> bool {
    let is_whole = !words.is_empty() && words.bytes().all(|byte| byte.is_ascii_digit());
    is_whole && words.parse().map_or(true, |number: u64| number >= GREATEST_EXACT)
}

/// Returns whether a letter O was typed for a zero: 5O, 1O0. The º of an ordinal is another sign.
fn is_mistyped(typed: &str) -> bool {
    typed.len() > 1
        && typed.contains('O')
        && typed.starts_with(|c: char| c.is_ascii_digit())
        && typed.chars().all(|c| c.is_ascii_digit() || c == 'O')
}

/// Returns whether words are a power of ten, which was too great to be read: 1e999.
fn is_power(words: &str) -> bool {
    let is_figure =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || c == '.');
    words.split_once('e').is_some_and(|(figure, power)| {
        let power = power.strip_prefix('-').unwrap_or(power);
        is_figure(figure) && is_figure(power)
    })
}

/// The kind that groups of digits look like, by their lengths and the signs between them.
fn kind_of(words: &str, is_measured: impl Fn() -> bool) -> Option<Kind> {
    let signs: Vec<char> = words.chars().filter(|c| "-/.:".contains(*c)).collect();
    let sign = *signs.first()?;
    let groups: Vec<&str> = words.split(sign).collect();
    // A letter that looks like a digit is one in the middle of others: 2025-11-1O.
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, 'o' | 'l' | 'i');
    let digits = words.chars().filter(char::is_ascii_digit).count();
    let written = groups.iter().all(|group| !group.is_empty() && group.chars().all(is_digit));
    let plain = digits + signs.len() == words.len();
    if !written || signs.iter().any(|other| *other != sign) || !plain && digits < 5 {
        return None;
    }
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    match sign {
        ':' if groups.len() <= 3 && lengths.iter().all(|length| *length <= 4) => Some(Kind::Time),
        '-' | '/' | '.' if is_date_like(sign, &groups, &lengths) => Some(Kind::Date),
        '.' if groups.len() > 2 && is_measured() => Some(Kind::Number),
        _ => None,
    }
}

/// Returns whether groups of digits are of the form of a day: a year and two short groups, three short
/// ones between slashes, or a year of ours and three short ones.
fn is_date_like(sign: char, groups: &[&str], lengths: &[usize]) -> bool {
    let year = |group: &str| group.parse().is_ok_and(|year: u32| (1900..2100).contains(&year));
    match (groups, lengths) {
        (_, [1 | 2, 1 | 2, 1 | 2]) => sign == '/',
        (_, [year, 1 | 2, 1 | 2] | [1 | 2, 1 | 2, year]) => *year >= 4,
        ([first, ..], [4, 1 | 2, 1 | 2, 1 | 2]) => sign != '.' && year(first),
        _ => false,
    }
}

/// Returns whether what stands at a byte says what is counted or measured.
fn is_measured(sentence: &Sentence<'_>, byte: usize) -> bool {
    sentence.senses(token_at(sentence, byte)).iter().any(|sense| {
        let sign = matches!(
            sense.term,
            Term::Degree | Term::Percent | Term::Currency(_) | Term::CurrencySign(_)
        );
        sign || sense.term.unit().is_some()
    })
}

/// A number beside a month, or the mark of one, that no calendar has: "the 45th of November", 2025年13月;
/// an hour that no clock has, 25點.
fn impossible(text: &Text, values: &[Value], language: Language) -> Vec<Unread> {
    let sentence = Sentence::new(text, language);
    let mut found = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let Some(number) = count(value) else { continue };
        let joined = |one: &Value, other: &Value| {
            let between = Span { start: one.span.end, end: other.span.start };
            between.start <= between.end
                && between.len() <= LONGEST_LINK
                && is_link(text, between, language)
        };
        if number <= LAST_MONTH {
            continue;
        }
        let next = values.get(at + 1).filter(|next| number > LAST_DAY && is_month(next));
        let month = next.filter(|next| joined(value, next));
        let bytes = text.bytes(value.span);
        let first = token_at(&sentence, bytes.start);
        // The month of "last month 25 nets" belongs to what was read.
        let from =
            at.checked_sub(1).and_then(|last| values.get(last)).map_or(0, |last| last.span.end);
        let between = Span { start: from.min(value.span.start), end: value.span.start };
        let before = !text.slice(between).trim().is_empty()
            && sentence.senses_before(first).any(|sense| sense.term == Term::Unit(Unit::Month));
        let behind = |term: Term| {
            let next = token_at(&sentence, bytes.end);
            let sense = sentence.senses(next).iter().find(|sense| sense.term == term)?;
            let last = sentence.token(sense.end.checked_sub(1)?)?;
            Some(text.span(bytes.start, last.end).end)
        };
        let (kind, end) = match (month, behind(Term::MonthMark), behind(Term::HourMark)) {
            (Some(month), ..) => (Kind::Date, month.span.end),
            (_, Some(end), _) => (Kind::Date, end),
            _ if before => (Kind::Date, value.span.end),
            (_, _, Some(end)) if number > LAST_HOUR => (Kind::Time, end),
            _ => continue,
        };
        // The year before 13月 says nothing without its month.
        let year = at.checked_sub(1).and_then(|year| values.get(year)).filter(|year| {
            kind == Kind::Date && year.span.end == value.span.start && is_when(year)
        });
        let start = year.map_or(value.span.start, |year| year.span.start);
        found.push(Unread { kind, span: Span { start, end } });
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// Amounts that nobody counted: "hundreds of", "a few thousand", 好幾百. "Some" alone is no amount, and 幾 asks for one.
fn uncounted(text: &Text, values: &[Value], language: Language) -> Vec<Unread> {
    /// The least magnitude: "a few five" is none.
    const LEAST: f64 = 10.0;
    let sentence = Sentence::new(text, language);
    let magnitude = |at: usize| {
        let mut senses = sentence.senses(at).iter();
        senses.find(|sense| match sense.term {
            Term::Scale(value) | Term::Number(value) | Term::SoftNumber(value) => value >= LEAST,
            _ => false,
        })
    };
    let is_of = |at: usize| sentence.senses(at).iter().any(|sense| sense.term == Term::Of);
    let values = Spans::of(values.iter().map(|value| value.span));
    let (mut found, mut at) = (Vec::new(), 0);
    while at < sentence.tokens.len() && found.len() < MOST {
        let vague = sentence.senses(at).iter().find(|sense| sense.term == Term::Vague);
        let Some(vague) = vague else {
            at += 1;
            continue;
        };
        let mut end = vague.end;
        while let Some(further) = magnitude(end) {
            end = further.end;
        }
        // "Tens of" and "miles de" count, though neither word is a number.
        let counts = end > vague.end
            || magnitude(at).is_some()
            || vague.end > at + 1 && is_of(vague.end - 1);
        let ends = (sentence.token(at), sentence.token(end - 1));
        if let (true, (Some(first), Some(last))) = (counts, ends) {
            let span = text.span(first.start, last.end);
            if !values.overlap(span) {
                found.push(Unread { kind: Kind::Number, span });
            }
        }
        at = end;
    }
    found
}

/// The whole number that a value counts by itself.
fn count(value: &Value) -> Option<f64> {
    match value.reading {
        Reading::Number(number) if number.fract() == 0.0 => Some(number),
        Reading::Ordinal(place) => Some(place as f64),
        _ => None,
    }
}

fn is_when(value: &Value) -> bool {
    matches!(value.reading, Reading::Date(_) | Reading::Range(..))
}

fn is_month(value: &Value) -> bool {
    value.rule.name() == "range.month"
}

/// Returns whether nothing stands in a stretch but a word such as "of".
fn is_link(text: &Text, span: Span, language: Language) -> bool {
    let between = Text::new(text.slice(span));
    let sentence = Sentence::new(&between, language);
    match sentence.tokens.len() {
        0 => true,
        count => {
            sentence.senses(0).iter().any(|sense| sense.end == count && sense.term == Term::Of)
        }
    }
}

/// The token that begins at or behind a byte; one past the last if there is none.
pub(super) fn token_at(sentence: &Sentence<'_>, byte: usize) -> usize {
    let (mut low, mut high) = (0, sentence.tokens.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        match sentence.token(middle) {
            Some(token) if token.start < byte => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}

/// Finds names right behind a word for where something lies that are no values: "near Gotham".
///
/// # Example
///
/// ```
/// use waypost_text::extract::unknown_places;
/// use waypost_text::{language::Language, text::Text};
///
/// let text = Text::new("sea temperature near Gotham");
/// let found = unknown_places(&text, &[], Language::En);
/// assert_eq!(text.slice(found[0].span), "Gotham");
/// ```
pub fn unknown_places(text: &Text, values: &[Value], language: Language) -> Vec<Unread> {
    let sentence = Sentence::new(text, language);
    let around = (0..sentence.tokens.len()).filter_map(|at| {
        sentence.senses(at).iter().find_map(|sense| match sense.term {
            Term::Before(Relation::Around | Relation::Offshore) | Term::At => Some(sense.end),
            _ => None,
        })
    });
    let roles = Sentence::read(text, language, Lexicon::ROLES);
    let within = (0..roles.tokens.len()).filter_map(|at| {
        let mut senses = roles.senses(at).iter();
        senses.find(|sense| sense.term == Term::Role(Role::Container)).map(|sense| sense.end)
    });
    let starts = around.chain(within).take(MOST);
    let names = starts.filter_map(|start| name(&sentence, start, language));
    let free = names.filter(|span| !values.iter().any(|value| value.span.overlaps(*span)));
    free.map(|span| Unread { kind: Kind::Point, span }).collect()
}

/// The name that begins at a token: words with capitals that the language does not have.
fn name(sentence: &Sentence<'_>, start: usize, language: Language) -> Option<Span> {
    /// The most words of a name.
    const MOST_WORDS: usize = 4;
    let is_name = |at: usize| {
        let token = sentence.token(at).filter(|token| token.shape == Shape::Word)?;
        let span = sentence.text.span(token.start, token.end);
        let capital = sentence.text.slice(span).starts_with(char::is_uppercase);
        let known = Lexicon::knows_in(sentence.tokens.folded(at), language);
        (capital && !known).then_some(token)
    };
    let first = is_name(start)?;
    let last = (start..start + MOST_WORDS).map_while(is_name).last()?;
    Some(sentence.text.span(first.start, last.end))
}
