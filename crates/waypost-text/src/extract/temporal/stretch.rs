//! A stretch of time on the calendar, half-open, without a zone.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Time};

use crate::extract::grammar::term::Unit;

use super::calendars::gregorian;

/// From `start` up to `end`, said as precisely as `grain`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::extract) struct Stretch {
    pub(in crate::extract) start: DateTime,
    pub(in crate::extract) end: DateTime,
    /// A week may end on any weekday; what matters is how it was said.
    pub(in crate::extract) grain: Unit,
}

impl Stretch {
    /// A whole day.
    pub(super) fn day(date: Date) -> Option<Self> {
        Self::days(date, gregorian::days_after(date, 1)?, Unit::Day)
    }

    /// From one day up to another.
    pub(super) fn days(start: Date, end: Date, grain: Unit) -> Option<Self> {
        let midnight = Time::midnight();
        (start < end).then(|| Self {
            start: start.to_datetime(midnight),
            end: end.to_datetime(midnight),
            grain,
        })
    }

    /// An instant, as precise as its unit.
    pub(super) fn instant(start: DateTime, grain: Unit) -> Option<Self> {
        let length = match grain {
            Unit::Second => 1.second(),
            Unit::Minute => 1.minute(),
            _ => 1.hour(),
        };
        Some(Self { start, end: start.checked_add(length).ok()?, grain })
    }

    /// The whole unit that begins at a day.
    pub(super) fn unit(start: Date, unit: Unit) -> Option<Self> {
        Self::days(start, gregorian::shift(start, 1.0, unit)?, unit)
    }

    /// A stretch of part of a day: above 24 hours is the day after.
    pub(super) fn hours(date: Date, (from, to): (i8, i8)) -> Option<Self> {
        let midnight = date.to_datetime(Time::midnight());
        Some(Self {
            start: midnight.checked_add(i64::from(from).hours()).ok()?,
            end: midnight.checked_add(i64::from(to).hours()).ok()?,
            grain: Unit::Hour,
        })
    }

    /// Returns whether it is a day.
    pub(super) fn is_day(&self) -> bool {
        self.grain == Unit::Day && self.end == self.start + 1.day()
    }

    /// Returns whether it begins and ends with days.
    pub(super) fn is_whole_days(&self) -> bool {
        let midnight = Time::midnight();
        self.start.time() == midnight && self.end.time() == midnight && self.grain >= Unit::Day
    }

    /// Returns whether it is an instant rather than a stretch.
    pub(super) fn is_instant(&self) -> bool {
        let length = self.grain;
        Self::instant(self.start, length).is_some_and(|one| one == *self && length <= Unit::Hour)
    }

    /// Returns whether `other` lies in it.
    pub(super) fn contains(&self, other: &Stretch) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The days that it touches.
    pub(super) fn dates(&self) -> impl Iterator<Item = Date> + use<> {
        let last = self.end;
        self.start
            .date()
            .series(1.day())
            .take_while(move |day| day.to_datetime(Time::midnight()) < last)
    }
}
