//! Checks that a phrase was typed with its accents, where a language tells words apart by them.
//!
//! A user who types accents means them: từ is "from" and tư is four. One who types none leaves it
//! open, so that a bare "tu" may be either, except for words that would then be taken for too much
//! else.

use unicode_normalization::UnicodeNormalization;

use super::token::Tokens;

/// The spelling of a phrase, and whether its accents must be typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spelling {
    pub(crate) phrase: &'static str,
    pub(crate) keeps_accents: bool,
}

impl Spelling {
    /// Returns whether the tokens from `from` up to `end`, which fold to the phrase, were meant for
    /// it.
    pub(crate) fn fits(self, tokens: &Tokens<'_>, from: usize, end: usize) -> bool {
        let typed = (from..end).flat_map(|at| tokens.text(at).chars());
        let phrase = self.phrase.chars().filter(|c| !c.is_whitespace());
        if typed.clone().eq(phrase.clone()) {
            return true;
        }
        if typed.clone().all(|c| c.is_ascii()) {
            return !self.keeps_accents;
        }
        // hòa and hoà are one word: the tone may stand on either vowel.
        letters(typed.clone()).eq(letters(phrase.clone())) && tones(typed).eq(tones(phrase))
    }
}

fn letters(text: impl Iterator<Item = char> + Clone) -> impl Iterator<Item = char> {
    text.nfd().filter(|c| !is_tone(*c))
}

fn tones(text: impl Iterator<Item = char> + Clone) -> impl Iterator<Item = char> {
    text.nfd().filter(|c| is_tone(*c))
}

/// Grave, acute, tilde, hook above and dot below.
fn is_tone(c: char) -> bool {
    matches!(c, '\u{300}' | '\u{301}' | '\u{303}' | '\u{309}' | '\u{323}')
}
