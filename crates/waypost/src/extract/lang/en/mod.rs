//! English.

mod calendar;
mod numbers;
mod places;
mod talk;

use super::Vocabulary;
use crate::extract::term::Tongue;

pub(super) const WORDS: Vocabulary = Vocabulary {
    tongue: Tongue::En,
    words: &[calendar::WORDS, numbers::WORDS, places::WORDS, talk::WORDS],
};
