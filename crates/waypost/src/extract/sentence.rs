//! A text with its tokens and everything that the tables know about them.

use std::sync::LazyLock;

use super::lang::{self, zh};
use super::term::{Term, Tongue};
use super::token::{Shape, Token, Tokens};
use super::trie::Trie;
use crate::language::Language;
use crate::text::Text;

/// Every phrase of every language, in one table: one look-up a token serves all of them.
static LEXICON: LazyLock<Trie<(Tongue, Term)>> = LazyLock::new(|| {
    let mut trie = Trie::new();
    for vocabulary in lang::VOCABULARIES {
        for (term, phrases) in vocabulary.words.iter().copied().flatten() {
            for phrase in *phrases {
                trie.insert(phrase, (vocabulary.tongue, *term));
            }
        }
    }
    trie
});

/// One meaning of a stretch of tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sense {
    /// The token after the last.
    pub(super) end: usize,
    pub(super) tongue: Tongue,
    pub(super) term: Term,
}

/// A text ready for the rules.
#[derive(Debug)]
pub(super) struct Sentence<'a> {
    pub(super) text: &'a Text,
    pub(super) tokens: Tokens<'a>,
    /// By token, and the longest of a token first.
    senses: Vec<Sense>,
    /// For each token, and one past the last: where its senses begin.
    first: Vec<usize>,
}

impl<'a> Sentence<'a> {
    /// Reads `text` with the words of `language` and of English; Han words always count.
    pub(super) fn new(text: &'a Text, language: Language) -> Self {
        let tokens = Tokens::new(text.normalized());
        let mut senses: Vec<Sense> = Vec::with_capacity(tokens.len());
        let mut first = Vec::with_capacity(tokens.len() + 1);
        for index in 0..tokens.len() {
            let begin = senses.len();
            first.push(begin);
            LEXICON.visit(&tokens, index, |end, values| {
                let spoken = values.iter().filter(|(tongue, _)| is_spoken(*tongue, language));
                senses.extend(spoken.map(|&(tongue, term)| Sense { end, tongue, term }));
            });
            if let Some((value, end)) = zh::numeral(&tokens, index) {
                senses.push(Sense { end, tongue: Tongue::Zh, term: Term::Number(value) });
            }
            senses[begin..].sort_by_key(|sense| std::cmp::Reverse(sense.end));
        }
        first.push(senses.len());
        Self { text, tokens, senses, first }
    }

    /// The meanings of what begins at a token, the longest first.
    pub(super) fn senses(&self, index: usize) -> &[Sense] {
        match (self.first.get(index), self.first.get(index + 1)) {
            (Some(&from), Some(&to)) => &self.senses[from..to],
            _ => &[],
        }
    }

    /// Whether a value other than a name can begin at a token.
    ///
    /// Most tokens of a sentence cannot begin one, and asking once saves trying every rule there.
    pub(super) fn may_begin(&self, index: usize) -> bool {
        match self.shape(index) {
            Some(Shape::Digits) => true,
            Some(Shape::Symbol) => {
                self.tokens.text(index).chars().all(|symbol| OPENING.contains(symbol))
            }
            Some(Shape::Word | Shape::Han) => {
                self.senses(index).iter().any(|sense| begins(sense.term))
            }
            None => false,
        }
    }

    pub(super) fn token(&self, index: usize) -> Option<Token> {
        self.tokens.get(index)
    }

    pub(super) fn shape(&self, index: usize) -> Option<Shape> {
        self.tokens.get(index).map(|token| token.shape)
    }
}

/// Symbols that a value can begin with: brackets, quotation marks and signs.
const OPENING: &str = "([{【〔“「『«‘\"'-+−#@";

/// Whether a value can begin with a word of this meaning, rather than go on with it.
fn begins(term: Term) -> bool {
    !matches!(
        term,
        Term::Change
            | Term::Reference
            | Term::Filler
            | Term::Is
            | Term::Of
            | Term::And
            | Term::The
            | Term::Counter
            | Term::Measure
            | Term::YearMark
            | Term::MonthMark
            | Term::DayMark
            | Term::Ago
            | Term::Later
            | Term::Onward
            | Term::HourMark
            | Term::MinuteMark
            | Term::SecondMark
            | Term::Minutes(_)
            | Term::OrdinalSuffix
            | Term::After(_)
            | Term::Every
            | Term::PartOfDay
            | Term::To
            | Term::On
            | Term::In
            | Term::At
            | Term::Coordinates
            | Term::Degree
            | Term::Percent
    )
}

fn is_spoken(tongue: Tongue, language: Language) -> bool {
    match tongue {
        Tongue::Common | Tongue::En | Tongue::Zh => true,
        Tongue::Es => language == Language::Es,
        Tongue::Vi => language == Language::Vi,
    }
}
