//! Halves of a period that are named in one word: 上半年, 去年下半年, 下半週.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Term, Unit};

use super::calendars::gregorian::{days_after, period, shift};
use super::settle::settle;
use super::stretch::Stretch;
use super::when::When;

/// Reads a half of the period that it is now.
pub(super) fn half(cursor: &mut Cursor<'_>) -> Option<When> {
    let (_, unit) = word(&mut cursor.clone())?;
    let (start, end) = period(cursor.today(), 0, unit)?;
    let now = When::known(Stretch::days(start, end, unit)?, "range.period");
    half_of(cursor, &now)
}

/// Reads a half of the period before it.
pub(super) fn half_of(cursor: &mut Cursor<'_>, period: &When) -> Option<When> {
    let (place, unit) = word(cursor)?;
    let rule = rule(cursor.tongue, "range.half");
    let all = settle(period, cursor).ok()?;
    let fits = all.iter().filter(|one| one.grain == unit);
    let halves: Vec<Stretch> = fits.filter_map(|one| cut(one, place)).collect();
    (!halves.is_empty()).then(|| When::any_of(halves, rule))
}

fn word(cursor: &mut Cursor<'_>) -> Option<(i8, Unit)> {
    cursor.take(|term| match term {
        Term::HalfOf(place, unit) => Some((place, unit)),
        _ => None,
    })
}

/// The second half of a week begins on Thursday, that of a month on the 16th.
pub(super) fn cut(whole: &Stretch, place: i8) -> Option<Stretch> {
    let (start, end) = (whole.start.date(), whole.end.date());
    let middle = match whole.grain {
        Unit::Week => days_after(start, 3)?,
        Unit::Month => days_after(start, 15)?,
        Unit::Year => shift(start, 6.0, Unit::Month)?,
        Unit::Decade => shift(start, 5.0, Unit::Year)?,
        _ => return None,
    };
    let (start, end) = if place == 1 { (start, middle) } else { (middle, end) };
    Stretch::days(start, end, whole.grain)
}
