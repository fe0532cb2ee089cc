//! Spanish.

mod bounds;
mod calendar;
mod choosing;
mod numbers;
mod objections;
mod places;
mod pointers;
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
    objections: &[objections::WORDS],
    pointers: (&[pointers::WORDS], &[pointers::EXACT]),
    turns: &[talk::WORDS, choosing::WORDS, turns::WORDS],
    turns_accented: &[turns::ACCENTED],
    common: choosing::COMMON,
    plurals: &[("es", ""), ("s", "")],
    ..Vocabulary::PLAIN
};
