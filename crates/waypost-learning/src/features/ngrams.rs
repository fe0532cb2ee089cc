//! Cuts a normalized text into word and character n-grams and hashes each.
//!
//! Scripts written without spaces (Han, kana, Thai, Lao, Khmer, Burmese) have no words to cut at:
//! their runs give character n-grams, and pairs of characters stand in for words. A placeholder
//! such as `‹place›` is one word whatever it holds. The hashes are part of the bundle format: to
//! change one is to change [`crate::version::bundle::VERSION`].

use waypost_core::hash::mix;

/// The kind of an n-gram, which decides the block that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gram {
    /// One word.
    Word,
    /// Two words in a row or with one between, and the first and the last word with their edge.
    WordPair,
    /// Two to four characters of a word with its edges, or one to three of an unspaced run.
    Characters,
    /// A placeholder: what kind of value stands in the text, whatever is around it.
    Mark,
}

/// `text` with its placeholders as plain words, for encoders, which know no placeholders:
/// `‹sea_place›` is "sea place".
pub fn unmasked(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut is_placeholder = false;
    for c in text.chars() {
        match c {
            '‹' | '›' => is_placeholder = c == '‹',
            '_' if is_placeholder => plain.push(' '),
            _ => plain.push(c),
        }
    }
    plain
}

/// The place in a text that an n-gram comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GramPosition {
    /// The first byte of its words, and the byte after the last.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// In a run without spaces: its first character there, and how many it has.
    pub(crate) part: Option<(usize, usize)>,
    /// True if a word stands between its two words that is not part of it.
    pub(crate) gap: bool,
}

/// Stands for the edge of a word in character n-grams; control characters never come in a
/// normalized text.
const EDGE: u32 = 2;

/// Shortest and longest character n-gram of a word.
const WORD_SIZES: std::ops::RangeInclusive<usize> = 2..=4;
/// Shortest and longest character n-gram of an unspaced run.
const RUN_SIZES: std::ops::RangeInclusive<usize> = 1..=3;

/// Calls `emit` with every n-gram of `text`, in reading order.
///
/// `text` is NFKC and lower case. `buffer` is overwritten; passing the same one again saves the
/// allocation.
pub fn each_gram(text: &str, buffer: &mut Vec<u32>, mut emit: impl FnMut(Gram, u64)) {
    each_gram_at(text, buffer, |gram, hash, _| emit(gram, hash));
}

/// Does the same as [`each_gram`] and tells where each comes from. A caller that ignores the places
/// pays nothing for them.
#[inline]
pub(crate) fn each_gram_at(
    text: &str,
    buffer: &mut Vec<u32>,
    mut emit: impl FnMut(Gram, u64, GramPosition),
) {
    let mut words = Words::default();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let kind = Kind::of(c);
        let start = text.len() - rest.len();
        let (run, tail) = rest.split_at(kind.run_length(rest));
        rest = tail;
        let whole = GramPosition { start, end: start + run.len(), part: None, gap: false };
        if kind == Kind::Other {
            continue;
        }
        load(run, kind, buffer);
        if kind == Kind::Unspaced {
            emit_characters(buffer, RUN_SIZES, |hash, part| {
                emit(Gram::Characters, hash, GramPosition { part: Some(part), ..whole });
            });
            for (from, pair) in buffer.windows(2).enumerate() {
                emit(Gram::Word, hash_word(pair), GramPosition { part: Some((from, 2)), ..whole });
            }
            words.end(&mut emit);
            continue;
        }
        let word = hash_word(buffer);
        words.push(word, whole, &mut emit);
        if kind == Kind::Placeholder {
            emit(Gram::Mark, word, whole);
        }
        if kind == Kind::Word {
            buffer.insert(0, EDGE);
            buffer.push(EDGE);
            emit_characters(buffer, WORD_SIZES, |hash, _| emit(Gram::Characters, hash, whole));
        }
    }
    words.end(&mut emit);
}

/// The last two words of a stretch of words.
#[derive(Default)]
struct Words {
    last: Option<(u64, GramPosition)>,
    before: Option<(u64, GramPosition)>,
}

impl Words {
    fn push(
        &mut self,
        word: u64,
        at: GramPosition,
        emit: &mut impl FnMut(Gram, u64, GramPosition),
    ) {
        emit(Gram::Word, word, at);
        let (last, place) = self.last.unwrap_or((START, at));
        emit(Gram::WordPair, pair_hash(last, word), GramPosition { start: place.start, ..at });
        if let Some((before, place)) = self.before {
            let around = GramPosition { start: place.start, gap: true, ..at };
            emit(Gram::WordPair, pair_hash(before ^ GAP, word), around);
        }
        self.before = self.last.replace((word, at));
    }

    fn end(&mut self, emit: &mut impl FnMut(Gram, u64, GramPosition)) {
        if let Some((last, at)) = self.last {
            emit(Gram::WordPair, pair_hash(last, END), at);
        }
        *self = Self::default();
    }
}

/// The hashes that stand for the edge before the first word, the edge after the last, and the gap
/// of a pair.
const START: u64 = 77;
const END: u64 = 78;
const GAP: u64 = 12345;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Unspaced,
    Placeholder,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' | '0'..='9' => Self::Word,
            '‹' => Self::Placeholder,
            _ if c.is_ascii() => Self::Other,
            _ if is_unspaced(c) => Self::Unspaced,
            _ if c.is_alphanumeric() => Self::Word,
            _ => Self::Other,
        }
    }

    /// Bytes of the run of this kind that `text`, which is not empty, starts with.
    fn run_length(self, text: &str) -> usize {
        if self == Self::Placeholder {
            return text.find('›').map_or('‹'.len_utf8(), |at| at + '›'.len_utf8());
        }
        let ends = |c: char| Kind::of(c) != self && !(self == Self::Word && joins(c));
        text.find(ends).unwrap_or(text.len())
    }
}

/// Characters that stay within a word: apostrophes (left out of the n-grams, so that "don't" and
/// "dont" are one word) and combining marks that have no composed form.
fn joins(c: char) -> bool {
    is_apostrophe(c) || ('\u{300}'..='\u{36f}').contains(&c)
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3005..=0x3007
        | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff
        | 0x20000..=0x3ffff)
}

fn load(run: &str, kind: Kind, buffer: &mut Vec<u32>) {
    buffer.clear();
    let kept = run.chars().filter(|c| kind != Kind::Word || !is_apostrophe(*c));
    buffer.extend(kept.map(u32::from));
}

fn hash_word(characters: &[u32]) -> u64 {
    let folded = characters.iter().fold(0u64, |hash, c| {
        (hash.rotate_left(5) ^ u64::from(*c)).wrapping_mul(0x517c_c1b7_2722_0a95)
    });
    mix(folded)
}

fn pair_hash(first: u64, second: u64) -> u64 {
    mix(first.rotate_left(23) ^ second)
}

fn emit_characters(
    characters: &[u32],
    sizes: std::ops::RangeInclusive<usize>,
    mut emit: impl FnMut(u64, (usize, usize)),
) {
    for start in 0..characters.len() {
        let mut packed = 0u64;
        for (size, c) in (1..=*sizes.end()).zip(&characters[start..]) {
            // Three code points fill 63 bits; a fourth pushes the first out, hence the multiply.
            packed = packed.wrapping_mul(0x20_0021) ^ u64::from(*c) ^ ((size as u64) << 61);
            if size >= *sizes.start() {
                emit(mix(packed), (start, size));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str, gram: Gram) -> usize {
        let mut found = 0;
        each_gram(text, &mut Vec::new(), |kind, _| found += usize::from(kind == gram));
        found
    }

    fn grams(text: &str) -> Vec<u64> {
        let mut found = Vec::new();
        each_gram(text, &mut Vec::new(), |_, hash| found.push(hash));
        found
    }

    #[test]
    fn counts_follow_from_the_sizes() {
        // "<ab>" has 3 + 2 + 1 n-grams of 2, 3 and 4.
        assert_eq!(count("ab", Gram::Characters), 6);
        assert_eq!(count("one two three", Gram::Word), 3);
        // Two pairs, one with a gap, and the two edges.
        assert_eq!(count("one, two three", Gram::WordPair), 5);
        // Three characters: 3 + 2 + 1 n-grams of 1, 2 and 3, and two pairs as words.
        assert_eq!(count("花蓮海", Gram::Characters), 6);
        assert_eq!(count("花蓮海", Gram::Word), 2);
    }

    #[test]
    fn a_placeholder_stays_whole() {
        assert_eq!(count("sst ‹place› now", Gram::Word), 3);
        assert_eq!(count("‹date›", Gram::Characters), 0);
        assert_eq!(count("a ‹ b", Gram::Word), 3);
    }

    #[test]
    fn apostrophes_do_not_part_words() {
        assert_eq!(grams("don't"), grams("dont"));
        assert_ne!(grams("dont"), grams("don t"));
    }

    #[test]
    fn every_gram_has_a_hash_of_its_own() {
        let mut all = grams("the quick brown fox jumps over lazy dogs 花蓮外海今天水溫");
        let total = all.len();
        all.sort_unstable();
        all.dedup();
        // "ov", "er" and other short n-grams repeat; a broken hash would lose far more.
        assert!(all.len() * 10 > total * 9, "{} of {total}", all.len());
    }
}
