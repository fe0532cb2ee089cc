//! Takes personal data out of a text: e-mail addresses, phone, card and account numbers, IP
//! addresses and long numbers that identify somebody.
//!
//! The subject of a question stays: dates, coordinates, amounts, measures. Names of people and
//! street addresses are not recognized. Each stretch that is taken out leaves a mark of its kind,
//! such as `‹email›`, so that the same text is redacted in the same way in every language, and a
//! redacted text stays as it is when it is redacted again.

mod numbers;

use core::net::{Ipv4Addr, Ipv6Addr};
use std::borrow::Cow;
use std::ops::Range;

use crate::extract::{self, Kind};
use crate::language::Language;
use crate::text::Text;

/// The mark of each kind.
const EMAIL: &str = "‹email›";
const PHONE: &str = "‹phone›";
const CARD: &str = "‹card›";
const IBAN: &str = "‹iban›";
const IP: &str = "‹ip›";
const ID: &str = "‹id›";

/// A stretch of the normalized text in bytes, and the mark that takes its place.
type Found = (Range<usize>, &'static str);

/// Returns the text without the personal data that is recognized; the text itself where there is
/// none.
///
/// # Example
///
/// ```
/// use waypost_text::redact::redact;
///
/// let said = redact("mail ana@example.org or call +34 612 345 678 by 2025-11-06");
/// assert_eq!(said, "mail ‹email› or call ‹phone› by 2025-11-06");
/// ```
pub fn redact(original: &str) -> Cow<'_, str> {
    let may_tell = |c: char| c.is_numeric() || matches!(c, '@' | '＠' | '﹫');
    if !original.contains(may_tell) && !original.contains("::") {
        return Cow::Borrowed(original);
    }
    let text = Text::new(original);
    let found = all(&text);
    if found.is_empty() {
        return Cow::Borrowed(original);
    }
    let mut redacted = String::with_capacity(original.len());
    let mut at = 0;
    for (bytes, mark) in found {
        let span = text.span(bytes.start, bytes.end);
        redacted.push_str(text.slice(crate::text::Span { start: at, end: span.start.max(at) }));
        redacted.push_str(mark);
        at = span.end.max(at);
    }
    redacted.push_str(text.slice(crate::text::Span { start: at, end: usize::MAX }));
    Cow::Owned(redacted)
}

/// Everything that is taken out, in the order of the text; none overlap.
fn all(text: &Text) -> Vec<Found> {
    let words = text.normalized();
    let (phones, kept) = read(text);
    // Numbers that their own digits check come first; those told by their looks alone come last,
    // and only where no other meaning was read.
    let exact = numbers::ibans(words).map(|bytes| (bytes, IBAN));
    let exact = exact.chain(numbers::cards(words).map(|bytes| (bytes, CARD)));
    let exact = exact.chain(addresses(words).into_iter().map(|bytes| (bytes, IP)));
    let looks = phones.into_iter().map(|bytes| (bytes, PHONE));
    let mut taken = vec![false; words.len()];
    let mut found = emails(words);
    found.iter().for_each(|(bytes, _)| taken[bytes.clone()].fill(true));
    let mut take = |next: Found, taken: &mut Vec<bool>| {
        if !taken[next.0.clone()].contains(&true) {
            taken[next.0.clone()].fill(true);
            found.push(next);
        }
    };
    exact.chain(looks).for_each(|next| take(next, &mut taken));
    kept.into_iter().for_each(|bytes| taken[bytes].fill(true));
    numbers::ids(words).for_each(|bytes| take((bytes, ID), &mut taken));
    found.sort_by_key(|(bytes, _)| bytes.start);
    found
}

/// Finds the places of phone numbers, and of what has another meaning: a time, a position, an
/// amount.
fn read(text: &Text) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let now = jiff::Zoned::new(jiff::Timestamp::UNIX_EPOCH, jiff::tz::TimeZone::UTC);
    let language = extract::detect(text, &Language::ALL).unwrap_or(Language::En);
    let conventions = extract::Conventions::STANDARD;
    let context = extract::Context {
        now: &now,
        language,
        gazetteers: &[],
        conventions,
        wanted: extract::Kinds::NONE,
    };
    let (mut phones, mut kept) = (Vec::new(), Vec::new());
    for value in extract::typed(text, &context) {
        let bytes = text.bytes(value.span);
        match value.kind {
            Kind::Phone => phones.push(bytes),
            Kind::Number | Kind::Ordinal | Kind::Boolean | Kind::Email => {}
            _ => kept.push(bytes),
        }
    }
    (phones, kept)
}

/// Returns whether a letter or digit is one that addresses are written in; scripts without spaces
/// are not, since words stand right beside an address there.
fn is_address(c: char) -> bool {
    c.is_ascii_alphanumeric() || c.is_alphabetic() && c < '\u{250}'
}

/// `local@domain.name`, wherever it stands.
fn emails(words: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (at, _) in words.match_indices('@') {
        let is_local = |c: char| is_address(c) || "._%+-'".contains(c);
        let before = words[..at].trim_end_matches(is_local).len();
        let local = words[before..at].trim_start_matches(|c: char| !is_address(c));
        let after = &words[at + 1..];
        let is_domain = |c: char| is_address(c) || matches!(c, '.' | '-');
        let length = after.find(|c: char| !is_domain(c)).unwrap_or(after.len());
        let domain = after[..length].trim_end_matches(['.', '-']);
        let name = domain.rsplit_once('.').map(|(_, name)| name).unwrap_or_default();
        let is_name = name.chars().count() >= 2 && name.chars().all(char::is_alphabetic);
        let start = at - local.len();
        let free = found.last().is_none_or(|(last, _)| last.end <= start);
        if !local.is_empty() && is_name && free {
            found.push((start..at + 1 + domain.len(), EMAIL));
        }
    }
    found
}

/// Addresses of IP, version 4 and 6. A port may stand behind version 4, and a word before it:
/// `host:10.0.0.1:80`.
fn addresses(words: &str) -> Vec<Range<usize>> {
    let part = |c: char| c.is_ascii_hexdigit() || matches!(c, '.' | ':');
    let mut found = Vec::new();
    for (start, run) in numbers::runs(words, part) {
        let six = run.trim_end_matches(['.', ':']);
        let is_long = six.len() > 5 && six.contains(|c: char| c.is_ascii_digit());
        if is_long && six.parse::<Ipv6Addr>().is_ok() {
            found.push(start..start + six.len());
            continue;
        }
        let mut at = start;
        for piece in run.split(':') {
            let four = piece.trim_end_matches('.');
            if four.parse::<Ipv4Addr>().is_ok() {
                found.push(at..at + four.len());
            }
            at += piece.len() + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests;
