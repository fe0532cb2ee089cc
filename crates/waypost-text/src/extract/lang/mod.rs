//! The words of each language. A new language is a folder of tables and one line here.

mod common;
mod en;
mod es;
#[cfg(test)]
mod made_up;
mod signs;
mod vi;
mod zh;

use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Tokens;
use crate::language::Language;

/// A meaning and the phrases that have it, in lower case; accents may be left out by the user.
pub(super) type Group = (Term, &'static [&'static str]);

/// Tables of words, and of those whose accents count.
pub(super) type Tables = (&'static [&'static [Group]], &'static [&'static [Group]]);

/// Reads a numeral that begins at a token: its value, and the token after it.
pub(super) type Numeral = fn(&Tokens<'_>, usize) -> Option<(f64, usize)>;

/// A language: its words, and how it writes what all languages write.
#[derive(Debug)]
pub(super) struct Vocabulary {
    /// What leads the names of rules that read its words; empty for signs of all languages.
    pub(super) name: &'static str,
    /// The languages of a text whose words these are.
    pub(super) languages: &'static [Language],
    /// Whether its words count in texts of every language, as people mix them in.
    pub(super) everywhere: bool,
    /// Whether 1,5 is one and a half and 1.500 fifteen hundred.
    pub(super) decimal_comma: bool,
    /// Whether 6/11 is the sixth of November.
    pub(super) day_first: bool,
    /// Whether a magnitude alone means one of it: thousand, mil; but not 萬.
    pub(super) bare_magnitude: bool,
    /// Whether "and" stands between tens and ones: treinta y dos.
    pub(super) joins_tens: bool,
    /// Whether the word for next or last before a weekday counts weeks: 下週三.
    pub(super) counts_weeks: bool,
    /// Whether words differ by their accents alone, so that those that were typed count.
    pub(super) spells_accents: bool,
    /// Reads a numeral that is written in digits of its own, with the token after it.
    pub(super) numeral: Option<Numeral>,
    pub(super) words: &'static [&'static [Group]],
    /// Words whose accents may not be left out: without them they are something else.
    pub(super) accented: &'static [&'static [Group]],
    /// What words do in a conversation. They are read on their own: no value is made of them, so
    /// that a word more here changes no value and costs its readers nothing.
    pub(super) turns: &'static [&'static [Group]],
    /// Such words whose accents may not be left out.
    pub(super) turns_accented: &'static [&'static [Group]],
    /// What words say of how the turn before was understood. Only whoever asks about that reads them.
    pub(super) corrections: &'static [&'static [Group]],
    /// Words that point back to what was said before, whatever it was. Only whoever asks about them
    /// reads them. The second are those that with other accents are something else.
    pub(super) pointers: Tables,
    /// Common words without accents, parted by spaces: who writes one did not misspell a name.
    pub(super) common: &'static str,
    /// Endings of the plural, with what the singular has in their place.
    pub(super) plurals: &'static [(&'static str, &'static str)],
}

impl Vocabulary {
    /// A language without words that writes as English does.
    pub(super) const PLAIN: Vocabulary = Vocabulary {
        name: "",
        languages: &[],
        everywhere: false,
        decimal_comma: false,
        day_first: false,
        bare_magnitude: true,
        joins_tens: false,
        counts_weeks: false,
        spells_accents: false,
        numeral: None,
        words: &[],
        accented: &[],
        turns: &[],
        turns_accented: &[],
        corrections: &[],
        pointers: (&[], &[]),
        common: "",
        plurals: &[],
    };

    /// Whether its words count in a text of `language`.
    pub(super) fn is_spoken(&self, language: Language) -> bool {
        self.everywhere || self.languages.contains(&language)
    }
}

/// The language that a word was read in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tongue(&'static Vocabulary);

impl Tongue {
    /// Signs and abbreviations of all languages.
    pub(super) const COMMON: Tongue = Tongue(&common::WORDS);

    pub(super) const fn new(vocabulary: &'static Vocabulary) -> Self {
        Self(vocabulary)
    }
}

impl PartialEq for Tongue {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl std::ops::Deref for Tongue {
    type Target = Vocabulary;

    fn deref(&self) -> &Vocabulary {
        self.0
    }
}

/// All languages.
pub(super) static VOCABULARIES: [&Vocabulary; 5] =
    [&common::WORDS, &en::WORDS, &zh::WORDS, &es::WORDS, &vi::WORDS];
