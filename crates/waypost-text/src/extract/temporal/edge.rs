//! Pieces of periods and of days: early March, the end of the month, later this week, 月底, a
//! mediados de 2013, late in the afternoon, the end of the day.

use jiff::civil::{Date, Time};

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Edge, Part, Term, Unit};

use super::calendars::gregorian::{self, days_after};
use super::dates::{self, calendar_year};
use super::named;
use super::period::{decade, season, this_unit, whole};
use super::settle::settle;
use super::stretch::Stretch;
use super::when::When;

/// early March, the end of the month, 月底, a mediados de 2013
pub(super) fn edge(cursor: &mut Cursor<'_>) -> Option<When> {
    let (edge, whole) = cursor.first_of(&[abbreviated, edge_before, edge_behind])?;
    let rule = rule(cursor.tongue, "range.edge");
    let all = settle(&whole, cursor).ok()?;
    let today = cursor.today();
    let thirds = all.iter().filter_map(|one| third(one, edge, today));
    let halves = all.iter().filter_map(|one| half(one, edge, today));
    let within: Vec<Stretch> = thirds.chain(halves).collect();
    (!within.is_empty()).then(|| When::any_of(within, rule))
}

/// The moment where a period begins or ends, or its middle: the end of March.
pub(super) fn point(cursor: &mut Cursor<'_>) -> Option<(Edge, When)> {
    let (edge, whole) = cursor.first_of(&[abbreviated, edge_before])?;
    let rule = rule(cursor.tongue, "range.edge");
    let all = settle(&whole, cursor).ok()?;
    let at = |one: &Stretch| {
        let (start, end) = (one.start.date(), one.end.date());
        let date = match edge {
            Edge::Early => start,
            Edge::Middle => days_after(start, (end - start).get_days() / 2)?,
            Edge::Late => end,
            Edge::Earlier | Edge::Rest => return None,
        };
        let date = date.to_datetime(Time::midnight());
        Some(Stretch { start: date, end: date, ..*one })
    };
    let within: Vec<Stretch> = all.iter().filter_map(at).collect();
    (!within.is_empty()).then(|| (edge, When::any_of(within, rule)))
}

/// the end of the day, end of tomorrow, eod: its last second
pub(super) fn day_end(cursor: &mut Cursor<'_>) -> Option<When> {
    let day = cursor.first_of(&[abbreviated_day, spelled_day])?;
    let rule = rule(cursor.tongue, "datetime");
    let last = |day: Stretch| Stretch::instant(day.start.date().at(23, 59, 59, 0), Unit::Second);
    let within: Vec<Stretch> = settle(&day, cursor).ok()?.into_iter().filter_map(last).collect();
    (!within.is_empty()).then(|| When::any_of(within, rule))
}

fn spelled_day(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.eat(Term::Edge(Edge::Late))?;
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    cursor.first_of(&[named::named, named::weekday, this_day])
}

fn this_day(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.eat(Term::Unit(Unit::Day))?;
    Some(When::known(Stretch::day(cursor.today())?, rule(cursor.tongue, "date.relative")))
}

fn abbreviated_day(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.eat(Term::EdgeOf(Edge::Late, Unit::Day))?;
    Some(When::known(Stretch::day(cursor.today())?, rule(cursor.tongue, "date.relative")))
}

/// late this morning, early in the afternoon
pub(super) fn of_part(cursor: &mut Cursor<'_>) -> Option<When> {
    let edge = word(cursor)?;
    let when = cursor.first_of(&[part, part_behind_words])?;
    let early = matches!(edge, Edge::Early | Edge::Earlier);
    let part = match when.part? {
        Part::Morning if early => Part::EarlyMorning,
        Part::Morning => Part::LateMorning,
        Part::Afternoon if early => Part::EarlyAfternoon,
        Part::Afternoon => Part::LateAfternoon,
        Part::Night if !early => Part::LateNight,
        part => part,
    };
    (edge != Edge::Middle).then_some(When { part: Some(part), ..when })
}

fn part(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.first_of(&[named::day_part, super::clock::part_of_day])
}

/// A part of the day behind a weekday or hours, maybe with words between.
pub(super) fn part_behind(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.first_of(&[part, part_behind_words])
}

fn part_behind_words(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.attempt(|cursor| cursor.take(|term| matches!(term, Term::Of | Term::In).then_some(())));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    part(cursor)
}

/// temprano el miércoles, later today, a mediados de hoy
pub(super) fn of_day(cursor: &mut Cursor<'_>) -> Option<When> {
    let hours = match word(cursor)? {
        Edge::Early | Edge::Earlier => (0, 12),
        Edge::Middle => (10, 14),
        Edge::Rest => (12, 24),
        Edge::Late => return None,
    };
    cursor.attempt(|cursor| {
        cursor.take(|term| matches!(term, Term::Of | Term::In | Term::On).then_some(()))
    });
    cursor.attempt(|cursor| {
        cursor.take(|term| matches!(term, Term::The | Term::DayWord).then_some(()))
    });
    let day = cursor.first_of(&[named::named, named::weekday, dates::day_month])?;
    let rule = rule(cursor.tongue, "range.edge");
    let all = settle(&day, cursor).ok()?;
    let within = all.iter().filter_map(|day| Stretch::hours(day.start.date(), hours)).collect();
    Some(When::any_of(within, rule))
}

/// eoy
fn abbreviated(cursor: &mut Cursor<'_>) -> Option<(Edge, When)> {
    let (edge, unit) = cursor.take(|term| match term {
        Term::EdgeOf(edge, unit) if unit > Unit::Day => Some((edge, unit)),
        _ => None,
    })?;
    let (start, end) = gregorian::period(cursor.today(), 0, unit)?;
    let rule = rule(cursor.tongue, "range.period");
    Some((edge, When::known(Stretch::days(start, end, unit)?, rule)))
}

fn edge_before(cursor: &mut Cursor<'_>) -> Option<(Edge, When)> {
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let edge = word(cursor)?;
    cursor.attempt(|cursor| cursor.symbol("-"));
    cursor.attempt(|cursor| cursor.take(|term| matches!(term, Term::Of | Term::In).then_some(())));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    Some((edge, named_period(cursor)?))
}

fn edge_behind(cursor: &mut Cursor<'_>) -> Option<(Edge, When)> {
    let whole = named_period(cursor)?;
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    // "next week, later in the afternoon" is no later part of the week.
    let edge = word(cursor).filter(|edge| !matches!(edge, Edge::Earlier | Edge::Rest))?;
    Some((edge, whole))
}

fn word(cursor: &mut Cursor<'_>) -> Option<Edge> {
    // "fin de semana" is a weekend.
    if cursor.sees(Term::Weekend) {
        return None;
    }
    cursor.take(|term| match term {
        Term::Edge(edge) => Some(edge),
        _ => None,
    })
}

/// A month, a week, a year or a decade; "the month" is this one.
fn named_period(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.first_of(&[
        dates::marked,
        dates::month_of,
        any_year,
        season,
        whole,
        decade,
        this_unit,
        month_name,
    ])
}

fn month_name(cursor: &mut Cursor<'_>) -> Option<When> {
    let month = dates::month(cursor)?;
    Some(When { month: Some(month), ..When::new(rule(cursor.tongue, "range.month")) })
}

fn any_year(cursor: &mut Cursor<'_>) -> Option<When> {
    let year = calendar_year(cursor)?;
    cursor.attempt(|cursor| cursor.eat(Term::YearMark));
    Some(When { year: Some(year), ..When::new(rule(cursor.tongue, "range.year")) })
}

/// A third of a month, a half of a week, a third of a year.
fn third(whole: &Stretch, edge: Edge, today: Date) -> Option<Stretch> {
    let (start, end) = (whole.start.date(), whole.end.date());
    let months = |count| gregorian::shift(start, f64::from(count), Unit::Month);
    let days = |count| days_after(start, count);
    let (first, second) = match whole.grain {
        Unit::Week => (days(2)?, days(4)?),
        Unit::Month => (days(10)?, days(20)?),
        Unit::Quarter => (months(1)?, months(2)?),
        Unit::Year => (months(4)?, months(8)?),
        Unit::Decade => (months(36)?, months(72)?),
        _ => return None,
    };
    let (start, end) = match edge {
        Edge::Early => (start, first),
        Edge::Middle => (first, second),
        Edge::Late => (second, end),
        // The part that is gone and the part that is left, as far as today is in it.
        Edge::Earlier => (start, today.min(end)),
        Edge::Rest => (today.max(start), end),
    };
    Stretch::days(start, end, whole.grain)
}

/// The first or the second half, as far as it is gone or left.
fn half(whole: &Stretch, edge: Edge, today: Date) -> Option<Stretch> {
    let (start, end) = (whole.start.date(), whole.end.date());
    let middle = match whole.grain {
        Unit::Week => days_after(start, 3),
        Unit::Month => days_after(start, 15),
        Unit::Quarter => days_after(start, 45),
        Unit::Year => gregorian::shift(start, 6.0, Unit::Month),
        Unit::Decade => gregorian::shift(start, 5.0, Unit::Year),
        _ => None,
    }?;
    let inside = (start..end).contains(&today);
    let (start, end) = match edge {
        Edge::Early => (start, middle),
        Edge::Late => (middle, end),
        Edge::Earlier if inside => (start, middle.min(today)),
        Edge::Rest if inside => (middle.max(today), end),
        Edge::Earlier => (start, middle),
        Edge::Rest => (middle, end),
        Edge::Middle => return None,
    };
    Stretch::days(start, end, whole.grain)
}
