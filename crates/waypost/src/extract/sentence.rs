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

    /// Whether the tables know nothing that begins at a token of letters.
    pub(super) fn is_plain(&self, index: usize) -> bool {
        self.senses(index).is_empty() && matches!(self.shape(index), Some(Shape::Word | Shape::Han))
    }

    pub(super) fn token(&self, index: usize) -> Option<Token> {
        self.tokens.get(index)
    }

    pub(super) fn shape(&self, index: usize) -> Option<Shape> {
        self.tokens.get(index).map(|token| token.shape)
    }
}

fn is_spoken(tongue: Tongue, language: Language) -> bool {
    match tongue {
        Tongue::Common | Tongue::En | Tongue::Zh => true,
        Tongue::Es => language == Language::Es,
        Tongue::Vi => language == Language::Vi,
    }
}
