//! From a time as it was said to the value that is reported.

use jiff::tz::TimeZone;

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::Unit;
use crate::extract::kind::Kind;
use crate::extract::value::{Fault, Moment, Reading};

use super::settle::settle;
use super::stretch::Stretch;
use super::when::When;

/// The finding for a time: a time of day, a day, an instant or a range, after what was said.
pub(super) fn found(when: &When, cursor: &Cursor<'_>) -> Found {
    let kind = kind(when);
    let readings = if kind == Kind::Time {
        times(when)
    } else {
        settle(when, cursor).map(|all| {
            let each = all.iter().filter_map(|one| reading(one, when, cursor));
            each.collect()
        })
    };
    gathered(kind, readings, when)
}

fn gathered(kind: Kind, readings: Result<Vec<Reading>, Fault>, when: &When) -> Found {
    let mut readings = readings.unwrap_or_else(|fault| vec![Reading::Fault(fault)]).into_iter();
    let first = readings.next().unwrap_or(Reading::Fault(Fault::NoSuchDate));
    Found::new(kind, first, when.rule).or(readings)
}

fn kind(when: &When) -> Kind {
    let grain = when.within.first().map(|one| (one.grain, one.is_instant()));
    let clock = when.clock.is_some() || when.fault == Some(Fault::NoSuchTime);
    match (when.has_date(), clock, when.part.is_some()) {
        (false, true, _) if when.zone.is_none() => Kind::Time,
        (_, true, _) => Kind::Datetime,
        (_, _, true) => Kind::Range,
        _ if when.day.is_some() || when.weekday.is_some() => Kind::Date,
        _ => match grain {
            Some((_, true)) => Kind::Datetime,
            Some((Unit::Day, _)) if when.within[0].is_day() && !when.has_fields() => Kind::Date,
            _ => Kind::Range,
        },
    }
}

fn times(when: &When) -> Result<Vec<Reading>, Fault> {
    match (when.fault, when.clock) {
        (None, Some(clock)) => Ok(clock.times().map(Reading::Time).collect()),
        (fault, _) => Err(fault.unwrap_or(Fault::NoSuchTime)),
    }
}

/// A stretch as a reading of its kind.
fn reading(stretch: &Stretch, when: &When, cursor: &Cursor<'_>) -> Option<Reading> {
    if stretch.is_day() && !when.has_time() {
        return Some(Reading::Date(stretch.start.date()));
    }
    if stretch.is_instant() {
        return stretch.start.to_zoned(zone(when, cursor)).ok().map(Reading::Datetime);
    }
    let zone = zone(when, cursor);
    Some(Reading::Range(
        moment(stretch, stretch.start, &zone)?,
        moment(stretch, stretch.end, &zone)?,
    ))
}

/// An end of a stretch: a day where it is made of days, otherwise an instant.
pub(super) fn moment(
    stretch: &Stretch,
    end: jiff::civil::DateTime,
    zone: &TimeZone,
) -> Option<Moment> {
    if stretch.is_whole_days() {
        return Some(Moment::Date(end.date()));
    }
    end.to_zoned(zone.clone()).ok().map(Moment::Instant)
}

/// The zone that was said, or the user's.
pub(super) fn zone(when: &When, cursor: &Cursor<'_>) -> TimeZone {
    when.zone.map_or_else(|| cursor.context.now.time_zone().clone(), TimeZone::fixed)
}
