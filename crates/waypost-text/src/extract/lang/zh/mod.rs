//! Chinese, traditional and simplified in one: no word means different things in the two.

mod bounds;
mod calendar;
mod corrections;
mod feasts;
mod holidays;
mod numbers;
mod numeral;
mod places;
mod pointers;
mod select;
mod talk;
mod turns;
mod units;

use crate::language::Language;

use super::Vocabulary;

pub(super) static WORDS: Vocabulary = Vocabulary {
    name: "zh",
    languages: &[Language::ZhHant, Language::ZhHans],
    everywhere: true,
    bare_magnitude: false,
    counts_weeks: true,
    numeral: Some(numeral::numeral),
    words: &[
        bounds::WORDS,
        calendar::WORDS,
        feasts::CHRISTIAN,
        feasts::FESTIVALS,
        feasts::HINDU,
        feasts::MOON,
        holidays::CIVIL,
        holidays::LUNAR,
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
    ..Vocabulary::PLAIN
};
