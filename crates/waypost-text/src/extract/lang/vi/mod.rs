//! Vietnamese. Accents may be left out, as they often are on phones.

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
    corrections: &[corrections::WORDS],
    pointers: (&[pointers::WORDS], &[]),
    turns: &[talk::WORDS, select::WORDS, turns::WORDS],
    turns_accented: &[turns::ACCENTED],
    common: select::COMMON,
    ..Vocabulary::PLAIN
};
