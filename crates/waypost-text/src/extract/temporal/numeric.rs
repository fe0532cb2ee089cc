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
    let found = cursor.first_of(&[year_first, year_last, pointed, month_and_day, compact]);
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

/// 24.12., 9. 8. 1971, 24.12.25: in a language where a point makes a place of digits.
///
/// Chapters and versions have points too. Without a year of four digits it is a day if a word before says so, if
/// no chapter has such a number, or if a range or a time of day follows.
fn pointed(cursor: &mut Cursor<'_>) -> Option<When> {
    /// A work rarely has more chapters, and a program more versions.
    const CHAPTERS: i8 = 12;
    cursor.habits().ordinal_point.then_some(())?;
    let before = *cursor;
    let day = short(cursor.digits()?)?;
    cursor.glued_symbol(".")?;
    let is_spaced = !cursor.is_glued();
    let month = short(cursor.digits()?).filter(|month| (1..=12).contains(month))?;
    let when = ordered(day, month, true);
    let when = When { swaps: false, ..when };
    (when.day == Some(day) && is_possible(&when)).then_some(())?;
    if cursor.attempt(|cursor| cursor.glued_symbol(".")).is_none() {
        // "am 24.12" leaves out the last point.
        let ends = cursor.is_closed("-/.,:") && super::clock::ends_here(*cursor);
        return (!is_spaced && ends && is_behind_am(before)).then_some(when);
    }
    if let Some(year) = cursor.attempt(|cursor| {
        let year = four_digits(cursor.digits()?).filter(|year| (1000..3000).contains(year))?;
        cursor.is_closed("/.:").then_some(year)
    }) {
        return Some(When { year: Some(year), ..when });
    }
    let announced = is_announced(&before);
    let short_year = |cursor: &mut Cursor<'_>| {
        let year = two_digits(cursor.glued_digits()?)?;
        cursor.is_closed("/.:").then_some(year)
    };
    if !is_spaced && let Some(year) = cursor.attempt(short_year) {
        return (announced || day > CHAPTERS).then_some(When { year: Some(year), ..when });
    }
    let number_follows = cursor.shape() == Some(Shape::Digits) && (is_spaced || cursor.is_glued());
    let word_follows = cursor.shape() == Some(Shape::Word) && cursor.is_glued();
    let told = announced || !is_spaced && (before.at == 0 || day > CHAPTERS || sees_time(*cursor));
    let hour = before.follows(|term| term == Term::AtHour).is_some();
    (told && !hour && !number_follows && !word_follows && cursor.is_closed("/.,:")).then_some(when)
}

/// Returns whether "am" stands before, which no number follows otherwise.
fn is_behind_am(cursor: Cursor<'_>) -> bool {
    let follows = |fits: fn(Term) -> bool| cursor.follows(fits).is_some();
    follows(|term| term == Term::On)
        && !follows(|term| matches!(term, Term::The | Term::From | Term::At))
}

/// Returns whether a word that stands before days stands here, or a weekday, maybe with its comma.
fn is_announced(cursor: &Cursor<'_>) -> bool {
    let leads = |term| {
        matches!(
            term,
            Term::On
                | Term::The
                | Term::Since
                | Term::From
                | Term::To
                | Term::Between
                | Term::And
                | Term::Order(_)
                | Term::Weekday(_)
                | Term::ShortWeekday(_)
        )
    };
    let weekday = |term| matches!(term, Term::Weekday(_) | Term::ShortWeekday(_));
    let before = cursor.back();
    let behind = |set: &str| {
        before.filter(|before| before.peek_symbol().is_some_and(|sign| set.contains(sign)))
    };
    cursor.follows(leads).is_some()
        || behind(",").is_some_and(|comma| comma.follows(weekday).is_some())
        // 5.11. – 7.11.
        || behind("-–—").and_then(Cursor::back).is_some_and(|end| end.peek_symbol() == Some('.'))
}

/// Returns whether a time of day, or the rest of a range, goes on with a day.
fn sees_time(mut cursor: Cursor<'_>) -> bool {
    cursor.sees_any(|term| matches!(term, Term::AtHour | Term::To))
        || cursor.symbol("-–—").is_some() && cursor.digits().is_some()
        || super::clock::clock(&mut cursor).is_some()
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
