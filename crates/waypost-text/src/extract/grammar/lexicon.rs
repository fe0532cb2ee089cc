//! Looks up what phrases mean, in the table that is asked.

use super::compound;
use super::phrases::{Entries, Entry, Phrases, Table, TokenId, Tongues, UNKNOWN};
use super::spelling::Spelling;
use super::term::Term;
use super::token::Tokens;
use crate::extract::lang::{TABLES, Tongue, Vocabulary};
use crate::language::Language;

/// One meaning of a phrase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meaning {
    tables: &'static Tables,
    entry: Entry,
}

impl Meaning {
    pub(crate) fn tongue(self) -> Tongue {
        Tongue::new(&self.tables.vocabularies[usize::from(self.entry.language)])
    }

    pub(crate) fn term(self) -> Term {
        self.tables.terms[usize::from(self.entry.term)]
    }

    /// Returns whether the accents of the phrase may not be left out.
    pub(crate) fn keeps_accents(self) -> bool {
        self.entry.keeps_accents
    }

    /// Returns whether the tokens from `from` up to `end`, which fold to the phrase, were meant for it.
    pub(crate) fn fits(self, tokens: &Tokens<'_>, from: usize, end: usize) -> bool {
        let phrase = self.tables.phrases.spelling(self.entry);
        Spelling { phrase, keeps_accents: self.entry.keeps_accents }.fits(tokens, from, end)
    }
}

/// Languages, their phrases, and what those mean.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) vocabularies: &'static [Vocabulary],
    /// The terms that entries of the trie name by their places.
    pub(crate) terms: &'static [Term],
    pub(crate) phrases: Phrases,
}

/// One table of phrases, in all its languages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lexicon {
    tables: &'static Tables,
    table: Table,
}

impl Lexicon {
    /// Words that values are made of.
    pub(crate) const VALUES: Lexicon = Lexicon::new(&TABLES, Table::Values);

    /// Words by what they do in a conversation.
    pub(crate) const CONVERSATION: Lexicon = Lexicon::new(&TABLES, Table::Conversation);

    /// Words that point back to what was said before.
    pub(crate) const REFERENCES: Lexicon = Lexicon::new(&TABLES, Table::References);

    /// Words that say how the turn before was understood, beside those of a conversation.
    pub(crate) const CORRECTIONS: Lexicon = Lexicon::new(&TABLES, Table::Corrections);

    /// Names of cities and countries, by their time zones.
    pub(crate) const ZONES: Lexicon = Lexicon::new(&TABLES, Table::Zones);

    /// Words that say what a value is for, and where the object of a request begins.
    pub(crate) const ROLES: Lexicon = Lexicon::new(&TABLES, Table::Roles);

    pub(crate) const fn new(tables: &'static Tables, table: Table) -> Self {
        Self { tables, table }
    }

    /// The table, where it is one of the program's own.
    pub(crate) fn own_table(self) -> Option<Table> {
        std::ptr::eq(self.tables, &raw const TABLES).then_some(self.table)
    }

    pub(crate) fn vocabularies(self) -> &'static [Vocabulary] {
        self.tables.vocabularies
    }

    /// The numbers of all tokens, by which phrases are looked up.
    pub(crate) fn ids(self, tokens: &Tokens<'_>) -> Vec<TokenId> {
        (0..tokens.len()).map(|at| self.tables.phrases.id(tokens.folded(at))).collect()
    }

    /// The phrases that begin with the first token in a text with these habits, shorter ones first: how many
    /// tokens each has, and what it means.
    pub(crate) fn phrases(
        self,
        habits: &Vocabulary,
        ids: &[TokenId],
    ) -> impl Iterator<Item = (usize, impl Iterator<Item = Meaning>)> {
        let found = self.tables.phrases.walk(self.table, !habits.apart, ids);
        found.map(move |(length, entries)| (length, self.meanings(entries)))
    }

    /// The meanings of a phrase that is one token.
    pub(crate) fn word(self, token: &str) -> impl Iterator<Item = Meaning> {
        self.meanings(self.tables.phrases.word(self.table, self.tables.phrases.id(token)))
    }

    fn meanings(self, entries: Entries) -> impl Iterator<Item = Meaning> {
        entries.map(move |entry| Meaning { tables: self.tables, entry })
    }

    /// Reads a word that is no phrase by the number words that it is made of.
    pub(crate) fn compound(self, word: &str, language: Language) -> Option<(Tongue, Term)> {
        let spoken = |own: &&Vocabulary| own.is_spoken(language);
        let mut spoken = self.tables.vocabularies.iter().filter(spoken);
        if self.table != Table::Values || !spoken.any(|own| own.beginnings.has(word)) {
            return None;
        }
        compound::compound(word, self, |tongue| tongue.is_spoken(language))
    }

    /// Returns whether a table of values, conversation or common words has a word: one of `language`, or of
    /// another whose words may be meant in its texts.
    ///
    /// The word is without accents.
    pub(crate) fn knows(word: &str, language: Option<Language>) -> bool {
        let spoken = TABLES.phrases.spoken(TABLES.phrases.id(word));
        spoken != 0
            && TABLES.vocabularies.iter().enumerate().any(|(at, own)| {
                let is_near =
                    !own.apart || language.is_some_and(|language| own.languages.contains(language));
                spoken & (1 << at) != 0 && is_near
            })
    }

    /// Returns whether the signs and abbreviations of all languages have a word.
    pub(crate) fn knows_in_common(word: &str) -> bool {
        TABLES.phrases.spoken(TABLES.phrases.id(word)) & 1 != 0
    }

    /// Returns whether a language has a word among its small ones.
    ///
    /// The word is without accents.
    pub(crate) fn is_small(word: &str, language: Language) -> bool {
        let small = Self::small(word);
        let mut own = TABLES.vocabularies.iter().enumerate();
        small != 0
            && own.any(|(at, own)| small & (1 << at) != 0 && own.languages.contains(language))
    }

    /// The languages that have a word among their small ones: a set of places in the vocabularies.
    ///
    /// The word is without accents.
    pub(crate) fn small(word: &str) -> Tongues {
        TABLES.phrases.small(TABLES.phrases.id(word))
    }

    /// Returns whether values, conversation or common words of a language have a word.
    ///
    /// The word is without accents.
    pub(crate) fn knows_in(word: &str, language: Language) -> bool {
        let spoken = TABLES.phrases.spoken(TABLES.phrases.id(word));
        let mut own = TABLES.vocabularies.iter().enumerate();
        own.any(|(at, own)| spoken & (1 << at) != 0 && own.languages.contains(language))
    }

    /// The words, without accents, of all phrases of all languages, and whether values, conversation or common words
    /// of one of these languages have them.
    pub(crate) fn words(languages: &[Language]) -> impl Iterator<Item = (&'static str, bool)> {
        let vocabularies = TABLES.vocabularies.iter().enumerate();
        let own = vocabularies
            .filter(|(_, own)| languages.iter().any(|one| own.languages.contains(*one)));
        let own = own.fold(0, |set: Tongues, (at, _)| set | 1 << at);
        let is_own = move |at: usize| {
            let id = TokenId::try_from(at).unwrap_or(UNKNOWN);
            TABLES.phrases.spoken(id) & own != 0
        };
        TABLES.phrases.tokens().enumerate().map(move |(at, token)| (token, is_own(at)))
    }

    /// Returns the habits by which texts of a language write numbers and dates.
    pub(crate) fn habits(self, language: Language) -> &'static Vocabulary {
        let own = self.tables.vocabularies.iter().find(|own| own.languages.contains(language));
        own.unwrap_or(&Vocabulary::PLAIN)
    }
}
