//! Vietnamese. Accents may be left out, as they often are on phones.

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
    name: "vi",
    languages: &[Language::Vi],
    decimal_comma: true,
    day_first: true,
    spells_accents: true,
    bare_magnitude: false,
    words: &[
        bounds::WORDS,
        calendar::WORDS,
        numbers::WORDS,
        places::WORDS,
        talk::WORDS,
        units::WORDS,
        units::MONEY,
        units::ADDRESSES,
    ],
    accented: &[calendar::ACCENTED, numbers::ACCENTED, units::ACCENTED],
    objections: &[objections::WORDS],
    pointers: (&[pointers::WORDS], &[]),
    turns: &[talk::WORDS, choosing::WORDS, turns::WORDS],
    turns_accented: &[turns::ACCENTED],
    common: choosing::COMMON,
    ..Vocabulary::PLAIN
};
