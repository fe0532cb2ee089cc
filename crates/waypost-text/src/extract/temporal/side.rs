//! Ranges with one end: since Monday, before Friday, after 5pm, 11月1日起, 週五之前.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::{Rule, rule};
use crate::extract::grammar::term::{Edge, Order, Side, Term, Unit};
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::{Fault, Moment, Reading};

use super::compose::when;
use super::duration::length;
use super::found::{found, moment, zone};
use super::lasting::lasting;
use super::named::{at_distance, from_other};
use super::settle::{now, settle};
use super::stretch::Stretch;
use super::when::When;

/// Finds a range that is open on one side, or ends now.
pub(in crate::extract) fn side(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    if cursor.may_mean(0, Term::Bound(Side::MORE_THAN)) {
        let found = cursor.attempt(more_than);
        if found.is_some() {
            return found;
        }
    }
    cursor.first_of(&[lasting, since, after_length, before_it, on_day, behind_it])
}

/// since Monday, desde el 1 de noviembre, 自11月1日起, 上週一以來: through today.
fn since(cursor: &mut Cursor<'_>) -> Option<Found> {
    let since = cursor.attempt(|cursor| cursor.eat(Term::Since)).is_some();
    if !since {
        cursor.attempt(|cursor| cursor.eat(Term::From));
    }
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let when = start(cursor)?;
    let onward = cursor.attempt(onward).is_some();
    if !since && !onward {
        return None;
    }
    let when = if onward { with_day_behind(cursor, when) } else { when };
    let rule = rule(cursor.tongue, "range.since");
    let fault = |fault| Found::new(Kind::Range, Reading::Fault(fault), rule);
    let all = match settle(&when, cursor) {
        Ok(all) => all,
        Err(wrong) => return Some(fault(wrong)),
    };
    let zone = zone(&when, cursor);
    let closed = all.iter().filter_map(|one| {
        let (start, end) = until_now(one, cursor)?;
        Some(Reading::Range(moment(one, start, &zone)?, moment(one, end, &zone)?))
    });
    let open = all
        .iter()
        .filter_map(|one| Some(Reading::Range(moment(one, one.start, &zone)?, Moment::Open)));
    let mut readings = closed.chain(open);
    let first = readings.next()?;
    let others: Vec<Reading> = readings.collect();
    Some(Found::new(Kind::Range, first, rule).or(others))
}

/// Reads "onward"; in "2018 o después de 2020" another range begins.
fn onward(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.eat(Term::Onward)?;
    // The 的 of 開始的 begins nothing: it is written to the word.
    (cursor.is_glued() || !cursor.sees(Term::Of)).then_some(())
}

/// A time, or a year: "since 2024".
fn start(cursor: &mut Cursor<'_>) -> Option<When> {
    if let Some(found) = cursor.attempt(when) {
        return Some(found);
    }
    let year = super::dates::calendar_year(cursor)?;
    let fits = cursor.is_closed("-/.,:") && !super::dates::counts_something(*cursor);
    fits.then(|| When { year: Some(year), ..When::new("range.year") })
}

/// From a start through today, or up to now.
fn until_now(
    start: &Stretch,
    cursor: &Cursor<'_>,
) -> Option<(jiff::civil::DateTime, jiff::civil::DateTime)> {
    let now = now(cursor);
    let end = if start.is_whole_days() { Stretch::day(now.date())?.end } else { now };
    (start.start < end).then_some((start.start, end))
}

/// before Friday, until 5pm, after next week
fn before_it(cursor: &mut Cursor<'_>) -> Option<Found> {
    let first = *cursor;
    let side = cursor.take(|term| match term {
        Term::Order(side) => Some(side),
        _ => None,
    })?;
    // "Après demain" is a day, though "après" is "after".
    let mut senses = first.sentence.senses(first.at).iter();
    if senses.any(|sense| matches!(sense.term, Term::Day(_)) && sense.end > cursor.at) {
        return None;
    }
    cursor.attempt(|cursor| cursor.eat(Term::On));
    cursor.attempt(|cursor| cursor.eat(Term::About));
    // "before the end of March" goes as far as March itself.
    let end = cursor.attempt(|cursor| {
        let (edge, end) = super::edge::point(cursor)?;
        (side != Order::Until && edge != Edge::Middle).then_some(end)
    });
    let when = match end {
        Some(end) => end,
        None => {
            cursor.attempt(|cursor| cursor.eat(Term::The));
            start(cursor)?
        }
    };
    open(cursor, &when, side, rule(cursor.tongue, "range.open"))
}

/// after 5 days: from then on, or then
fn after_length(cursor: &mut Cursor<'_>) -> Option<Found> {
    cursor.eat(Term::Order(Order::After))?;
    let length = length(cursor)?;
    let rule = rule(cursor.tongue, "range.open");
    let when = at_distance(cursor, 1, &length)?;
    let zone = zone(&when, cursor);
    let one = settle(&when, cursor).ok()?.into_iter().next()?;
    let start = moment(&one, one.start, &zone)?;
    let then = found(&when, cursor).reading;
    Some(Found::new(Kind::Range, Reading::Range(start, Moment::Open), rule).or([then]))
}

/// more than 2 weeks ago, más de 3 días después del lunes: before or after the day so far away
fn more_than(cursor: &mut Cursor<'_>) -> Option<Found> {
    cursor.take(|term| matches!(term, Term::Bound(Side::Above { .. })).then_some(()))?;
    let start = cursor.at;
    let when = cursor.first_of(&[from_other, when])?;
    (when.rule.name() == "date.distance").then_some(())?;
    let back = |at: usize| {
        let mut senses = cursor.sentence.senses(at).iter();
        senses.any(|sense| matches!(sense.term, Term::Ago | Term::Order(Order::Before)))
    };
    let side = if (start..cursor.at).any(back) { Order::Before } else { Order::After };
    open(cursor, &when, side, rule(cursor.tongue, "range.open"))
}

/// today before 4pm, el martes después de las dos
fn on_day(cursor: &mut Cursor<'_>) -> Option<Found> {
    let day = when(cursor).filter(|day| day.names_day() && !day.has_time())?;
    cursor.attempt(|cursor| cursor.symbol(","));
    let side = cursor.take(|term| match term {
        Term::Order(side) => Some(side),
        Term::Since => Some(Order::After),
        _ => None,
    })?;
    cursor.attempt(|cursor| cursor.eat(Term::About));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let time = when(cursor).filter(|time| time.clock.is_some() && !time.has_date())?;
    open(cursor, &day.merge(&time)?, side, rule(cursor.tongue, "range.open"))
}

/// 週五之前, 三點以後
fn behind_it(cursor: &mut Cursor<'_>) -> Option<Found> {
    cursor.attempt(|cursor| cursor.eat(Term::From));
    let when = start(cursor)?;
    // 五日前 is a distance, and 明天前往 no time before tomorrow.
    if when.is_bare_day() || cursor.sees(Term::NoTime) {
        return None;
    }
    let side = cursor.take(|term| match term {
        Term::OrderBehind(side) => Some(side),
        _ => None,
    })?;
    // "in 2018 or before 2000" are two.
    (cursor.shape() != Some(Shape::Digits)).then_some(())?;
    let when = with_day_behind(cursor, when);
    open(cursor, &when, side, rule(cursor.tongue, "range.open"))
}

/// "3 pm or later on Monday": the day of a time stands behind the word for the side.
fn with_day_behind(cursor: &mut Cursor<'_>, time: When) -> When {
    let day = cursor.attempt(|cursor| {
        (!time.has_date()).then_some(())?;
        cursor.eat(Term::On)?;
        let day = when(cursor).filter(|day| day.names_day() && !day.has_time())?;
        day.merge(&time)
    });
    day.unwrap_or(time)
}

fn open(cursor: &Cursor<'_>, when: &When, side: Order, rule: Rule) -> Option<Found> {
    let zone = zone(when, cursor);
    let all = match settle(when, cursor) {
        Ok(all) => all,
        Err(wrong) => return Some(Found::new(Kind::Range, Reading::Fault(wrong), rule)),
    };
    // Some leave out what they last named: "until 2010" may end before it.
    let strict = all.iter().filter_map(|one| {
        let named = side == Order::Until && !one.is_instant();
        Some(Reading::Range(Moment::Open, moment(one, named.then_some(one.start)?, &zone)?))
    });
    let likely = all.iter().filter_map(|one| {
        let end = |at| moment(one, at, &zone);
        let instant = one.is_instant();
        Some(match side {
            Order::Before => Reading::Range(Moment::Open, end(one.start)?),
            Order::Until if instant => Reading::Range(Moment::Open, end(one.start)?),
            Order::Until => Reading::Range(Moment::Open, end(one.end)?),
            Order::After if instant => Reading::Range(end(one.start)?, Moment::Open),
            Order::After => Reading::Range(end(one.end)?, Moment::Open),
            Order::Since => Reading::Range(end(one.start)?, Moment::Open),
        })
    });
    // "by Friday" begins now, and "after 2014" may begin with it.
    let here = now(cursor);
    let begun = all.iter().filter_map(|one| {
        let all = Stretch { start: here, end: one.end, grain: Unit::Second };
        let end = if one.is_instant() { one.start } else { one.end };
        match side {
            Order::Until if here < end => {
                Some(Reading::Range(moment(&all, here, &zone)?, moment(&all, end, &zone)?))
            }
            Order::After => Some(Reading::Range(moment(one, one.start, &zone)?, Moment::Open)),
            Order::Before | Order::Until | Order::Since => None,
        }
    });
    let mut readings = likely.chain(strict).chain(begun);
    let first = readings.next().unwrap_or(Reading::Fault(Fault::NoSuchDate));
    let others: Vec<Reading> = readings.collect();
    Some(Found::new(Kind::Range, first, rule).or(others))
}
