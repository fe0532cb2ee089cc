//! Cuts a text into the pieces of words that a static table knows, by WordPiece or by likelihood.
//!
//! A table has the pieces of the encoder that it was made from; it may cut rare words differently
//! from that encoder, since the student is trained on the table's own vectors.

use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The way a word is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// The longest piece that fits, from the left; pieces within a word begin with `##`. Accents are
    /// dropped. Source: BERT's WordPiece, uncased.
    Longest,
    /// The likeliest cut; the first piece of a word begins with `▁`. Source: unigram language
    /// models, as in XLM-R.
    Likeliest,
}

/// Words longer than this, in characters, are left out: they are no words.
const MAX_WORD: usize = 64;

/// Pieces longer than this are never looked for, in characters.
const MAX_PIECE: usize = 20;

/// The score of an unknown character in a likeliest cut: worse than that of any piece.
const UNKNOWN: f32 = -30.0;

/// The known pieces and their places.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pieces {
    cut: Cut,
    /// With the marks of the vocabulary, in the order of the table's rows.
    known: Vec<(String, f32)>,
    /// Those that begin a word, without their mark.
    first: FxHashMap<Box<str>, u32>,
    /// Those within a word.
    inner: FxHashMap<Box<str>, u32>,
    longest: usize,
}

impl Pieces {
    pub(crate) fn new(cut: Cut, known: Vec<(String, f32)>) -> Self {
        let mut pieces = Self {
            cut,
            known,
            first: FxHashMap::default(),
            inner: FxHashMap::default(),
            longest: 0,
        };
        for (place, (text, _)) in pieces.known.iter().enumerate() {
            let (begins, bare) = match cut {
                Cut::Longest => match text.strip_prefix("##") {
                    Some(rest) if !rest.is_empty() => (false, rest),
                    _ => (true, text.as_str()),
                },
                Cut::Likeliest => match text.strip_prefix('▁') {
                    Some(rest) => (true, rest),
                    None => (false, text.as_str()),
                },
            };
            pieces.longest = pieces.longest.max(bare.chars().count()).min(MAX_PIECE);
            let side = if begins { &mut pieces.first } else { &mut pieces.inner };
            side.entry(bare.into()).or_insert(place as u32);
        }
        pieces
    }

    /// Returns whether a whole word, in lower case and without accents, is a piece.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        self.first.contains_key(word)
    }

    pub(crate) fn known(&self) -> &[(String, f32)] {
        &self.known
    }

    /// Calls `emit` with the place of each piece of `text`, in reading order, and the bytes of the
    /// word that it is a piece of.
    pub(crate) fn each(&self, text: &str, mut emit: impl FnMut(u32, Range<usize>)) {
        let mut word = String::new();
        let mut start = 0;
        let mut is_placeholder = false;
        for (at, c) in text.char_indices() {
            is_placeholder = c == '‹' || (is_placeholder && c != '›');
            let stands_alone = stands_alone(c);
            if is_placeholder || c == '›' || c.is_whitespace() || stands_alone {
                self.word(&word, &mut |piece| emit(piece, start..at));
                word.clear();
                start = at + c.len_utf8();
                if stands_alone && !is_placeholder && c != '›' {
                    let bytes = at..start;
                    self.word(c.encode_utf8(&mut [0; 4]), &mut |piece| emit(piece, bytes.clone()));
                }
            } else if c.is_ascii() || self.cut == Cut::Likeliest {
                word.push(c);
            } else {
                word.extend(std::iter::once(c).nfd().filter(|part| !is_combining_mark(*part)));
            }
        }
        self.word(&word, &mut |piece| emit(piece, start..text.len()));
    }

    fn word(&self, word: &str, emit: &mut impl FnMut(u32)) {
        if word.is_empty() || word.chars().nth(MAX_WORD).is_some() {
            return;
        }
        if let Some(place) = self.first.get(word) {
            return emit(*place);
        }
        match self.cut {
            Cut::Longest => self.longest(word, emit),
            Cut::Likeliest => self.likeliest(word, emit),
        }
    }

    /// The longest piece at each place; a character that no piece begins with is left out.
    fn longest(&self, word: &str, emit: &mut impl FnMut(u32)) {
        let mut start = 0;
        while start < word.len() {
            let side = if start == 0 { &self.first } else { &self.inner };
            let ends = word[start..].char_indices().skip(1).map(|(at, _)| start + at);
            let mut ends: Vec<usize> = ends.chain([word.len()]).take(self.longest.max(1)).collect();
            ends.reverse();
            let found = ends.iter().find_map(|end| Some((*end, *side.get(&word[start..*end])?)));
            start = match found {
                Some((end, place)) => {
                    emit(place);
                    end
                }
                None => ends.last().copied().unwrap_or(word.len()),
            };
        }
    }

    /// The cut with the largest sum of scores, by dynamic programming over the characters.
    fn likeliest(&self, word: &str, emit: &mut impl FnMut(u32)) {
        let bounds: Vec<usize> =
            word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        // For each end: the best sum, where its last piece begins, and which piece that is.
        let mut best: Vec<(f32, usize, Option<u32>)> =
            vec![(f32::NEG_INFINITY, 0, None); bounds.len()];
        best[0].0 = 0.0;
        for end in 1..bounds.len() {
            for start in end.saturating_sub(self.longest.max(1))..end {
                let side = if start == 0 { &self.first } else { &self.inner };
                let place = side.get(&word[bounds[start]..bounds[end]]).copied();
                let score = match place {
                    Some(place) => self.known[place as usize].1,
                    None if start + 1 == end => UNKNOWN,
                    None => continue,
                };
                let sum = best[start].0 + score;
                if sum > best[end].0 {
                    best[end] = (sum, start, place);
                }
            }
        }
        let mut places = Vec::new();
        let mut end = bounds.len() - 1;
        while end > 0 {
            places.extend(best[end].2);
            end = best[end].1;
        }
        places.into_iter().rev().for_each(emit);
    }
}

/// Returns whether `c` is a word of its own: punctuation, symbols, and Han characters.
fn stands_alone(c: char) -> bool {
    let is_han =
        matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}');
    is_han || !(c.is_alphanumeric() || c.is_whitespace() || is_combining_mark(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(cut: Cut, known: &[(&str, f32)], text: &str) -> Vec<String> {
        let known = known.iter().map(|(text, score)| ((*text).to_owned(), *score)).collect();
        let pieces = Pieces::new(cut, known);
        let mut found = Vec::new();
        pieces.each(text, |place, _| found.push(pieces.known()[place as usize].0.clone()));
        found
    }

    #[test]
    fn the_longest_piece_is_taken_from_the_left() {
        let known = [("un", 0.0), ("##aff", 0.0), ("##able", 0.0), ("##a", 0.0), ("?", 0.0)];
        assert_eq!(cut(Cut::Longest, &known, "unáffable?"), ["un", "##aff", "##able", "?"]);
        // Characters that no piece begins with are left out, and the rest is still read.
        assert_eq!(cut(Cut::Longest, &known, "unxaff x"), ["un", "##aff"]);
    }

    #[test]
    fn the_likeliest_cut_is_taken() {
        let known = [("▁un", -2.0), ("▁u", -1.0), ("na", -1.5), ("a", -3.0), ("▁", -4.0)];
        assert_eq!(cut(Cut::Likeliest, &known, "una"), ["▁u", "na"]);
        assert_eq!(cut(Cut::Likeliest, &known, "unxa"), ["▁un", "a"]);
    }

    #[test]
    fn placeholders_and_endless_words_are_left_out() {
        let known = [("place", 0.0), ("in", 0.0), ("##n", 0.0)];
        assert_eq!(cut(Cut::Longest, &known, "in ‹place› in"), ["in", "in"]);
        assert_eq!(cut(Cut::Longest, &known, &"n".repeat(1000)), Vec::<String>::new());
    }
}
