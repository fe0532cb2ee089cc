//! Numbers that identify: of cards and accounts, which check themselves, and others by their looks.

use std::ops::Range;

/// The digits of a card number (ISO/IEC 7812).
const CARD: Range<usize> = 13..20;
/// The letters and digits of an IBAN (ISO 13616).
const IBAN: Range<usize> = 15..35;
/// A number of so many digits or more, without any other meaning, is taken to identify somebody.
const IDENTIFIES: usize = 9;
/// The same where letters stand in it, as in the numbers of identity cards.
const IDENTIFIES_WITH_LETTERS: usize = 8;
/// Identity cards have at most so many letters; more of them make a hash or a name.
const MOST_LETTERS: usize = 3;
/// A number that ends in so many zeros is an amount.
const ROUND: &str = "000";

/// The longest stretches of characters that `part` takes, with where they begin; none begins or
/// ends within a word or a number.
pub(super) fn runs(
    words: &str,
    part: impl Fn(char) -> bool,
) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + words[at..].find(&part)?;
        let rest = &words[start..];
        let run = &rest[..rest.find(|c| !part(c)).unwrap_or(rest.len())];
        at = start + run.len();
        Some((start, run))
    })
}

/// A group of letters and digits: where it stands, and what is between it and the one before.
struct Group<'a> {
    start: usize,
    text: &'a str,
    /// One space or one hyphen; `None` for anything else.
    joint: Option<char>,
}

impl Group<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn groups(words: &str) -> Vec<Group<'_>> {
    let mut end = 0;
    let group = |(start, text): (usize, &'_ str)| (start, text.len());
    let runs: Vec<(usize, usize)> = runs(words, |c| c.is_ascii_alphanumeric()).map(group).collect();
    runs.into_iter()
        .map(|(start, length)| {
            let joint = match &words[end..start] {
                " " if end > 0 => Some(' '),
                "-" if end > 0 => Some('-'),
                _ => None,
            };
            end = start + length;
            Group { start, text: &words[start..end], joint }
        })
        .collect()
}

/// The stretch of joined groups from `first` on whose letters and digits `holds` takes; the longest
/// of at most `most` characters.
fn longest(
    groups: &[Group<'_>],
    most: usize,
    part: impl Fn(&Group<'_>) -> bool,
    holds: impl Fn(&[Group<'_>], &str) -> bool,
) -> Option<usize> {
    let mut joined = String::new();
    let mut found = None;
    for (at, group) in groups.iter().enumerate() {
        let joins = at == 0 || group.joint.is_some() && group.joint == groups[1].joint;
        if !joins || !part(group) || joined.len() + group.text.len() > most {
            break;
        }
        joined.push_str(group.text);
        if holds(&groups[..=at], &joined) {
            found = Some(at);
        }
    }
    found
}

/// Each stretch of groups that is found where it begins; none overlap.
fn stretches(
    words: &str,
    find: impl Fn(&[Group<'_>]) -> Option<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let groups = groups(words);
    let mut found = Vec::new();
    let mut at = 0;
    while at < groups.len() {
        match find(&groups[at..]) {
            Some(last) => {
                found.push(groups[at].start..groups[at + last].end());
                at += last + 1;
            }
            None => at += 1,
        }
    }
    found.into_iter()
}

/// Numbers of bank accounts.
pub(super) fn ibans(words: &str) -> impl Iterator<Item = Range<usize>> {
    stretches(words, |groups| {
        let first = groups.first()?.text.as_bytes();
        let [a, b, c, d, ..] = first else { return None };
        let opens = a.is_ascii_alphabetic() && b.is_ascii_alphabetic();
        if !(opens && c.is_ascii_digit() && d.is_ascii_digit()) {
            return None;
        }
        longest(
            groups,
            IBAN.end - 1,
            |_| true,
            |_, joined| IBAN.contains(&joined.len()) && checks_mod_97(joined),
        )
    })
}

/// Returns whether a number with its first four characters at its end leaves 1 when divided by 97,
/// letters counting from 10 on. Source: ISO 7064, MOD 97-10.
fn checks_mod_97(joined: &str) -> bool {
    let (head, tail) = joined.split_at(4);
    let digits = tail.bytes().chain(head.bytes()).map(|byte| match byte {
        b'0'..=b'9' => (10, u32::from(byte - b'0')),
        _ => (100, u32::from(byte.to_ascii_lowercase().saturating_sub(b'a')) + 10),
    });
    digits.fold(0, |rest, (shift, digit)| (rest * shift + digit) % 97) == 1
}

/// Numbers of payment cards: in one piece, or in the groups that are printed on them.
pub(super) fn cards(words: &str) -> impl Iterator<Item = Range<usize>> {
    stretches(words, |groups| {
        longest(
            groups,
            CARD.end - 1,
            |group| is_digits(group.text),
            |groups, joined| {
                let lengths: Vec<usize> = groups.iter().map(|group| group.text.len()).collect();
                let printed = matches!(
                    lengths.as_slice(),
                    [_] | [4, 6, 4 | 5] | [4, 4, 4, 1..=4] | [4, 4, 4, 4, 1..=3]
                );
                printed && CARD.contains(&joined.len()) && checks_luhn(joined)
            },
        )
    })
}

/// The checksum of card numbers. Source: ISO/IEC 7812-1, annex B.
fn checks_luhn(digits: &str) -> bool {
    let doubled = |(at, byte): (usize, u8)| {
        let digit = u32::from(byte - b'0');
        match at % 2 {
            0 => digit,
            _ if digit > 4 => digit * 2 - 9,
            _ => digit * 2,
        }
    };
    digits.bytes().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

/// Long numbers without another meaning: in one piece, with the letters of an identity card, or in
/// groups with hyphens.
pub(super) fn ids(words: &str) -> impl Iterator<Item = Range<usize>> {
    let found = stretches(words, |groups| {
        let hyphened = longest(
            groups,
            32,
            |group| is_digits(group.text),
            |groups, joined| {
                let hyphens = groups.len() > 2 && groups[1].joint == Some('-');
                let years = groups.iter().all(|group| group.text.len() == 4);
                hyphens && !years && joined.len() >= IDENTIFIES
            },
        );
        hyphened.or_else(|| is_id(groups.first()?.text).then_some(0))
    });
    let whole: Vec<Range<usize>> = found.filter(|bytes| !is_amount(words, bytes)).collect();
    whole.into_iter()
}

fn is_id(group: &str) -> bool {
    let digits = group.bytes().filter(u8::is_ascii_digit).count();
    let letters = group.len() - digits;
    match letters {
        0 => digits >= IDENTIFIES && !group.ends_with(ROUND),
        _ => digits >= IDENTIFIES_WITH_LETTERS && letters <= MOST_LETTERS,
    }
}

/// Returns whether the text beside a number says that it counts something: a fraction, a currency.
fn is_amount(words: &str, bytes: &Range<usize>) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let before = &words[..bytes.start];
    let fraction_of = before.strip_suffix('.').is_some_and(|rest| rest.ends_with(is_digit));
    let after = &words[bytes.end..];
    let fraction = after.strip_prefix(['.', ',']).is_some_and(|rest| {
        let digits = rest.len() - rest.trim_start_matches(is_digit).len();
        digits > 0 && (after.starts_with('.') || digits <= 2)
    });
    let is_currency = |c: char| "$€£¥￥₫₩₹元円".contains(c);
    let plain = is_digits(&words[bytes.clone()]);
    let priced =
        before.trim_end().ends_with(is_currency) || after.trim_start().starts_with(is_currency);
    plain && (fraction_of || fraction || priced)
}
