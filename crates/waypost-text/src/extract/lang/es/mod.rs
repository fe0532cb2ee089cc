//! Spanish.

mod bounds;
mod calendar;
mod corrections;
mod numbers;
mod places;
mod pointers;
mod select;
mod talk;
mod turns;
mod units;

use crate::language::Language;

use super::Vocabulary;

pub(super) static WORDS: Vocabulary = Vocabulary {
    name: "es",
    languages: &[Language::Es],
    decimal_comma: true,
    day_first: true,
    joins_tens: true,
    words: &[
        bounds::WORDS,
        calendar::WORDS,
        calendar::HOLIDAYS,
        calendar::INTERNATIONAL_DAYS,
        numbers::WORDS,
        places::WORDS,
        talk::WORDS,
        units::WORDS,
        units::MONEY,
        units::ADDRESSES,
    ],
    corrections: &[corrections::WORDS],
    pointers: (&[pointers::WORDS], &[pointers::EXACT]),
    turns: &[talk::WORDS, select::WORDS, turns::WORDS],
    turns_accented: &[turns::ACCENTED],
    common: select::COMMON,
    plurals: &[("es", ""), ("s", "")],
    ..Vocabulary::PLAIN
};
