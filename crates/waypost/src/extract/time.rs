//! Times of day, and days with a time: 14:30, 下午三點半, tomorrow at 2pm, 2025-11-06T14:30Z.

use jiff::Zoned;
use jiff::civil::{Date, Time};
use jiff::tz::{Offset, TimeZone};

use super::Found;
use super::calendar;
use super::cursor::Cursor;
use super::date::{self, Day};
use super::number;
use super::relative;
use super::term::{Part, Term, Unit, rule};
use super::value::{Fault, Kind, Reading};

/// A time of day, with the other half of the day if nothing says which.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    pub(super) time: Result<Time, Fault>,
    pub(super) other: Option<Time>,
}

impl Clock {
    /// The reading that comes after `start`: the second of 下午2點到4點 is in the afternoon too.
    pub(super) fn after(self, start: &Clock) -> Clock {
        match (start.time, self.time, self.other) {
            (Ok(from), Ok(to), Some(other)) if to <= from => Clock { time: Ok(other), other: None },
            _ => self,
        }
    }

    /// The reading that comes before `end`: the 5 of "from 5 to 6 pm" is in the afternoon too.
    pub(super) fn before(self, end: &Clock) -> Clock {
        match (self.other, end.time, end.other) {
            (Some(other), Ok(to), None) if other < to => Clock { time: Ok(other), other: None },
            _ => self,
        }
    }

    /// An hour without anything else.
    pub(super) fn hour(hour: i8) -> Clock {
        let hour = f64::from(hour);
        Clock { time: at(hour, 0.0, 0.0), other: other_half(hour, 0.0, None) }
    }

    /// The reading that fits the part of the day, as the 8 of "tonight at 8".
    fn in_part(self, part: Option<Part>) -> Clock {
        match (part, self.other) {
            (Some(Part::Afternoon | Part::Night), Some(other)) => {
                Clock { time: Ok(other), other: None }
            }
            (Some(_), _) => Clock { time: self.time, other: None },
            _ => self,
        }
    }
}

/// Finds a time of day.
pub(super) fn time(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    let clock = clock(cursor)?;
    let reading = match clock.time {
        Ok(time) => Reading::Time(time),
        Err(fault) => Reading::Fault(fault),
    };
    let found = Found::new(Kind::Time, reading, rule!(cursor.tongue, "time"));
    Some(found.or(clock.other.map(Reading::Time)))
}

/// Finds a day with a time, or an instant at a distance from now.
pub(super) fn datetime(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    let reading = cursor.first_of(&[iso, day_then_time, time_then_day, hours_away])?;
    Some(Found::new(Kind::Datetime, reading, rule!(cursor.tongue, "datetime")))
}

/// Reads a time of day in any form.
pub(super) fn clock(cursor: &mut Cursor<'_>) -> Option<Clock> {
    cursor.first_of(&[colon, hour_and_part, han, named])
}

/// noon, midnight
fn named(cursor: &mut Cursor<'_>) -> Option<Clock> {
    let hour = cursor.take(|term| match term {
        Term::Clock(hour) => Some(hour),
        _ => None,
    })?;
    Some(Clock { time: at(f64::from(hour), 0.0, 0.0), other: None })
}

/// 14:30, 2:30 pm, 14:30:05
fn colon(cursor: &mut Cursor<'_>) -> Option<Clock> {
    let before = cursor.attempt(part);
    cursor.attempt(|cursor| cursor.eat(Term::AtHour));
    let (hour, minute, second) = colon_digits(cursor)?;
    cursor.attempt(|cursor| cursor.eat(Term::HourMark));
    let part = before.or_else(|| cursor.attempt(part));
    let time = at(on_day(hour, part)?, minute, second);
    Some(Clock { time, other: None })
}

fn colon_digits(cursor: &mut Cursor<'_>) -> Option<(f64, f64, f64)> {
    let hour = cursor.digits().filter(|digits| digits.len() <= 2)?;
    cursor.glued_symbol(":")?;
    let minute = cursor.glued_digits().filter(|digits| digits.len() == 2)?;
    let second = cursor.attempt(|cursor| {
        cursor.glued_symbol(":")?;
        cursor.glued_digits().filter(|digits| digits.len() == 2)
    });
    // A fourth field makes it something else: an address, a duration.
    cursor.is_closed_but_letters(":").then_some(())?;
    Some((hour.parse().ok()?, minute.parse().ok()?, second.unwrap_or("0").parse().ok()?))
}

/// 2pm, 3 in the afternoon, a las 3 y media de la tarde, 3 o'clock
fn hour_and_part(cursor: &mut Cursor<'_>) -> Option<Clock> {
    let announced = cursor.attempt(|cursor| cursor.eat(Term::AtHour)).is_some();
    let hour = match cursor.attempt(number::count) {
        Some(hour) => hour,
        None if announced => cursor.eat(Term::One).map(|()| 1.0)?,
        None => return None,
    };
    if hour > 24.0 {
        return None;
    }
    let minute = cursor.attempt(minutes).unwrap_or(0.0);
    let mark = cursor.attempt(|cursor| latin_mark(cursor)).is_some();
    let part = cursor.attempt(part);
    if !announced && !mark && part.is_none() {
        return None;
    }
    let time = at(on_day(hour, part)?, minute, 0.0);
    Some(Clock { time, other: other_half(hour, minute, part) })
}

/// The mark of a full hour; 點 and 時 are read with their own grammar.
fn latin_mark(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.eat(Term::HourMark)?;
    (cursor.tongue != super::term::Tongue::Zh).then_some(())
}

/// 下午三點半, 14時30分, 早上8點15分
fn han(cursor: &mut Cursor<'_>) -> Option<Clock> {
    let part = cursor.attempt(part);
    let hour = number::count(cursor).filter(|hour| *hour <= 24.0)?;
    cursor.eat(Term::HourMark)?;
    let minute = cursor.attempt(minutes).or_else(|| cursor.attempt(number::count));
    if minute.is_some() {
        cursor.attempt(|cursor| cursor.eat(Term::MinuteMark));
    }
    let second = cursor.attempt(|cursor| {
        let second = number::count(cursor)?;
        cursor.eat(Term::SecondMark)?;
        Some(second)
    });
    // 一點 alone is "a little", and 下午 or a minute makes it an hour.
    if hour == 1.0 && part.is_none() && minute.is_none() {
        return None;
    }
    let minute = minute.unwrap_or(0.0);
    let time = at(on_day(hour, part)?, minute, second.unwrap_or(0.0));
    Some(Clock { time, other: other_half(hour, minute, part) })
}

/// Reads 半 or "y media".
fn minutes(cursor: &mut Cursor<'_>) -> Option<f64> {
    cursor.take(|term| match term {
        Term::Minutes(minutes) => Some(f64::from(minutes)),
        _ => None,
    })
}

fn part(cursor: &mut Cursor<'_>) -> Option<Part> {
    cursor.take(|term| match term {
        Term::Part(part) => Some(part),
        _ => None,
    })
}

/// The hour from 0 to 24 that a part of the day makes of it; `None` for "15 am".
fn on_day(hour: f64, part: Option<Part>) -> Option<f64> {
    match part {
        None => Some(hour),
        Some(_) if hour > 12.0 => (part != Some(Part::Morning)).then_some(hour),
        Some(Part::Morning) => Some(if hour == 12.0 { 0.0 } else { hour }),
        Some(Part::Noon) => Some(if hour < 4.0 { hour + 12.0 } else { hour }),
        Some(Part::Afternoon) => Some(if hour < 12.0 { hour + 12.0 } else { hour }),
        // 12 at night is midnight; 11 at night is 23:00, 1 at night is 1:00.
        Some(Part::Night) if hour == 12.0 => Some(0.0),
        Some(Part::Night) => Some(if hour >= 5.0 { hour + 12.0 } else { hour }),
    }
}

fn other_half(hour: f64, minute: f64, part: Option<Part>) -> Option<Time> {
    let afternoon = part.is_none() && (1.0..12.0).contains(&hour);
    at(hour + 12.0, minute, 0.0).ok().filter(|_| afternoon)
}

fn at(hour: f64, minute: f64, second: f64) -> Result<Time, Fault> {
    Time::new(hour as i8, minute as i8, second as i8, 0).map_err(|_| Fault::NoSuchTime)
}

/// 2025-11-06T14:30, with Z, an offset or nothing behind it.
fn iso(cursor: &mut Cursor<'_>) -> Option<Reading> {
    let date = iso_date(cursor)?;
    let glued_t = cursor.is_glued() && cursor.sentence.tokens.text(cursor.at) == "t";
    if !glued_t {
        return None;
    }
    cursor.at += 1;
    let (hour, minute, second) = colon_digits(cursor)?;
    cursor.attempt(|cursor| {
        cursor.glued_symbol(".")?;
        cursor.glued_digits()
    });
    let zone = cursor.attempt(offset).unwrap_or_else(|| cursor.context.now.time_zone().clone());
    let time = at(hour, minute, second);
    Some(instant(date, time, zone))
}

fn iso_date(cursor: &mut Cursor<'_>) -> Option<Result<Date, Fault>> {
    let year = cursor.digits().filter(|digits| digits.len() == 4)?.parse().ok()?;
    cursor.glued_symbol("-")?;
    let month = cursor.glued_digits()?.parse().ok()?;
    cursor.glued_symbol("-")?;
    let day = cursor.glued_digits()?.parse().ok()?;
    Some(Date::new(year, month, day).map_err(|_| Fault::NoSuchDate))
}

/// Reads Z, +08:00 or -0500.
fn offset(cursor: &mut Cursor<'_>) -> Option<TimeZone> {
    if cursor.is_glued() && cursor.sentence.tokens.text(cursor.at) == "z" {
        cursor.at += 1;
        return Some(TimeZone::UTC);
    }
    let sign = if cursor.glued_symbol("+-")? == '-' { -1 } else { 1 };
    let digits = cursor.glued_digits()?;
    let minutes = cursor.attempt(|cursor| {
        cursor.glued_symbol(":")?;
        cursor.glued_digits()
    });
    let (hours, minutes) = match (digits.len(), minutes) {
        (4, None) => digits.split_at(2),
        (2, minutes) => (digits, minutes.unwrap_or("0")),
        _ => return None,
    };
    let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
    Offset::from_seconds(sign * seconds).ok().map(TimeZone::fixed)
}

/// tomorrow at 2pm, 昨天下午三點, 2025-11-06 14:30
fn day_then_time(cursor: &mut Cursor<'_>) -> Option<Reading> {
    let (day, clock) = day_and_clock(cursor)?;
    join(cursor, &day, clock)
}

/// Reads a day and a time behind it. The day may say which half of the day: tonight, 今晚.
pub(super) fn day_and_clock(cursor: &mut Cursor<'_>) -> Option<(Day, Clock)> {
    let mut word = *cursor;
    let part = part(&mut word);
    let day = date::day(cursor)?;
    let part = part.filter(|_| word.at == cursor.at);
    let at = cursor.attempt(|cursor| cursor.eat(Term::At)).is_some();
    if !at {
        cursor.attempt(|cursor| cursor.symbol(",").map(drop).or_else(|| cursor.eat(Term::Of)));
    }
    let clock = match cursor.attempt(clock) {
        Some(clock) => clock.in_part(part),
        None => bare_hour(cursor).filter(|_| at)?.in_part(Some(part?)),
    };
    Some((day, clock))
}

/// The 8 of "tonight at 8".
fn bare_hour(cursor: &mut Cursor<'_>) -> Option<Clock> {
    let hour = number::count(cursor).filter(|hour| (1.0..=12.0).contains(hour))?;
    cursor.is_closed("-/.,:").then(|| Clock::hour(hour as i8))
}

/// 2pm on Monday, 14:30 2025-11-06
fn time_then_day(cursor: &mut Cursor<'_>) -> Option<Reading> {
    let clock = clock(cursor)?;
    cursor.attempt(|cursor| {
        cursor
            .symbol(",")
            .map(drop)
            .or_else(|| cursor.eat(Term::On))
            .or_else(|| cursor.eat(Term::Of))
    });
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let day = date::day(cursor)?;
    join(cursor, &day, clock)
}

fn join(cursor: &Cursor<'_>, day: &Day, clock: Clock) -> Option<Reading> {
    let date = date::first(day, cursor.today());
    Some(instant(date, clock.time, cursor.context.now.time_zone().clone()))
}

fn instant(date: Result<Date, Fault>, time: Result<Time, Fault>, zone: TimeZone) -> Reading {
    let joined = date.and_then(|date| {
        let local = date.to_datetime(time?);
        local.to_zoned(zone).map_err(|_| Fault::NoSuchTime)
    });
    match joined {
        Ok(instant) => Reading::Datetime(instant),
        Err(fault) => Reading::Fault(fault),
    }
}

/// 3 hours ago, in 20 minutes, 三小時後
fn hours_away(cursor: &mut Cursor<'_>) -> Option<Reading> {
    let (count, unit) = relative::distance(cursor)?;
    if !matches!(unit, Unit::Hour | Unit::Minute | Unit::Second) {
        return None;
    }
    Some(Reading::Datetime(away(cursor.context.now, count, unit)?))
}

/// The instant `count` units from `now`.
pub(super) fn away(now: &Zoned, count: f64, unit: Unit) -> Option<Zoned> {
    now.checked_add(calendar::length(count, unit)?).ok()
}
