//! Time zones: IANA names, abbreviations, distances from UTC, and places by the zones of their
//! clocks.
//!
//! A place with several zones has all of them as readings, that of most people first: whoever asks
//! for one of them has to be told which.

use jiff::tz::TimeZone;

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::rule::{Rule, rule};
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::{Term, Zones};
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::places::gazetteer::entity;
use crate::extract::request::role::meaning;
use crate::extract::temporal::is_lower_word;
use crate::extract::value::Reading;
use crate::language::Language;
use crate::text::{Span, Text};

use super::run::run;

/// The zones of distances from UTC that are no whole hours, in minutes.
const BROKEN_HOURS: &[(i32, &str)] = &[
    (-570, "Pacific/Marquesas"),
    (-210, "America/St_Johns"),
    (-150, "America/St_Johns"),
    (210, "Asia/Tehran"),
    (270, "Asia/Kabul"),
    (330, "Asia/Kolkata"),
    (345, "Asia/Kathmandu"),
    (390, "Asia/Yangon"),
    (525, "Australia/Eucla"),
    (570, "Australia/Darwin"),
    (630, "Australia/Adelaide"),
    (765, "Pacific/Chatham"),
];

/// The distances from UTC, in hours, that `Etc/GMT` names reach.
const HOURS: std::ops::RangeInclusive<i32> = -12..=14;

/// Finds a time zone.
pub(crate) fn zone(cursor: &mut Cursor<'_>) -> Option<Found> {
    if let Some(found) = cursor.attempt(distance) {
        return Some(found);
    }
    // UTC+99 is no zone, and not UTC either.
    let mut ahead = Cursor { at: cursor.at + 1, ..*cursor };
    let is_shifted =
        is_utc(*cursor) && ahead.glued_symbol("+-−").is_some() && ahead.glued_digits().is_some();
    if is_shifted {
        return None;
    }
    match cursor.attempt(iana) {
        Some(found) => Some(found),
        None => place(cursor),
    }
}

/// Returns where a text names the place of whoever asks: "here", "my time".
pub fn here(text: &Text, language: Language) -> Vec<Span> {
    meaning(text, language, Lexicon::ZONES, |term| term == Term::ZoneHere)
}

/// Reads Asia/Tokyo.
fn iana(cursor: &mut Cursor<'_>) -> Option<Found> {
    let name = run(cursor, |_, sign| "/-+".contains(sign))?;
    if !name.contains('/') {
        return None;
    }
    let zone = TimeZone::get(name).ok()?;
    let name = zone.iana_name()?.to_owned();
    Some(Found::new(Kind::Zone, Reading::Text(name), "zone"))
}

fn is_utc(cursor: Cursor<'_>) -> bool {
    matches!(cursor.sentence.tokens.text(cursor.at), "utc" | "gmt")
}

/// Reads UTC+8, GMT-03:30, and +08:00 where hours and minutes are both written.
fn distance(cursor: &mut Cursor<'_>) -> Option<Found> {
    let named = is_utc(*cursor);
    if named {
        cursor.at += 1;
    } else if cursor.is_glued() {
        return None;
    }
    let sign = if cursor.symbol("+-−")? == '+' { 1 } else { -1 };
    let digits = cursor.glued_digits()?;
    let minutes = cursor.attempt(|cursor| {
        cursor.glued_symbol(":")?;
        cursor.glued_digits().filter(|minutes| minutes.len() == 2)
    });
    if !(named || digits.len() == 2 && minutes.is_some()) {
        return None;
    }
    let (hours, minutes) = match (digits.len(), minutes) {
        (4, None) => digits.split_at(2),
        (1 | 2, minutes) => (digits, minutes.unwrap_or("0")),
        _ => return None,
    };
    let total = sign * (hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?);
    let ends = !cursor.is_glued() || !matches!(cursor.shape(), Some(Shape::Word | Shape::Digits));
    let name = at_distance(total).filter(|_| ends)?;
    Some(Found::new(Kind::Zone, Reading::Text(name), "zone.offset"))
}

/// The name of a zone that always has this distance from UTC, or else of one that has it today.
fn at_distance(minutes: i32) -> Option<String> {
    if minutes == 0 {
        return Some("UTC".to_owned());
    }
    if minutes % 60 != 0 {
        let known = BROKEN_HOURS.iter().find(|(distance, _)| *distance == minutes);
        return known.map(|(_, name)| (*name).to_owned());
    }
    // Names of this family count the other way round: Etc/GMT-8 is eight hours east.
    let hours = minutes / 60;
    HOURS.contains(&hours).then(|| format!("Etc/GMT{:+}", -hours))
}

/// Reads the longest name of a place, or an abbreviation.
fn place(cursor: &mut Cursor<'_>) -> Option<Found> {
    let language = cursor.context.language;
    let sentence = Sentence::read(cursor.sentence.text, language, Lexicon::ZONES);
    let is_word = |at: usize| matches!(sentence.shape(at), Some(Shape::Word | Shape::Digits));
    let is_inner =
        |at: usize| at > 0 && sentence.tokens.glued(at) && is_word(at) && is_word(at - 1);
    if is_inner(cursor.at) || is_hyphenated(&sentence, cursor.at, cursor.at) {
        return None;
    }
    let named = |at: usize| {
        sentence.senses(at).iter().find_map(|sense| {
            let whole = !is_inner(sense.end) && !is_hyphenated(&sentence, at, sense.end);
            match sense.term {
                Term::ZoneOf(Zones(zones)) if whole => Some((sense.end, sense.tongue, zones)),
                _ => None,
            }
        })
    };
    let (mut end, mut tongue, mut zones) = named(cursor.at)?;
    if end == cursor.at + 1 && is_lower_word(cursor) {
        return None;
    }
    // A place with what it lies in is one place: "Sydney, Australia", 日本東京.
    let next = end + usize::from(matches!(sentence.tokens.text(end), "," | "的" | "、"));
    let is_in = |inner: &[&str], outer: &[&str]| inner.iter().all(|zone| outer.contains(zone));
    // Two names of a gazetteer are two places, which know themselves what lies in what.
    let listed = |at: usize| entity(&mut Cursor { at, ..*cursor }).is_some();
    let within = named(next).filter(|_| !(listed(cursor.at) && listed(next)));
    match within {
        Some((last, _, outer)) if is_in(zones, outer) => end = last,
        Some((last, own, inner)) if is_in(inner, zones) => {
            (end, tongue, zones) = (last, own, inner);
        }
        _ => {}
    }
    cursor.at = end;
    let name: Rule = rule(tongue, if zones.len() > 1 { "zone.several" } else { "zone.place" });
    let mut readings = zones.iter().map(|zone| Reading::Text((*zone).to_owned()));
    Some(Found::new(Kind::Zone, readings.next()?, name).or(readings))
}

/// Returns whether a word goes on over a hyphen, a slash or a dot at a token: the china of
/// `china-report.txt`, the japan of `x/japan`.
fn is_hyphenated(sentence: &Sentence<'_>, start: usize, at: usize) -> bool {
    let tokens = &sentence.tokens;
    let is_sign = |at: usize| {
        let sign = tokens.text(at);
        tokens.glued(at)
            && tokens.glued(at + 1)
            && matches!(sign, "-" | "/" | "." | "\\" | "@" | "_")
    };
    if at == start { at > 0 && tokens.glued(at) && is_sign(at - 1) } else { is_sign(at) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::lang::TABLES;

    #[test]
    fn every_zone_of_the_tables_exists() {
        let of_places = TABLES.terms.iter().flat_map(|term| match term {
            Term::ZoneOf(Zones(zones)) => *zones,
            _ => &[],
        });
        let of_distances = BROKEN_HOURS.iter().map(|(_, name)| name);
        for name in of_places.chain(of_distances) {
            let zone = TimeZone::get(name);
            assert_eq!(zone.ok().as_ref().and_then(TimeZone::iana_name), Some(*name), "{name}");
        }
        for hours in HOURS.filter(|hours| *hours != 0) {
            let name = at_distance(hours * 60).expect("a name for each hour");
            let zone = TimeZone::get(&name).expect("a zone of that name");
            let seconds = zone.to_offset(jiff::Timestamp::UNIX_EPOCH).seconds();
            assert_eq!(seconds, hours * 3600, "{name}");
        }
    }
}
