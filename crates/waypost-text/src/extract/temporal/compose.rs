//! Puts the pieces of a time together: "next week" + "Monday" + "at 3" + "in the afternoon".

use std::rc::Rc;

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::term::Term;
use crate::extract::values::number;

use super::calendars::holiday;
use super::marks;
use super::memo::{Memo, Read};
use super::when::When;
use super::{
    apart, clock, counted, dates, edge, half, named, nth, numeric, period, placed, week, workday,
};

type Piece = fn(&mut Cursor<'_>) -> Option<When>;

/// The tokens that a piece begins with, so that most need not be tried at most tokens.
#[derive(Debug, Clone, Copy)]
enum Start {
    /// Digits, or a word for a number.
    Number,
    /// Any other word of time.
    Word,
    /// Either.
    Any,
}

impl Start {
    fn fits(self, cursor: &Cursor<'_>) -> bool {
        match self {
            Start::Number => cursor.sentence.may_count(cursor.at),
            Start::Word => cursor.sentence.may_name_time(cursor.at),
            Start::Any => true,
        }
    }
}

/// All pieces that a time can be made of; of those that fit, the longest is taken, then the first.
const PIECES: &[(Start, Piece)] = &[
    (Start::Number, numeric::numeric),
    (Start::Word, dates::day_of_other_year),
    (Start::Number, dates::year_month_day),
    (Start::Any, dates::marked),
    (Start::Any, marks::two_months),
    (Start::Number, dates::day_month),
    (Start::Number, dates::day_of_list),
    (Start::Word, dates::month_day),
    (Start::Any, dates::month_of),
    (Start::Word, dates::which_month),
    (Start::Word, dates::which_day),
    (Start::Any, dates::year),
    (Start::Any, dates::day_of_month),
    (Start::Number, placed::placed),
    (Start::Number, placed::trailing),
    (Start::Number, dates::day_of_period),
    (Start::Number, counted::weekdays_away),
    (Start::Word, counted::after_next),
    (Start::Number, counted::nth_weekday),
    (Start::Any, counted::closest),
    (Start::Any, named::distance),
    (Start::Word, named::day_part),
    (Start::Any, named::last_n),
    (Start::Any, workday::workdays),
    (Start::Any, named::within),
    (Start::Word, named::weekday),
    (Start::Word, named::named),
    (Start::Word, named::right_now),
    (Start::Any, holiday::holiday),
    (Start::Any, nth::nth),
    (Start::Any, nth::within_period),
    (Start::Any, half::half),
    (Start::Word, period::weekend),
    (Start::Any, week::week),
    (Start::Any, week::this_unit),
    (Start::Any, edge::edge),
    (Start::Any, edge::day_end),
    (Start::Word, edge::of_part),
    (Start::Word, edge::of_day),
    (Start::Word, period::season),
    (Start::Any, period::quarter),
    (Start::Any, period::decade),
    (Start::Any, period::whole),
    (Start::Word, period::week_of),
    (Start::Word, dates::that_day),
    (Start::Word, period::the_unit),
    (Start::Any, period::century),
    (Start::Any, nth::some_of),
    (Start::Word, named::part_of_other_day),
    (Start::Word, named::weekday_and_date),
    (Start::Any, clock::clock),
    (Start::Any, clock::part_of_day),
];

/// Pieces that may only continue a day or a period.
const BEHIND_DATES: &[Piece] = &[trailing_year, clock::spoken, clock::about, clock::half_of_day];

/// Pieces that may only continue what has days by number, or may be one of them.
const BEHIND_MONTHS: &[Piece] =
    &[trailing_year, trailing_day, clock::spoken, clock::about, clock::half_of_day];

/// Pieces that mean too many other things to be a time alone.
const SHORT: &[Piece] = &[named::short_weekday, clock::short_part];

/// Pieces that may continue a part of a day.
const BEHIND_PARTS: &[Piece] = &[clock::spoken, clock::about];

/// More pieces than these make no time.
const MOST: usize = 6;

/// Reads a time as far as its pieces go together.
pub(super) fn when(cursor: &mut Cursor<'_>) -> Option<When> {
    if !cursor.sentence.may_tell_time(cursor.at) {
        return None;
    }
    let whole = Memo::whole(cursor, |mut cursor| {
        let when = composed(&mut cursor);
        when.map(|when| Read::new(when, &cursor)).into_iter().collect()
    })?;
    whole.pass(cursor);
    Some(whole.when)
}

fn composed(cursor: &mut Cursor<'_>) -> Option<When> {
    let mut when = first(cursor)?;
    for _ in 1..MOST {
        match cursor.attempt(|cursor| next(cursor, &when)) {
            Some(more) => when = more,
            None => break,
        }
    }
    if when.names_day() && !when.has_time() {
        // 11月5日當天
        cursor.attempt(|cursor| cursor.eat(Term::ThatDay));
    }
    Some(when)
}

/// A short weekday or part of the day begins a time only if more follows: "Fri 3pm",
/// "Sun, Nov 9", "chiều thứ hai".
fn first(cursor: &mut Cursor<'_>) -> Option<When> {
    if let Some(piece) = longest(&pieces(cursor)) {
        piece.pass(cursor);
        return Some(piece.when.clone());
    }
    cursor
        .attempt(|cursor| {
            let short =
                cursor.first_of(&[named::short_weekday, clock::short_part, clock::spoken])?;
            next(cursor, &short)
        })
        .or_else(|| cursor.attempt(lone))
}

/// A short name that is all that was said: "Sat." or "May", as the answer to a question.
fn lone(cursor: &mut Cursor<'_>) -> Option<When> {
    (cursor.at == 0).then_some(())?;
    // An abbreviation of a month alone is as often something else.
    let is_short = cursor.sentence.tokens.text(0).len() <= 3;
    let found =
        named::short_weekday(cursor).or_else(|| named_month(cursor).filter(|_| !is_short))?;
    cursor.shape().is_none().then_some(found)
}

/// Reads one more piece, maybe behind a comma and small words.
fn next(cursor: &mut Cursor<'_>, when: &When) -> Option<When> {
    let more = |cursor: &mut Cursor<'_>, is_parted: bool| {
        let mut start = *cursor;
        let (read, both) = merged(cursor, when)?;
        // A year may be read with the comma before it.
        let is_parted = start.attempt(|start| start.symbol(",")).is_some() || is_parted;
        (!is_parted || !apart::are_apart(start, when, &read, &both)).then_some(both)
    };
    let direct = cursor.attempt(|cursor| more(cursor, false));
    if direct.is_some() {
        return direct;
    }
    let comma = cursor.attempt(|cursor| cursor.symbol(",")).is_some();
    if (comma || cursor.attempt(clock::iso_mark).is_some())
        && let Some(found) = cursor.attempt(|cursor| more(cursor, comma))
    {
        return Some(found);
    }
    let mut is_parted = comma;
    for _ in 0..3 {
        is_parted |= cursor.sees(Term::Topic);
        cursor.take(|term| {
            matches!(term, Term::At | Term::On | Term::Of | Term::In | Term::The | Term::AtHour)
                .then_some(())
        })?;
        // The noon of "de 9h à midi" is the end of a range.
        let ends = when.clock.is_some()
            && cursor.may_mean(0, Term::Clock(0))
            && cursor.follows(|term| term == Term::To).is_some();
        if ends {
            return None;
        }
        if let Some(found) = cursor.attempt(|cursor| more(cursor, is_parted)) {
            return Some(found);
        }
    }
    None
}

/// The longest piece that goes together with what is there, and both together.
pub(super) fn merged(cursor: &mut Cursor<'_>, when: &When) -> Option<(Read, When)> {
    if !cursor.sentence.may_tell_time(cursor.at) {
        return None;
    }
    let mut best: Option<(Read, When)> = None;
    let mut consider = |read: &Read| {
        if best.as_ref().is_none_or(|(best, _)| read.end > best.end)
            && let Some(both) = when.merge(&read.when)
        {
            best = Some((read.clone(), both));
        }
    };
    pieces(cursor).iter().for_each(&mut consider);
    let behind: &[Piece] = match when.has_time() {
        // Thu Oct 26 11:00:09 2023
        true if when.month.is_some() && when.year.is_none() => &[trailing_year],
        // tonight around 7
        true if when.has_date() && when.clock.is_none() => BEHIND_PARTS,
        false if when.has_date() && when.takes_day() => BEHIND_MONTHS,
        false if when.has_date() => BEHIND_DATES,
        _ => &[],
    };
    for piece in behind.iter().chain(SHORT) {
        let mut ahead = *cursor;
        if let Some(found) = piece(&mut ahead) {
            consider(&Read::new(found, &ahead));
        }
    }
    let (read, both) = best?;
    read.pass(cursor);
    Some((read, both))
}

/// All pieces that begin here.
pub(super) fn pieces(cursor: &Cursor<'_>) -> Rc<[Read]> {
    Memo::pieces(cursor, |cursor| {
        let read = |(start, piece): &(Start, Piece)| {
            let mut ahead = cursor;
            start
                .fits(&cursor)
                .then(|| piece(&mut ahead))
                .flatten()
                .map(|when| Read::new(when, &ahead))
        };
        PIECES.iter().filter_map(read).collect()
    })
}

/// The longest, and of equals the first.
fn longest(reads: &[Read]) -> Option<&Read> {
    reads.iter().rev().max_by_key(|read| read.end)
}

/// The periods that have days and weeks by their places.
const PERIODS: &[Piece] = &[
    dates::marked,
    dates::month_of,
    dates::which_month,
    trailing_year,
    named_month,
    period::season,
    period::quarter,
    period::decade,
    period::whole,
    period::this_unit,
];

/// A period without any of its days: what "the third Monday of" may go on with.
pub(super) fn whole_period(cursor: &mut Cursor<'_>) -> Option<When> {
    let first = period(cursor)?;
    // "the first Monday of October last year"
    let both = cursor.attempt(|cursor| {
        cursor.attempt(|cursor| cursor.symbol(","));
        cursor.attempt(|cursor| cursor.eat(Term::Of));
        cursor.attempt(|cursor| cursor.eat(Term::The));
        first.merge(&period(cursor)?)
    });
    Some(both.unwrap_or(first))
}

fn named_month(cursor: &mut Cursor<'_>) -> Option<When> {
    let month = dates::month(cursor)?;
    Some(When { month: Some(month), ..When::new("range.month") })
}

/// The 2013 of "Monday, February 18, 2013".
fn trailing_year(cursor: &mut Cursor<'_>) -> Option<When> {
    let year = dates::year_after(cursor)?;
    Some(When { year: Some(year), ..When::new("range.year") })
}

/// The 18 of "Monday 18" and of "next month the 18th".
fn trailing_day(cursor: &mut Cursor<'_>) -> Option<When> {
    // 明年三月第二個 has something else in the second place.
    (!cursor.sees(Term::OrdinalMark)).then_some(())?;
    // Behind "um" or "a las" a number is an hour, or counts what follows.
    cursor.follows(|term| term == Term::AtHour).is_none().then_some(())?;
    let begins_range = cursor.follows(|term| term == Term::From).is_some();
    let day = dates::day_number(cursor)?;
    // "Saturday 3 days from now" begins with the weekday alone.
    let counted = cursor.sees_any(|term| matches!(term, Term::Unit(_)));
    // The 3 of 3號測站 is no day, and that of 3號 was read with its mark.
    let counted = counted || cursor.sees(Term::DayMark);
    // "Segunda das 14 às 16 horas" has hours.
    let opens = begins_range && opens_hours(*cursor);
    (!counted && !opens && cursor.is_closed("-/.,:")).then_some(())?;
    Some(When { day: Some(day), ..When::new("date.day") })
}

/// Returns whether the number before is the first hour of two: a "to" and another number follow, and no month.
fn opens_hours(mut cursor: Cursor<'_>) -> bool {
    let last = |cursor: &mut Cursor<'_>| {
        cursor.eat(Term::To)?;
        number::count(cursor)
    };
    cursor.attempt(last).is_some() && !super::between::sees_month(cursor)
}

fn period(cursor: &mut Cursor<'_>) -> Option<When> {
    let reads = Memo::periods(cursor, |here| {
        let read = |piece: &Piece| {
            let mut ahead = here;
            piece(&mut ahead).map(|when| Read::new(when, &ahead))
        };
        PERIODS.iter().filter_map(read).collect()
    });
    let best = longest(&reads)?;
    best.pass(cursor);
    Some(best.when.clone())
}
