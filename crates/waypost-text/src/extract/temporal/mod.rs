//! Times of every kind: days, times of day, instants, ranges, lengths, rhythms.
//!
//! The words are read into a [`when::When`] from pieces that are merged (`compose`), the parts that
//! they leave out are filled in from today (`settle`), and the result becomes a value (`found`). Today is
//! the day that the text states, if it states one (`stated`); of two days the tense tells one (`tense`).
//!
//! Where a phrase is read: yesterday and last Friday in `named`, 6 November in `dates`, the 3rd in `placed`, 6/11 in `numeric`,
//! last week in `period`, 2 pm in `clock`, the 14h of a range in `hours`, ranges in `between`, `side` and `lasting`, lengths in
//! `duration`, rhythms in `recurring`.

mod all_day;
mod apart;
mod between;
mod calendars;
mod clock;
mod compose;
mod counted;
mod dates;
mod duration;
mod edge;
mod found;
mod half;
mod hours;
mod lasting;
mod marks;
mod memo;
mod minutes;
mod named;
mod noun;
mod nth;
mod numeric;
mod period;
mod placed;
mod recurring;
mod settle;
mod side;
mod stated;
mod stretch;
mod tense;
mod week;
mod when;
mod workday;
mod zone;

use when::When;

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::sentence::Sentence;
use crate::extract::grammar::term::Term;

use super::Found;

/// Finds a day, a time of day, an instant or a period.
pub(super) fn time(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !cursor.is_fresh() || cursor.follows(|term| term == Term::Every).is_some() {
        return None;
    }
    let when = cursor.first_of(&[named::from_other, about, compose::when])?;
    Some(found::found(&when, cursor))
}

/// around 3 pm: as it is without the word.
fn about(cursor: &mut Cursor<'_>) -> Option<When> {
    if cursor.is_within(|term| term == Term::Change) || is_within_place(cursor) {
        return None;
    }
    cursor.eat(Term::About)?;
    compose::when(cursor).filter(When::has_time)
}

/// Returns whether a token stands within the name of a place: the 約 of 紐約.
fn is_within_place(cursor: &Cursor<'_>) -> bool {
    let Some(before) = cursor.at.checked_sub(1) else { return false };
    let sentence = Sentence::read(cursor.sentence.text, cursor.context.language, Lexicon::ZONES);
    let is_place = |term| matches!(term, Term::ZoneOf(_));
    sentence.senses(before).iter().any(|sense| sense.end > cursor.at && is_place(sense.term))
}

pub(super) use all_day::all_day;
pub(super) use between::between;
pub(super) use duration::duration;
pub(super) use memo::Memo;
pub(super) use recurring::recurring;
pub(super) use side::side;
pub(super) use stated::stated;
pub(super) use zone::is_lower_word;
