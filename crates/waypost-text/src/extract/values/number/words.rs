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

/// From here on a magnitude may be followed by a digit alone that counts its tenths: 3萬4, một trăm hai.
const SHORTENED: f64 = 100.0;

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
    if is_open(cursor) {
        return None;
    }
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

/// Returns whether the text leaves open which number begins here: hundreds, a few hundred, 數百, 兩三百.
pub(crate) fn is_open(cursor: &Cursor<'_>) -> bool {
    if cursor.may_mean(0, Term::Either(0.0, 0.0))
        || cursor.may_mean(0, Term::Vague)
        || cursor.is_within(|term| matches!(term, Term::Either(..)))
    {
        return true;
    }
    let is_scale = cursor.may_mean(0, Term::Scale(0.0));
    // The hundred of "three hundred" is the end of a number, which may be left open: two or three hundred.
    if is_scale && cursor.follows(|term| plain(term).or(scale(term)).is_some()).is_some() {
        return true;
    }
    // The 十 of 數十; but the 三百 of 人數三百 is a number.
    let is_magnitude = is_scale
        || cursor.may_mean(0, Term::SoftNumber(0.0))
        || cursor.shape() == Some(Shape::Han)
            && !cursor.sees_any(|term| matches!(term, Term::Number(value) if value < 10.0));
    is_magnitude && follows_vague(cursor)
}

/// Returns whether a word stands before that leaves a magnitude open. The 數 of 人數十萬 does not: it goes on with
/// what is counted.
fn follows_vague(cursor: &Cursor<'_>) -> bool {
    let is_of_word = |vague: Cursor<'_>| {
        let in_han = vague.shape() == Some(Shape::Han) && vague.is_glued();
        in_han && vague.follows(|term| term == Term::Counter).is_some()
    };
    cursor.follows(|term| term == Term::Vague).is_some() && !cursor.back().is_some_and(is_of_word)
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
    let least = if cursor.tongue.shortens { SHORTENED } else { LARGE };
    let is_large = sum.group.is_none() && last >= least;
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
    let is_tied = link.joined || link.hyphen;
    if !is_tied && let Some(value) = cursor.attempt(|cursor| short_digit(cursor, scope)) {
        return sum.add(value);
    }
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

/// Reads the 4 of 3萬4 and of "3 triệu 4", and the hai of "một trăm hai": a single digit behind a magnitude
/// counts tenths of it.
fn short_digit(cursor: &mut Cursor<'_>, scope: Scope) -> Option<f64> {
    let in_han = cursor.back().is_some_and(|before| before.shape() == Some(Shape::Han));
    let (tongue, unit) = cursor.sentence.senses_before(cursor.at).find_map(|sense| {
        let unit = scale(sense.term).filter(|unit| *unit >= SHORTENED)?;
        Some((sense.tongue, unit))
    })?;
    let glued = cursor.is_glued();
    let shortens = if in_han { glued } else { tongue.shortens };
    shortens.then_some(())?;
    let digit = if cursor.shape() == Some(Shape::Digits) {
        let digits = cursor.digits().filter(|digits| scope.digits && digits.len() == 1)?;
        (cursor.is_closed(".:/⁄") && !sees_group(*cursor)).then_some(())?;
        digits.parse().ok()?
    } else {
        cursor.take(|term| plain(term).or(inner_digit(term)))?
    };
    let ends = !goes_on_behind(cursor, in_han, glued);
    (ends && (1.0..10.0).contains(&digit)).then_some(digit * unit / 10.0)
}

/// Returns whether a comma and three digits follow: the ",000" of 3萬4,000.
fn sees_group(mut cursor: Cursor<'_>) -> bool {
    let mut group = || {
        cursor.glued_symbol(",")?;
        cursor.glued_digits()
    };
    group().is_some_and(|digits| digits.len() == 3)
}

/// Returns whether a digit behind a magnitude belongs to what follows: 3萬4千, 3萬4月; and where a space stands
/// before it, "3 triệu 4 ngày".
fn goes_on_behind(cursor: &Cursor<'_>, in_han: bool, glued: bool) -> bool {
    cursor.sees_any(|term| match term {
        Term::Scale(_) | Term::MonthMark | Term::PartsOf => true,
        // 1百2十; but "2 triệu 5 một tháng" is for one month.
        Term::Number(_) => in_han,
        Term::Unit(_) | Term::Counter | Term::Month(_) => !glued,
        _ => false,
    })
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

/// The one that "a hundred" and "mil doscientos" leave out, and 百萬 before what it counts; the k of `5k` never
/// does.
fn implied_one(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.attempt(|cursor| cursor.eat(Term::One));
    let start = *cursor;
    let mut ahead = Cursor { tongue: Tongue::COMMON, ..start };
    let value = ahead.take(scale)?;
    let is_bare = ahead.tongue.bare_magnitude;
    let counts = || value % 10.0 == 0.0 && ahead.tongue != Tongue::COMMON && counts(start);
    (is_bare || counts()).then_some(())
}

/// From here on a magnitude without a number counts people and things too: 百萬人; but 萬歲 is no number.
const COUNTS_ANYTHING: f64 = 1e6;

/// Returns whether the magnitudes that go on here count something: 千萬元, "trăm nghìn đồng", "triệu rưỡi".
/// The 千瓦 is a unit of its own, and 上百 leaves open how many.
fn counts(start: Cursor<'_>) -> bool {
    let mut end = start;
    let mut greatest = 0.0;
    for _ in 0..MOST_ALIKE {
        let Some(value) = end.attempt(|end| end.take(scale)) else { break };
        greatest = f64::max(greatest, value);
    }
    let counted = |term| match term {
        Term::Currency(_)
        | Term::CurrencySign(_)
        | Term::CurrencyCode(_)
        | Term::Measure(_)
        | Term::AndHalf => true,
        Term::Counter => greatest >= COUNTS_ANYTHING,
        _ => false,
    };
    let mut senses = start.sentence.senses(start.at).iter();
    let is_unit = senses.any(|sense| sense.end > end.at && counted(sense.term));
    let is_end =
        start.is_within(|term| matches!(term, Term::Number(_) | Term::Scale(_) | Term::NoNumber));
    end.sees_any(counted) && !is_unit && !is_end
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
