//! English.

mod bounds;
mod calendar;
mod choosing;
mod dates;
mod feasts;
mod holidays;
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
    objections: &[objections::WORDS],
    pointers: (&[pointers::WORDS], &[]),
    turns: &[talk::WORDS, choosing::WORDS, turns::WORDS],
    common: choosing::COMMON,
    plurals: &[("ies", "y"), ("s", "")],
    ..Vocabulary::PLAIN
};
