//! Turns a text into a short sparse vector: hashed n-grams, weighted by how rare they are.
//!
//! A vector has up to four blocks, each of length 1 times its weight: a position and a day in a
//! text tell as much in a long sentence as in a short one. Words, characters and the marks of
//! values have hashed buckets; behind them stands the vector of a static table, one entry a number.
//! Nothing here knows the classes.

pub mod ngrams;
pub mod static_table;
pub(crate) mod vocabulary;
pub(crate) mod wordpiece;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use waypost_text::spelling::{Care, Case, Speller};

use crate::features::ngrams::{Gram, each_gram};
use crate::features::static_table::StaticTable;
use crate::parallel::in_halves;

/// The student's input for one text.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// NFKC and lower case ([`waypost_text::text::Text::normalized`]).
    pub text: &'a str,
    /// The tag of its language, where it is known.
    pub language: Option<&'a str>,
    /// Its vector by the encoder that the student was trained with, of length 1; without one the
    /// words decide alone.
    pub vector: Option<&'a [f32]>,
}

impl<'a> From<&'a str> for Input<'a> {
    fn from(text: &'a str) -> Self {
        Self { text, language: None, vector: None }
    }
}

impl<'a> From<&'a String> for Input<'a> {
    fn from(text: &'a String) -> Self {
        Self::from(text.as_str())
    }
}

/// Sizes and weights of the blocks.
///
/// The defaults were chosen by cross-validation within the training rows of CLINC150, BANKING77,
/// HWU64 and SNIPS. 150 routes take 2.0 MB; with 12 bits of words they take 1.3 MB, with 14 they
/// take 3.2 MB. On the validation rows neither is better or worse than 13 by more than 0.2 points
/// (on HWU64's full set 13 is better by 0.7), which is about what other seeds change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureConfig {
    /// Buckets of word n-grams, as a power of two.
    pub word_bits: u8,
    /// Buckets of character n-grams, as a power of two.
    pub character_bits: u8,
    /// Weight of the word block.
    pub word_weight: f32,
    /// Weight of the character block.
    pub character_weight: f32,
    /// Weight of the block of marks.
    pub mark_weight: f32,
    /// Entries of the static table's block; 0 without one.
    pub table: usize,
}

/// A number for each language: how much a vector tells depends on the language that it was made for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByLanguage {
    /// By the tag of the language.
    pub languages: BTreeMap<String, f32>,
    /// For languages that are not named, and texts of no known language.
    pub other: f32,
}

impl ByLanguage {
    /// The same for every language.
    pub fn all(other: f32) -> Self {
        Self { languages: BTreeMap::new(), other }
    }

    /// The number of `language`.
    pub fn get(&self, language: Option<&str>) -> f32 {
        language.and_then(|tag| self.languages.get(tag)).copied().unwrap_or(self.other)
    }

    pub(crate) fn is_valid(&self) -> bool {
        self.languages.values().chain([&self.other]).all(|x| x.is_finite() && *x >= 0.0)
    }
}

impl Default for FeatureConfig {
    fn default() -> Self {
        Self {
            word_bits: 14,
            character_bits: 14,
            word_weight: 1.0,
            character_weight: 1.0,
            mark_weight: 0.7,
            table: 0,
        }
    }
}

/// Buckets of marks, as a power of two: there are a dozen kinds of values and a few gazetteers.
const MARK_BITS: u8 = 6;

/// The largest block that a bundle may declare, as a power of two.
pub const MAX_BITS: u8 = 18;

/// The most entries that a dense block may have.
pub const MAX_DIMENSIONS: usize = 4096;

/// Bits of the filter of seen word n-grams, as a power of two: 32 KB, a false yes for one in six
/// at CLINC150's 45,000 n-grams and for hardly any at a pack's.
const KNOWN_BITS: u32 = 18;

/// Remembers which words and word pairs were seen in training.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Known(pub(crate) Vec<u64>);

impl Known {
    /// The number of 64-bit words in a filter.
    pub(crate) const LENGTH: usize = 1 << (KNOWN_BITS - 6);

    pub(crate) fn new() -> Self {
        Self(vec![0; Self::LENGTH])
    }

    pub(crate) fn insert(&mut self, grams: &Grams) {
        for bit in grams.iter().flatten() {
            self.0[(bit >> 6) as usize] |= 1 << (bit & 63);
        }
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }

    /// Returns the shares of the words, and of the pairs, that are known; 0 where there are none.
    pub(crate) fn shares(&self, grams: &Grams) -> [f32; 2] {
        [0, 1].map(|kind| {
            let known = |bit: &&u32| self.0[(**bit >> 6) as usize] >> (**bit & 63) & 1 == 1;
            grams[kind].iter().filter(known).count() as f32 / grams[kind].len().max(1) as f32
        })
    }
}

/// Places in the filter of a text's words and of its word pairs.
pub(crate) type Grams = [Vec<u32>; 2];

impl FeatureConfig {
    fn word_buckets(self) -> usize {
        1 << self.word_bits
    }

    /// Returns the first bucket of the block of marks.
    fn mark_start(self) -> usize {
        self.word_buckets() + (1 << self.character_bits)
    }

    /// Returns the first bucket of the static table's block: buckets below are counted and weighed
    /// by their rarity.
    pub(crate) fn table_start(self) -> usize {
        self.mark_start() + (1 << MARK_BITS)
    }

    /// Returns the number of buckets of all blocks; entries of a vector are below this.
    pub fn buckets(self) -> usize {
        self.table_start() + self.table
    }

    /// Returns the block that a bucket belongs to: words, characters or marks.
    fn block(self, bucket: u32) -> usize {
        usize::from(bucket as usize >= self.word_buckets())
            + usize::from(bucket as usize >= self.mark_start())
    }

    pub(crate) fn is_valid(self) -> bool {
        let bits = 4..=MAX_BITS;
        self.table <= MAX_DIMENSIONS
            && bits.contains(&self.word_bits)
            && bits.contains(&self.character_bits)
            && [self.word_weight, self.character_weight, self.mark_weight]
                .iter()
                .all(|w| w.is_finite() && *w >= 0.0)
    }

    pub(crate) fn bucket(self, gram: Gram, hash: u64) -> u32 {
        let bucket = match gram {
            Gram::Characters => self.word_buckets() as u64 + (hash >> (64 - self.character_bits)),
            Gram::Word | Gram::WordPair => hash >> (64 - self.word_bits),
            Gram::Mark => self.mark_start() as u64 + (hash >> (64 - MARK_BITS)),
        };
        bucket as u32
    }
}

/// The features of one text, and the memory to compute them without allocating.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    characters: Vec<u32>,
    counts: Vec<u16>,
    touched: Vec<u32>,
    entries: Vec<Entry>,
    /// The vector by the static table.
    pub(crate) table: Vec<f32>,
    pub(crate) grams: Grams,
    pub(crate) margins: Vec<f32>,
    /// The encoder's vector as entries, and its margins.
    pub(crate) dense: Vec<Entry>,
    pub(crate) vector_margins: Vec<f32>,
}

/// One entry of a sparse vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// Below [`FeatureConfig::buckets`].
    pub bucket: u32,
    /// Finite.
    pub value: f32,
}

impl Scratch {
    /// The vector of the last text, each bucket at most once.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn add(&mut self, bucket: u32) {
        let count = &mut self.counts[bucket as usize];
        if *count == 0 {
            self.touched.push(bucket);
        }
        *count = count.saturating_add(1);
    }
}

/// The number of texts, and for each bucket of counted features the number of texts that have it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Documents {
    pub(crate) total: u32,
    /// One a bucket below [`FeatureConfig::table_start`].
    pub(crate) having: Vec<u32>,
}

impl Documents {
    /// Counts normalized texts, and remembers their words.
    fn of<T: AsRef<str>>(config: FeatureConfig, texts: &[T]) -> (Self, Known) {
        let mut documents = Self { total: 0, having: vec![0; config.table_start()] };
        let mut known = Known::new();
        let mut scratch = Scratch::default();
        for text in texts {
            documents.total += 1;
            count(config, text.as_ref(), &mut scratch);
            known.insert(&scratch.grams);
            for bucket in scratch.touched.drain(..) {
                documents.having[bucket as usize] += 1;
                scratch.counts[bucket as usize] = 0;
            }
        }
        (documents, known)
    }

    fn add(&mut self, other: &Self) {
        self.total += other.total;
        self.having.iter_mut().zip(&other.having).for_each(|(own, other)| *own += other);
    }

    /// The rarity of each bucket: ln((1 + n) / (1 + df)) + 1.
    fn idf(&self) -> Vec<f32> {
        let total = f64::from(1 + self.total);
        let idf = |df: &u32| ((total / f64::from(1 + df)).ln() + 1.0) as f32;
        self.having.iter().map(idf).collect()
    }
}

/// The fitted features: the configuration, the rarity of each bucket, and the n-grams seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    pub(crate) config: FeatureConfig,
    pub(crate) documents: Documents,
    idf: Vec<f32>,
    pub(crate) known: Known,
    pub(crate) table: Option<Arc<StaticTable>>,
    /// Weight of the table's block.
    pub(crate) table_length: ByLanguage,
    /// Knows the words that were trained, so that what slipped is read as what was meant.
    pub(crate) speller: Speller,
}

impl Features {
    /// Learns the rarity of each bucket from normalized `texts`, on one thread or two; the result is the same.
    ///
    /// `config` says how many entries the block of `table` has.
    pub fn fit<T: AsRef<str> + Sync>(
        config: FeatureConfig,
        table: Option<Arc<StaticTable>>,
        table_length: ByLanguage,
        texts: &[T],
        threads: usize,
    ) -> Self {
        let counted = |texts: &[T]| vec![Documents::of(config, texts)];
        let mut halves = in_halves(texts, threads, counted).into_iter();
        let (mut documents, mut known) =
            halves.next().unwrap_or_else(|| Documents::of::<T>(config, &[]));
        for (more, also) in halves {
            documents.add(&more);
            known.add(&also);
        }
        Self::assembled(config, documents, known, table, table_length)
    }

    /// Features from their parts.
    pub(crate) fn assembled(
        config: FeatureConfig,
        documents: Documents,
        known: Known,
        table: Option<Arc<StaticTable>>,
        table_length: ByLanguage,
    ) -> Self {
        let idf = documents.idf();
        let speller = Speller::default();
        Self { config, documents, idf, known, table, table_length, speller }
    }

    /// Returns the weight of the static table's block.
    pub fn table_length(&self) -> &ByLanguage {
        &self.table_length
    }

    /// Overwrites `out` with the vector of `input`.
    ///
    /// A text without any n-gram has no entries but those of the static table.
    pub fn extract<'a>(&self, input: impl Into<Input<'a>>, out: &mut Scratch) {
        let input = input.into();
        let text = self.meant(input.text);
        count(self.config, &text, out);
        self.weigh(out);
        let Some(table) = &self.table else { return };
        let length = self.table_length.get(input.language);
        table.embed(&text, &mut out.table);
        if length > 0.0 {
            let start = self.config.table_start();
            let entry =
                |(at, x): (usize, &f32)| Entry { bucket: (start + at) as u32, value: length * x };
            out.entries.extend(out.table.iter().enumerate().map(entry));
        }
    }

    /// A text in which words that slipped are the ones that were meant.
    fn meant<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let usual = |word: &str| self.table.as_ref().is_some_and(|table| table.has_word(word));
        let slips = self.speller.slips(text, Care::Usual, usual, |_| Case::Word);
        if slips.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut meant = text.to_owned();
        for (bytes, word) in slips.into_iter().rev() {
            meant.replace_range(bytes, word);
        }
        Cow::Owned(meant)
    }

    /// Returns what each word of `text` adds to the block of the static table, with its bytes.
    pub(crate) fn table_words(&self, text: &str) -> Vec<(Range<usize>, Vec<f32>)> {
        let Some(table) = &self.table else { return Vec::new() };
        let length = self.table_length.other;
        let mut words = table.words(text);
        words.iter_mut().flat_map(|(_, vector)| vector).for_each(|x| *x *= length);
        words
    }

    /// Returns the shares of the words, and of the word pairs, of the text last extracted to
    /// `scratch` that were seen in training (0 to 1; 0 where the text has none).
    pub fn known(&self, scratch: &Scratch) -> [f32; 2] {
        self.known.shares(&scratch.grams)
    }

    fn weigh(&self, out: &mut Scratch) {
        let mut squares = [0.0f32; 3];
        out.entries.clear();
        for bucket in out.touched.drain(..) {
            let count = std::mem::take(&mut out.counts[bucket as usize]);
            let value = sublinear(count) * self.idf[bucket as usize];
            squares[self.config.block(bucket)] += value * value;
            out.entries.push(Entry { bucket, value });
        }
        let FeatureConfig { word_weight, character_weight, mark_weight, .. } = self.config;
        let weights = [word_weight, character_weight, mark_weight];
        let scales = [0, 1, 2].map(|i| weights[i] / squares[i].sqrt().max(f32::MIN_POSITIVE));
        for entry in &mut out.entries {
            entry.value *= scales[self.config.block(entry.bucket)];
        }
    }
}

/// Counts the buckets of `text` in `out`.
fn count(config: FeatureConfig, text: &str, out: &mut Scratch) {
    if out.counts.len() != config.table_start() {
        out.counts = vec![0; config.table_start()];
    }
    out.touched.clear();
    out.grams.iter_mut().for_each(Vec::clear);
    let mut characters = std::mem::take(&mut out.characters);
    each_gram(text, &mut characters, |gram, hash| {
        let place = (hash & ((1 << KNOWN_BITS) - 1)) as u32;
        match gram {
            Gram::Word => out.grams[0].push(place),
            Gram::WordPair => out.grams[1].push(place),
            Gram::Characters | Gram::Mark => {}
        }
        out.add(config.bucket(gram, hash));
    });
    out.characters = characters;
}

/// 1 + ln(count): a word said three times is not three times as telling.
fn sublinear(count: u16) -> f32 {
    if count <= 1 { f32::from(count) } else { 1.0 + f32::from(count).ln() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted() -> Features {
        Features::fit(
            FeatureConfig::default(),
            None,
            ByLanguage::all(0.0),
            &["set an alarm", "what is the weather", "海溫"],
            1,
        )
    }

    #[test]
    fn each_block_has_its_length() {
        let features = fitted();
        let mut scratch = Scratch::default();
        features.extract("set the the alarm now", &mut scratch);
        let words = features.config.word_buckets() as u32;
        for (block, weight) in [(false, 1.0f32), (true, 1.0)] {
            let part = scratch.entries().iter().filter(|e| (e.bucket >= words) == block);
            let length: f32 = part.map(|e| e.value * e.value).sum();
            assert!((length - weight * weight).abs() < 1e-5, "{length}");
        }
    }

    #[test]
    fn a_used_scratch_gives_the_same_vector() {
        let features = fitted();
        let (mut used, mut fresh) = (Scratch::default(), Scratch::default());
        features.extract("something else altogether", &mut used);
        features.extract("set an alarm", &mut used);
        features.extract("set an alarm", &mut fresh);
        assert_eq!(used.entries(), fresh.entries());
        assert_eq!(features.known(&used), [1.0, 1.0]);
    }

    #[test]
    fn an_empty_text_has_no_entries() {
        let mut scratch = Scratch::default();
        let features = fitted();
        features.extract(" ?! ", &mut scratch);
        assert!(scratch.entries().is_empty());
        assert_eq!(features.known(&scratch), [0.0, 0.0]);
    }
}
