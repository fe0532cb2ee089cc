//! The words of each language. A new language is a folder of tables and one line here.

mod common;
mod en;
mod es;
mod vi;
pub(super) mod zh;

use super::term::{Term, Tongue};

/// A meaning and the phrases that have it, in lower case; accents may be left out by the user.
type Group = (Term, &'static [&'static str]);

/// The tables of a language.
#[derive(Debug)]
pub(super) struct Vocabulary {
    pub(super) tongue: Tongue,
    pub(super) words: &'static [&'static [Group]],
}

/// All languages.
pub(super) const VOCABULARIES: [&Vocabulary; 5] =
    [&common::WORDS, &en::WORDS, &zh::WORDS, &es::WORDS, &vi::WORDS];
