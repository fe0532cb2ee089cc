//! The words of each language, and how it writes what all languages write.
//!
//! Words are data: files in `crates/waypost-text/lang`, a folder a language, that the build script
//! compiles (`compile`) into tables which lie ready in the program. `languages.txt` there lists the
//! folders; a new language is a folder and a line in it.

// The modules that read the files, in the order of reading.
#[cfg(test)]
pub(crate) mod compile;
#[allow(dead_code, reason = "the build script and tests read files")]
pub(crate) mod file;
#[allow(dead_code, reason = "the build script and tests read headers")]
pub(crate) mod header;
#[allow(dead_code, reason = "the build script and tests read the units")]
pub(crate) mod inventory;
#[cfg(test)]
pub(crate) mod multiples;
#[allow(dead_code, reason = "the build script and tests read patterns")]
pub(crate) mod pattern;
#[cfg(test)]
pub(crate) mod settings;

mod han;

#[cfg(test)]
mod made_up;

use crate::extract::grammar::lexicon::Tables;
use crate::extract::grammar::phrases::Phrases;
use crate::extract::grammar::piece::Beginnings;
use crate::extract::grammar::term::Term;
use crate::extract::grammar::token::Tokens;
use crate::language::Language;

/// The tables that the build script made of the files.
mod made {
    use super::{Language, Languages, Numerals, Vocabulary};
    use crate::extract::grammar::piece::Beginnings;
    use crate::extract::grammar::term::{
        Axis, Correction, Edge, Hemisphere, Holiday, ObjectClass, Operator, Order, Part, Relation,
        Role, Season, Side, Tense, Term, Unit, Zones,
    };
    use crate::extract::grammar::units::{Coin, Measure};

    include!(concat!(env!("OUT_DIR"), "/tables.rs"));
}

/// The units of measure that rules name.
#[allow(dead_code, reason = "every unit of `units.txt` has a name here, and rules need a few")]
pub(crate) mod measures {
    use crate::extract::grammar::units::Measure;

    include!(concat!(env!("OUT_DIR"), "/measures.rs"));
}

/// The words of all languages.
pub(crate) static TABLES: Tables = Tables {
    vocabularies: &made::VOCABULARIES,
    terms: &made::TERMS,
    phrases: Phrases::new(
        include_bytes!(concat!(env!("OUT_DIR"), "/phrases.bin")),
        include_str!(concat!(env!("OUT_DIR"), "/phrases.txt")),
    ),
};

/// Numerals that are read by code.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Numerals {
    /// 二十三
    Han,
    /// The same in Japanese, which says 百 for one hundred and 百五 for 105.
    Kanji,
}

impl Numerals {
    /// Reads a numeral that begins at a token: its value, and the token after it.
    pub(crate) fn read(self, tokens: &Tokens<'_>, from: usize) -> Option<(Term, usize)> {
        match self {
            Numerals::Han => han::numeral(tokens, from, han::Manner::Chinese),
            Numerals::Kanji => han::numeral(tokens, from, han::Manner::Japanese),
        }
    }
}

/// A set of languages: it is asked for each meaning of each word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Languages(u16);

impl Languages {
    pub(crate) const fn of(list: &[Language]) -> Self {
        let (mut set, mut at) = (0, 0);
        while at < list.len() {
            set |= 1 << list[at] as u16;
            at += 1;
        }
        Self(set)
    }

    pub(crate) fn contains(self, language: Language) -> bool {
        self.0 & 1 << language as u16 != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The habits of a language: how it is written, but for its words.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    /// Leads the names of rules that read its words; empty for signs of all languages.
    pub(crate) name: &'static str,
    /// The languages whose texts are read with its words.
    pub(crate) languages: Languages,
    /// Set if its words count in texts of every language, as people mix them in.
    pub(crate) everywhere: bool,
    /// The languages in whose texts they do not, where they do in all others: those of the same script.
    pub(crate) not_in: Languages,
    /// Set if they say nothing about texts of other languages, where another word may be meant.
    pub(crate) apart: bool,
    /// Set if 1,5 is one and a half and 1.500 fifteen hundred.
    pub(crate) decimal_comma: bool,
    /// Set if 6/11 is the sixth of November.
    pub(crate) day_first: bool,
    /// Set if a magnitude alone means one of it: thousand, mil; but not 萬.
    pub(crate) bare_magnitude: bool,
    /// Set if "and" stands between tens and ones: treinta y dos.
    pub(crate) joins_tens: bool,
    /// Set if ones stand before tens: fünfundzwanzig.
    pub(crate) ones_first: bool,
    /// Set if a point makes a place of digits: 3. November.
    pub(crate) ordinal_point: bool,
    /// Set if the days of a month are places: the 15th, der Fünfzehnte.
    pub(crate) places_days: bool,
    /// Set if the unit of a length is said behind the hour of a time as well: neuf heures.
    pub(crate) says_hours: bool,
    /// Set if the word for next or last before a weekday counts weeks: 下週三.
    pub(crate) counts_weeks: bool,
    /// Set if a digit behind a magnitude counts tenths of it: một triệu hai. Han numerals do so anyway.
    pub(crate) shortens: bool,
    /// Set if words differ by their accents alone, so that those that were typed count.
    pub(crate) spells_accents: bool,
    /// Set if nouns begin with a capital.
    pub(crate) capital_nouns: bool,
    /// Numerals that are written in digits of its own.
    pub(crate) numerals: Option<Numerals>,
    /// Endings of the plural, with what the singular has in their place.
    pub(crate) plurals: &'static [(&'static str, &'static str)],
    /// Letters by which its texts are told, with what each of them counts.
    pub(crate) letters: &'static [(&'static str, usize)],
    /// The letters that its number words begin with.
    pub(crate) beginnings: Beginnings,
}

impl Vocabulary {
    /// A language without words that writes as English does.
    pub(crate) const PLAIN: Vocabulary = Vocabulary {
        name: "",
        languages: Languages::of(&[]),
        everywhere: false,
        not_in: Languages::of(&[]),
        apart: false,
        decimal_comma: false,
        day_first: false,
        bare_magnitude: true,
        joins_tens: false,
        ones_first: false,
        ordinal_point: false,
        places_days: false,
        says_hours: false,
        counts_weeks: false,
        shortens: false,
        spells_accents: false,
        capital_nouns: false,
        numerals: None,
        plurals: &[],
        letters: &[],
        beginnings: Beginnings([0; 26]),
    };

    /// Returns whether its words count in a text of `language`.
    pub(crate) fn is_spoken(&self, language: Language) -> bool {
        self.languages.contains(language) || self.everywhere && !self.not_in.contains(language)
    }
}

/// The language that a word was read in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tongue(&'static Vocabulary);

impl Tongue {
    /// Signs and abbreviations of all languages.
    pub(crate) const COMMON: Tongue = Tongue(&made::VOCABULARIES[0]);

    pub(crate) const fn new(vocabulary: &'static Vocabulary) -> Self {
        Self(vocabulary)
    }
}

impl PartialEq for Tongue {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl std::ops::Deref for Tongue {
    type Target = Vocabulary;

    fn deref(&self) -> &Vocabulary {
        self.0
    }
}
