//! Keeps what was read at each token, so that nothing is read twice: a range, an open range and a
//! time may all begin at one token, and each asks for the same pieces.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::extract::grammar::cursor::Cursor;
use crate::extract::lang::Tongue;

use super::calendars::holiday::{Feast, Offset};
use super::stretch::Stretch;
use super::tense::Tenses;
use super::when::When;

/// A time that was read, and where its reading ended.
#[derive(Debug, Clone)]
pub(super) struct Read {
    pub(super) when: When,
    pub(super) end: usize,
    tongue: Tongue,
}

impl Read {
    pub(super) fn new(when: When, cursor: &Cursor<'_>) -> Self {
        Self { when, end: cursor.at, tongue: cursor.tongue }
    }

    /// Goes on behind what was read.
    pub(super) fn pass(&self, cursor: &mut Cursor<'_>) {
        cursor.at = self.end;
        if cursor.tongue == Tongue::COMMON {
            cursor.tongue = self.tongue;
        }
    }
}

type Slots = RefCell<Vec<Option<Rc<[Read]>>>>;

/// The pieces and the whole times that begin at each token, as far as they were asked for.
#[derive(Debug, Default)]
pub(in crate::extract) struct Memo {
    pieces: Slots,
    periods: Slots,
    wholes: Slots,
    /// The words of the text that tell a tense.
    tenses: OnceCell<Tenses>,
    /// The days of the feasts that were named last.
    feasts: RefCell<Vec<(Named, Rc<[Stretch]>)>>,
}

/// A feast, and the word beside it.
type Named = (Feast, Option<Offset>);

/// The most feasts that are kept: a text that names more has them reckoned anew.
const MOST_FEASTS: usize = 32;

/// The steps that a feast costs: its day may hang on where the Moon stands in each of nine years.
const STEPS_OF_FEAST: u32 = 2000;

impl Memo {
    /// The pieces that begin where `cursor` stands.
    pub(super) fn pieces(
        cursor: &Cursor<'_>,
        read: impl FnOnce(Cursor<'_>) -> Vec<Read>,
    ) -> Rc<[Read]> {
        recall(&cursor.sentence.times.pieces, cursor, read)
    }

    /// The periods that begin where `cursor` stands.
    pub(super) fn periods(
        cursor: &Cursor<'_>,
        read: impl FnOnce(Cursor<'_>) -> Vec<Read>,
    ) -> Rc<[Read]> {
        recall(&cursor.sentence.times.periods, cursor, read)
    }

    /// The days of a feast: a text that names one often has it reckoned once.
    pub(super) fn feast(
        cursor: &Cursor<'_>,
        named: Named,
        reckon: impl FnOnce() -> Vec<Stretch>,
    ) -> Vec<Stretch> {
        let feasts = &cursor.sentence.times.feasts;
        let known =
            feasts.borrow().iter().find(|(key, _)| *key == named).map(|(_, days)| Rc::clone(days));
        if let Some(known) = known {
            return known.to_vec();
        }
        cursor.sentence.meter.steps(STEPS_OF_FEAST);
        let days = reckon();
        let mut feasts = feasts.borrow_mut();
        if feasts.len() == MOST_FEASTS {
            feasts.remove(0);
        }
        feasts.push((named, days.as_slice().into()));
        days
    }

    /// The words of the text that tell a tense.
    pub(super) fn tenses<'a>(cursor: &Cursor<'a>, find: impl FnOnce() -> Tenses) -> &'a Tenses {
        cursor.sentence.times.tenses.get_or_init(find)
    }

    /// The whole time that begins where `cursor` stands, if one does.
    pub(super) fn whole(
        cursor: &Cursor<'_>,
        read: impl FnOnce(Cursor<'_>) -> Vec<Read>,
    ) -> Option<Read> {
        recall(&cursor.sentence.times.wholes, cursor, read).first().cloned()
    }
}

fn recall(
    slots: &Slots,
    cursor: &Cursor<'_>,
    read: impl FnOnce(Cursor<'_>) -> Vec<Read>,
) -> Rc<[Read]> {
    let known = slots.borrow().get(cursor.at).cloned().flatten();
    if let Some(known) = known {
        return known;
    }
    // The pieces read here do not depend on the language of the words before.
    let found: Rc<[Read]> = read(Cursor { tongue: Tongue::COMMON, ..*cursor }).into();
    let mut slots = slots.borrow_mut();
    if slots.len() <= cursor.at {
        slots.resize(cursor.sentence.tokens.len() + 1, None);
    }
    slots[cursor.at] = Some(Rc::clone(&found));
    found
}
