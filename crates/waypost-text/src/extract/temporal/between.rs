//! Ranges by their ends: from A to B, A~B, between A and B. The last day named belongs to it.

use jiff::civil::Date;

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::{Rule, rule};
use crate::extract::grammar::term::{Term, Unit};
use crate::extract::kind::Kind;
use crate::extract::value::{Fault, Reading};
use crate::extract::values::number;

use super::clock;
use super::compose::when;
use super::dates::{self, calendar_year};
use super::found::{moment, zone};
use super::hours::{self, Hours, Shown};
use super::marks;
use super::placed;
use super::settle::{first_after, settle};
use super::stretch::Stretch;
use super::when::{Clock, When};

/// Ends without years are not half a year apart, in days: more is taken for a slip.
const LONGEST_WITHOUT_YEARS: i32 = 200;

/// An end: a time, or what the other end explains.
#[derive(Debug, Clone)]
enum End {
    When(Box<When>),
    Number(i16),
    /// mar: a month beside another.
    Month(i8),
    /// 14h, neuf heures, 14.30: an hour if something else says that hours are meant, and otherwise a length or a
    /// number.
    Hours(Box<Hours>),
    /// 3rd: a day if the other end is such a place too, and otherwise as a number.
    Place(i8),
}

/// Finds a range by its ends.
pub(in crate::extract) fn between(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() {
        return None;
    }
    let start = *cursor;
    let (first, last) = cursor.first_of(&[hours_of_day, ends])?;
    let rule = rule(cursor.tongue, "range.between");
    let found = bounds(cursor, &first, &last, rule)?;
    if !is_edge(&first) && !is_edge(&last) {
        return Some(found);
    }
    // "from the end of March" may begin where March ends.
    let points = sharp_ends(&mut start.clone()).and_then(|(first, last)| {
        let found = bounds(cursor, &first, &last, rule)?;
        Some(std::iter::once(found.reading).chain(found.alternatives))
    });
    Some(found.or(points.into_iter().flatten()))
}

type Ends = (When, When);

fn ends(cursor: &mut Cursor<'_>) -> Option<Ends> {
    read_ends(cursor, end)
}

/// Both ends, where the end of March is a moment.
fn sharp_ends(cursor: &mut Cursor<'_>) -> Option<Ends> {
    read_ends(cursor, |cursor, announced| {
        cursor
            .attempt(super::edge::point)
            .map(|(_, when)| End::When(Box::new(when)))
            .or_else(|| end(cursor, announced))
    })
}

fn is_edge(end: &When) -> bool {
    end.rule.name() == "range.edge"
}

fn read_ends(
    cursor: &mut Cursor<'_>,
    end: fn(&mut Cursor<'_>, bool) -> Option<End>,
) -> Option<Ends> {
    let opening = cursor.attempt(opening);
    cursor.attempt(article);
    let begin = *cursor;
    let first = end(cursor, opening.is_some())?;
    let behind = cursor.at;
    let between = opening == Some(Term::Between);
    // 三月和九月之間: the word that makes it a range comes last.
    let separated = cursor.attempt(|cursor| separator(cursor, between)).is_some();
    if !separated {
        cursor.eat(Term::And)?;
    }
    cursor.attempt(article);
    let day_first = cursor.attempt(|cursor| clock::clock(&mut cursor.clone())).is_none();
    let last = end(cursor, true).map(|last| with_year(cursor, last))?;
    // "de tres y media a seis kilos" are amounts.
    let counts = matches!(last, End::Number(_)) && crate::extract::values::unit::sees_unit(*cursor);
    (!counts).then_some(())?;
    let first = hour_or_month(first, &last, begin, behind);
    let closed = cursor.attempt(|cursor| cursor.eat(Term::BetweenAfter)).is_some();
    (separated || closed).then_some(())?;
    if let (End::Place(first), End::Place(last)) = (&first, &last) {
        let alone = opening.is_some() && placed::stands_alone(*cursor);
        return alone.then(|| (placed::day_of(*first, cursor), placed::day_of(*last, cursor)));
    }
    let (first, last) = (as_number(first), as_number(last));
    let first = if day_first { today_before(first, &last, cursor.today()) } else { first };
    let day =
        if may_be_hours(&first) && may_be_hours(&last) { cursor.attempt(day_behind) } else { None };
    match day {
        Some(day) => on_day(hour(first)?, hour(last)?, &day),
        None => share(first, last, opening),
    }
}

/// Takes a short month for the number that it is as well beside an hour: the ten of "das dez às onze horas".
fn hour_or_month(first: End, last: &End, mut begin: Cursor<'_>, behind: usize) -> End {
    let is_month = match &first {
        End::When(when) => when.month.is_some() && when.day.is_none() && when.year.is_none(),
        End::Month(_) => true,
        _ => false,
    };
    let is_hour = matches!(last, End::When(last) if last.clock.is_some() && !last.has_date());
    if !(is_month && is_hour) {
        return first;
    }
    let number = bare(&mut begin).filter(|_| begin.at == behind);
    number.map_or(first, End::Number)
}

/// Takes a place for the number that it is.
fn as_number(end: End) -> End {
    match end {
        End::Place(place) => End::Number(i16::from(place)),
        other => other,
    }
}

/// Reads an article; the "hari" of "hari ini" is part of the name of a day.
fn article(cursor: &mut Cursor<'_>) -> Option<()> {
    let mut senses = cursor.sentence.senses(cursor.at).iter();
    let names_day = senses.any(|sense| {
        matches!(sense.term, Term::Day(_) | Term::DayPart(..)) && sense.end > cursor.at + 1
    });
    (!names_day).then_some(())?;
    cursor.eat(Term::The)
}

/// Puts the 2 pm of "2 pm to tomorrow 3 pm" on today: the other end has a day of its own.
fn today_before(first: End, last: &End, today: Date) -> End {
    let (End::When(from), End::When(to)) = (&first, last) else { return first };
    let later = to.within.first().is_some_and(|day| day.is_day() && day.start.date() > today);
    let loose = from.clock.is_some() && !from.has_date() && to.clock.is_some() && later;
    match Stretch::day(today) {
        Some(day) if loose => {
            End::When(Box::new(When { within: vec![day], ..from.as_ref().clone() }))
        }
        _ => first,
    }
}

/// today from 7 to 8, Monday morning 6-8: the day is said once, before the hours.
fn hours_of_day(cursor: &mut Cursor<'_>) -> Option<Ends> {
    let day = when(cursor).filter(|day| is_day(day) || is_part(day))?;
    cursor.attempt(|cursor| cursor.symbol(","));
    let opening = cursor.attempt(opening);
    cursor.attempt(article);
    let first = hours_end(cursor)?;
    separator(cursor, opening == Some(Term::Between))?;
    cursor.attempt(article);
    let last = hours_end(cursor)?;
    are_hours(&first, &last, opening.is_some()).then_some(())?;
    // Monday 6-8 in the morning
    let day = match cursor.attempt(super::edge::part_behind) {
        Some(part) if day.part.is_none() => When { part: part.part, ..day },
        Some(_) => return None,
        None => day,
    };
    (!sees_month(*cursor)).then_some(())?;
    // 早上五到六點; but two numbers behind a part of the day may count anything.
    let told = is_day(&day) || matches!(&last, End::When(last) if last.clock.is_some());
    told.then_some(())?;
    (!crate::extract::values::unit::sees_unit(*cursor)).then_some(())?;
    on_day(hour(first)?, hour(last)?, &day)
}

fn hours_end(cursor: &mut Cursor<'_>) -> Option<End> {
    cursor.attempt(|cursor| cursor.eat(Term::About));
    if let Some(clock) = cursor.first_of(&[clock::clock, clock::spoken]) {
        return Some(End::When(Box::new(clock)));
    }
    if let Some(hours) = cursor.attempt(hours) {
        return Some(hours);
    }
    bare(cursor).map(End::Number)
}

/// Reads what is an hour only beside another one or a day.
fn hours(cursor: &mut Cursor<'_>) -> Option<End> {
    hours::hours(cursor).map(|hours| End::Hours(Box::new(hours)))
}

/// Returns whether two ends behind a day are its hours: "heute von 2.50 auf 3.50" has prices, and "amanhã 2 horas a
/// 3 horas" lengths.
fn are_hours(first: &End, last: &End, announced: bool) -> bool {
    let (End::Hours(first), End::Hours(last)) = (first, last) else { return true };
    let has = |shown| first.shown == shown || last.shown == shown;
    !has(Shown::Point) && (announced || !has(Shown::Word))
}

/// Returns whether a month follows, so that what stands before it are days: Monday from 14 to 16 June.
pub(super) fn sees_month(mut cursor: Cursor<'_>) -> bool {
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    cursor.sees_any(|term| matches!(term, Term::Month(_) | Term::ShortMonth(_)))
}

/// The day behind the hours: from 3 to 5 on Monday.
fn day_behind(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.attempt(|cursor| cursor.symbol(","));
    cursor.attempt(|cursor| cursor.eat(Term::On));
    cursor.attempt(|cursor| cursor.eat(Term::The));
    when(cursor).filter(is_day)
}

fn is_day(when: &When) -> bool {
    when.names_day() && when.clock.is_none() && when.zone.is_none() && !when.is_instant()
}

fn is_part(when: &When) -> bool {
    when.part.is_some() && !when.has_date() && when.clock.is_none()
}

fn may_be_hours(end: &End) -> bool {
    match end {
        End::Number(hour) => (0..=24).contains(hour),
        End::When(when) => when.clock.is_some() && !when.has_date(),
        End::Hours(..) => true,
        End::Month(_) | End::Place(_) => false,
    }
}

fn hour(end: End) -> Option<When> {
    match end {
        End::When(when) => when.clock.is_some().then_some(*when),
        End::Hours(hours) => Some(hours.when),
        End::Number(number) => {
            let hour = i8::try_from(number).ok().filter(|hour| (0..=24).contains(hour))?;
            let clock = Clock::new(hour, 0, 0, Unit::Hour).ok();
            Some(When { clock, ..When::new("time") })
        }
        End::Month(_) | End::Place(_) => None,
    }
}

/// Two times of one day; a part of the day says which half both belong to.
fn on_day(mut first: When, mut last: When, day: &When) -> Option<Ends> {
    share_half(&mut first, &mut last);
    if let Some(part) = day.part {
        for end in [&mut first, &mut last] {
            end.clock = end.clock.and_then(|clock| clock.on_part(part).or(Some(clock)));
        }
    }
    let day = When { part: None, ..day.clone() };
    Some((day.merge(&first)?, day.merge(&last)?))
}

/// Gives a bare day the year behind it: the 2024 of "Nov 1-5, 2024".
fn with_year(cursor: &mut Cursor<'_>, end: End) -> End {
    let day = match end {
        End::Number(day @ 1..=31) => i8::try_from(day).ok(),
        End::Place(day) => Some(day),
        _ => return end,
    };
    match cursor.attempt(dates::year_after) {
        Some(year) => End::When(Box::new(When { day, year: Some(year), ..When::new("date.day") })),
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
    if to { Some(()) } else { cursor.symbol("-~–—−〜～").map(drop) }
}

/// Reads an end; a bare number only if something tells that a range is meant.
fn end(cursor: &mut Cursor<'_>, announced: bool) -> Option<End> {
    cursor.attempt(|cursor| cursor.eat(Term::About));
    if let Some(found) = cursor.attempt(when) {
        return Some(End::When(Box::new(found)));
    }
    let told = |cursor: &Cursor<'_>| announced || separator(&mut cursor.clone(), false).is_some();
    let spoken = cursor.attempt(|cursor| clock::spoken(cursor).filter(|_| told(cursor)));
    if let Some(found) = spoken {
        return Some(End::When(Box::new(found)));
    }
    if let Some(month) = cursor.attempt(|cursor| dates::month(cursor).filter(|_| told(cursor))) {
        return Some(End::Month(month));
    }
    if let Some(hours) = cursor.attempt(|cursor| hours(cursor).filter(|_| told(cursor))) {
        return Some(hours);
    }
    if let Some(place) = cursor.attempt(|cursor| placed::place(cursor).filter(|_| told(cursor))) {
        return Some(End::Place(place));
    }
    cursor.attempt(|cursor| bare(cursor).filter(|_| told(cursor))).map(End::Number)
}

/// 5, 5th, 2013
fn bare(cursor: &mut Cursor<'_>) -> Option<i16> {
    if let Some(year) = cursor.attempt(calendar_year) {
        return cursor.is_closed("/.,:").then_some(year);
    }
    let day = match cursor.attempt(dates::day_number) {
        Some(day) => day,
        None => number::count(cursor).filter(|number| (0.0..=31.0).contains(number))? as i8,
    };
    cursor.attempt(|cursor| cursor.eat(Term::DayMark));
    (cursor.is_closed("./:,") && !marks::numbers_thing(*cursor)).then_some(i16::from(day))
}

/// Gives each end what only the other says: the month, the year, the half of the day.
fn share(first: End, last: End, opening: Option<Term>) -> Option<(When, When)> {
    let (announced, between) = (opening.is_some(), opening == Some(Term::Between));
    let (first, last) = settled_hours(first, last, between)?;
    let (mut first, mut last) = match (first, last) {
        (End::When(first), End::When(last)) => (*first, *last),
        (End::Number(number), End::When(last)) => (like(number, &last)?, *last),
        (End::When(first), End::Number(number)) => {
            let last = like(number, &first)?;
            (*first, last)
        }
        (End::Number(first), End::Number(last)) => {
            let years = first > 1000 && last > 1000;
            (years && (announced || first < last)).then_some(())?;
            (year(first), year(last))
        }
        (End::Month(first), End::Month(last)) => (month(first), month(last)),
        (End::Month(first), End::When(last)) => {
            (last.month.is_some() && last.day.is_none()).then_some(())?;
            (month(first), *last)
        }
        (End::When(first), End::Month(last)) => {
            (first.month.is_some() && first.day.is_none()).then_some(())?;
            (*first, month(last))
        }
        (End::Number(_), End::Month(_)) | (End::Month(_), End::Number(_)) => return None,
        (End::Hours(..) | End::Place(_), _) | (_, End::Hours(..) | End::Place(_)) => return None,
    };
    share_now(&mut first, &mut last);
    share_now(&mut last, &mut first);
    if first.is_bare_day() && last.is_bare_day() && !announced {
        return None;
    }
    share_year(&mut first, &mut last);
    share_date(&mut first, &mut last);
    share_half(&mut first, &mut last);
    // "el lunes a las 3" is one instant, and "2013 to Monday" nothing.
    let mixed = first.has_time() != last.has_time() && !(first.has_date() && last.has_date());
    (!mixed).then_some((first, last))
}

/// Makes times of hours beside which the other end is a time: the 14h of "de 14h às 15h". Two such hours are times
/// if a length is hardly so long: "entre 14h e 16h", "entre huit heures et dix heures", but not "de 2h a 3h".
fn settled_hours(first: End, last: End, between: bool) -> Option<(End, End)> {
    /// Lengths of so many hours are rather said in days or with one unit.
    const LONG: i8 = 6;
    let hour = |when: &When| when.clock.map_or(0, |clock| clock.time.hour());
    let ends = |first: When, last: When| (End::When(Box::new(first)), End::When(Box::new(last)));
    match (first, last) {
        (End::Hours(first), End::When(last)) if last.clock.is_some() => {
            (!may_last_until(&first, hour(&last))).then(|| ends(first.when, *last))
        }
        (End::When(first), End::Hours(last)) if first.clock.is_some() => {
            Some(ends(*first, last.when))
        }
        (End::Hours(first), End::Hours(last)) => {
            let from = hour(&first.when);
            let is_time = match (first.shown, last.shown) {
                (Shown::Letter, Shown::Letter) => hour(&last.when) > 12,
                (Shown::Word, Shown::Word) => between && from >= LONG,
                (_, Shown::Noon) => first.shown != Shown::Point,
                _ => false,
            };
            is_time.then(|| ends(first.when, last.when))
        }
        (End::Hours(..), _) | (_, End::Hours(..)) => None,
        ends => Some(ends),
    }
}

/// Returns whether an hour is rather the length of something that begins at the other one: the 2 hours of
/// "réunion de 2 heures à 14h".
fn may_last_until(first: &Hours, start: i8) -> bool {
    const LONGEST_MEETING: i8 = 4;
    const LONGEST_RANGE: i8 = 6;
    let hours = first.when.clock.map_or(0, |clock| clock.time.hour());
    first.shown != Shown::Point
        && (1..=LONGEST_MEETING).contains(&hours)
        && start - hours > LONGEST_RANGE
}

fn year(year: i16) -> When {
    When { year: Some(year), ..When::new("range.year") }
}

fn month(month: i8) -> When {
    When { month: Some(month), ..When::new("range.month") }
}

/// Beside a time of day, "now" is an instant, and of today.
fn share_now(now: &mut When, other: &mut When) {
    if now.rule.name() != "date.now" || other.clock.is_none() || other.has_date() {
        return;
    }
    let (instants, days) = now.within.iter().partition(|one| one.is_instant());
    (now.within, other.within) = (instants, days);
}

/// A number that means what the other end is: an hour, a day, a year.
fn like(number: i16, other: &When) -> Option<When> {
    // The 22 of "22-23 Feb at 7pm" is a day, with the time of the other.
    if let (Some(day @ 1..=31), Some(last)) = (i8::try_from(number).ok(), other.day)
        && other.clock.is_some()
        && day < last
    {
        return Some(When { day: Some(day), clock: other.clock, ..When::new(other.rule) });
    }
    // The 4 of "4 al 22 de este mes"
    if let [one] = other.within.as_slice()
        && one.is_day()
        && other.rule.name() == "date.calendar"
    {
        let (day, last) = (i8::try_from(number).ok()?, one.start.date());
        let first = last.with().day(day).build().ok().filter(|first| *first < last)?;
        return Some(When::known(Stretch::day(first)?, other.rule));
    }
    if let Some(clock) = other.clock {
        let hour = i8::try_from(number).ok().filter(|hour| (0..=24).contains(hour))?;
        let clock = Clock {
            ..Clock::new(hour, 0, 0, Unit::Hour).ok().filter(|_| clock.grain <= Unit::Hour)?
        };
        return Some(When { clock: Some(clock), ..When::new(other.rule) });
    }
    if other.day.is_some() {
        let day = i8::try_from(number).ok().filter(|day| (1..=31).contains(day))?;
        return Some(When { day: Some(day), ..When::new(other.rule) });
    }
    let fits = other.year.is_some() || is_edge(other);
    (number > 1000 && fits).then(|| year(number))
}

/// "October to November 2025", "Dec 28 2012 to Jan 3": the year is said once.
fn share_year(first: &mut When, last: &mut When) {
    // Of two times of one day only one has the day.
    if first.has_time() && last.has_time() && first.has_date() != last.has_date() {
        return;
    }
    let (Some(from), Some(to)) = (first.month.or(last.month), last.month.or(first.month)) else {
        return;
    };
    match (first.year, last.year) {
        (None, Some(year)) if first.within.is_empty() => {
            first.year = Some(if from > to { year - 1 } else { year });
        }
        (Some(year), None) if last.within.is_empty() => {
            last.year = Some(if to < from { year + 1 } else { year });
        }
        _ => {}
    }
}

fn share_date(first: &mut When, last: &mut When) {
    // "1-5 November", "Nov 1-5": the month is said once.
    if first.day.is_some() && last.day.is_some() {
        if first.month.is_none() && first.weekday.is_none() {
            first.month = last.month;
        }
        // From April 27 to the 3rd is another month's.
        if last.month.is_none() && last.weekday.is_none() && last.day >= first.day {
            last.month = first.month;
        }
        if first.within.is_empty() && first.month.is_none() {
            first.within.clone_from(&last.within);
        } else if last.within.is_empty() && last.month.is_none() {
            last.within.clone_from(&first.within);
        }
    }
    // "tomorrow from 2 to 4", "2 to 4 pm on Monday": the day is said once.
    if first.has_time() && last.has_time() && first.has_date() != last.has_date() {
        let (from, to) = if first.has_date() { (&*first, last) } else { (&*last, first) };
        to.within.clone_from(&from.within);
        (to.year, to.month, to.day, to.weekday) = (from.year, from.month, from.day, from.weekday);
    }
}

/// "from 5 to 6 pm", "下午2點到4點": the half of the day is said once.
fn share_half(first: &mut When, last: &mut When) {
    let (Some(from), Some(to)) = (first.clock, last.clock) else { return };
    match (from.halves, to.halves) {
        (true, false) => {
            // 11 to 1 pm begins before noon.
            let fits = from.times().filter(|time| *time < to.time).max();
            first.clock = Some(Clock { time: fits.unwrap_or(from.time), halves: false, ..from });
        }
        (false, true) => {
            let fits = to.times().filter(|time| *time > from.time).min();
            last.clock = Some(Clock { time: fits.unwrap_or(to.time), halves: false, ..to });
        }
        _ => {}
    }
}

fn bounds(cursor: &Cursor<'_>, first: &When, last: &When, rule: Rule) -> Option<Found> {
    let fault = |fault| Some(Found::new(Kind::Range, Reading::Fault(fault), rule));
    let (starts, ends) = match (settle(first, cursor), settle(last, cursor)) {
        (Ok(starts), Ok(ends)) => (starts, ends),
        (Err(wrong), _) | (_, Err(wrong)) => return fault(wrong),
    };
    let all: Vec<Stretch> =
        starts.iter().filter_map(|start| joined(start, &ends, first, last)).collect();
    let all = if all.is_empty() { followed(&starts, last, cursor) } else { all };
    ranges(cursor, &all, first, rule).or_else(|| fault(Fault::RangeReversed))
}

/// "next Monday to Friday": a bare weekday or day of the month is the first after the start.
fn followed(starts: &[Stretch], last: &When, cursor: &Cursor<'_>) -> Vec<Stretch> {
    let bare = last.within.is_empty() && last.month.is_none() && last.year.is_none();
    if !bare || !last.has_date() || last.has_time() {
        return Vec::new();
    }
    let joined = |start: &Stretch| {
        let end = first_after(last, start.start.date(), cursor)?.end;
        Some(Stretch { end, ..*start })
    };
    starts.iter().filter_map(joined).collect()
}

/// From a start to the first end that comes after it.
fn joined(start: &Stretch, ends: &[Stretch], first: &When, last: &When) -> Option<Stretch> {
    let until = |end: &Stretch| if end.is_instant() { end.start } else { end.end };
    let grain = start.grain;
    let after =
        |end: &&Stretch| start.start < until(end) && (end.is_instant() || end.start >= start.start);
    if let Some(end) = ends.iter().find(after) {
        let end = until(end);
        // Without years, "Dec 28 to Jan 3" ends in the year after; "Nov 5 to Nov 1" is a mistake.
        let yearless =
            |when: &When| when.month.is_some() && when.day.is_some() && when.year.is_none();
        let far = (end.date() - start.start.date()).get_days() > LONGEST_WITHOUT_YEARS;
        let slips = yearless(first) && yearless(last) && far;
        return (!slips).then_some(Stretch { start: start.start, end, grain });
    }
    // 11pm to 2am ends on the next day; Dec 28 to Jan 3 in the next year.
    let one_day = (first.year, first.month, first.day) == (last.year, last.month, last.day);
    let rolls = first.clock.is_some() && last.clock.is_some() && (last.year.is_none() || one_day);
    let end = ends.first().filter(|_| rolls)?;
    let end =
        until(end).checked_add(jiff::ToSpan::days(1)).ok().filter(|end| *end > start.start)?;
    Some(Stretch { start: start.start, end, grain })
}

/// The finding for one or more ranges.
pub(super) fn ranges(
    cursor: &Cursor<'_>,
    all: &[Stretch],
    like: &When,
    rule: Rule,
) -> Option<Found> {
    let zone = zone(like, cursor);
    let mut readings = all.iter().filter_map(|one| {
        Some(Reading::Range(moment(one, one.start, &zone)?, moment(one, one.end, &zone)?))
    });
    let first = readings.next()?;
    let others: Vec<Reading> = readings.collect();
    Some(Found::new(Kind::Range, first, rule).or(others))
}
