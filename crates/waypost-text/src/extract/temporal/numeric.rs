//! Days in digits: 2025-11-06, 6/11/2025, 11/6, 20251106.

use jiff::civil::Date;

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Shape;

use super::when::When;

/// Reads digits with separators, or eight digits alone.
pub(super) fn numeric(cursor: &mut Cursor<'_>) -> Option<When> {
    if cursor.shape()? != Shape::Digits {
        return None;
    }
    let next = Cursor { at: cursor.at + 1, ..*cursor };
    if next.shape() == Some(Shape::Digits) && !next.is_glued() {
        return spaced(cursor);
    }
    let is_alone = cursor.at == 0 && cursor.sentence.tokens.len() == 3;
    let found = cursor.first_of(&[year_first, year_last, month_and_day, compact]);
    found.or_else(|| if is_alone { cursor.attempt(lone) } else { None })
}

/// 2025-11-06, 2025/11/6, 2025.11.6
fn year_first(cursor: &mut Cursor<'_>) -> Option<When> {
    let year = four_digits(cursor.digits()?)?;
    let separator = cursor.glued_symbol("-/.")?;
    let same: &str = separator_text(separator);
    let month = short(cursor.glued_digits()?)?;
    cursor.glued_symbol(same)?;
    let day = short(cursor.glued_digits()?)?;
    (cursor.is_closed(same) || is_iso_time(*cursor)).then_some(())?;
    Some(When { year: Some(year), ..calendar(month, day, "date.iso") })
}

/// The T of 2025-11-06T14:30.
fn is_iso_time(cursor: Cursor<'_>) -> bool {
    cursor.is_glued() && cursor.sentence.tokens.text(cursor.at) == "t"
}

fn calendar(month: i8, day: i8, rule: &'static str) -> When {
    When { month: Some(month), day: Some(day), ..When::new(rule) }
}

/// 6/11/2025, 06-11-25: in the order of the language, or the other if only that can be.
fn year_last(cursor: &mut Cursor<'_>) -> Option<When> {
    let first = short(cursor.digits()?)?;
    let separator = cursor.glued_symbol("-/.")?;
    let second = short(cursor.glued_digits()?)?;
    cursor.glued_symbol(separator_text(separator))?;
    let digits = cursor.glued_digits()?;
    // 10-15-22 is rather an order's number; slashes are a date.
    let year = four_digits(digits).or_else(|| two_digits(digits).filter(|_| separator == '/'))?;
    // The hyphen of "1/5/2019-1/7/2019" stands between two days.
    cursor.is_closed(if separator == '/' { "/." } else { "-/." }).then_some(())?;
    let day_first = is_day_first(cursor)
        || (separator == '.' && cursor.context.conventions.day_first.is_none());
    let when = ordered(first, second, day_first);
    Some(When { year: Some(year), ..when })
}

/// 11/6, but neither 24/7 nor a fraction with something behind it; "el 6-11" needs its article.
fn month_and_day(cursor: &mut Cursor<'_>) -> Option<When> {
    let on = cursor.follows(|term| term == Term::On).is_some();
    let is_after_digits = cursor.back().is_some_and(|before| before.shape() == Some(Shape::Digits));
    let first = short(cursor.digits()?)?;
    let separator = cursor.glued_symbol(if on { "/-" } else { "/" })?;
    let second = short(cursor.glued_digits()?)?;
    let own = if separator == '-' { "-/." } else { "/." };
    let closed = cursor.is_closed(own) && !cursor.sees(Term::Percent);
    // "2 1/4" is two and a quarter.
    if is_after_digits || !closed || (first, second) == (24, 7) {
        return None;
    }
    let when = ordered(first, second, is_day_first(cursor));
    is_possible(&when).then_some(when)
}

/// 7.6 behind a weekday
pub(super) fn dotted(cursor: &mut Cursor<'_>) -> Option<When> {
    let first = short(cursor.digits()?)?;
    cursor.glued_symbol(".")?;
    let second = short(cursor.glued_digits()?)?;
    let when = ordered(first, second, is_day_first(cursor));
    (cursor.is_closed("-/.,:") && is_possible(&when)).then_some(when)
}

/// 20251106
fn compact(cursor: &mut Cursor<'_>) -> Option<When> {
    let digits = cursor.digits().filter(|digits| digits.len() == 8)?;
    let year = four_digits(&digits[..4]).filter(|year| (1900..2100).contains(year))?;
    let (month, day) = (short(&digits[4..6])?, short(&digits[6..])?);
    let when = When { year: Some(year), ..calendar(month, day, "date.compact") };
    (is_possible(&when) && cursor.is_closed("-/.,")).then_some(when)
}

/// 31 10 1974, 2016 10 16: three numbers of which the year, first or last, is of our time.
fn spaced(cursor: &mut Cursor<'_>) -> Option<When> {
    let behind_digits = cursor.back().is_some_and(|before| before.shape() == Some(Shape::Digits));
    let numbers = [cursor.digits()?, cursor.digits()?, cursor.digits()?];
    let of_our_time = |digits| four_digits(digits).filter(|year| (1900..2100).contains(year));
    let when = match numbers {
        [year, month, day] if year.len() == 4 => When {
            year: Some(of_our_time(year)?),
            ..calendar(short(month)?, short(day)?, "date.spaced")
        },
        [first, second, year] => When {
            year: Some(of_our_time(year)?),
            ..ordered(short(first)?, short(second)?, is_day_first(cursor))
        },
    };
    let ends = cursor.is_closed("-/.,:%") && super::clock::ends_here(*cursor);
    (!behind_digits && ends && is_possible(&when)).then_some(when)
}

/// 15-2, 2 / 15: as all that was said, since it may be a range or a fraction amid others. A range
/// would begin with the lesser.
fn lone(cursor: &mut Cursor<'_>) -> Option<When> {
    let first = short(cursor.digits()?)?;
    let hyphen = cursor.symbol("-/")? == '-';
    let second = short(cursor.digits()?)?;
    let when = ordered(first, second, is_day_first(cursor));
    // Around the clock.
    let always = (first, second) == (24, 7);
    (is_possible(&when) && !always && !(hyphen && first <= second)).then_some(when)
}

/// Two numbers in the order that is possible; if both are, the other is kept as another reading.
fn ordered(first: i8, second: i8, day_first: bool) -> When {
    let day_month = calendar(second, first, "date.slashed");
    let month_day = calendar(first, second, "date.slashed");
    let (likely, other) = if day_first { (day_month, month_day) } else { (month_day, day_month) };
    match (is_possible(&likely), is_possible(&other)) {
        (false, true) => other,
        (true, true) if first != second => When { swaps: true, ..likely },
        _ => likely,
    }
}

fn is_possible(when: &When) -> bool {
    match (when.month, when.day) {
        // A leap year stands for a year that is not known.
        (Some(month), Some(day)) => Date::new(when.year.unwrap_or(2024), month, day).is_ok(),
        _ => true,
    }
}

/// Returns whether the first of two numbers is the day, a matter of language and of place.
fn is_day_first(cursor: &Cursor<'_>) -> bool {
    cursor.context.conventions.day_first.unwrap_or(cursor.habits().day_first)
}

pub(super) fn four_digits(digits: &str) -> Option<i16> {
    digits.parse().ok().filter(|_| digits.len() == 4)
}

/// A year in two digits: up to 49 of this century.
pub(super) fn two_digits(digits: &str) -> Option<i16> {
    let year: i16 = digits.parse().ok().filter(|_| digits.len() == 2)?;
    Some(if year < 50 { 2000 + year } else { 1900 + year })
}

pub(super) fn short(digits: &str) -> Option<i8> {
    digits.parse().ok().filter(|_| digits.len() <= 2)
}

fn separator_text(separator: char) -> &'static str {
    match separator {
        '-' => "-",
        '/' => "/",
        _ => ".",
    }
}
