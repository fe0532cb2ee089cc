//! A time as the words say it, before today fills in what they leave out.
//!
//! Pieces of a phrase ("next week", "Monday", "at 3", "in the afternoon") are each read into a
//! [`When`] and merged: two pieces go together where they do not say the same thing twice.

use jiff::civil::Time;
use jiff::tz::Offset;

use crate::extract::grammar::rule::Rule;
use crate::extract::grammar::term::{Part, Unit};
use crate::extract::value::Fault;

use super::calendars::gregorian;
use super::stretch::Stretch;

/// A time as far as it was said.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::extract) struct When {
    /// The stretches that it may lie in, the likeliest first: next week, Easter, 3 days ago. Empty
    /// if no words say so.
    pub(super) within: Vec<Stretch>,
    pub(super) year: Option<i16>,
    pub(super) month: Option<i8>,
    pub(super) day: Option<i8>,
    /// Monday is 1.
    pub(super) weekday: Option<i8>,
    pub(super) clock: Option<Clock>,
    pub(super) part: Option<Part>,
    pub(super) zone: Option<Offset>,
    /// True if month and day may be the other way round: 5/6.
    pub(super) swaps: bool,
    /// The fault that it has whatever is filled in: 25:00.
    pub(super) fault: Option<Fault>,
    pub(super) rule: Rule,
}

/// A time of day, maybe without the half of the day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::extract) struct Clock {
    pub(super) time: Time,
    pub(super) grain: Unit,
    /// True if twelve hours later may be meant too.
    pub(super) halves: bool,
    /// True if words beside it say the half of the day: 12pm.
    pub(super) has_half: bool,
}

impl When {
    pub(super) fn new(rule: impl Into<Rule>) -> Self {
        Self {
            within: Vec::new(),
            year: None,
            month: None,
            day: None,
            weekday: None,
            clock: None,
            part: None,
            zone: None,
            swaps: false,
            fault: None,
            rule: rule.into(),
        }
    }

    /// A time that is known whole.
    pub(super) fn known(stretch: Stretch, rule: impl Into<Rule>) -> Self {
        Self::any_of(vec![stretch], rule)
    }

    /// A time that is known whole, except for which of several stretches it is.
    pub(super) fn any_of(within: Vec<Stretch>, rule: impl Into<Rule>) -> Self {
        Self { within, ..Self::new(rule) }
    }

    /// Returns whether it says anything of the day.
    pub(super) fn has_date(&self) -> bool {
        !self.within.is_empty() || self.has_fields()
    }

    /// Returns whether it names a year, a month, a day or a weekday.
    pub(super) fn has_fields(&self) -> bool {
        self.year.is_some() || self.month.is_some() || self.day.is_some() || self.weekday.is_some()
    }

    /// Returns whether it says anything of the time of day.
    pub(super) fn has_time(&self) -> bool {
        self.clock.is_some() || self.part.is_some()
    }

    /// Returns whether it names one day (of a week, month, year or altogether).
    pub(super) fn names_day(&self) -> bool {
        self.day.is_some()
            || self.weekday.is_some()
            || self.within.first().is_some_and(|one| one.grain <= Unit::Day)
    }

    /// Returns whether a number behind it may be a day of the month: of a month, or of a weekday.
    pub(super) fn takes_day(&self) -> bool {
        self.month.is_some()
            || self.weekday.is_some()
            || self.within.first().is_some_and(|one| matches!(one.grain, Unit::Day | Unit::Month))
    }

    /// Returns whether it is an instant already, to which no time of day can be added.
    pub(super) fn is_instant(&self) -> bool {
        self.within.first().is_some_and(|one| one.grain < Unit::Day)
    }

    /// Returns whether it is nothing but the number of a day.
    pub(super) fn is_bare_day(&self) -> bool {
        self.day.is_some()
            && self.month.is_none()
            && self.year.is_none()
            && self.weekday.is_none()
            && self.within.is_empty()
            && !self.has_time()
    }

    /// Both said together; `None` where they contradict each other or say the same twice.
    pub(super) fn merge(&self, other: &When) -> Option<When> {
        if let Some(day) = self.weekday_near(other).or_else(|| other.weekday_near(self)) {
            return Some(day);
        }
        let mut merged = self.clone();
        merged.year = either(self.year, other.year)?;
        merged.month = either(self.month, other.month)?;
        merged.day = either(self.day, other.day)?;
        merged.weekday = either(self.weekday, other.weekday)?;
        merged.zone = either(self.zone, other.zone)?;
        merged.within = self.narrowed(other)?;
        merged.part = either(self.part, other.part)?;
        merged.clock = either(self.clock, other.clock)?;
        merged.fault = self.fault.or(other.fault);
        merged.swaps |= other.swaps;
        merged.is_sound().then_some(())?;
        if self.has_date() && other.has_time() || self.has_time() && other.has_date() {
            merged.rule = self.rule.renamed("datetime");
        }
        merged.settle_half();
        Some(merged)
    }

    /// "Monday two weeks from now": of the week of the day so far away.
    fn weekday_near(&self, distance: &When) -> Option<When> {
        let day = distance.within.first().filter(|day| day.is_day())?;
        let bare = self.weekday.is_some()
            && self.within.is_empty()
            && self.day.or(self.month).is_none()
            && !self.has_time();
        (bare && distance.rule.name() == "date.distance").then_some(())?;
        let date = gregorian::weekday_of_week(day.start.date(), self.weekday?)?;
        Some(When::known(Stretch::day(date)?, distance.rule))
    }

    /// A time of day needs a day to stand on, and an instant takes nothing more.
    fn is_sound(&self) -> bool {
        let instant = self.within.iter().any(|one| one.grain < Unit::Day);
        let long = self.has_time() && self.has_date() && !self.names_day();
        // A day of the calendar beside "tomorrow" is another day.
        let twice = (self.day.is_some() || self.month.is_some() || self.weekday.is_some())
            && self.within.iter().any(Stretch::is_day);
        !instant_with_more(instant, self) && !long && !twice
    }

    fn narrowed(&self, other: &When) -> Option<Vec<Stretch>> {
        match (self.within.is_empty(), other.within.is_empty()) {
            (_, true) => Some(self.within.clone()),
            (true, false) => Some(other.within.clone()),
            // "30 minutes later this week" are two.
            (false, false) if self.is_instant() && !other.names_day() => None,
            (false, false) if other.is_instant() && !self.names_day() => None,
            (false, false) => {
                let both: Vec<Stretch> = self
                    .within
                    .iter()
                    .flat_map(|one| {
                        other.within.iter().filter_map(move |two| match () {
                            () if one.contains(two) => Some(*two),
                            () if two.contains(one) => Some(*one),
                            () => None,
                        })
                    })
                    .collect();
                let same = self.within.first().map(|one| one.grain)
                    == other.within.first().map(|one| one.grain);
                (!both.is_empty() && !same).then_some(both)
            }
        }
    }

    /// The part of the day says which half the hour belongs to: the 3 of "3 in the afternoon".
    fn settle_half(&mut self) {
        let (Some(clock), Some(part)) = (self.clock, self.part) else { return };
        match clock.on_part(part) {
            Some(clock) => self.clock = Some(clock),
            None => self.fault = Some(Fault::NoSuchTime),
        }
        self.part = None;
    }
}

fn instant_with_more(instant: bool, when: &When) -> bool {
    instant && (when.has_time() || when.has_fields())
}

/// Returns the one that is there, or neither; `None` if both are.
fn either<T>(one: Option<T>, other: Option<T>) -> Option<Option<T>> {
    match (one, other) {
        (Some(_), Some(_)) => None,
        (one, other) => Some(one.or(other)),
    }
}

impl Clock {
    /// An hour from 0 to 24, a minute and a second.
    pub(super) fn new(hour: i8, minute: i8, second: i8, grain: Unit) -> Result<Self, Fault> {
        let midnight = hour == 24 && minute == 0 && second == 0;
        let time = Time::new(if midnight { 0 } else { hour }, minute, second, 0)
            .map_err(|_| Fault::NoSuchTime)?;
        Ok(Self { time, grain, halves: (1..=12).contains(&hour), has_half: false })
    }

    /// In the half of the day that a part of it says; `None` for "15 am".
    pub(super) fn on_part(self, part: Part) -> Option<Self> {
        // The half of "12pm" is said: "10am to 12pm Monday morning" ends at noon.
        if self.has_half {
            return Some(self);
        }
        let hour = self.time.hour();
        let hour = if hour == 0 || hour > 12 {
            let morning = matches!(part, Part::Morning | Part::EarlyMorning | Part::Dawn);
            (!(morning && hour > 12)).then_some(hour)?
        } else {
            match part {
                Part::Dawn
                | Part::EarlyMorning
                | Part::Morning
                | Part::Breakfast
                | Part::LateMorning => hour % 12,
                Part::Noon => {
                    if hour < 4 {
                        hour + 12
                    } else {
                        hour
                    }
                }
                Part::Afternoon | Part::EarlyAfternoon | Part::LateAfternoon => hour % 12 + 12,
                Part::Evening | Part::Dinner => {
                    if hour == 12 {
                        0
                    } else {
                        hour + 12
                    }
                }
                // 12 at night is midnight; 11 at night is 23:00, 1 at night is 1:00.
                Part::Night | Part::LateNight if hour == 12 => 0,
                Part::Night | Part::LateNight => {
                    if hour >= 5 {
                        hour + 12
                    } else {
                        hour
                    }
                }
                Part::Daytime => {
                    if hour < 7 {
                        hour + 12
                    } else {
                        hour
                    }
                }
            }
        };
        let time = self.time.with().hour(hour).build().ok()?;
        Some(Self { time, halves: false, has_half: true, ..self })
    }

    /// The times that may be meant, the likeliest first.
    pub(super) fn times(&self) -> impl Iterator<Item = Time> + use<> {
        let other = (self.time.hour() + 12) % 24;
        let other = self.time.with().hour(other).build().ok().filter(|_| self.halves);
        std::iter::once(self.time).chain(other)
    }
}
