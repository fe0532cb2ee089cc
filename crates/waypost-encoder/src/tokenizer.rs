//! Cuts text into the tokens of an encoder, and tells what tokens there are.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;
use tokenizers::{Model as _, ModelWrapper};

use crate::error::{Error, Result};

/// More bytes than this of one text are not read; at the most tokens of an encoder, nearly every
/// text has been cut before.
const MAX_TEXT_BYTES: usize = 64 << 10;
const NAME: &str = "tokenizer.json";

/// The way a tokenizer finds its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenizerKind {
    /// The longest known beginning of a word, then of the rest (BERT).
    WordPiece {
        /// The mark before a token that does not begin a word, such as `##`.
        continuation: String,
        /// The most characters of a word; a longer one is unknown as a whole.
        longest_word: usize,
        /// True if text is written in lower case first.
        lowercase: bool,
        /// True if accents are taken off first.
        strip_accents: bool,
    },
    /// The most probable cut by the tokens' scores; words begin with `▁` (XLM-R).
    Unigram,
    /// Anything else: cut with [`crate::Encoder::token_ids`].
    Other,
}

/// A token of the vocabulary.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// Its text, as the tokenizer writes it.
    pub text: String,
    /// Its log probability, where the tokenizer has one.
    pub score: Option<f64>,
    /// True if it stands for no text of its own, such as `[CLS]` or `<pad>`.
    pub special: bool,
}

/// All tokens, each at its id.
#[derive(Debug, Clone, PartialEq)]
pub struct Vocabulary {
    /// The way they are found.
    pub kind: TokenizerKind,
    /// The tokens; an id that has none is an empty special token.
    pub tokens: Vec<Token>,
    /// The token that stands for unknown text.
    pub unknown: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct Tokenizer {
    inner: tokenizers::Tokenizer,
}

impl Tokenizer {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let mut inner = guarded(|| tokenizers::Tokenizer::from_bytes(bytes))?;
        // Files come with the padding of a training run, which would make every text 128 tokens
        // long; and the cut is made in `ids`, which cannot fail.
        inner.with_padding(None);
        inner.with_truncation(None).map_err(|error| Error::invalid(error.to_string()))?;
        let tokenizer = Self { inner };
        // A damaged tokenizer panics for every text: better here than at the first request.
        tokenizer.cut("a text, 1 2 3")?;
        Ok(tokenizer)
    }

    /// The ids of a text between the tokens that begin and end one, at most `most` in all.
    pub(crate) fn ids(&self, text: &str, most: usize) -> Result<Vec<u32>> {
        let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        let encoding = self.cut(text)?;
        let ids = encoding.get_ids();
        if ids.len() <= most {
            return Ok(ids.to_vec());
        }
        let specials = encoding.get_special_tokens_mask().iter().rev();
        let ending = specials.take_while(|special| **special == 1).count().min(most);
        let mut cut = ids[..most - ending].to_vec();
        cut.extend_from_slice(&ids[ids.len() - ending..]);
        Ok(cut)
    }

    fn cut(&self, text: &str) -> Result<tokenizers::Encoding> {
        guarded(|| self.inner.encode_fast(text, true))
    }

    /// One more than the greatest id.
    pub(crate) fn size(&self) -> usize {
        let greatest = self.inner.get_vocab(true).into_values().max();
        greatest.map_or(0, |id| id as usize + 1)
    }

    pub(crate) fn vocabulary(&self) -> Vocabulary {
        let model = self.inner.get_model();
        let special: HashSet<u32> = self.inner.get_added_tokens_decoder().keys().copied().collect();
        let absent = Token { text: String::new(), score: None, special: true };
        let mut tokens = vec![absent; self.size()];
        for (text, id) in self.inner.get_vocab(true) {
            tokens[id as usize] = Token { text, score: None, special: special.contains(&id) };
        }
        if let ModelWrapper::Unigram(unigram) = model {
            for (token, (_, score)) in tokens.iter_mut().zip(unigram.iter()) {
                token.score = Some(*score);
            }
        }
        let (kind, unknown) = match model {
            ModelWrapper::WordPiece(model) => {
                (self.wordpiece(model), self.inner.token_to_id(&model.unk_token))
            }
            ModelWrapper::Unigram(model) => (TokenizerKind::Unigram, model.token_to_id("<unk>")),
            _ => (TokenizerKind::Other, None),
        };
        Vocabulary { kind, tokens, unknown }
    }

    fn wordpiece(&self, model: &tokenizers::models::wordpiece::WordPiece) -> TokenizerKind {
        let normalizer = self.inner.get_normalizer();
        let said = normalizer.and_then(|normalizer| serde_json::to_value(normalizer).ok());
        let flag =
            |key: &str| said.as_ref().and_then(|said| said.get(key)).and_then(Value::as_bool);
        let lowercase = flag("lowercase").unwrap_or(false);
        TokenizerKind::WordPiece {
            continuation: model.continuing_subword_prefix.clone(),
            longest_word: model.max_input_chars_per_word,
            lowercase,
            // Accents are stripped if case is, unless the file says otherwise.
            strip_accents: flag("strip_accents").unwrap_or(lowercase),
        }
    }
}

/// Runs a call of the library. It panics on some damaged files, such as one whose template names a
/// missing token; here that is an error like any other.
fn guarded<T>(call: impl FnOnce() -> tokenizers::Result<T>) -> Result<T> {
    let reason = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "its parts do not fit together".to_owned(),
    };
    let message = format!("`{NAME}` is not what it should be: {reason}");
    Err(Error::invalid(message).hint("download the folder again"))
}
