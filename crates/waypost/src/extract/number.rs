//! Numbers, percentages and counts: 1,234.5, 3萬, two hundred, 20%.

use super::Found;
use super::cursor::Cursor;
use super::term::{Term, Tongue, rule};
use super::token::Shape;
use super::value::{Kind, Reading};
use crate::language::Language;

/// Finds a share: 20%, 百分之二十.
pub(super) fn percentage(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    let value = if cursor.eat(Term::PercentOf).is_some() {
        amount(cursor)?.value
    } else {
        let value = amount(cursor)?.value;
        cursor.eat(Term::Percent)?;
        value
    };
    Some(Found::new(Kind::Percentage, Reading::Number(value), rule!(cursor.tongue, "percentage")))
}

/// Finds a plain number.
pub(super) fn number(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() || cursor.follows(|term| term == Term::OrdinalMark).is_some() {
        return None;
    }
    let start = *cursor;
    let Amount { value, other } = amount(cursor)?;
    let fits = match start.shape()? {
        Shape::Han => is_han_number(start, *cursor),
        // "one" is a pronoun more often than a number.
        Shape::Word => value != 1.0,
        _ => is_number_end(*cursor),
    };
    let found = Found::new(Kind::Number, Reading::Number(value), rule!(cursor.tongue, "number"));
    fits.then(|| found.or(other.map(Reading::Number)))
}

/// A Han numeral is a number if it counts something or stands alone: 一樣, 四川 and 三明治 are words.
fn is_han_number(start: Cursor<'_>, end: Cursor<'_>) -> bool {
    let after_han = start.back().is_some_and(|before| before.shape() == Some(Shape::Han));
    let told = start.follows(|term| matches!(term, Term::Is | Term::Change)).is_some();
    let before_han = end.shape() == Some(Shape::Han);
    let is_long = end.at - start.at > 1;
    is_long || end.sees(Term::Counter) || ((told || !after_han) && !before_han)
}

/// A letter behind the digits makes them a name (`3d`) unless it is a unit of measure.
fn is_number_end(end: Cursor<'_>) -> bool {
    if end.is_glued() && end.sees(Term::Measure) {
        return true;
    }
    end.is_closed("-/⁄:") || !end.is_closed("") && end.shape() == Some(Shape::Han)
}

/// A number with its magnitude, and what else its separators may mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount {
    pub(super) value: f64,
    other: Option<f64>,
}

/// Reads a number in digits or words, with a sign and a magnitude.
pub(super) fn amount(cursor: &mut Cursor<'_>) -> Option<Amount> {
    let money = cursor.back().is_some_and(|before| before.peek_symbol() == Some('$'));
    let Amount { mut value, mut other } = match cursor.attempt(grouped) {
        Some(amount) => amount,
        None => Amount { value: words(cursor)?, other: None },
    };
    let scale = cursor.take(|term| match term {
        Term::Scale(scale) => Some(scale),
        Term::MoneyScale(scale) if money => Some(scale),
        _ => None,
    });
    if let Some(scale) = scale {
        value *= scale;
        other = other.map(|other| other * scale);
        value += smaller_parts(cursor, scale);
    }
    Some(Amount { value, other })
}

/// Reads the 5千4百 of 7萬5千4百.
fn smaller_parts(cursor: &mut Cursor<'_>, mut above: f64) -> f64 {
    let mut sum = 0.0;
    while let Some((part, unit)) = cursor.attempt(|cursor| {
        let digits: f64 = cursor.digits()?.parse().ok()?;
        let unit = cursor.take(scale).filter(|unit| *unit < above)?;
        Some((digits * unit, unit))
    }) {
        sum += part;
        above = unit;
    }
    sum
}

/// Reads digits with the separators of the language: 1,234.5 or 1.234,5.
fn grouped(cursor: &mut Cursor<'_>) -> Option<Amount> {
    let comma = has_decimal_comma(cursor);
    let sign = sign(cursor);
    let separators = if comma { [(".", ","), (",", ".")] } else { [(",", "."), (",", ".")] };
    for (group, point) in separators {
        if let Some((value, other)) = cursor.attempt(|cursor| separated(cursor, group, point)) {
            return Some(Amount { value: sign * value, other: other.map(|other| sign * other) });
        }
    }
    decimal_digits(cursor, ".").map(|value| Amount { value: sign * value, other: None })
}

/// Whether the language of the text writes 1.234,5 for 1,234.5.
pub(super) fn has_decimal_comma(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.context.language, Language::Es | Language::Vi)
}

/// Reads digits in groups of three, or with a decimal sign; not if the text goes on in another way.
fn separated(cursor: &mut Cursor<'_>, group: &str, point: &str) -> Option<(f64, Option<f64>)> {
    let head = cursor.digits()?;
    let mut digits = head.to_owned();
    let mut groups = 0;
    if head.len() <= 3 {
        while let Some(three) = cursor.attempt(|cursor| {
            cursor.glued_symbol(group)?;
            cursor.glued_digits().filter(|digits| digits.len() == 3)
        }) {
            digits.push_str(three);
            groups += 1;
        }
    }
    let fraction = cursor.attempt(|cursor| {
        cursor.glued_symbol(point)?;
        cursor.glued_digits()
    });
    // 118,200,12 is a list, and 1.2.3 a version.
    if !cursor.is_closed(".") || (groups > 0 && !cursor.is_closed(",")) {
        return None;
    }
    let ambiguous = groups == 1 && fraction.is_none() && group == ".";
    let whole: f64 = digits.parse().ok()?;
    let value = match fraction {
        Some(fraction) => format!("{digits}.{fraction}").parse().ok()?,
        None => whole,
    };
    Some((value, ambiguous.then_some(whole / 1000.0)))
}

/// Reads a plain decimal with a point and maybe a sign, as coordinates are written.
pub(super) fn decimal(cursor: &mut Cursor<'_>) -> Option<f64> {
    let sign = sign(cursor);
    decimal_digits(cursor, ".").map(|value| sign * value)
}

/// Reads a decimal written with a comma: 121,5.
pub(super) fn comma_decimal(cursor: &mut Cursor<'_>) -> Option<f64> {
    let sign = sign(cursor);
    decimal_digits(cursor, ",").map(|value| sign * value)
}

/// Reads 一百二十二點五, as positions are spelled out. Elsewhere 點 is an hour.
pub(super) fn spelled_decimal(cursor: &mut Cursor<'_>) -> Option<f64> {
    let numeral = |cursor: &mut Cursor<'_>| {
        cursor.take(|term| match term {
            Term::Number(value) => Some(value),
            _ => None,
        })
    };
    let whole = numeral(cursor)?;
    let fraction = cursor.attempt(|cursor| {
        cursor.eat(Term::HourMark)?;
        let from = cursor.at;
        let digits = numeral(cursor)?;
        let scale = 10f64.powi(i32::try_from(cursor.at - from).ok()?);
        (digits < scale).then_some(digits / scale)
    });
    Some(whole + fraction.unwrap_or(0.0))
}

fn decimal_digits(cursor: &mut Cursor<'_>, point: &str) -> Option<f64> {
    let whole = cursor.digits()?;
    let fraction = cursor.attempt(|cursor| {
        cursor.glued_symbol(point)?;
        cursor.glued_digits()
    });
    if !cursor.is_closed(".") && fraction.is_some() && cursor.peek_symbol().is_some() {
        return None;
    }
    match fraction {
        Some(fraction) => format!("{whole}.{fraction}").parse().ok(),
        None => whole.parse().ok(),
    }
}

/// Reads a sign that belongs to the digits behind it: none in `10-15`.
fn sign(cursor: &mut Cursor<'_>) -> f64 {
    let read = cursor.attempt(|cursor| {
        let after_number = cursor.is_glued()
            && cursor
                .back()
                .and_then(|before| before.shape())
                .is_some_and(|shape| matches!(shape, Shape::Digits | Shape::Word));
        let sign = cursor.symbol("-+−").filter(|_| !after_number)?;
        (cursor.is_glued() && cursor.shape() == Some(Shape::Digits)).then_some(sign)
    });
    if matches!(read, Some('-' | '−')) { -1.0 } else { 1.0 }
}

/// Reads a whole number without sign or separators, in digits or words: the 3 of "3 days".
pub(super) fn count(cursor: &mut Cursor<'_>) -> Option<f64> {
    if let Some(digits) = cursor.attempt(Cursor::digits) {
        return digits.parse().ok().filter(|_| digits.len() <= 6);
    }
    words(cursor)
}

/// Reads number words: two, twenty-three, dos mil, 二十三.
fn words(cursor: &mut Cursor<'_>) -> Option<f64> {
    let mut total = 0.0;
    let mut group = match cursor.attempt(|cursor| cursor.take(plain)) {
        Some(value) => value,
        None => implied_one(cursor)?,
    };
    loop {
        if let Some(scale) = cursor.attempt(|cursor| cursor.take(scale)) {
            if scale >= 1000.0 {
                total += group * scale;
                group = 0.0;
            } else {
                group *= scale;
            }
        }
        let room = smallest_digit(group);
        let next = cursor.attempt(|cursor| {
            let joined = cursor.attempt(|cursor| cursor.eat(Term::And)).is_some();
            let hyphen = cursor.glued_symbol("-").is_some();
            let next = cursor.take(plain)?;
            (next < room && (!joined || hyphen || room >= 10.0)).then_some(next)
        });
        match next {
            Some(next) => group += next,
            None => return Some(total + group),
        }
    }
}

/// The one that "a hundred" and "mil doscientos" leave out; 萬 and the k of `5k` never do.
fn implied_one(cursor: &mut Cursor<'_>) -> Option<f64> {
    cursor.attempt(|cursor| cursor.eat(Term::One));
    let mut ahead = *cursor;
    ahead.tongue = Tongue::Common;
    ahead.take(scale)?;
    (!matches!(ahead.tongue, Tongue::Common | Tongue::Zh)).then_some(1.0)
}

/// What a following word must be below to belong to the same number: twenty takes one to nine.
fn smallest_digit(group: f64) -> f64 {
    [1000.0, 100.0, 10.0]
        .into_iter()
        .find(|unit| group >= *unit && group % unit == 0.0)
        .unwrap_or(if group == 0.0 { 1000.0 } else { 0.0 })
}

fn plain(term: Term) -> Option<f64> {
    match term {
        Term::Number(value) => Some(value),
        _ => None,
    }
}

/// Magnitudes in words only: the k of `5k` belongs to digits.
fn scale(term: Term) -> Option<f64> {
    match term {
        Term::Scale(value) => Some(value),
        _ => None,
    }
}
