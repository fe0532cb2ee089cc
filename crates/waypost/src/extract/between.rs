//! Ranges by their ends: from A to B, A~B, since A. The last day named belongs to the range.

use jiff::civil::Date;

use super::Found;
use super::calendar::{self, days_after};
use super::cursor::Cursor;
use super::date::{self, Partial};
use super::number;
use super::range::{calendar_year, days, year_and_month, year_bounds};
use super::term::{Term, Unit, rule};
use super::time::{self, Clock};
use super::token::Shape;
use super::value::{Fault, Kind, Moment, Reading};

/// Finds a range by its ends, or by its first day.
pub(super) fn between(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    cursor.first_of(&[two_ends, since])
}

/// An end as far as the words say it.
#[derive(Debug, Clone)]
enum End {
    Day(Partial),
    Month {
        year: Option<i16>,
        month: i8,
    },
    Year(i16),
    Time {
        day: Option<Partial>,
        clock: Clock,
    },
    /// A time on the day of the first end, or on the day after if it is earlier: 11pm to 2am.
    Until {
        day: Option<Partial>,
        clock: Clock,
    },
    /// A day whose month stands with the other end.
    DayOfYear(i8, i16),
}

fn two_ends(cursor: &mut Cursor<'_>) -> Option<Found> {
    let opening = cursor.attempt(opening);
    let announced = opening.is_some();
    let first = end(cursor, announced)?;
    separator(cursor, opening == Some(Term::Between))?;
    let last = end(cursor, true)?;
    let last = with_year(cursor, last);
    let (first, last) = share(first, last)?;
    let rule = rule!(cursor.tongue, "range.between");
    bounds(cursor, &first, &last, rule)
}

/// Gives a bare day the year behind it: the 2024 of "Nov 1-5, 2024".
fn with_year(cursor: &mut Cursor<'_>, end: End) -> End {
    let End::Day(Partial::Number(day)) = end else { return end };
    match cursor.attempt(date::year_after) {
        Some(year) => End::DayOfYear(day, year),
        None => end,
    }
}

/// Reads "from" or "between".
fn opening(cursor: &mut Cursor<'_>) -> Option<Term> {
    cursor.take(|term| matches!(term, Term::From | Term::Between).then_some(term))
}

fn separator(cursor: &mut Cursor<'_>, between: bool) -> Option<()> {
    let and = between && cursor.attempt(|cursor| cursor.eat(Term::And)).is_some();
    let to = and || cursor.attempt(|cursor| cursor.eat(Term::To)).is_some();
    if to { Some(()) } else { cursor.symbol("-~–—−〜").map(drop) }
}

/// Reads an end; a bare day number or year only if something tells that a range is meant.
fn end(cursor: &mut Cursor<'_>, announced: bool) -> Option<End> {
    // "las 5" is an hour before "las" is an article.
    if let Some(end) = cursor.attempt(timed) {
        return Some(end);
    }
    cursor.attempt(|cursor| cursor.eat(Term::The));
    if let Some(found) = cursor.first_of(&[day, month, year]) {
        return Some(found);
    }
    if let Some(year) = cursor.attempt(calendar_year).filter(|_| cursor.is_closed("/.,:")) {
        return Some(End::Year(year));
    }
    let number = cursor.attempt(bare_day)?;
    (announced || is_before_range(*cursor)).then_some(End::Day(Partial::Number(number)))
}

/// Whether a separator follows, so that "1-5 Nov" may begin here.
fn is_before_range(mut cursor: Cursor<'_>) -> bool {
    separator(&mut cursor, false).is_some()
}

fn timed(cursor: &mut Cursor<'_>) -> Option<End> {
    if let Some((day, clock)) = cursor.attempt(time::day_and_clock) {
        return Some(End::Time { day: Some(day.partial), clock });
    }
    let clock = time::clock(cursor)?;
    Some(End::Time { day: None, clock })
}

fn day(cursor: &mut Cursor<'_>) -> Option<End> {
    let day = date::day(cursor)?;
    date::part_of_day(cursor);
    Some(End::Day(day.partial))
}

fn month(cursor: &mut Cursor<'_>) -> Option<End> {
    let (year, month) = year_and_month(cursor)?;
    Some(End::Month { year, month })
}

/// 2020年
fn year(cursor: &mut Cursor<'_>) -> Option<End> {
    date::han_year(cursor).map(End::Year)
}

/// 5, 5th, 5日
fn bare_day(cursor: &mut Cursor<'_>) -> Option<i8> {
    let day = match cursor.attempt(date::day_number) {
        Some(day) => day,
        None if cursor.shape() == Some(Shape::Han) => {
            number::count(cursor).filter(|day| (1.0..=31.0).contains(day))? as i8
        }
        None => return None,
    };
    cursor.attempt(|cursor| cursor.eat(Term::DayMark));
    cursor.is_closed("./:,").then_some(day)
}

/// Gives each end what only the other says: the month and the year.
fn share(first: End, last: End) -> Option<(End, End)> {
    Some(match (first, last) {
        (End::Day(first), End::Day(last)) => {
            let (first, last) = share_days(first, last)?;
            (End::Day(first), End::Day(last))
        }
        // "October to November 2025"
        (End::Month { year: None, month }, End::Month { year, month: to }) => {
            let before = if month > to { year.map(|year| year - 1) } else { year };
            (End::Month { year: before, month }, End::Month { year, month: to })
        }
        (End::Month { year: Some(year), month }, End::Month { year: None, month: to }) => {
            let after = if to < month { year + 1 } else { year };
            (End::Month { year: Some(year), month }, End::Month { year: Some(after), month: to })
        }
        (End::Time { day, clock: from }, End::Time { day: None, clock: to }) => {
            let from = from.before(&to);
            let to = to.after(&from);
            (End::Time { day, clock: from }, End::Until { day, clock: to })
        }
        // "from 1pm to 3"
        (End::Time { day, clock: from }, End::Day(Partial::Number(hour @ 1..=24))) => {
            let to = Clock::hour(hour).after(&from);
            (End::Time { day, clock: from }, End::Until { day, clock: to })
        }
        (End::Day(Partial::Calendar { year: None, month, day }), End::DayOfYear(to, year)) => {
            let end = |day| End::Day(Partial::Calendar { year: Some(year), month, day });
            (end(day), end(to))
        }
        (_, End::DayOfYear(..)) => return None,
        // "el lunes a las 3" is one instant.
        (End::Day(_) | End::Month { .. } | End::Year(_), End::Time { day: None, .. }) => {
            return None;
        }
        (End::Year(_), End::Day(_)) | (End::Day(Partial::Number(_)), _) => return None,
        other => other,
    })
}

fn share_days(first: Partial, last: Partial) -> Option<(Partial, Partial)> {
    use Partial::{Calendar, Number};
    Some(match (first, last) {
        (Number(_), Number(_)) => return None,
        (Number(day), Calendar { year, month, .. }) => (Calendar { year, month, day }, last),
        (Calendar { year, month, .. }, Number(day)) => (first, Calendar { year, month, day }),
        (Calendar { year: None, month, day }, Calendar { year: Some(year), month: to, .. }) => {
            let year = if month > to { year - 1 } else { year };
            (Calendar { year: Some(year), month, day }, last)
        }
        (Calendar { year: Some(year), month, .. }, Calendar { year: None, month: to, day }) => {
            let year = if to < month { year + 1 } else { year };
            (first, Calendar { year: Some(year), month: to, day })
        }
        (Number(_), _) | (_, Number(_)) => return None,
        other => other,
    })
}

fn bounds(cursor: &Cursor<'_>, first: &End, last: &End, rule: &'static str) -> Option<Found> {
    let today = cursor.today();
    if let (End::Time { .. }, _) | (_, End::Time { .. }) = (first, last) {
        return Some(instants(cursor, first, last, rule));
    }
    let fault = |fault| Found::new(Kind::Range, Reading::Fault(fault), rule);
    let (start, end) = match (whole(first, today), whole(last, today)) {
        (Ok((start, _)), Ok((_, end))) => (start, following(first, last, start, end)),
        (Err(wrong), _) | (_, Err(wrong)) => return Some(fault(wrong)),
    };
    Some(if start < end { days((start, end), rule) } else { fault(Fault::RangeReversed) })
}

/// Without years, "Dec 28 to Jan 3" ends in the year after; "Nov 5 to Nov 1" is a mistake.
fn following(first: &End, last: &End, start: Date, end: Date) -> Date {
    let Some(later) = calendar::shift(end, 1.0, Unit::Year) else { return end };
    let months = match (first, last) {
        (
            End::Day(Partial::Calendar { year: None, month: from, .. }),
            End::Day(Partial::Calendar { year: None, month: to, .. }),
        )
        | (End::Month { year: None, month: from }, End::Month { year: None, month: to }) => {
            (to - from).rem_euclid(12)
        }
        _ => return end,
    };
    if end > start {
        // Each end was taken as its nearest past, so the end may have slipped a year ahead.
        let earlier = calendar::shift(end, -1.0, Unit::Year).unwrap_or(end);
        return if earlier > start { earlier } else { end };
    }
    if (1..=6).contains(&months) { later } else { end }
}

/// The days of an end, half-open.
fn whole(end: &End, today: Date) -> Result<(Date, Date), Fault> {
    match *end {
        End::Day(partial) => {
            let day = date::likeliest(partial, today)?;
            Ok((day, days_after(day, 1).ok_or(Fault::NoSuchDate)?))
        }
        End::Month { year: Some(year), month } => {
            let start = Date::new(year, month, 1).map_err(|_| Fault::NoSuchDate)?;
            Ok((start, calendar::shift(start, 1.0, Unit::Month).ok_or(Fault::NoSuchDate)?))
        }
        End::Month { year: None, month } => {
            let start = calendar::nearest(month, 1, today).0.ok_or(Fault::NoSuchDate)?;
            Ok((start, calendar::shift(start, 1.0, Unit::Month).ok_or(Fault::NoSuchDate)?))
        }
        End::Year(year) => year_bounds(year).ok_or(Fault::NoSuchDate),
        End::Time { .. } | End::Until { .. } | End::DayOfYear(..) => Err(Fault::NoSuchTime),
    }
}

/// The instant of an end that has a time, or the start of its day.
fn moment(cursor: &Cursor<'_>, end: &End) -> Result<jiff::Zoned, Fault> {
    let (day, time) = match *end {
        End::Time { day, clock } | End::Until { day, clock } => (day, clock.time?),
        End::Day(partial) => (Some(partial), jiff::civil::Time::midnight()),
        End::Month { .. } | End::Year(_) | End::DayOfYear(..) => return Err(Fault::NoSuchTime),
    };
    let today = cursor.today();
    let date = day.map_or(Ok(today), |day| date::likeliest(day, today))?;
    let zone = cursor.context.now.time_zone().clone();
    date.to_datetime(time).to_zoned(zone).map_err(|_| Fault::NoSuchTime)
}

/// A range between times ends at the time itself.
fn instants(cursor: &Cursor<'_>, first: &End, last: &End, rule: &'static str) -> Found {
    let rolls = matches!(last, End::Until { .. });
    let next_day = |end: jiff::Zoned| end.tomorrow().map_err(|_| Fault::NoSuchTime);
    let ends = (moment(cursor, first), moment(cursor, last));
    let ends = match ends {
        (Ok(start), Ok(end)) if rolls && end <= start => (Ok(start), next_day(end)),
        ends => ends,
    };
    let reading = match ends {
        (Ok(start), Ok(end)) if start < end => {
            Reading::Range(Moment::Instant(start), Moment::Instant(end))
        }
        (Ok(_), Ok(_)) => Reading::Fault(Fault::RangeReversed),
        (Err(fault), _) | (_, Err(fault)) => Reading::Fault(fault),
    };
    Found::new(Kind::Range, reading, rule)
}

/// since Monday, desde el 1 de noviembre, 自11月1日起, 上週一以來: through today.
fn since(cursor: &mut Cursor<'_>) -> Option<Found> {
    let since = cursor.attempt(|cursor| cursor.eat(Term::Since)).is_some();
    if !since {
        cursor.attempt(|cursor| cursor.eat(Term::From));
    }
    let end = end(cursor, false)?;
    let onward = cursor.attempt(|cursor| cursor.eat(Term::Onward)).is_some();
    if !since && !onward {
        return None;
    }
    let today = cursor.today();
    let rule = rule!(cursor.tongue, "range.since");
    if matches!(end, End::Time { .. }) {
        let now = cursor.context.now;
        let start = moment(cursor, &end).ok().filter(|start| start < now)?;
        let reading = Reading::Range(Moment::Instant(start), Moment::Instant(now.clone()));
        return Some(Found::new(Kind::Range, reading, rule));
    }
    Some(match whole(&end, today) {
        Ok((start, _)) if start <= today => days((start, days_after(today, 1)?), rule),
        // "since tomorrow" has no end that could be named.
        Ok(_) => return None,
        Err(fault) => Found::new(Kind::Range, Reading::Fault(fault), rule),
    })
}
