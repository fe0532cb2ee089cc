//! Finds the places where a text may go on to a second request: a word or a sign that joins.
//!
//! This only offers places to cut; whether both sides ask for something is for a classifier.

use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::is_han;
use crate::extract::value::Value;
use crate::language::Language;
use crate::text::{Span, Spans, Text};

/// The most places to cut that are offered: each part of the text is read by itself.
const MOST_CUTS: usize = 12;
/// Chinese has no spaces between words, so if there are at least this many they separate the items of a list: "台積電 股價 新聞 目標價".
const GAPS: usize = 3;
/// If no line has as many columns, every line break ends a line that the user ended.
const NARROWEST: usize = 40;
/// The columns that a wrapped line may leave free after its next word, because people also wrap lines by hand.
const ROOM: usize = 8;

/// The stretches of the text that join what stands before and behind them, in order. None lies
/// within a value: "between 118 and 123E" is one.
pub fn joints(text: &Text, values: &[Value], language: Language) -> Vec<Span> {
    let sentence = Sentence::new(text, language);
    let taken = Spans::of(values.iter().map(|value| value.span));
    let mut joints: Vec<Span> = Vec::new();
    let mut at = 0;
    while let Some(token) = sentence.token(at) {
        let word = sentence.senses(at).iter().find(|sense| sense.term == Term::Joint);
        let sign = token.shape == Shape::Symbol
            && (is_sign(&text.normalized()[token.start..token.end])
                || is_stop(&text.normalized()[..token.end], &text.normalized()[token.end..]));
        let end = match word {
            Some(sense) => sense.end,
            None if sign => at + 1,
            None => {
                at += 1;
                continue;
            }
        };
        let last = sentence.token(end - 1).unwrap_or(token);
        let span = text.span(token.start, last.end);
        at = end;
        if taken.overlap(span) || is_short_form(text, span) {
            continue;
        }
        // ", and then" is one joint.
        let adjoins =
            |joint: &Span| text.slice(Span { start: joint.end, end: span.start }).trim().is_empty();
        let start = match joints.pop_if(|joint| adjoins(joint)) {
            Some(joint) => joint.start,
            None => span.start,
        };
        if joints.len() == MOST_CUTS {
            break;
        }
        joints.push(Span { start, end: span.end });
    }
    let free = |cut: &Span| !taken.overlap(*cut);
    with_cuts(joints, items(text).into_iter().chain(gaps(text)).filter(free))
}

/// The joints and other places to cut, in order; those that touch are one.
fn with_cuts(mut joints: Vec<Span>, cuts: impl Iterator<Item = Span>) -> Vec<Span> {
    joints.extend(cuts);
    joints.sort_unstable();
    joints.dedup_by(|next, before| {
        let touches = next.start <= before.end;
        before.end = if touches { before.end.max(next.end) } else { before.end };
        touches
    });
    joints.truncate(MOST_CUTS);
    joints
}

/// The marks of a written list, in order: numbers (`1)`, `2.`) and bullets before its items, and breaks of a line, unless the text is
/// wrapped there. A number that ends a sentence ("set it to 1. Then …") is none because it is a value.
pub fn items(text: &Text) -> Vec<Span> {
    if !text.original().contains(['\n', '1']) {
        return Vec::new();
    }
    let letters: Vec<char> = text.original().chars().collect();
    // Lines of one word, such as a URL, do not count, because they cannot be wrapped.
    let may_wrap = |line: &&[char]| line.iter().any(|c| c.is_whitespace() || is_wide(*c));
    let lines = letters.split(|c| *c == '\n').filter(may_wrap);
    let widest = lines.map(columns).max().unwrap_or_default();
    let mut numbers: Vec<Span> = Vec::new();
    let mut marks: Vec<Span> = Vec::new();
    // The last letter that is no space.
    let mut last: Option<&char> = None;
    for (at, letter) in letters.iter().enumerate() {
        let before = last;
        last = if matches!(letter, ' ' | '\t') { last } else { Some(letter) };
        let begins_line = before.is_none_or(|c| *c == '\n');
        let ends = |c: &char| {
            matches!(c, '.' | '?' | '!' | ':' | ';' | '。' | '？' | '！' | '：' | '；' | '\n')
        };
        let breaks = || before.is_some_and(ends) || !is_wrapped(&letters, at, widest);
        if *letter == '\n' && breaks() {
            marks.push(Span { start: at, end: at + 1 });
        }
        let is_spaced = letters.get(at + 1).is_some_and(|c| c.is_whitespace());
        if begins_line && is_spaced && matches!(letter, '-' | '*' | '•' | '·' | '–') {
            marks.push(Span { start: at, end: at + 1 });
        }
        let first = numbers.first().map(|span| letters[span.end - 1]);
        let follows = match first {
            Some(_) => at > 0 && letters[at - 1].is_whitespace() || begins_line,
            None => begins_line || matches!(before, Some(':' | '：')),
        };
        if follows && let Some(length) = number_mark(&letters[at..], numbers.len() + 1) {
            let sign = letters[at + length - 1];
            if first.is_none_or(|first| first == sign) && (sign != '.' || begins_line) {
                numbers.push(Span { start: at, end: at + length });
            }
        }
    }
    // A single number is no list.
    if numbers.len() > 1 {
        marks.extend(numbers);
    }
    marks.sort_unstable();
    marks
}

/// Returns whether the text may be wrapped at a line break: if the next word stood on this line, the line would be about as wide
/// as the widest one.
fn is_wrapped(letters: &[char], at: usize, widest: usize) -> bool {
    let (before, behind) = letters.split_at(at);
    let line = before.iter().rposition(|c| *c == '\n').map_or(before, |start| &before[start + 1..]);
    let word = behind[1..].iter().take_while(|c| !c.is_whitespace() && !is_wide(**c)).count();
    widest >= NARROWEST && columns(line) + 1 + word.max(1) + ROOM > widest
}

/// The columns of a line; Chinese characters and signs take two.
fn columns(line: &[char]) -> usize {
    line.iter().map(|c| if is_wide(*c) { 2 } else { 1 }).sum()
}

fn is_wide(c: char) -> bool {
    c >= '\u{2E80}'
}

/// The length of the mark that counts an item: `2.`, `2)`, `2、`.
fn number_mark(letters: &[char], number: usize) -> Option<usize> {
    let digits: Vec<char> = number.to_string().chars().collect();
    let rest = letters.strip_prefix(digits.as_slice())?;
    let (sign, behind) = rest.split_first()?;
    let goes_on = behind.first()?;
    let ends = match sign {
        ')' | '）' | '、' => !goes_on.is_ascii_digit(),
        '.' => goes_on.is_whitespace(),
        _ => false,
    };
    ends.then_some(digits.len() + 1)
}

/// The spaces between the words of a Chinese list. If only a few stand between Chinese words, they surround words of other letters.
fn gaps(text: &Text) -> Vec<Span> {
    let letters: Vec<char> = text.original().chars().collect();
    let hans = |three: &[char]| [three[0], three[2]].into_iter().filter(|c| is_han(*c)).count();
    let gaps = || letters.windows(3).enumerate().filter(|(_, three)| three[1] == ' ');
    if gaps().filter(|(_, three)| hans(three) == 2).count() < GAPS {
        return Vec::new();
    }
    let gaps = gaps().filter(|(_, three)| hans(three) > 0);
    gaps.map(|(at, _)| Span { start: at + 1, end: at + 2 }).collect()
}

/// Returns whether a sign stands between two letters of a short form: P/E, S&P.
fn is_short_form(text: &Text, sign: Span) -> bool {
    let letter = |at: usize| text.slice(Span { start: at, end: at + 1 }).chars().next();
    let is_letter =
        |at: Option<usize>| at.and_then(letter).is_some_and(|c| c.is_ascii_alphabetic());
    let lone = |near: Option<usize>, far: Option<usize>| is_letter(near) && !is_letter(far);
    let before = lone(sign.start.checked_sub(1), sign.start.checked_sub(2));
    matches!(text.slice(sign), "/" | "&") && before && lone(Some(sign.end), Some(sign.end + 1))
}

/// Returns whether a text ends in a stop and not in the point of an abbreviation or a number, before what goes on behind.
fn is_stop(text: &str, behind: &str) -> bool {
    /// Fewer letters before a point may be short for something: "a. m.", "St. Ives".
    const LEAST_LETTERS: usize = 3;
    let Some(before) = text.strip_suffix('.') else { return false };
    let letters = before.chars().rev().take_while(|c| c.is_alphabetic()).count();
    letters >= LEAST_LETTERS && behind.starts_with(char::is_whitespace)
}

fn is_sign(sign: &str) -> bool {
    matches!(sign, "," | ";" | "/" | "+" | "&" | "、" | "。" | "?" | "!" | "；")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bullets_mark_the_items_of_a_list_and_a_value_or_a_wrapped_line_marks_none() {
        for (words, marks) in [
            ("1) price 2) news", vec!["1)", "2)"]),
            ("NVDA:\n- price\n- news", vec!["\n", "-", "\n", "-"]),
            ("1. price\n2. news", vec!["1.", "\n", "2."]),
            ("set QF1 to 1. Then set QF2 to 2. Then plot it", vec![]),
            ("tide in Keelung\nSST off Guam", vec!["\n"]),
            // `joints` leaves it out if it lies within a value.
            ("from 2025-11-01\nto 2025-11-03", vec!["\n"]),
            ("明天基隆的潮汐\n三亞這週海溫變化", vec!["\n"]),
            (
                "I would like to know how warm the sea has been off the coast\nof Hualien in the last week, and whether that is normal for\nNovember",
                vec![],
            ),
            ("1) price", vec![]),
        ] {
            let text = Text::new(words);
            let found: Vec<&str> = items(&text).into_iter().map(|mark| text.slice(mark)).collect();
            assert_eq!(found, marks, "{words}");
        }
    }

    #[test]
    fn a_sentence_ends_at_its_stop_and_not_in_a_number_or_what_is_short() {
        for (words, parts) in [
            ("I come from Lima. How warm is it?", 3),
            ("How warm is it at 25.4 N", 1),
            ("the P/E ratio of the S&P 500", 1),
            ("the price/RSI of Apple", 2),
            ("Mr. Li comes at 3 p.m. today", 1),
            ("see example.com for it", 1),
        ] {
            let joints = joints(&Text::new(words), &[], Language::En);
            assert_eq!(joints.len() + 1, parts, "{words}: {joints:?}");
        }
    }
}
