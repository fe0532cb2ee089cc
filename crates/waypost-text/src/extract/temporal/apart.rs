//! Tells two times that a comma keeps apart from one that is said in two steps: "25 April, next week" is two,
//! "Monday, next week" is one. So does the は of Japanese.

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::{Term, Unit};
use crate::extract::grammar::token::Shape;

use super::memo::Read;
use super::settle::settle;
use super::when::When;
use super::{clock, compose};

/// Returns whether `read`, which begins at `start`, is a time of its own beside `when`, though `both` can be said together.
pub(super) fn are_apart(start: Cursor<'_>, when: &When, read: &Read, both: &When) -> bool {
    says_again(start, when, read)
        || is_count(start, read)
        || has_longer(start, read)
        || is_loose(start, when, read, both)
        || is_impossible(start, when, read, both)
}

/// Returns whether a month follows a month, or a weekday a weekday, though the word could be a number too: the quarta of
/// "segunda, quarta", which is no fourth.
fn says_again(start: Cursor<'_>, when: &When, read: &Read) -> bool {
    read.when.within.is_empty()
        && start.sees_any(|term| match term {
            Term::Month(_) | Term::ShortMonth(_) => when.month.is_some(),
            Term::Weekday(_) | Term::ShortWeekday(_) => when.weekday.is_some(),
            _ => false,
        })
}

/// Returns whether the number that was read as a day counts something: "Monday, 12 stations".
fn is_count(start: Cursor<'_>, read: &Read) -> bool {
    let mut end = start;
    read.pass(&mut end);
    let digits = end.back().is_some_and(|last| last.shape() == Some(Shape::Digits));
    digits && read.when.is_bare_day() && !clock::ends_here(end)
}

/// Returns whether the words go on to a time that does not fit: the 這週六 of which 這週 would.
fn has_longer(start: Cursor<'_>, read: &Read) -> bool {
    compose::pieces(&start).iter().any(|other| other.end > read.end)
}

/// Returns whether neither narrows the other down to what anyone means: the first Sunday of a summer, the 5th of a year,
/// the today of this week.
fn is_loose(start: Cursor<'_>, when: &When, read: &Read, both: &When) -> bool {
    let other = &read.when;
    let grain = |when: &When| when.within.first().map(|one| one.grain);
    if let (Some(one), Some(two)) = (grain(when), grain(other)) {
        return one.max(two) < Unit::Year;
    }
    let is_long = grain(both).is_some_and(|grain| grain > Unit::Week);
    let weekday = both.weekday.is_some() && both.day.is_none();
    let number = both.day.is_some() && both.weekday.or(both.month).is_none();
    let loose = weekday && (is_long || both.month.or(both.year.map(|_| 0)).is_some())
        || number && both.year.is_some();
    // "thứ ba, tháng 11 ngày 4" goes on to the day.
    loose && {
        let mut end = start;
        read.pass(&mut end);
        compose::merged(&mut end, both).is_none_or(|(_, more)| more.day.is_none())
    }
}

/// Returns whether there is each, but no time that is both: 25 April in a week of November.
fn is_impossible(start: Cursor<'_>, when: &When, read: &Read, both: &When) -> bool {
    let is_there = |when: &When| settle(when, &start).is_ok();
    !is_there(both) && is_there(when) && is_there(&read.when)
}
