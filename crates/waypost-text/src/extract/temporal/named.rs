//! Days by their distance: yesterday, 3 days ago, last Friday, 下週一, tonight.

use jiff::civil::{Date, DateTime};

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Order, Term, Unit};
use crate::extract::grammar::token::Shape;
use crate::extract::places::gazetteer::entity;
use crate::extract::values::number;

use super::calendars::gregorian::{self, days_after, days_since};
use super::duration::{Length, MOST_PARTS, length, span, stretch, unit_and_part};
use super::settle::{now, settle};
use super::stretch::Stretch;
use super::when::When;
use super::{dates, numeric};

/// Reads today, yesterday, now and the like.
pub(super) fn named(cursor: &mut Cursor<'_>) -> Option<When> {
    let start = *cursor;
    let offset = cursor.take(|term| match term {
        Term::Day(offset) => Some(offset),
        _ => None,
    })?;
    (!is_name(start, *cursor)).then_some(())?;
    let date = days_after(cursor.today(), offset)?;
    Some(When::known(Stretch::day(date)?, rule(cursor.tongue, "date.relative")))
}

/// Returns whether one syllable is a name by its capital within a sentence: the Mai of "chị Mai".
fn is_name(start: Cursor<'_>, end: Cursor<'_>) -> bool {
    let Some(before) = start.back().filter(|_| end.at == start.at + 1) else { return false };
    start.habits().spells_accents
        && start.typed().starts_with(char::is_uppercase)
        && before.shape() == Some(Shape::Word)
}

/// Reads now: the day, and the instant where the schema wants one.
pub(super) fn right_now(cursor: &mut Cursor<'_>) -> Option<When> {
    // The Grad of "wie viel Grad" is a noun, and "grad" is now.
    let is_noun = cursor.typed().starts_with(char::is_uppercase)
        && cursor.sees_any(|term| term.unit().is_some());
    (!is_noun).then_some(())?;
    cursor.eat(Term::Now)?;
    let today = Stretch::day(cursor.today())?;
    let second = now(cursor).with().subsec_nanosecond(0).build().ok()?;
    let instant = Stretch::instant(second, Unit::Second)?;
    Some(When::any_of(vec![today, instant], rule(cursor.tongue, "date.now")))
}

/// Reads tonight, last night, 昨晚.
pub(super) fn day_part(cursor: &mut Cursor<'_>) -> Option<When> {
    let (offset, part) = cursor.take(|term| match term {
        Term::DayPart(offset, part) => Some((offset, part)),
        _ => None,
    })?;
    let date = days_after(cursor.today(), offset)?;
    let day = When::known(Stretch::day(date)?, rule(cursor.tongue, "range.day_part"));
    Some(When { part: Some(part), ..day })
}

/// Reads next evening, last morning: of the day that follows, or of the one before.
pub(super) fn part_of_other_day(cursor: &mut Cursor<'_>) -> Option<When> {
    let offset = which(cursor).filter(|offset| offset.abs() == 1)?;
    let part = cursor.take(|term| match term {
        Term::Part(part) => Some(part),
        _ => None,
    })?;
    let date = days_after(cursor.today(), offset)?;
    let day = When::known(Stretch::day(date)?, rule(cursor.tongue, "range.day_part"));
    Some(When { part: Some(part), ..day })
}

/// Reads this Friday 5/12, Friday (June 15), Friday 7.6: the day of the calendar counts.
pub(super) fn weekday_and_date(cursor: &mut Cursor<'_>) -> Option<When> {
    let which = cursor.attempt(which).is_some();
    let weekday = cursor.take(|term| match term {
        Term::Weekday(day) | Term::ShortWeekday(day) => Some(day),
        _ => None,
    })?;
    let open = cursor.attempt(|cursor| cursor.symbol("(")).is_some();
    let joined = open || cursor.attempt(|cursor| cursor.glued_symbol("-")).is_some();
    if !joined {
        cursor.attempt(|cursor| cursor.symbol(","));
    }
    let date = match cursor.attempt(numeric::dotted) {
        Some(date) => date,
        None if which || joined => calendar_day(cursor)?,
        None => return None,
    };
    if open {
        cursor.symbol(")")?;
    }
    Some(When { weekday: Some(weekday), ..date })
}

fn calendar_day(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor
        .first_of(&[numeric::numeric, dates::day_month, dates::month_day])
        .filter(|date| date.day.is_some())
}

/// Reads a distance from now: 3 days ago, hace 3 días, in two weeks, 三天前, 2 hours later.
pub(super) fn distance(cursor: &mut Cursor<'_>) -> Option<When> {
    let inside = cursor.sees(Term::Inside);
    let (sign, length) = cursor.first_of(&[sign_before, sign_behind, signed])?;
    let when = at_distance(cursor, sign, &length)?;
    // "dentro de dos años" may be any time until then.
    let end = length.after(now(cursor), sign)?;
    let all = if inside { until(now(cursor), end, &length) } else { None };
    Some(When { within: when.within.into_iter().chain(all).collect(), ..when })
}

/// +2 months, -2hr5min
fn signed(cursor: &mut Cursor<'_>) -> Option<(i64, Length)> {
    let sign = if cursor.symbol("+-−")? == '+' { 1 } else { -1 };
    Some((sign, length(cursor)?))
}

/// The day or, of a length in hours, the instant that lies a length from now.
pub(super) fn at_distance(cursor: &Cursor<'_>, sign: i64, length: &Length) -> Option<When> {
    let rule = rule(cursor.tongue, "date.distance");
    let finest = length.finest()?;
    let at = length.after(now(cursor), sign)?;
    let (point, rule) = if finest < Unit::Day {
        (Stretch::instant(at, Unit::Second)?, rule.renamed("datetime"))
    } else {
        (Stretch::day(at.date())?, rule)
    };
    // 三天後 may be all three days, as 後三天 is.
    let whole = length.one_unit().filter(|_| cursor.tongue.counts_weeks);
    let all = whole.and_then(|(count, unit)| whole_units(now(cursor), sign, count, unit));
    Some(When::any_of(std::iter::once(point).chain(all).collect(), rule))
}

/// So many whole units of the calendar before or after the one of now.
fn whole_units(now: DateTime, sign: i64, count: f64, unit: Unit) -> Option<Stretch> {
    let length = gregorian::length(count, unit)?;
    let here = gregorian::floor(now, unit)?;
    let (start, end) = if sign < 0 {
        (here.checked_sub(length).ok()?, here)
    } else {
        let start = here.checked_add(gregorian::length(1.0, unit)?).ok()?;
        (start, start.checked_add(length).ok()?)
    };
    // Never a day by its grain: the day before is a range.
    let grain = if unit < Unit::Day { unit } else { unit.max(Unit::Week) };
    (start < end).then_some(Stretch { start, end, grain })
}

/// Reads 三天之內: from now on for so long, or just then.
pub(super) fn within(cursor: &mut Cursor<'_>) -> Option<When> {
    let length = length(cursor)?;
    cursor.eat(Term::WithinBehind)?;
    let rule = rule(cursor.tongue, "range.within");
    let here = now(cursor);
    let at = length.after(here, 1)?;
    let all = until(here, at, &length)?;
    let point = if length.finest()? < Unit::Day {
        Stretch::instant(at, Unit::Second)?
    } else {
        Stretch::day(at.date())?
    };
    Some(When::any_of(vec![all, point], rule))
}

/// All the time from now to another, as precisely as its distance was said.
fn until(here: DateTime, at: DateTime, length: &Length) -> Option<Stretch> {
    match length.finest()? < Unit::Day {
        true => Some(Stretch { start: here, end: at, grain: Unit::Second }),
        false => Stretch::days(here.date(), at.date(), Unit::Week),
    }
}

fn sign_before(cursor: &mut Cursor<'_>) -> Option<(i64, Length)> {
    let sign = cursor.take(|term| match term {
        Term::AgoBefore => Some(-1),
        Term::Within => Some(1),
        _ => None,
    })?;
    cursor.attempt(|cursor| cursor.eat(Term::Nearly));
    cursor.attempt(|cursor| cursor.symbol("~"));
    Some((sign, length(cursor)?))
}

fn sign_behind(cursor: &mut Cursor<'_>) -> Option<(i64, Length)> {
    let length = length(cursor)?;
    let sign = cursor.take(|term| match term {
        Term::Ago => Some(-1),
        Term::Later => Some(1),
        _ => None,
    })?;
    Some((sign, length))
}

/// Reads a distance from another time: 3 days before Christmas, two weeks after Monday.
pub(super) fn from_other(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.attempt(|cursor| cursor.eat(Term::Within));
    let names = cursor.may_mean(0, Term::The) || cursor.may_mean(0, Term::Unit(Unit::Day));
    let day = if names { cursor.attempt(the_day) } else { None };
    let length = match day {
        Some(day) => day,
        None => length(cursor)?,
    };
    // "2 semanas de 2021" are within that year.
    if cursor.sees(Term::Of) {
        return None;
    }
    let (sign, is_later) = cursor.take(|term| match term {
        Term::Order(Order::Before) | Term::Ago => Some((-1, false)),
        Term::Order(Order::After) | Term::From | Term::Since => Some((1, false)),
        Term::Later => Some((1, true)),
        _ => None,
    })?;
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let other = super::compose::when(cursor)?;
    // "30 minutes later this week" is no distance from the week.
    if is_later && !other.names_day() {
        return None;
    }
    let rule = rule(cursor.tongue, "date.distance");
    let short = length.finest()? < Unit::Day;
    let starts = if short && other.within.iter().any(Stretch::is_instant) {
        vec![Stretch::instant(now(cursor), Unit::Second)?]
    } else {
        settle(&other, cursor).ok()?
    };
    let away = |start: &Stretch| {
        let at = length.after(start.start, sign)?;
        if start.is_whole_days() && !short {
            return Stretch::day(at.date());
        }
        Stretch::instant(at, Unit::Minute)
    };
    let within: Vec<Stretch> = starts.iter().filter_map(away).collect();
    (!within.is_empty()).then(|| When::any_of(within, rule))
}

/// The day of "the day before Christmas", where it is one.
fn the_day(cursor: &mut Cursor<'_>) -> Option<Length> {
    cursor.attempt(|cursor| cursor.eat(Term::The));
    cursor.eat(Term::Unit(Unit::Day))?;
    cursor
        .sees_any(|term| matches!(term, Term::Order(Order::Before | Order::After)))
        .then_some(())?;
    Length::day()
}

/// Reads a weekday with the word that says which: last Friday, 上週三, el lunes pasado; a day of
/// the calendar behind it says so better.
pub(super) fn weekday(cursor: &mut Cursor<'_>) -> Option<When> {
    let before = cursor.attempt(which);
    let on = cursor.follows(|term| term == Term::On).is_some();
    let article = on && cursor.follows(|term| term == Term::The).is_some();
    let listed = cursor.may_mean(0, Term::ShortWeekday(1))
        && cursor
            .place_in_list(|term| matches!(term, Term::Weekday(_) | Term::ShortWeekday(_)))
            .is_some();
    let (weekday, is_short) = cursor.take(|term| match term {
        Term::Weekday(day) => Some((day, false)),
        Term::ShortWeekday(day) => Some((day, true)).filter(|_| before.is_some() || on || listed),
        _ => None,
    })?;
    // The "segunda" of "segunda opção" is a place in an order.
    let is_place = cursor.follows(|term| matches!(term, Term::Ordinal(_))).is_some();
    let is_place = is_place && cursor.sees_noun() && entity(&mut cursor.clone()).is_none();
    (!is_place).then_some(())?;
    let is_told = !is_short || before.is_some() || listed || is_told_by_on(*cursor, article);
    is_told.then_some(())?;
    cursor.attempt(|cursor| cursor.glued_symbol("."));
    let rule = rule(cursor.tongue, "date.weekday");
    let behind = match before {
        None | Some(0) => cursor.attempt(which_after),
        _ => None,
    };
    match behind.or(before).filter(|_| !sees_calendar_day(*cursor)) {
        None => Some(When { weekday: Some(weekday), ..When::new(rule) }),
        Some(offset) => {
            let days = chosen(cursor, weekday, offset)?;
            let days = days.into_iter().filter_map(Stretch::day).collect();
            Some(When::any_of(days, rule))
        }
    }
}

/// Returns whether what follows lets the short name of a weekday be one behind "on" alone: "le jeu de données" has
/// an article, which stands before any noun.
fn is_told_by_on(cursor: Cursor<'_>, article: bool) -> bool {
    let ends = matches!(cursor.shape(), None | Some(Shape::Symbol | Shape::Digits));
    let goes_on =
        |term| matches!(term, Term::At | Term::AtHour | Term::Part(_) | Term::WhichAfter(_));
    if article { ends || cursor.sees_any(goes_on) } else { !cursor.sees_noun() }
}

/// Returns whether a day and a month follow: "next Friday, 12 May".
fn sees_calendar_day(mut cursor: Cursor<'_>) -> bool {
    cursor.attempt(|cursor| cursor.symbol(","));
    cursor.first_of(&[dates::day_month, dates::month_day, numeric::numeric]).is_some()
}

/// A short weekday beside something else of a date, "Fri 3pm", or with a full stop.
pub(super) fn short_weekday(cursor: &mut Cursor<'_>) -> Option<When> {
    let article = cursor.follows(|term| term == Term::The).is_some()
        && cursor.follows(|term| term == Term::On).is_none();
    let weekday = cursor.take(|term| match term {
        Term::ShortWeekday(day) => Some(day),
        _ => None,
    })?;
    let pointed = cursor.attempt(|cursor| cursor.glued_symbol(".")).is_some();
    // "Cet été la mer est chaude", "à 15h mer agitée": the sea, and no Wednesday.
    let is_noun = article || cursor.habits().apart && cursor.sees_noun();
    (pointed || !is_noun).then_some(())?;
    let rule = rule(cursor.tongue, "date.weekday");
    Some(When { weekday: Some(weekday), ..When::new(rule) })
}

/// The days that a weekday and the word beside it may mean, the likeliest first.
fn chosen(cursor: &Cursor<'_>, weekday: i8, which: i32) -> Option<Vec<Date>> {
    let today = cursor.today();
    let back = days_since(today, weekday);
    let last = days_after(today, if back == 0 { -7 } else { -back })?;
    let next = days_after(today, 7 - back)?;
    let in_week = |offset: i32| {
        let day = gregorian::weekday_of_week(today, weekday)?;
        days_after(day, 7 * offset)
    };
    let mut days = match which {
        // 上週三 and 下週三 name the week, to most; "last Wednesday" is the nearest one.
        -1 if cursor.tongue.counts_weeks => vec![in_week(-1)?, last],
        1 if cursor.tongue.counts_weeks => vec![in_week(1)?, next],
        0 => vec![in_week(0)?, next],
        -1 => vec![last, in_week(-1)?],
        1 => vec![next, in_week(1)?],
        offset => vec![in_week(offset)?],
    };
    days.dedup();
    Some(days)
}

/// Reads last, this or next before what it names; "this coming" is next.
pub(super) fn which(cursor: &mut Cursor<'_>) -> Option<i32> {
    let one = |cursor: &mut Cursor<'_>| {
        cursor.take(|term| match term {
            Term::Which(offset) => Some(offset),
            _ => None,
        })
    };
    match one(cursor)? {
        0 => cursor.attempt(one).or(Some(0)),
        offset => Some(offset),
    }
}

/// Reads pasada, que viene and the like behind what they name.
pub(super) fn which_after(cursor: &mut Cursor<'_>) -> Option<i32> {
    cursor.take(|term| match term {
        Term::WhichAfter(offset) => Some(offset),
        _ => None,
    })
}

/// Reads last 3 days, 最近三天, los últimos 7 días, next two weeks: today is not among them.
pub(super) fn last_n(cursor: &mut Cursor<'_>) -> Option<When> {
    // 下半年 is the second half of a year, and not the next half year.
    if cursor.sees_any(|term| matches!(term, Term::HalfOf(..))) {
        return None;
    }
    let ((count, unit), sign) = cursor.first_of(&[sign_first, count_first])?;
    // 看一下2009年 names a year.
    if unit == Unit::Year && count >= 1000.0 {
        return None;
    }
    let rule = rule(cursor.tongue, "range.last_n");
    let (mut length, mut finest) = span(count, unit)?;
    for _ in 0..MOST_PARTS {
        let Some((count, unit)) = cursor.attempt(|cursor| further(cursor, finest)) else { break };
        length = gregorian::add(length, count, unit)?;
        finest = unit;
    }
    let here = now(cursor);
    let other = |start: DateTime| {
        if sign < 0 { start.checked_sub(length).ok() } else { start.checked_add(length).ok() }
    };
    // Never a day or an hour by its grain: the last day is a range, and no day of the calendar.
    let grain = if finest < Unit::Day { Unit::Second } else { finest.max(Unit::Week) };
    let from = |start: DateTime| {
        let other = other(start)?;
        Some(Stretch { start: start.min(other), end: start.max(other), grain })
    };
    let midnight = |date: Date| date.to_datetime(jiff::civil::Time::midnight());
    let today = cursor.today();
    let mut within = Vec::new();
    if finest < Unit::Day {
        within.extend(from(here));
    } else if sign < 0 {
        within.extend(from(midnight(today)));
    } else {
        // Today is not among the next days; some count from it on.
        within.extend(from(midnight(days_after(today, 1)?)));
        within.extend(from(midnight(today)));
    }
    // The last two weeks may be those of the calendar.
    within.extend(whole_units(here, i64::from(sign), count, unit).filter(|_| finest == unit));
    if sign > 0 && finest == unit && unit >= Unit::Day {
        // The last of the units that come may be the one that is meant.
        let nth = gregorian::period(today, count as i32, unit);
        within.extend(nth.and_then(|(start, end)| Stretch::days(start, end, unit)));
    }
    within.first()?;
    within.dedup();
    Some(When::any_of(within, rule))
}

type Signed = ((f64, Unit), i32);

/// last 3 days
fn sign_first(cursor: &mut Cursor<'_>) -> Option<Signed> {
    let sign = lately(cursor)?;
    // The "three quarters" of a year that has four are no fraction.
    Some((
        cursor.first_of(&[number_of_units, stretch, marked_months, unit_and_part, short_unit])?,
        sign,
    ))
}

pub(super) fn lately(cursor: &mut Cursor<'_>) -> Option<i32> {
    cursor.take(|term| match term {
        Term::Lately(sign) | Term::Which(sign @ (-1 | 1)) => Some(sign),
        _ => None,
    })
}

/// 3 días pasados, 5 upcoming years
fn count_first(cursor: &mut Cursor<'_>) -> Option<Signed> {
    let behind = |cursor: &mut Cursor<'_>| {
        let length = number_of_units(cursor)?;
        // Beside an hour, a word for a part of the day is one: "8 gio toi".
        let of_day = length.1 == Unit::Hour
            && cursor.sees_any(|term| matches!(term, Term::Meridiem(_) | Term::Part(_)));
        if of_day {
            return None;
        }
        // The tới of "14h tới 15h" is the "to" of a range.
        let is_to = length.1 == Unit::Hour && cursor.sees(Term::To);
        let sign = cursor.take(|term| match term {
            Term::WhichAfter(sign @ (-1 | 1)) | Term::Lately(sign @ 1) => Some(sign),
            // "6 tháng nay": the six that end now.
            Term::WhichAfter(0) if length.0 > 1.0 => Some(-1),
            _ => None,
        })?;
        (!is_to || super::clock::clock(&mut cursor.clone()).is_none()).then_some(())?;
        Some((length, sign))
    };
    let amid = |cursor: &mut Cursor<'_>| {
        let count =
            crate::extract::values::number::count(cursor).filter(|count| *count < 1000.0)?;
        let sign = lately(cursor)?;
        Some(((count, super::duration::unit(cursor)?), sign))
    };
    cursor.first_of(&[behind, amid])
}

/// The 兩月 of 前兩月.
fn marked_months(cursor: &mut Cursor<'_>) -> Option<(f64, Unit)> {
    let count = crate::extract::values::number::count(cursor)?;
    cursor.eat(Term::MonthMark)?;
    Some((count, Unit::Month))
}

/// The hour of "the last hour", which is no hour of the clock.
fn short_unit(cursor: &mut Cursor<'_>) -> Option<(f64, Unit)> {
    let unit = super::duration::unit(cursor).filter(|unit| *unit < Unit::Day)?;
    Some((1.0, unit))
}

/// The 2 weeks of "last 3 months and 2 weeks", but not the "2 days ago" behind it.
fn further(cursor: &mut Cursor<'_>, last: Unit) -> Option<(f64, Unit)> {
    cursor.attempt(|cursor| cursor.symbol(","));
    cursor.attempt(|cursor| cursor.eat(Term::And));
    let (count, unit) = stretch(cursor).filter(|(_, unit)| *unit < last)?;
    let away = cursor.sees_any(|term| matches!(term, Term::Ago | Term::Later | Term::Order(_)));
    (!away).then_some((count, unit))
}

/// 3 días: a number is said, as a bare unit with a word behind it is a period.
fn number_of_units(cursor: &mut Cursor<'_>) -> Option<(f64, Unit)> {
    let soft =
        |cursor: &mut Cursor<'_>| number::soft_before(cursor, |term| matches!(term, Term::Unit(_)));
    let count = cursor.first_of(&[number::count, soft])?;
    let unit = super::duration::unit(cursor)?;
    (unit != Unit::Year || count < 1000.0).then_some((count, unit))
}
