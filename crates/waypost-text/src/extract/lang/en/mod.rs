//! English.

mod bounds;
mod calendar;
mod corrections;
mod dates;
mod feasts;
mod holidays;
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
    name: "en",
    languages: &[Language::En],
    everywhere: true,
    words: &[
        bounds::WORDS,
        calendar::WORDS,
        dates::WORDS,
        holidays::WESTERN,
        feasts::EASTER,
        holidays::STATE,
        feasts::MOON,
        feasts::TITHIS,
        feasts::FESTIVALS,
        numbers::WORDS,
        places::WORDS,
        talk::WORDS,
        units::WORDS,
        units::MONEY,
        units::ADDRESSES,
    ],
    corrections: &[corrections::WORDS],
    pointers: (&[pointers::WORDS], &[]),
    turns: &[talk::WORDS, select::WORDS, turns::WORDS],
    common: select::COMMON,
    plurals: &[("ies", "y"), ("s", "")],
    ..Vocabulary::PLAIN
};
