//! Numbers in words: two hundred and five, dos mil trescientos, 二十萬, hai mươi mốt.
//!
//! All languages build them alike: small numbers are added as long as they get smaller, and a
//! magnitude multiplies what was said since a greater one. Digits may stand for any of the small
//! numbers: 3 million two hundred, 5萬4千.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;
use crate::extract::lang::Tongue;

use super::digits::{self, Figure};
use super::{fraction, memo};

/// From here on half of a magnitude is said of the magnitude: a million and a half.
const LARGE: f64 = 1000.0;

/// The most words behind the first of a number: twice what the longest real ones have. Without a
/// bound a page of "zero zero zero" would be read from each of its words to its end.
pub(crate) const MOST_WORDS: usize = 32;

/// The most magnitudes that follow each other, and the most zeros: "two hundred thousand million" has
/// three. A row of "dozen dozen dozen" is no number, and each of its words would read all of it.
const MOST_ALIKE: u8 = 4;

/// A number that was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Count {
    pub(crate) value: f64,
    /// The number if the separators of its digits mean something else.
    pub(crate) other: Option<f64>,
    /// True if it began with digits.
    pub(crate) in_digits: bool,
}

/// The words that may be part of a number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    /// True if "and" may stand within: not in "between one hundred and two hundred".
    pub(crate) joins: bool,
    /// True if digits may stand among the words.
    pub(crate) digits: bool,
    /// True if it may have a decimal part or a fraction at its end.
    pub(crate) parts: bool,
    /// True if an amount of money is read, where m is a million.
    pub(crate) money: bool,
}

impl Scope {
    /// Whole numbers in words, as they count days and places.
    pub(crate) const WORDS: Scope =
        Scope { joins: true, digits: false, parts: false, money: false };

    /// A number for each scope, below 16.
    pub(crate) fn bits(self) -> usize {
        let Scope { joins, digits, parts, money } = self;
        [joins, digits, parts, money].into_iter().fold(0, |bits, bit| bits << 1 | usize::from(bit))
    }
}

/// A part of a number up to a magnitude, and that magnitude.
#[derive(Debug, Clone, Copy)]
struct Block {
    value: f64,
    scale: f64,
}

/// A number that is being read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sum {
    /// From the greatest magnitude to the smallest.
    blocks: Vec<Block>,
    /// The part that no magnitude has followed yet.
    group: Option<f64>,
    /// The magnitudes, or the zeros, that were read last and in a row.
    alike: u8,
}

impl Sum {
    pub(crate) fn of(value: f64) -> Self {
        Self { blocks: Vec::new(), group: Some(value), alike: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.group.is_none()
    }

    pub(crate) fn value(&self) -> f64 {
        self.blocks.iter().map(|block| block.value).sum::<f64>() + self.group.unwrap_or(0.0)
    }

    /// Returns the number that a following one must be below to belong to this one: twenty takes
    /// one to nine.
    fn room(&self) -> f64 {
        match self.group {
            // "cero cinco"
            Some(0.0) => 10.0,
            Some(group) => [1000.0, 100.0, 10.0]
                .into_iter()
                .find(|unit| group >= *unit && group % unit == 0.0)
                .unwrap_or(0.0),
            None => self.blocks.last().map_or(f64::INFINITY, |block| block.scale),
        }
    }

    /// Adds a number that is smaller than all before it.
    pub(crate) fn add(&mut self, value: f64) -> Option<()> {
        if value >= self.room() {
            return None;
        }
        match self.group {
            Some(0.0) if value == 0.0 => self.repeat()?,
            _ => self.alike = 0,
        }
        self.group = Some(self.group.unwrap_or(0.0) + value);
        Some(())
    }

    /// Adds tens that stand behind their ones: fünfundzwanzig.
    pub(crate) fn add_before_ones(&mut self, tens: f64) -> Option<()> {
        let ones = self.group.filter(|ones| (1.0..10.0).contains(ones))?;
        let is_tens = (20.0..100.0).contains(&tens) && tens % 10.0 == 0.0;
        is_tens.then(|| self.group = Some(ones + tens))
    }

    /// Adds a half to a whole number: zwölfeinhalb.
    pub(crate) fn add_half(&mut self) -> Option<()> {
        let whole = self.group.filter(|group| group.fract() == 0.0)?;
        self.group = Some(whole + 0.5);
        Some(())
    }

    /// Counts one more word that says nothing new; `None` where too many of them stand in a row.
    fn repeat(&mut self) -> Option<()> {
        self.alike += 1;
        (self.alike <= MOST_ALIKE).then_some(())
    }

    /// Multiplies what was said since a greater magnitude.
    pub(crate) fn scale(&mut self, scale: f64) -> Option<()> {
        self.repeat()?;
        let mut value = match (self.group.take(), self.blocks.last()) {
            (Some(group), _) => group,
            // "two hundred dozen" and 萬億 go on with the block before; "million thousand" is none.
            (None, Some(last)) if last.scale <= scale || scale % 10.0 != 0.0 => {
                self.blocks.pop()?.value
            }
            (None, Some(_)) => return None,
            (None, None) => 1.0,
        };
        while let Some(block) = self.blocks.pop_if(|block| block.scale < scale) {
            value += block.value;
        }
        value *= scale;
        let fits = self.blocks.last().is_none_or(|above| value < above.scale);
        (fits && value.is_finite()).then(|| self.blocks.push(Block { value, scale }))
    }
}

/// Reads a number in words, or one that begins with digits where `scope` allows them.
pub(crate) fn count(cursor: &mut Cursor<'_>, scope: Scope) -> Option<Count> {
    cursor.sentence.may_count(cursor.at).then(|| memo::recall(cursor, scope, read)).flatten()
}

fn read(cursor: &mut Cursor<'_>, scope: Scope) -> Option<Count> {
    let mut sum = Sum::default();
    let figure = begin(cursor, scope, &mut sum)?;
    let first = cursor.at;
    let mut done = false;
    for _ in 0..MOST_WORDS {
        let next = cursor.attempt(|cursor| go_on(cursor, scope, figure.is_some(), &mut sum));
        let Some(last) = next else { break };
        done = last;
        if done {
            break;
        }
    }
    if !done && scope.parts {
        let mut part = sum.clone();
        if cursor
            .attempt(|cursor| fraction::whole_of(cursor, &mut part, figure.is_some()))
            .is_some()
        {
            sum = part;
        }
    }
    let value = sum.value();
    let other = figure.and_then(|figure| {
        // The other reading of 1.500 grows with its magnitude, and with nothing else.
        let factor = value / figure.value;
        let other = figure.other?;
        (sum.group.is_none() || cursor.at == first).then_some(other * factor)
    });
    Some(Count { value, other, in_digits: figure.is_some() })
}

/// Reads what a number begins with.
fn begin(cursor: &mut Cursor<'_>, scope: Scope, sum: &mut Sum) -> Option<Option<Figure>> {
    if scope.digits
        && let Some(figure) = cursor.attempt(digits::figure)
    {
        sum.group = Some(figure.value);
        return Some(Some(figure));
    }
    if let Some(value) = cursor.attempt(|cursor| cursor.take(plain)) {
        sum.group = Some(value);
        return Some(None);
    }
    if scope.parts
        && let Some(part) = cursor.attempt(|cursor| fraction::leading(cursor, false))
    {
        sum.group = Some(part);
        return Some(None);
    }
    if let Some(value) = cursor.attempt(soft_before_scale) {
        sum.group = Some(value);
        return Some(None);
    }
    implied_one(cursor).map(|()| None)
}

/// Reads the next word of a number into `sum`; the answer is whether it was the last.
fn go_on(cursor: &mut Cursor<'_>, scope: Scope, figure: bool, sum: &mut Sum) -> Option<bool> {
    let before = sum.clone();
    let done = step(cursor, scope, figure, sum);
    if done.is_none() {
        *sum = before;
    }
    done
}

fn step(cursor: &mut Cursor<'_>, scope: Scope, figure: bool, sum: &mut Sum) -> Option<bool> {
    if cursor.attempt(|cursor| magnitude(cursor, scope, figure, sum)).is_some() {
        return Some(false);
    }
    if scope.parts {
        if let Some(half) = cursor.attempt(fraction::half_of_magnitude) {
            sum.group = Some(sum.group.unwrap_or(0.0) + half);
            cursor.attempt(|cursor| magnitude(cursor, scope, false, sum));
            return Some(true);
        }
        let is_one = sum.room() <= 10.0 && sum.room() > 0.0 && joins_tens(cursor);
        if let Some(part) = cursor.attempt(|cursor| fraction::added(cursor, is_one)) {
            return add_part(cursor, scope, part, sum);
        }
        let group = sum.group.unwrap_or(0.0);
        if group.fract() == 0.0
            && let Some(decimal) = cursor.attempt(fraction::spoken_decimal)
        {
            sum.group = Some(group + decimal);
            return Some(false);
        }
    }
    let joined = scope.joins && cursor.attempt(|cursor| cursor.eat(Term::And)).is_some();
    let hyphen = !joined && cursor.symbol("-—–").is_some();
    small_number(cursor, scope, figure, Link { joined, hyphen }, sum)?;
    if joined || hyphen {
        // "3 hundred and 2 hundred" are two numbers: the magnitude must fit before "and" counts.
        let mut ahead = *cursor;
        if ahead.take(scale).is_some() {
            magnitude(cursor, scope, figure, sum)?;
        }
    }
    Some(false)
}

/// Adds a fraction: of the magnitude if one was said last, otherwise of one.
fn add_part(cursor: &mut Cursor<'_>, scope: Scope, part: f64, sum: &mut Sum) -> Option<bool> {
    let last = sum.blocks.last().map_or(1.0, |block| block.scale);
    let is_large = sum.group.is_none() && last >= LARGE;
    sum.group = Some(sum.group.unwrap_or(0.0) + part);
    if cursor.attempt(|cursor| magnitude(cursor, scope, false, sum)).is_none() && is_large {
        sum.group = Some(part * last);
    }
    Some(true)
}

/// Returns whether the language of the number says "and" between tens and ones.
fn joins_tens(cursor: &Cursor<'_>) -> bool {
    cursor.tongue.joins_tens || cursor.tongue == Tongue::COMMON && cursor.habits().joins_tens
}

/// The words or signs that tie a small number to the words before it.
#[derive(Clone, Copy)]
struct Link {
    joined: bool,
    hyphen: bool,
}

/// Reads a number below a thousand that goes on the sum.
fn small_number(
    cursor: &mut Cursor<'_>,
    scope: Scope,
    figure: bool,
    link: Link,
    sum: &mut Sum,
) -> Option<()> {
    let room = sum.room();
    let in_tens = room <= 10.0;
    if link.joined && (room < 10.0 || in_tens && !joins_tens(cursor)) {
        return None;
    }
    if scope.digits && cursor.shape() == Some(Shape::Digits) {
        return small_digits(cursor, figure, link, sum);
    }
    let value = cursor
        .take(plain)
        .or_else(|| cursor.attempt(|cursor| soft_within(cursor, link, room)))
        .or_else(|| inner(cursor, room))?;
    // "one hundred thirty fifths" are a hundred of them, and "twenty-one" is no one of a kind.
    let adds_ones = !link.joined && !joins_tens(cursor);
    if adds_ones && fraction::is_tens(value) && fraction::sees_small_parts(*cursor) {
        return None;
    }
    if value == 0.0 {
        // 一千零五 and "không trăm mười" say the empty place; "3 hundred and zero" is two numbers.
        let tied = link.joined || link.hyphen || room <= 1.0;
        if cursor.sees_any(|term| scale(term).is_some()) {
            return if tied { None } else { sum.add(0.0) };
        }
        let goes_on =
            cursor.shape() == Some(Shape::Digits) || cursor.sees_any(|term| plain(term).is_some());
        return if !tied && goes_on { sum.repeat() } else { None };
    }
    // "nought-four" is a score.
    let after_zero = sum.group == Some(0.0) && link.hyphen;
    if after_zero { None } else { sum.add(value) }
}

/// Digits go on a number after "and", before a magnitude, or glued to a magnitude: 3萬4000.
fn small_digits(cursor: &mut Cursor<'_>, figure: bool, link: Link, sum: &mut Sum) -> Option<()> {
    let glued = cursor.is_glued() && !link.hyphen;
    let after_scale = sum.group.is_none();
    let after_zero = cursor.follows(|term| term == Term::Number(0.0)).is_some();
    let next = digits::figure(cursor)?;
    let has_scale = cursor.sees_any(|term| scale(term).is_some());
    let fits = after_scale && (glued || after_zero || has_scale || (link.joined && figure));
    let in_tens = link.joined && sum.room() == 10.0 && next.value < 10.0;
    let ends = cursor.is_closed("-/⁄:") || cursor.shape() == Some(Shape::Han);
    if !ends || next.value == 0.0 || !(fits || in_tens && next.is_whole) {
        return None;
    }
    sum.add(next.value)
}

/// Reads a magnitude: million, 萬, k, dozen.
fn magnitude(cursor: &mut Cursor<'_>, scope: Scope, figure: bool, sum: &mut Sum) -> Option<()> {
    // 十幾萬, 一千多萬: some more than ten of them.
    cursor.attempt(|cursor| {
        cursor.eat(Term::Odd)?;
        cursor.sees_any(|term| scale(term).is_some()).then_some(())
    });
    if let Some(value) = cursor.attempt(|cursor| cursor.take(scale)) {
        return sum.scale(value);
    }
    let bare = figure && sum.blocks.is_empty();
    let decimal = sum.group.is_some_and(|group| group.fract() != 0.0);
    let letter = cursor.attempt(|cursor| digits::letter_scale(cursor, scope.money, decimal))?;
    if bare { sum.scale(letter) } else { None }
}

/// The one that "a hundred" and "mil doscientos" leave out; 萬 and the k of `5k` never do.
fn implied_one(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.attempt(|cursor| cursor.eat(Term::One));
    let mut ahead = *cursor;
    ahead.tongue = Tongue::COMMON;
    ahead.take(scale)?;
    ahead.tongue.bare_magnitude.then_some(())
}

/// A word that is a number only before a magnitude: năm is five in "năm nghìn" and else a year.
fn soft_before_scale(cursor: &mut Cursor<'_>) -> Option<f64> {
    let value = cursor.take(soft)?;
    cursor.sees_any(|term| scale(term).is_some() || term == Term::Point).then_some(value)
}

/// A soft word also counts behind "and" and tens: ciento sesenta y un.
fn soft_within(cursor: &mut Cursor<'_>, link: Link, room: f64) -> Option<f64> {
    if link.joined && room == 10.0 { cursor.take(soft) } else { soft_before_scale(cursor) }
}

/// Reads the mốt of "hai mươi mốt" and the "linh năm" of "một trăm linh năm", which says that there
/// are no tens.
fn inner(cursor: &mut Cursor<'_>, room: f64) -> Option<f64> {
    let digit = cursor.take(inner_digit)?;
    if digit != 0.0 {
        return (room == 10.0).then_some(digit);
    }
    let ones = cursor.take(|term| plain(term).or(soft(term)).or(inner_digit(term)))?;
    (room >= 100.0 && (1.0..10.0).contains(&ones)).then_some(ones)
}

fn inner_digit(term: Term) -> Option<f64> {
    match term {
        Term::InnerNumber(value) => Some(value),
        _ => None,
    }
}

/// Reads the next word of a whole number into `sum`, as ordinals begin.
pub(crate) fn next_cardinal(cursor: &mut Cursor<'_>, sum: &mut Sum) -> Option<()> {
    if sum.is_empty() && cursor.attempt(|cursor| cursor.eat(Term::One)).is_some() {
        implied_one(cursor)?;
    }
    match cursor.attempt(|cursor| cursor.take(scale)) {
        Some(scale) => sum.scale(scale),
        None => sum.add(cursor.take(plain)?),
    }
}

pub(crate) fn plain(term: Term) -> Option<f64> {
    match term {
        Term::Number(value) => Some(value),
        _ => None,
    }
}

pub(crate) fn soft(term: Term) -> Option<f64> {
    match term {
        Term::SoftNumber(value) => Some(value),
        _ => None,
    }
}

/// Magnitudes in words only: the M of `5M` belongs to digits.
pub(crate) fn scale(term: Term) -> Option<f64> {
    match term {
        Term::Scale(value) => Some(value),
        _ => None,
    }
}
