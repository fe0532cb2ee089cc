//! Chinese, traditional and simplified in one: no word means different things in the two.

mod calendar;
mod numbers;
mod numeral;
mod places;
mod talk;

pub(in crate::extract) use numeral::numeral;

use super::Vocabulary;
use crate::extract::term::Tongue;

pub(super) const WORDS: Vocabulary = Vocabulary {
    tongue: Tongue::Zh,
    words: &[calendar::WORDS, numbers::WORDS, places::WORDS, talk::WORDS],
};
