//! Days, months and years of the calendar in words: 6 November 2025, 11月6日, 6 de noviembre.

use jiff::civil::Date;

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Term, Unit};
use crate::extract::grammar::token::Shape;
use crate::extract::lang::Tongue;
use crate::extract::values::{number, ordinal};

use super::calendars::gregorian;
use super::marks::{lone_marked_day, marked_day};
use super::named::{which, which_after};
use super::numeric::{four_digits, short, two_digits};
use super::settle::settle;
use super::stretch::Stretch;
use super::when::When;

/// [2025年] 11月6日, 民國114年11月6日; the year may be 去年, read as a piece of its own.
pub(super) fn marked(cursor: &mut Cursor<'_>) -> Option<When> {
    let year = cursor.attempt(marked_year);
    let month = cursor.attempt(marked_month);
    let day = match (year, month) {
        (_, Some(_)) => cursor.attempt(marked_day),
        (None, None) => cursor.attempt(lone_marked_day),
        (Some(_), None) => None,
    };
    if month.is_none() && (year.is_some() == day.is_some()) {
        return None;
    }
    // 三月 alone may be a month or a length; 10月28到11月3號: the end says that 28 is a day too.
    let day = day.or_else(|| month.and_then(|_| cursor.attempt(day_before_range)));
    let name = if day.is_some() {
        "date.calendar"
    } else if month.is_some() {
        "range.month"
    } else {
        "range.year"
    };
    Some(When { year, month, day, ..When::new(rule(cursor.tongue, name)) })
}

/// Reads 2025年, 民國114年, 二〇二五年 or 08年.
pub(super) fn marked_year(cursor: &mut Cursor<'_>) -> Option<i16> {
    let era = cursor.attempt(|cursor| {
        cursor.take(|term| match term {
            Term::Era(before) => Some(before),
            _ => None,
        })
    });
    let digits = cursor.shape() == Some(Shape::Digits);
    let from = cursor.at;
    let zero = cursor.character() == '0' || cursor.sees(Term::Number(0.0));
    let year = number::count(cursor)?;
    let length = if digits { cursor.sentence.tokens.text(from).len() } else { cursor.at - from };
    cursor.eat(Term::YearMark)?;
    cursor.attempt(|cursor| cursor.symbol(","));
    match (era, year) {
        (Some(before), 1.0..300.0) => before.checked_add(year as i16),
        (Some(_), _) => None,
        // 一千年 is a length.
        (None, 1000.0..3000.0) if length >= 4 => Some(year as i16),
        // 98年: in two digits, and a length otherwise; but 08年 is no length.
        (None, 0.0..100.0) if length == 2 && (zero || digits && sees_month(*cursor)) => {
            two_digits(&format!("{year:02}"))
        }
        _ => None,
    }
}

/// Returns whether a year of the calendar stands here, in four digits or as 08年.
pub(super) fn is_marked_year(mut cursor: Cursor<'_>) -> bool {
    marked_year(&mut cursor).is_some()
}

fn sees_month(mut cursor: Cursor<'_>) -> bool {
    marked_month(&mut cursor).is_some()
}

fn marked_month(cursor: &mut Cursor<'_>) -> Option<i8> {
    let month = number::count(cursor).filter(|month| (1.0..100.0).contains(month))?;
    cursor.eat(Term::MonthMark)?;
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    // The 13 of 13月1日 is a mistake to be told; without a day it is no month.
    let impossible = month > 12.0 && marked_day(&mut cursor.clone()).is_none();
    (!impossible).then_some(month as i8)
}

fn day_before_range(cursor: &mut Cursor<'_>) -> Option<i8> {
    let day = number::count(cursor).filter(|day| (1.0..=31.0).contains(day))? as i8;
    cursor.sees(Term::To).then_some(day)
}

/// 6 Nov 2025, 6th of November, 6 de noviembre de 2025; also 32 August, to be told it is wrong
pub(super) fn day_month(cursor: &mut Cursor<'_>) -> Option<When> {
    let is_on = cursor.follows(|term| term == Term::On).is_some();
    let named = cursor.attempt(|cursor| cursor.eat(Term::DayWord)).is_some();
    let least = if named { 0.0 } else { 1.0 };
    let start = cursor.at;
    let day = match cursor.attempt(day_number) {
        Some(day) => day,
        None => number::count(cursor).filter(|day| (least..40.0).contains(day))? as i8,
    };
    let announced = named || is_on;
    cursor.attempt(|cursor| cursor.glued_symbol("-/"));
    let of = cursor.attempt(|cursor| cursor.eat(Term::Of)).is_some();
    let spelled = cursor.sentence.shape(start) == Some(Shape::Word);
    let month = if of && cursor.shape() == Some(Shape::Digits) {
        month_number(cursor, announced)?
    } else {
        month(cursor)?
    };
    // "one may ask"
    (!spelled || !is_verb(*cursor)).then_some(())?;
    cursor.attempt(|cursor| cursor.glued_symbol("./-"));
    let year = cursor.attempt(year_after);
    let rule = rule(cursor.tongue, "date.calendar");
    Some(When { year, month: Some(month), day: Some(day), ..When::new(rule) })
}

/// The twenty nine of "December twenty nine"; behind "may" a small number is one of something.
fn spoken_day(cursor: &mut Cursor<'_>, is_short: bool) -> Option<i8> {
    let least = if is_short { MOST_OPTIONS } else { 1 };
    let day = day_in_words(cursor).filter(|day| *day >= least)?;
    super::clock::ends_here(*cursor).then_some(day)
}

/// The 18th of "the week of the 18th".
pub(super) fn bare_day(cursor: &mut Cursor<'_>) -> Option<When> {
    let day = day_number(cursor)?;
    let ends = cursor.is_closed("-/.,:") && super::clock::ends_here(*cursor);
    ends.then(|| When { day: Some(day), ..When::new(rule(cursor.tongue, "date.day")) })
}

/// The 8 of "9 de 8 de 1971" and of "el 9 del 8": a year behind it, or a word for a day before, says so.
fn month_number(cursor: &mut Cursor<'_>, announced: bool) -> Option<i8> {
    let month = short(cursor.digits()?).filter(|month| (1..=12).contains(month))?;
    let year = || {
        let mut ahead = *cursor;
        ahead.eat(Term::Of).and_then(|()| calendar_year(&mut ahead)).is_some()
    };
    let is_month = cursor.habits().day_first && (announced && cursor.is_closed("-/.:,") || year());
    is_month.then_some(month)
}

/// The 18 of "18 and 19 June": a day of a list whose month is said behind the last.
pub(super) fn day_of_list(cursor: &mut Cursor<'_>) -> Option<When> {
    /// Longer lists are of something else.
    const MOST: usize = 6;
    let next = Cursor { at: cursor.at + 1, ..*cursor };
    let listed = next.peek_symbol().is_some_and(|sign| matches!(sign, ',' | '、'))
        || cursor.may_mean(1, Term::And)
        || next.is_glued() && next.shape() == Some(Shape::Word);
    // The sexta of "sexta, 7 de novembro" is a Friday, and no sixth.
    let listed = listed && !cursor.sees_any(|term| matches!(term, Term::Weekday(_)));
    let day = if listed { day_number(cursor)? } else { return None };
    let mut ahead = *cursor;
    for _ in 0..MOST {
        let comma = ahead.attempt(|ahead| ahead.symbol(",、")).is_some();
        let and = ahead.attempt(|ahead| ahead.eat(Term::And)).is_some();
        (comma || and).then_some(())?;
        ahead.attempt(|ahead| ahead.eat(Term::The));
        if let Some(last) = ahead.attempt(day_month) {
            let (month, year) = (last.month, last.year);
            let rule = rule(ahead.tongue, "date.calendar");
            return Some(When { day: Some(day), month, year, ..When::new(rule) });
        }
        ahead.attempt(day_number)?;
    }
    None
}

/// November 6, Nov. 6th, 2025, November the first
pub(super) fn month_day(cursor: &mut Cursor<'_>) -> Option<When> {
    let is_short = cursor.sees_any(|term| matches!(term, Term::ShortMonth(_)));
    let month = month(cursor)?;
    cursor.attempt(|cursor| cursor.glued_symbol(".-/"));
    let comma = cursor.attempt(|cursor| cursor.symbol(",")).is_some();
    if comma && begins_date(*cursor) {
        return None;
    }
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let day = match cursor.attempt(day_number) {
        Some(day) => day,
        None => spoken_day(cursor, is_short)?,
    };
    // "Nov 14:30" and "May 5.5" are no days.
    cursor.is_closed(":.").then_some(())?;
    let year = cursor.attempt(year_after);
    // "in March, 3 stations" counts them.
    (!comma || year.is_some() || super::clock::ends_here(*cursor)).then_some(())?;
    let rule = rule(cursor.tongue, "date.calendar");
    Some(When { year, month: Some(month), day: Some(day), ..When::new(rule) })
}

/// Returns whether a day with its own month follows, or a month or a weekday that could be a number too: "mai, sept",
/// "março, sexta".
fn begins_date(mut cursor: Cursor<'_>) -> bool {
    let named = |term| {
        matches!(
            term,
            Term::Month(_) | Term::ShortMonth(_) | Term::Weekday(_) | Term::ShortWeekday(_)
        )
    };
    cursor.sees_any(named) || cursor.attempt(day_month).is_some()
}

/// 2013 March 5, 2013-Mar-05
pub(super) fn year_month_day(cursor: &mut Cursor<'_>) -> Option<When> {
    let year = calendar_year(cursor)?;
    cursor.attempt(|cursor| cursor.symbol("-/,"));
    let when = cursor.first_of(&[month_day, day_month])?;
    when.year.is_none().then_some(When { year: Some(year), ..when })
}

/// October 2025, October of 2025, 2025 October, Oct; 2025-10, 10/2025
pub(super) fn month_of(cursor: &mut Cursor<'_>) -> Option<When> {
    let (year, month) = cursor.first_of(&[
        month_then_year,
        year_then_month,
        month_alone,
        iso_month,
        slashed_month,
    ])?;
    let rule = rule(cursor.tongue, "range.month");
    Some(When { year, month: Some(month), ..When::new(rule) })
}

type Month = (Option<i16>, i8);

fn month_then_year(cursor: &mut Cursor<'_>) -> Option<Month> {
    let month = month(cursor)?;
    cursor.attempt(|cursor| cursor.symbol(".-/"));
    Some((Some(year_after(cursor)?), month))
}

fn year_then_month(cursor: &mut Cursor<'_>) -> Option<Month> {
    let year = calendar_year(cursor)?;
    cursor.attempt(|cursor| cursor.symbol("-/,"));
    Some((Some(year), month(cursor)?))
}

fn month_alone(cursor: &mut Cursor<'_>) -> Option<Month> {
    // "in may" says so in one language; in "temperatura del mar" it takes two to make it March.
    let announced = cursor.follows(|term| {
        matches!(
            term,
            Term::In
                | Term::From
                | Term::To
                | Term::Since
                | Term::Which(_)
                | Term::Edge(_)
                | Term::Order(_)
                | Term::Of
        )
    });
    let mut read = *cursor;
    read.tongue = Tongue::COMMON;
    let (month, is_short) = read.take(|term| match term {
        Term::Month(month) => Some((month, false)),
        Term::ShortMonth(month) => Some((month, true)),
        _ => None,
    })?;
    let announced = announced == Some(read.tongue)
        || (is_short && read.sees_any(|term| matches!(term, Term::WhichAfter(_))));
    let which = cursor.follows(|term| matches!(term, Term::Which(_))).is_some();
    // At its head the mar of another language is the sea: "temperatura del mar, mayo y junio".
    let is_own = read.tongue.name == cursor.habits().name;
    let is_month = |term| matches!(term, Term::Month(_) | Term::ShortMonth(_));
    let listed = if is_short { cursor.place_in_list(is_month) } else { None };
    let announced = announced || listed.is_some_and(|place| place > 0 || is_own);
    if is_short && !announced || which && is_verb(read) {
        return None;
    }
    read.attempt(|cursor| cursor.eat(Term::MonthMark));
    *cursor = read;
    Some((None, month))
}

/// Returns whether the name of a month right before is another word: this may take long.
fn is_verb(cursor: Cursor<'_>) -> bool {
    let short = cursor.follows(|term| matches!(term, Term::ShortMonth(_))).is_some();
    let goes_on = |term| {
        matches!(
            term,
            Term::In
                | Term::On
                | Term::At
                | Term::Of
                | Term::The
                | Term::From
                | Term::To
                | Term::And
                | Term::Order(_)
                | Term::Which(_)
                | Term::WhichAfter(_)
                | Term::Number(_)
        )
    };
    short && cursor.shape() == Some(Shape::Word) && !cursor.sees_any(goes_on)
}

/// next 6 April, este 12/05
pub(super) fn which_day(cursor: &mut Cursor<'_>) -> Option<When> {
    let offset = which(cursor)?;
    // "the last 3/4 mile" has no day.
    let day = match offset {
        -1 => cursor.attempt(day_month)?,
        _ => cursor.first_of(&[day_month, super::numeric::numeric])?,
    };
    day.year.is_none().then_some(())?;
    let rule = rule(cursor.tongue, "date.calendar");
    let today = cursor.today();
    let fits = |found: &Stretch| match offset {
        -1 => found.start.date() < today,
        1 => found.start.date() > today,
        _ => true,
    };
    let found: Vec<Stretch> = settle(&day, cursor).ok()?.into_iter().filter(fits).collect();
    (!found.is_empty()).then(|| When::any_of(found, rule))
}

/// last October, next March, 明年三月 where the year is a word
pub(super) fn which_month(cursor: &mut Cursor<'_>) -> Option<When> {
    let before = cursor.attempt(which);
    let month = month(cursor)?;
    (!is_verb(*cursor)).then_some(())?;
    let which = before.or_else(|| cursor.attempt(which_after))?;
    let today = cursor.today();
    let (past, future) = gregorian::nearest(month, 1, today.first_of_month());
    let this = Date::new(today.year(), month, 1).ok();
    let start = match which {
        // The month that it is is not the last one.
        -1 => past.filter(|day| *day < today.first_of_month()).or(gregorian::nearest(
            month,
            1,
            gregorian::days_after(today.first_of_month(), -1)?,
        )
        .0),
        0 => this,
        1 => future,
        _ => None,
    }?;
    Some(When::known(Stretch::unit(start, Unit::Month)?, rule(cursor.tongue, "range.month")))
}

/// 2025-10, where the month has two digits.
fn iso_month(cursor: &mut Cursor<'_>) -> Option<Month> {
    let year = calendar_year(cursor)?;
    cursor.glued_symbol("-/")?;
    let month = cursor.glued_digits().filter(|digits| digits.len() == 2)?.parse().ok()?;
    ((1..=12).contains(&month) && cursor.is_closed("-/.,")).then_some((Some(year), month))
}

/// 9/2012
fn slashed_month(cursor: &mut Cursor<'_>) -> Option<Month> {
    let month = cursor.digits().filter(|digits| digits.len() <= 2)?.parse().ok()?;
    cursor.glued_symbol("/-")?;
    let year = calendar_year(cursor)?;
    ((1..=12).contains(&month) && cursor.is_closed("-/.,")).then_some((Some(year), month))
}

/// in 2024, the year 2024; or any year, where something else of a date stands before it.
pub(super) fn year(cursor: &mut Cursor<'_>) -> Option<When> {
    let before = cursor.follows(|term| {
        matches!(term, Term::In | Term::Since | Term::From | Term::Order(_) | Term::Edge(_))
    });
    let before = before.or_else(|| behind_other_year(*cursor));
    let named = cursor.attempt(|cursor| cursor.eat(Term::Unit(Unit::Year))).is_some();
    let year = cursor.first_of(&[calendar_year, spelled_year])?;
    let closed = cursor.is_closed("-/.,:") && !cursor.sees(Term::Percent);
    if !(before.is_some() || named) || !closed || counts_something(*cursor) {
        return None;
    }
    Some(When { year: Some(year), ..When::new(rule(cursor.tongue, "range.year")) })
}

/// The 2009 of "in 2007 and 2009".
fn behind_other_year(cursor: Cursor<'_>) -> Option<Tongue> {
    let tongue = cursor.follows(|term| term == Term::And)?;
    let mut other = cursor.back()?.back()?;
    calendar_year(&mut other)?;
    Some(tongue)
}

/// "in 2024 households" is a number.
pub(super) fn counts_something(cursor: Cursor<'_>) -> bool {
    let currency = |term| matches!(term, Term::Currency(_) | Term::CurrencySign(_));
    cursor.sees(Term::Counter)
        || cursor.sees_any(currency)
        || cursor.sees(Term::Degree)
        || (cursor.tongue != Tongue::COMMON && crate::extract::values::unit::sees_unit(cursor))
}

/// the 15th, el 15, día 15, 15號, lunes el quince: only where something says that it is a day.
pub(super) fn day_of_month(cursor: &mut Cursor<'_>) -> Option<When> {
    // "3 ngày 2 đêm": the days are counted, and not numbered.
    let counted = cursor.back().is_some_and(|before| before.shape() == Some(Shape::Digits))
        || cursor.follows(|term| matches!(term, Term::Number(_) | Term::SoftNumber(_))).is_some();
    let named = cursor.sees_any(|term| matches!(term, Term::Day(_)));
    let word = !counted && !named && cursor.attempt(|cursor| cursor.eat(Term::DayWord)).is_some();
    let on = cursor.follows(|term| term == Term::On).is_some();
    let on_the = !on && is_behind_on_the(*cursor);
    // An article that stands before days, as el does.
    let article = on && cursor.follows(|term| term == Term::The).is_some();
    // In "thứ hai mươi" the weekday is part of a number.
    let counted = cursor.follows(|term| matches!(term, Term::Number(_))).is_some();
    let weekday = !counted && is_behind_weekday(*cursor);
    let from = *cursor;
    let day = match cursor.attempt(day_number) {
        Some(day) => day,
        None if word || weekday => day_in_words(cursor)?,
        None => return None,
    };
    let digits = from.shape() == Some(Shape::Digits);
    let suffixed = from.at + 1 < cursor.at;
    let alone = (article && digits || weekday) && super::clock::ends_here(*cursor);
    // Of few options "the 3rd" is one; of a month it is a day where nothing is counted.
    let late = on_the && suffixed && day >= MOST_OPTIONS && super::clock::ends_here(*cursor);
    if !(word || on && suffixed || alone || late) || !cursor.is_closed("-/.,:") {
        return None;
    }
    Some(When { day: Some(day), ..When::new(rule(cursor.tongue, "date.day")) })
}

/// 20th of next month, the 1st of the month
pub(super) fn day_of_period(cursor: &mut Cursor<'_>) -> Option<When> {
    let day = day_number(cursor)?;
    cursor.eat(Term::Of)?;
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let month = match cursor.attempt(super::period::offset_of_unit) {
        Some((offset, Unit::Month)) => offset,
        Some(_) => return None,
        None => cursor.eat(Term::Unit(Unit::Month)).map(|()| 0)?,
    };
    let (start, _) = gregorian::period(cursor.today(), month, Unit::Month)?;
    let date = Date::new(start.year(), start.month(), day).ok()?;
    Some(When::known(Stretch::day(date)?, rule(cursor.tongue, "date.calendar")))
}

/// Nobody is shown as many options as these.
pub(super) const MOST_OPTIONS: i8 = 10;

/// Returns whether "on the" stands before, in languages whose article is no "on" of its own.
fn is_behind_on_the(cursor: Cursor<'_>) -> bool {
    let article = cursor.follows(|term| term == Term::The).is_some();
    let before = cursor.back().filter(|_| article);
    before.is_some_and(|before| before.follows(|term| term == Term::On).is_some())
}

/// Returns whether a weekday stands before, maybe with an article between.
fn is_behind_weekday(cursor: Cursor<'_>) -> bool {
    let behind = |cursor: Cursor<'_>| cursor.follows(|term| matches!(term, Term::Weekday(_)));
    behind(cursor).is_some()
        || cursor.follows(|term| term == Term::The).is_some()
            && cursor.back().and_then(behind).is_some()
}

fn day_in_words(cursor: &mut Cursor<'_>) -> Option<i8> {
    (cursor.shape() == Some(Shape::Word)).then_some(())?;
    let day = number::count(cursor).filter(|day| (1.0..=31.0).contains(day))?;
    (day.fract() == 0.0).then_some(day as i8)
}

/// Reads a day of the month with or without its suffix: 6, 6th, 1.º, primero.
pub(super) fn day_number(cursor: &mut Cursor<'_>) -> Option<i8> {
    if let Some(place) = cursor.attempt(ordinal::rank) {
        return i8::try_from(place).ok().filter(|day| (1..=31).contains(day));
    }
    let day = short(cursor.digits()?)?;
    cursor.attempt(|cursor| {
        cursor.glued_symbol(".");
        cursor.is_glued().then(|| cursor.eat(Term::OrdinalSuffix)).flatten()
    });
    cursor.attempt(ordinal::point);
    (1..=31).contains(&day).then_some(day)
}

/// Reads the name of a month, also a short one.
pub(super) fn month(cursor: &mut Cursor<'_>) -> Option<i8> {
    cursor.take(|term| match term {
        Term::Month(month) | Term::ShortMonth(month) => Some(month),
        _ => None,
    })
}

/// Reads a year behind a day or a month: 2025; ", 2025"; "de 2025"; '25; 88 AD; 96.
pub(super) fn year_after(cursor: &mut Cursor<'_>) -> Option<i16> {
    let separator = cursor.attempt(|cursor| cursor.symbol(",-/"));
    let of = cursor.attempt(|cursor| cursor.eat(Term::Of)).is_some();
    cursor.attempt(|cursor| cursor.eat(Term::The));
    cursor.attempt(|cursor| cursor.eat(Term::Unit(Unit::Year)));
    if let Some(year) = cursor.attempt(spelled_year) {
        return Some(year);
    }
    let apostrophe = cursor.attempt(|cursor| cursor.symbol("'’")).is_some();
    let digits = cursor.digits()?;
    if let Some(years) = cursor.attempt(epoch) {
        let year = digits.parse::<i16>().ok()?.checked_add(years);
        return year.filter(|year| (1..=9999).contains(year));
    }
    // "abril del 87" is of that year; "de 12" may be of anything.
    let short = apostrophe || of && digits > "31";
    let year = if short && digits.len() == 2 {
        two_digits(digits)?
    } else if digits.len() == 2 {
        // Too great for a day or an hour, and counting nothing.
        let fits = two_digits(digits).filter(|year| !(2000..2032).contains(year));
        fits.filter(|_| separator != Some(',') && is_at_pause(*cursor))?
    } else {
        four_digits(digits).filter(|year| (1000..3000).contains(year))?
    };
    cursor.is_closed("-/.:").then_some(year)
}

/// Returns whether no word goes on with what was read.
fn is_at_pause(cursor: Cursor<'_>) -> bool {
    matches!(cursor.shape(), None | Some(Shape::Symbol)) && cursor.is_closed("-/.:%")
}

fn epoch(cursor: &mut Cursor<'_>) -> Option<i16> {
    cursor.take(|term| match term {
        Term::Epoch(years) => Some(years),
        _ => None,
    })
}

/// Reads a year in words: nineteen eighty six, two thousand and fifteen.
fn spelled_year(cursor: &mut Cursor<'_>) -> Option<i16> {
    (cursor.shape()? == Shape::Word).then_some(())?;
    let first = number::count(cursor)? as i16;
    if (1000..3000).contains(&first) {
        return (first % 1000 != 0).then_some(first);
    }
    (cursor.shape()? == Shape::Word && (10..=20).contains(&first)).then_some(())?;
    let last = number::count(cursor).filter(|last| (10.0..100.0).contains(last))? as i16;
    Some(first * 100 + last)
}

/// Reads four digits that are a year of our time.
pub(super) fn calendar_year(cursor: &mut Cursor<'_>) -> Option<i16> {
    let digits = cursor.digits().filter(|digits| digits.len() == 4)?;
    digits.parse().ok().filter(|year| (1900..2100).contains(year))
}

/// Reads 去年今天: today's day of the month, in another year.
pub(super) fn day_of_other_year(cursor: &mut Cursor<'_>) -> Option<When> {
    let years = cursor.take(|term| match term {
        Term::Period(offset, Unit::Year) => Some(offset),
        _ => None,
    })?;
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    let days = cursor.take(|term| match term {
        Term::Day(offset) => Some(offset),
        _ => None,
    })?;
    let today = gregorian::days_after(cursor.today(), days)?;
    let year = i16::try_from(i32::from(today.year()) + years).ok()?;
    let date = Date::new(year, today.month(), today.day()).ok()?;
    Some(When::known(Stretch::day(date)?, rule(cursor.tongue, "date.relative")))
}

/// the day of 5 November: that day
pub(super) fn that_day(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.eat(Term::ThatDay)?;
    cursor.attempt(|cursor| cursor.eat(Term::The));
    super::compose::when(cursor).filter(|when| when.names_day() && !when.has_time())
}
