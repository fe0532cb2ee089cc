//! Every phrase of every language in one table, so that one look-up a token serves all of them.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::extract::lang::{Group, Tables, Tongue, VOCABULARIES, Vocabulary};
use crate::language::Language;

use super::compound::{self, Beginnings};
use super::spelling::Spelling;
use super::term::Term;
use super::trie::Trie;

/// One meaning of a phrase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Meaning {
    pub(crate) tongue: Tongue,
    pub(crate) term: Term,
    pub(crate) spelling: Spelling,
}

/// The languages that texts are read in, and what their phrases mean.
#[derive(Debug)]
pub(crate) struct Lexicon {
    pub(crate) vocabularies: Vec<&'static Vocabulary>,
    pub(crate) phrases: Trie<Meaning>,
    beginnings: Beginnings,
}

impl Lexicon {
    pub(crate) fn new(vocabularies: &[&'static Vocabulary]) -> Self {
        Self::of(vocabularies, &[|own| (own.words, own.accented)])
    }

    /// Reads some tables of each language: its words, and those whose accents may not be left out.
    fn of(vocabularies: &[&'static Vocabulary], tables: &[fn(&Vocabulary) -> Tables]) -> Self {
        let mut phrases = Trie::new();
        let mut beginnings = Beginnings::default();
        for vocabulary in vocabularies {
            for (group, keeps_accents) in tables.iter().flat_map(|of| groups(of(vocabulary))) {
                let (term, words) = *group;
                for phrase in words {
                    let spelling = Spelling { phrase, keeps_accents };
                    let tongue = Tongue::new(vocabulary);
                    phrases.insert(phrase, Meaning { tongue, term, spelling });
                    beginnings.note(phrase, term);
                }
            }
        }
        Self { vocabularies: vocabularies.to_vec(), phrases, beginnings }
    }

    /// What a word that is no phrase means by the number words that it is made of.
    pub(crate) fn compound(&self, word: &str, language: Language) -> Option<(Tongue, Term)> {
        let is_spoken = |tongue: Tongue| tongue.is_spoken(language);
        compound::compound(word, &self.phrases, &self.beginnings, is_spoken)
    }

    /// All languages.
    pub(crate) fn standard() -> &'static Lexicon {
        static ALL: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(&VOCABULARIES));
        &ALL
    }

    /// What words do in a conversation, in all languages.
    pub(crate) fn conversation() -> &'static Lexicon {
        static ALL: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::of(&VOCABULARIES, &[of_turns]));
        &ALL
    }

    /// What points back to what was said before, in all languages.
    pub(crate) fn pointers() -> &'static Lexicon {
        static ALL: LazyLock<Lexicon> =
            LazyLock::new(|| Lexicon::of(&VOCABULARIES, &[|own| own.pointers]));
        &ALL
    }

    /// What words say of how the turn before was understood, beside what they do in a conversation.
    pub(crate) fn corrections() -> &'static Lexicon {
        static ALL: LazyLock<Lexicon> =
            LazyLock::new(|| Lexicon::of(&VOCABULARIES, &[of_turns, |own| (own.corrections, &[])]));
        &ALL
    }

    /// Whether a table of any language, of values, conversation or common words, has a word.
    ///
    /// The word is without accents.
    pub(crate) fn knows(word: &str) -> bool {
        static WORDS: LazyLock<FxHashSet<Box<str>>> = LazyLock::new(|| {
            let lexicons = [Lexicon::standard(), Lexicon::conversation()];
            let phrases = lexicons.iter().flat_map(|lexicon| lexicon.phrases.tokens());
            let common = VOCABULARIES.iter().flat_map(|own| own.common.split_whitespace());
            phrases.chain(common).map(Box::from).collect()
        });
        WORDS.contains(word)
    }

    /// How texts of a language write numbers and dates.
    pub(crate) fn habits(&self, language: Language) -> &'static Vocabulary {
        let own = self.vocabularies.iter().find(|own| own.languages.contains(&language));
        own.copied().unwrap_or(&Vocabulary::PLAIN)
    }
}

fn of_turns(own: &Vocabulary) -> Tables {
    (own.turns, own.turns_accented)
}

/// All words of such tables, and whether their accents may not be left out.
fn groups((words, accented): Tables) -> impl Iterator<Item = (&'static Group, bool)> {
    let words = words.iter().copied().flatten().map(|group| (group, false));
    words.chain(accented.iter().copied().flatten().map(|group| (group, true)))
}
