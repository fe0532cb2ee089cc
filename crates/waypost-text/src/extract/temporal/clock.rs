//! Times of day: 14:30, 2pm, a quarter past three, 下午三點半, las 3 y media.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Part, Term, Unit};
use crate::extract::grammar::token::Shape;
use crate::extract::value::Fault;
use crate::extract::values::number;
use crate::extract::values::unit::sees_unit;

use super::minutes::{face, fixed_minute, hour_sign, minutes_before_part, minutes_behind};
use super::noun::{counts_noun, counts_points, sees_counted};
use super::when::{Clock, When};
use super::zone::zone;

/// Reads a time of day with the half of the day and the zone that belong to it.
pub(super) fn clock(cursor: &mut Cursor<'_>) -> Option<When> {
    // 中午 is a time, and the part of the day of 中午十二點.
    cursor.first_of(&[clock_behind_part, clock_alone])
}

fn clock_behind_part(cursor: &mut Cursor<'_>) -> Option<When> {
    let opens = cursor.follows(|term| matches!(term, Term::From | Term::Between)).is_some();
    let names_hour = cursor.may_mean(0, Term::Clock(0));
    let part = part(cursor)?;
    // "De midi à 14h" is a range that begins at noon.
    (!(opens && names_hour && cursor.sees(Term::To))).then_some(())?;
    read(cursor, Some(part))
}

fn clock_alone(cursor: &mut Cursor<'_>) -> Option<When> {
    read(cursor, None)
}

fn read(cursor: &mut Cursor<'_>, before: Option<Part>) -> Option<When> {
    cursor.attempt(|cursor| cursor.eat(Term::AtHour));
    let is_iso = is_behind_iso_mark(cursor);
    let is_twelve = cursor.sentence.tokens.text(cursor.at) == "12"
        || cursor.may_mean(0, Term::Number(12.0)) && cursor.sees(Term::Number(12.0));
    let twelve = if is_twelve { cursor.attempt(twelve) } else { None };
    let read = |cursor: &mut Cursor<'_>| {
        cursor.first_of(&[
            minutes_of_hour,
            hours_and_minutes,
            colon,
            military,
            marked,
            counted_hours,
            spoken_at,
            hour_alone,
            named,
        ])
    };
    let mut said = match twelve {
        Some(said) => said,
        None => read(cursor)?,
    };
    // The tối of "8 giờ tối nay" is tonight.
    let more = cursor.sees_any(|term| matches!(term, Term::DayPart(..)));
    let behind = if said.has_half || more { None } else { cursor.attempt(meridiem) };
    let half = before.or(behind);
    if !said.is_sure && half.is_none() {
        return None;
    }
    if let (Some(half), Ok(clock)) = (half, said.clock) {
        said.clock = clock.on_part(half).ok_or(Fault::NoSuchTime);
        // "15 am" is none.
        said.clock.is_ok().then_some(())?;
    }
    let is_iso = is_iso || said.clock.is_ok_and(|clock| clock.grain == Unit::Second);
    let zone = cursor.attempt(|cursor| zone(cursor, is_iso));
    let rule = rule(cursor.tongue, "time");
    let (clock, fault) = match said.clock {
        Ok(clock) => (Some(clock), None),
        Err(fault) => (None, Some(fault)),
    };
    Some(When { clock, fault, zone, ..When::new(rule) })
}

/// A time that was read.
#[derive(Debug, Clone, Copy)]
struct Said {
    clock: Result<Clock, Fault>,
    /// True if it is surely a time, even without a word for the half of the day.
    is_sure: bool,
    has_half: bool,
}

impl Said {
    fn new(hour: f64, minute: f64, second: f64, grain: Unit) -> Option<Self> {
        let small = |value: f64| (0.0..100.0).contains(&value).then_some(value as i8);
        let clock = Clock::new(small(hour)?, small(minute)?, small(second)?, grain);
        Some(Self { clock, is_sure: true, has_half: false })
    }

    fn if_announced(self, is_sure: bool) -> Self {
        Self { is_sure, ..self }
    }

    /// In 24 hours: nothing more is to be asked.
    fn whole(self) -> Self {
        let clock = self.clock.map(|clock| Clock { halves: false, ..clock });
        Self { clock, ..self }
    }
}

/// Returns whether the hour stands behind the T of an ISO time: 2025-11-06T14:30.
fn is_behind_iso_mark(cursor: &Cursor<'_>) -> bool {
    cursor.is_glued()
        && cursor
            .back()
            .is_some_and(|mark| mark.is_glued() && mark.sentence.tokens.text(mark.at) == "t")
}

/// three thirty, seven forty-five pm: only where something else says that it is a time.
pub(super) fn spoken(cursor: &mut Cursor<'_>) -> Option<When> {
    let named = (1..3).any(|ahead| {
        cursor.may_mean(ahead, Term::Minutes(0)) || cursor.may_mean(ahead, Term::MinutesTo(0))
    });
    let said = if named { hour_and_minutes(cursor)? } else { spoken_hour(cursor)? };
    let clock = said.clock.ok()?;
    let clock = match cursor.attempt(meridiem) {
        Some(half) => clock.on_part(half)?,
        None => clock,
    };
    Some(When { clock: Some(clock), ..When::new(rule(cursor.tongue, "time")) })
}

fn spoken_at(cursor: &mut Cursor<'_>) -> Option<Said> {
    let announced = cursor.follows(|term| matches!(term, Term::At | Term::AtHour)).is_some();
    let said = spoken_hour(cursor)?;
    Some(said.if_announced(announced || sees_part(*cursor)))
}

/// An hour and its minutes as words: the minutes are more than the hour.
fn spoken_hour(cursor: &mut Cursor<'_>) -> Option<Said> {
    let mut whole = *cursor;
    let hour = cursor.take(|term| match term {
        Term::Number(hour) if hour.fract() == 0.0 && (1.0..=12.0).contains(&hour) => Some(hour),
        _ => None,
    })?;
    // The first word of a longer number is no hour.
    (number::count(&mut whole).is_some() && whole.at == cursor.at).then_some(())?;
    cursor.attempt(|cursor| cursor.glued_symbol("-"));
    (cursor.shape() == Some(Shape::Word)).then_some(())?;
    let minute = number::count(cursor).filter(|minute| (10.0..60.0).contains(minute))?;
    cursor.attempt(|cursor| cursor.eat(Term::Unit(Unit::Minute)));
    // "one twenty-fifth" is no time.
    let hyphen = cursor.is_glued() && cursor.peek_symbol() == Some('-');
    (!hyphen && cursor.is_closed("-/.,:")).then_some(())?;
    Said::new(hour, minute, 0.0, Unit::Minute)
}

/// tres y media, 7 menos cuarto: the minutes have a name
fn hour_and_minutes(cursor: &mut Cursor<'_>) -> Option<Said> {
    let hour = number::count(cursor).filter(|hour| (1.0..=12.0).contains(hour))?;
    let minutes = cursor.take(|term| match term {
        Term::Minutes(minutes) => Some(f64::from(minutes)),
        Term::MinutesTo(minutes) => Some(-f64::from(minutes)),
        _ => None,
    })?;
    (hour.fract() == 0.0 && ends_here(*cursor)).then_some(())?;
    let total = (hour * 60.0 + minutes) % (12.0 * 60.0);
    let hour = (total / 60.0).floor();
    let hour = if hour == 0.0 { 12.0 } else { hour };
    Said::new(hour, total % 60.0, 0.0, Unit::Minute)
}

/// around 7: an hour, where a day stands before it.
pub(super) fn about(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.eat(Term::About)?;
    if let Some(when) = cursor.first_of(&[clock, spoken]) {
        return Some(when);
    }
    let said = plain_hour(cursor)?;
    let clock = said.clock.ok().filter(|_| ends_here(*cursor))?;
    Some(When { clock: Some(clock), ..When::new(rule(cursor.tongue, "time")) })
}

/// 12 noon, twelve midnight: the hour is said twice
fn twelve(cursor: &mut Cursor<'_>) -> Option<Said> {
    let hour = match cursor.shape()? {
        Shape::Digits => cursor.digits().filter(|digits| *digits == "12").map(drop),
        _ => cursor.eat(Term::Number(12.0)),
    };
    hour?;
    named(cursor)
}

/// noon, midnight
fn named(cursor: &mut Cursor<'_>) -> Option<Said> {
    let hour = cursor.take(|term| match term {
        Term::Clock(hour) => Some(hour),
        _ => None,
    })?;
    // "Midi et demi" is half past twelve.
    let half = cursor.habits().apart.then(|| cursor.attempt(|cursor| cursor.take(fixed_minute)));
    let (minute, grain) = match half.flatten() {
        Some(minute) => (minute, Unit::Minute),
        None => (0.0, Unit::Hour),
    };
    let said = Said::new(f64::from(hour), minute, 0.0, grain)?.whole();
    Some(Said { has_half: true, ..said })
}

/// 14:30, 14:30:05, 2.30 beside pm, 14h30
fn colon(cursor: &mut Cursor<'_>) -> Option<Said> {
    let announced = announced(*cursor);
    let at = cursor.follows(|term| term == Term::At).is_some();
    let digits = cursor.digits().filter(|digits| digits.len() <= 2)?;
    let sign = cursor.glued_symbol(":.")?;
    let minute = cursor.glued_digits().filter(|digits| digits.len() == 2)?;
    let second = cursor.attempt(|cursor| {
        cursor.glued_symbol(":")?;
        let second = cursor.glued_digits().filter(|digits| digits.len() == 2)?;
        cursor.attempt(|cursor| {
            cursor.glued_symbol(".")?;
            cursor.glued_digits()
        });
        Some(second)
    });
    // A fourth field makes it something else: an address, a duration.
    cursor.is_closed_but_letters(":").then_some(())?;
    let marked = cursor.attempt(|cursor| cursor.eat(Term::HourMark)).is_some();
    let grain = if second.is_some() { Unit::Second } else { Unit::Minute };
    let hour = digits.parse().ok()?;
    let said = Said::new(hour, minute.parse().ok()?, second.unwrap_or("0").parse().ok()?, grain)?;
    if sign == '.' {
        // 2.30 is a number unless a word makes it a time; "at 71.50" is a price.
        let at = at && ends_here(*cursor) && said.clock.is_ok();
        let announced = announced && !sees_counted(*cursor);
        return Some(said.if_announced(announced || marked || at));
    }
    // 08:05 is of the first half; 8:05 may be of the other.
    Some(if digits.starts_with('0') || hour == 0.0 { said.whole() } else { said })
}

/// 1730 beside hours, "at 1730"
fn military(cursor: &mut Cursor<'_>) -> Option<Said> {
    let start = *cursor;
    let digits = cursor.digits().filter(|digits| (3..=4).contains(&digits.len()))?;
    let (hour, minute) = digits.split_at(digits.len() - 2);
    let marked = cursor.attempt(|cursor| cursor.eat(Term::Unit(Unit::Hour))).is_some();
    let half = cursor.sees_any(|term| matches!(term, Term::Meridiem(_)));
    let announced = !marked && !half && announced(start) && !counts_noun(start, *cursor);
    if !(marked || announced || half) {
        return None;
    }
    let (hour, minute): (f64, f64) = (hour.parse().ok()?, minute.parse().ok()?);
    (cursor.is_closed("-/.,:") && hour < 24.0 && minute < 60.0).then_some(())?;
    let said = Said::new(hour, minute, 0.0, Unit::Minute)?;
    Some(if marked || digits.len() == 4 { said.whole() } else { said })
}

/// a quarter past three, 20 minutes to 5, half past 2, ten to noon
fn minutes_of_hour(cursor: &mut Cursor<'_>) -> Option<Said> {
    let (sign, minutes) = cursor.first_of(&[fixed_minutes, counted_minutes])?;
    let hour = cursor.first_of(&[named, plain_hour])?;
    cursor.attempt(|cursor| cursor.eat(Term::HourMark));
    let clock = hour.clock.ok()?;
    let span = jiff::Span::new().try_minutes(sign * minutes).ok()?;
    let clock = Clock { time: clock.time.wrapping_add(span), grain: Unit::Minute, ..clock };
    Some(Said { clock: Ok(clock), is_sure: true, has_half: hour.has_half })
}

fn fixed_minutes(cursor: &mut Cursor<'_>) -> Option<(i64, i64)> {
    let before = cursor.attempt(|cursor| {
        cursor.take(|term| match term {
            Term::MinutesBefore(minutes) => Some(i64::from(minutes)),
            _ => None,
        })
    });
    if let Some(minutes) = before {
        return Some((-1, minutes));
    }
    cursor.attempt(|cursor| cursor.eat(Term::One));
    let minutes = cursor.take(|term| match term {
        Term::MinutesPast(minutes) => Some(i64::from(minutes)),
        _ => None,
    })?;
    Some((past_or_to(cursor)?, minutes))
}

fn counted_minutes(cursor: &mut Cursor<'_>) -> Option<(i64, i64)> {
    let announced = announced(*cursor) || cursor.follows(|term| term == Term::At).is_some();
    let minutes = number::count(cursor).filter(|count| (1.0..60.0).contains(count))?;
    let unit = cursor.attempt(|cursor| cursor.eat(Term::Unit(Unit::Minute))).is_some();
    let sign = past_or_to(cursor)?;
    // "from 10 to 20" are two numbers; "20 past 3" can be but one thing, and so can "fünf vor drei".
    let told = cursor.habits().apart && minutes % 5.0 == 0.0 && minutes < 30.0;
    (unit || announced || told || sign > 0).then_some((sign, minutes as i64))
}

fn past_or_to(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.take(|term| match term {
        Term::Past => Some(1),
        Term::ToHour => Some(-1),
        _ => None,
    })
}

fn plain_hour(cursor: &mut Cursor<'_>) -> Option<Said> {
    let hour = hour_number(cursor)?;
    let half = cursor.sees_any(|term| matches!(term, Term::Meridiem(_)));
    (half || cursor.is_closed(":./")).then_some(())?;
    Said::new(hour, 0.0, 0.0, Unit::Hour)
}

/// 15h30, "at 15h": the minutes or a word before say that no length is meant.
fn hours_and_minutes(cursor: &mut Cursor<'_>) -> Option<Said> {
    let told = cursor.follows(|term| matches!(term, Term::At | Term::AtHour)).is_some();
    let digits = cursor.digits().filter(|digits| digits.len() <= 2)?;
    // A language in which h is the mark of an hour, such as Vietnamese, uses it alone too.
    (cursor.is_glued() && !cursor.sees(Term::HourMark)).then_some(())?;
    cursor.eat(Term::Unit(Unit::Hour))?;
    let minute = cursor.glued_digits().filter(|digits| digits.len() == 2);
    cursor.is_closed("-/.,:").then_some(())?;
    let said = Said::new(
        digits.parse().ok()?,
        minute.unwrap_or("0").parse().ok()?,
        0.0,
        if minute.is_some() { Unit::Minute } else { Unit::Hour },
    )?;
    let zoned = cursor.sees_any(|term| matches!(term, Term::Zone(_)));
    Some(said.if_announced(told || zoned || minute.is_some()).whole())
}

pub(super) fn hour_number(cursor: &mut Cursor<'_>) -> Option<f64> {
    let soft = |cursor: &mut Cursor<'_>| number::soft_before(cursor, |term| term == Term::HourMark);
    // "dozens o'clock" is none.
    let dozens = cursor.sees_any(|term| matches!(term, Term::Scale(_)));
    (!dozens).then_some(())?;
    let hour = match cursor.first_of(&[number::count, soft]) {
        Some(hour) => hour,
        None => {
            cursor.eat(Term::One)?;
            // "at a few" is no hour.
            let counted = cursor.sees_any(|term| matches!(term, Term::SoftNumber(_) | Term::Few));
            (!counted).then_some(1.0)?
        }
    };
    (hour.fract() == 0.0 && (0.0..=24.0).contains(&hour)).then_some(hour)
}

/// 3點半, 14時30分, 3 giờ rưỡi, 8h30, 3 o'clock, 3 en punto
fn marked(cursor: &mut Cursor<'_>) -> Option<Said> {
    // "Pendant 3h" is a length.
    let lasts = cursor.habits().apart && cursor.follows(|term| term == Term::For).is_some();
    (!lasts).then_some(())?;
    let start = *cursor;
    let told = cursor.follows(|term| matches!(term, Term::Part(_))).is_some();
    let hour = hour_number(cursor)?;
    let sign = cursor.attempt(hour_sign);
    if sign.is_none() {
        cursor.eat(Term::HourMark)?;
    }
    let minutes = sign.or_else(|| cursor.attempt(minutes_behind));
    let minutes = minutes.or_else(|| cursor.attempt(|cursor| face(cursor).filter(|_| told)));
    let (minute, grain) = match minutes {
        Some(minute) => (minute, Unit::Minute),
        None => (0.0, Unit::Hour),
    };
    let second = cursor.attempt(|cursor| {
        let second = number::count(cursor)?;
        cursor.eat(Term::SecondMark)?;
        Some(second)
    });
    let grain = if second.is_some() { Unit::Second } else { grain };
    let (hour, minute) = if minute < 0.0 { (hour - 1.0, minute + 60.0) } else { (hour, minute) };
    let said = Said::new(hour, minute, second.unwrap_or(0.0), grain)?;
    if grain == Unit::Hour && !told && cursor.tongue.counts_weeks && counts_points(start, *cursor) {
        return None;
    }
    // 一點 alone is "a little"; a part of the day or a minute makes it an hour.
    let little = cursor.tongue.counts_weeks && hour == 1.0 && grain == Unit::Hour;
    Some(said.if_announced(!little))
}

/// Reads "huit heures et quart", "15 heures 30", "3 heures de l'après-midi": the hours are no length where
/// minutes without a unit or a part of the day stand behind them. Languages whose words count everywhere say so of lengths
/// too: 8 hours night shift.
fn counted_hours(cursor: &mut Cursor<'_>) -> Option<Said> {
    // "Pendant une heure et quart" is a length.
    let lasts = cursor.follows(|term| term == Term::For).is_some();
    (cursor.habits().apart && !lasts).then_some(())?;
    let hour = hour_number(cursor)?;
    cursor.eat(Term::Unit(Unit::Hour))?;
    let fixed = cursor.attempt(|cursor| {
        cursor.take(|term| match term {
            Term::Minutes(minutes) if minutes != 30 => Some(f64::from(minutes)),
            Term::MinutesTo(minutes) => Some(-f64::from(minutes)),
            _ => None,
        })
    });
    let minutes = fixed.or_else(|| {
        cursor.attempt(|cursor| {
            let minutes = cursor.digits().filter(|digits| digits.len() == 2)?;
            let counted = cursor.sees_any(|term| matches!(term, Term::Unit(_) | Term::Measure(_)));
            (cursor.is_closed("-/.,:") && !counted).then_some(minutes.parse().ok()?)
        })
    });
    match minutes {
        Some(minute) if minute < 0.0 => Said::new(hour - 1.0, minute + 60.0, 0.0, Unit::Minute),
        Some(minute) => Said::new(hour, minute, 0.0, Unit::Minute),
        None if sees_part(*cursor) => Said::new(hour, 0.0, 0.0, Unit::Hour),
        None => None,
    }
}

/// 3 before pm; at 3, a las 3 y media; 3 in the afternoon by what is merged with it
fn hour_alone(cursor: &mut Cursor<'_>) -> Option<Said> {
    let start = *cursor;
    let announced = announced(start);
    let at = cursor.follows(|term| term == Term::At).is_some();
    let hour = hour_number(cursor)?;
    let half = sees_meridiem(*cursor, announced || at);
    let vague = cursor.is_glued() && cursor.attempt(|cursor| cursor.eat(Term::Ish)).is_some();
    if !half && !cursor.is_closed("-/.,:") {
        return None;
    }
    // "a las 17 horas" is a time, "las 10 semanas" are weeks.
    let mut has_hours = false;
    if announced {
        has_hours = cursor.attempt(|cursor| cursor.eat(Term::SpokenHours)).is_some();
        if cursor.sees_any(|term| matches!(term, Term::Unit(_) | Term::Which(-1 | 1))) {
            return None;
        }
    }
    // "2 đêm" are two nights.
    if cursor.sees(Term::Counter) {
        return None;
    }
    let minute = if announced {
        cursor.attempt(minutes_behind)
    } else {
        cursor.attempt(minutes_before_part)
    };
    let precise = minute.is_some();
    // "um drei Grad" and "à 20 euros" are amounts, though the word before stands before hours too.
    let is_amount = !(precise || half || sees_part(*cursor)) && is_measured(*cursor);
    let counts = !(half || precise || has_hours) && counts_noun(start, *cursor);
    if announced && (is_amount || counts) {
        return None;
    }
    let (hour, minute, grain) = match minute {
        Some(minute) if minute < 0.0 => (hour - 1.0, minute + 60.0, Unit::Minute),
        Some(minute) => (hour, minute, Unit::Minute),
        None => (hour, 0.0, Unit::Hour),
    };
    let said = Said::new(hour, minute, 0.0, grain)?;
    let sure =
        announced || precise || half || vague || (at && ends_here(*cursor)) || sees_part(*cursor);
    sure.then_some(said)
}

/// Returns whether a unit other than of time follows.
fn is_measured(cursor: Cursor<'_>) -> bool {
    let percent = |term| matches!(term, Term::Percent | Term::PerMille | Term::Degree);
    // The g of "lúc 8g" stands for the hour.
    !cursor.sees(Term::HourSign) && (cursor.sees_any(percent) || sees_unit(cursor))
}

/// Returns whether a word before says that an hour follows: a las, lúc.
fn announced(cursor: Cursor<'_>) -> bool {
    cursor.follows(|term| term == Term::AtHour).is_some()
}

/// Returns whether nothing that is counted follows: "at 3 stations" is no time.
pub(super) fn ends_here(cursor: Cursor<'_>) -> bool {
    match cursor.shape() {
        None => true,
        Some(Shape::Symbol) => !is_before_decimal(cursor) && !sees_counted(cursor),
        Some(Shape::Digits) => false,
        // "At 2 A" measures; "at 2 I …" goes on.
        Some(Shape::Word) if is_symbol_of_unit(cursor) => false,
        Some(Shape::Word | Shape::Han) => {
            // "At a top restaurant" tells no time either.
            let says =
                |term| !matches!(term, Term::Border(_) | Term::Corner(..) | Term::CornerWord);
            cursor.sees_any(says) && !sees_counted(cursor)
        }
    }
}

/// Returns whether a lone capital follows, as units have it.
fn is_symbol_of_unit(cursor: Cursor<'_>) -> bool {
    let is_capital = cursor.is_upper_case() && cursor.typed().chars().count() == 1;
    // If all of the text is in capitals, a capital says nothing.
    let tells = || cursor.sentence.text.original().contains(char::is_lowercase);
    is_capital && cursor.typed() != "I" && tells()
}

/// The 10 of "10 - 10.1" is a number as its neighbour is one.
fn is_before_decimal(mut cursor: Cursor<'_>) -> bool {
    cursor.symbol("-–~").is_some()
        && cursor.digits().is_some()
        && cursor.glued_symbol(".").is_some()
        && cursor.glued_digits().is_some()
}

/// Returns whether a part of a day follows, or one of the day behind a small word: 3 in the
/// afternoon. "3 afternoon classes" are three.
fn sees_part(mut cursor: Cursor<'_>) -> bool {
    let senses = cursor.sentence.senses(cursor.at).iter();
    let mut parts = senses.filter(|sense| matches!(sense.term, Term::Part(_) | Term::DayPart(..)));
    // "de la mañana" is one phrase.
    if parts.any(|sense| sense.end > cursor.at + 1 || matches!(sense.term, Term::DayPart(..))) {
        return true;
    }
    for step in 0..2 {
        // The noon of "de neuf heures à midi" is the end of a range.
        let until = step > 0
            && cursor.may_mean(0, Term::Clock(0))
            && cursor.follows(|term| term == Term::To).is_some();
        if until {
            return false;
        }
        if step > 0 && cursor.sees_any(|term| matches!(term, Term::Part(_) | Term::DayPart(..))) {
            return true;
        }
        let small = |term| matches!(term, Term::In | Term::The | Term::Of | Term::At).then_some(());
        if cursor.attempt(|cursor| cursor.take(small)).is_none() {
            return false;
        }
    }
    cursor.sees_any(|term| matches!(term, Term::Part(_) | Term::DayPart(..)))
}

/// Reads am, pm; a letter only right behind the digits.
fn meridiem(cursor: &mut Cursor<'_>) -> Option<Part> {
    let glued = cursor.is_glued();
    let mut ahead = *cursor;
    let part = ahead.take(|term| match term {
        Term::Meridiem(part) => Some(part),
        Term::GluedMeridiem(part) if glued => Some(part),
        _ => None,
    })?;
    *cursor = ahead;
    Some(part)
}

/// Returns whether am or pm follows; a letter for it counts only where a time is told anyway: room
/// 3a.
fn sees_meridiem(cursor: Cursor<'_>, is_told: bool) -> bool {
    let glued = cursor.is_glued() && is_told;
    cursor.sees_any(|term| match term {
        Term::Meridiem(_) => true,
        Term::GluedMeridiem(_) => glued,
        _ => false,
    })
}

fn part(cursor: &mut Cursor<'_>) -> Option<Part> {
    cursor.take(|term| match term {
        Term::Part(part) | Term::ShortPart(part) | Term::Meridiem(part) => Some(part),
        _ => None,
    })
}

/// The chiều of "chiều thứ hai".
pub(super) fn short_part(cursor: &mut Cursor<'_>) -> Option<When> {
    let part = cursor.take(|term| match term {
        Term::ShortPart(part) => Some(part),
        _ => None,
    })?;
    Some(When { part: Some(part), ..When::new(rule(cursor.tongue, "range.part")) })
}

/// The pm of "today pm".
pub(super) fn half_of_day(cursor: &mut Cursor<'_>) -> Option<When> {
    let said = !cursor.is_glued() && cursor.may_mean(0, Term::Meridiem(Part::Morning));
    said.then_some(())?;
    let part = meridiem(cursor).filter(|_| ends_here(*cursor))?;
    Some(When { part: Some(part), ..When::new(rule(cursor.tongue, "range.part")) })
}

/// morning, in the afternoon, 下午
pub(super) fn part_of_day(cursor: &mut Cursor<'_>) -> Option<When> {
    if cursor.is_within(|term| term == Term::Greeting) {
        return None;
    }
    let part = cursor.take(|term| match term {
        Term::Part(part) => Some(part),
        _ => None,
    })?;
    Some(When { part: Some(part), ..When::new(rule(cursor.tongue, "range.part")) })
}

/// The T between the day and the time of 2025-11-06T14:30.
pub(super) fn iso_mark(cursor: &mut Cursor<'_>) -> Option<()> {
    let marked = cursor.is_glued() && cursor.sentence.tokens.text(cursor.at) == "t";
    cursor.at += 1;
    (marked && cursor.is_glued() && cursor.shape() == Some(Shape::Digits)).then_some(())
}
