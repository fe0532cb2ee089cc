//! Cuts normalized text into words, digit runs, Han characters and symbols.
//!
//! Every rule works on these tokens, so what is "inside a word" is decided here and nowhere else.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use super::script::simplified;

/// The kind of characters that a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A run of letters that are not Han.
    Word,
    /// A run of ASCII digits.
    Digits,
    /// One Han character, or one of hiragana: Chinese and Japanese have no spaces to cut at.
    Han,
    /// One character of anything else but space.
    Symbol,
}

/// A token's place in the source and in the folded text, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) shape: Shape,
    folded: (usize, usize),
}

/// The places where a lower-case text is cut, and its words without accents.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cut {
    /// The words without accents. Empty for ASCII, which folds to itself.
    folded: String,
    list: Vec<Token>,
}

impl Cut {
    /// Cuts a lower-case text.
    pub(crate) fn of(source: &str) -> Self {
        let mut cut = Self::default();
        let ascii = source.is_ascii();
        let mut rest = source.char_indices().peekable();
        while let Some((start, first)) = rest.next() {
            let Some(shape) = shape(first) else { continue };
            let mut end = start + first.len_utf8();
            if matches!(shape, Shape::Word | Shape::Digits) {
                while let Some((at, c)) = rest.next_if(|(_, c)| continues(shape, *c)) {
                    end = at + c.len_utf8();
                }
            }
            let folded = if ascii { (start, end) } else { cut.fold(&source[start..end]) };
            cut.list.push(Token { start, end, shape, folded });
        }
        cut
    }

    fn fold(&mut self, word: &str) -> (usize, usize) {
        let from = self.folded.len();
        // The marks of kana are no accents: が is another letter than か.
        if word.is_ascii() || word.chars().next().is_some_and(is_kana) {
            self.folded.push_str(word);
        } else {
            let bare = word.nfd().filter(|c| canonical_combining_class(*c) == 0);
            for c in bare {
                match c {
                    'ß' => self.folded.push_str("ss"),
                    'œ' => self.folded.push_str("oe"),
                    'æ' => self.folded.push_str("ae"),
                    other => self.folded.push(plain(other)),
                }
            }
        }
        (from, self.folded.len())
    }
}

/// The tokens of a lower-case text.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    source: &'a str,
    cut: Cow<'a, Cut>,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        Self { source, cut: Cow::Owned(Cut::of(source)) }
    }

    /// The tokens of a text that was cut before.
    pub(crate) fn of_cut(source: &'a str, cut: &'a Cut) -> Self {
        Self { source, cut: Cow::Borrowed(cut) }
    }

    pub(crate) fn len(&self) -> usize {
        self.cut.list.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<Token> {
        self.cut.list.get(index).copied()
    }

    /// A token as it is in the normalized text; empty past the end.
    pub(crate) fn text(&self, index: usize) -> &'a str {
        self.cut.list.get(index).map_or("", |token| &self.source[token.start..token.end])
    }

    /// A token without accents, as tables are searched; empty past the end.
    pub(crate) fn folded(&self, index: usize) -> &str {
        let Some(token) = self.cut.list.get(index) else { return "" };
        let folded = &self.cut.folded;
        let text = if folded.is_empty() { self.source } else { folded };
        &text[token.folded.0..token.folded.1]
    }

    /// Returns whether nothing, not even a space, stands between the token and the one before.
    pub(crate) fn glued(&self, index: usize) -> bool {
        match (index.checked_sub(1).and_then(|before| self.get(before)), self.get(index)) {
            (Some(before), Some(token)) => before.end == token.start,
            _ => false,
        }
    }
}

/// Returns whether a character is a Chinese character.
pub(crate) fn is_han(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}' | '〇' | '々')
}

/// Returns whether a character is of the Japanese syllabaries.
pub(crate) fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}') && c != '・'
}

/// Hiragana inflects words and joins them, so that a run of it is many words.
fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}

fn shape(c: char) -> Option<Shape> {
    if c.is_whitespace() {
        None
    } else if c.is_ascii_digit() {
        Some(Shape::Digits)
    } else if is_han(c) || is_hiragana(c) {
        Some(Shape::Han)
    } else if is_letter(c) {
        Some(Shape::Word)
    } else {
        Some(Shape::Symbol)
    }
}

fn continues(shape: Shape, c: char) -> bool {
    match shape {
        Shape::Digits => c.is_ascii_digit(),
        _ => is_letter(c) && !is_han(c) && !is_hiragana(c),
    }
}

/// The underscore counts: `sst_1` is a name, not a number.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_' || (!c.is_ascii() && canonical_combining_class(c) != 0)
}

/// Letters that are variants of another without being decomposable into it.
pub(crate) fn plain(c: char) -> char {
    match c {
        'đ' => 'd',
        'ø' => 'o',
        'ł' => 'l',
        'ı' => 'i',
        '\u{2018}' | '\u{2019}' => '\'',
        other if is_han(other) => simplified(other),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_digits_and_han_part() {
        let tokens = Tokens::new("co2 在 121.5e, mañana");
        let texts: Vec<&str> = (0..tokens.len()).map(|index| tokens.folded(index)).collect();
        assert_eq!(texts, ["co", "2", "在", "121", ".", "5", "e", ",", "manana"]);
        assert!(tokens.glued(1));
        assert!(!tokens.glued(2));
    }

    #[test]
    fn hiragana_is_cut_and_keeps_its_marks() {
        let tokens = Tokens::new("3メートルだが straße");
        let texts: Vec<&str> = (0..tokens.len()).map(|index| tokens.folded(index)).collect();
        assert_eq!(texts, ["3", "メートル", "だ", "が", "strasse"]);
    }
}
