//! The word that was meant where a finger slipped.
//!
//! A speller knows the words of those who use it, and how often they use them. A word that it does not know is read as
//! the one that is nearest to it, if no other is about as near. Latin letters are looked at, without accents, and Chinese
//! names by their sound.

use std::ops::Range;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::extract::is_han;
use crate::homophones::Homophones;
use crate::text::folded;

/// Shorter words are too near to others.
const SHORTEST: usize = 4;
/// Longer ones are no words.
const LONGEST: usize = 24;

/// The rows of a keyboard. A key lies beside those of its row and the nearest of the rows around it.
const KEYS: [&[u8]; 3] = [b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];

/// The costs of slips, in tenths.
mod cost {
    /// A letter for another.
    pub(super) const OTHER: u16 = 13;
    /// A key for the one beside it.
    pub(super) const BESIDE: u16 = 8;
    /// Letters that sound alike, or are written for one another.
    pub(super) const ALIKE: u16 = 9;
    /// A letter too many, or left out.
    pub(super) const COUNT: u16 = 10;
    /// A letter doubled, or one of a doubled left out.
    pub(super) const DOUBLED: u16 = 6;
    /// Two letters in the wrong order.
    pub(super) const SWAPPED: u16 = 7;
    /// Added where the first letter slipped: it is looked at most.
    pub(super) const FIRST: u16 = 4;
    /// Whatever is dearer was never meant.
    pub(super) const NEVER: u16 = u16::MAX / 2;
}

/// How much dearer the next best word must be, in tenths.
const MARGIN: f32 = 4.0;
/// How many tenths a word may be dearer that is used ten times as often.
const TENFOLD: f32 = 5.0;

/// A word that may have been meant.
#[derive(Debug, Clone, PartialEq)]
struct Word {
    /// In lower case, without accents: Latin letters only.
    letters: Box<str>,
    /// As it is written.
    written: Box<str>,
    /// The letters that it has, a bit each.
    set: u32,
    /// The logarithm of how often it is used.
    weight: f32,
    /// True if it is part of a name.
    is_name: bool,
}

/// A word that somebody uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Used<'a> {
    /// As it is written, in lower case.
    pub word: &'a str,
    /// How often; words that were seen once are no slips, and nobody is taken to have meant them.
    pub count: u32,
    /// True if it is part of a name.
    pub is_name: bool,
}

/// A word with the places of its accents left open, and its likeliest spelling.
struct Seen<'a> {
    letters: String,
    used: Used<'a>,
    /// How often that spelling is used.
    most: u32,
}

/// A word as it is written: those of examples come thousands of times, and are folded once.
struct Spelling {
    /// Its place among the words without accents.
    place: usize,
    count: u32,
    /// True where its sound was noted: as any word, as part of a name.
    is_noted: [bool; 2],
}

/// What a word may be that nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Any word.
    Word,
    /// Only a part of a name.
    Name,
    /// Nothing but what it is.
    Exact,
}

/// How much has to speak for a word that slipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// The words of the language are known, so that one that nobody knows hardly is right.
    Usual,
    /// They are not: such a word is likelier right than wrong. But for names, only the slightest slip is one, and never
    /// in how a word ends.
    Much,
}

/// The most words of a text that are looked for among those that may have been meant.
const MOST_SLIPS: usize = 48;

/// Knows words, and finds the one that was meant by a word that it does not know.
///
/// # Example
///
/// ```
/// use waypost_text::spelling::{Care, Speller, Used};
///
/// let words = [("temperature", 40), ("tide", 20), ("mañana", 10), ("tidy", 1)];
/// let words = words.map(|(word, count)| Used { word, count, is_name: false });
/// let speller = Speller::new(words);
/// assert_eq!(speller.meant("temprature", Care::Usual, false), Some("temperature"));
/// assert_eq!(speller.meant("maana", Care::Usual, false), Some("mañana"));
/// // One is a word of its own, the other too far from all.
/// assert!(speller.knows("tidy"));
/// assert_eq!(speller.meant("teacher", Care::Usual, false), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Speller {
    /// By the number of their letters.
    words: Vec<Vec<Word>>,
    /// All that are no slips, in lower case and without accents.
    known: FxHashSet<Box<str>>,
    /// Chinese names by their sound.
    homophones: Homophones,
}

impl Speller {
    /// A speller for words; of one that is given several times the counts are added.
    pub fn new<'a>(words: impl IntoIterator<Item = Used<'a>>) -> Self {
        let mut seen: Vec<Seen<'a>> = Vec::new();
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        let mut spellings: FxHashMap<&str, Spelling> = FxHashMap::default();
        let mut homophones = Homophones::default();
        for used in words {
            let spelling = spellings.entry(used.word).or_insert_with(|| {
                let letters = folded(used.word);
                let place = *places.entry(letters.clone()).or_insert_with(|| {
                    seen.push(Seen { letters, used: Used { count: 0, ..used }, most: 0 });
                    seen.len() - 1
                });
                Spelling { place, count: 0, is_noted: [false; 2] }
            });
            spelling.count += used.count;
            if !std::mem::replace(&mut spelling.is_noted[usize::from(used.is_name)], true) {
                homophones.note(used.word, used.is_name);
            }
            let entry = &mut seen[spelling.place];
            entry.used.count += used.count;
            entry.used.is_name |= used.is_name;
            if spelling.count > entry.most {
                entry.most = spelling.count;
                entry.used.word = used.word;
            }
        }
        let mut words = vec![Vec::new(); LONGEST + 1];
        let mut known = FxHashSet::with_capacity_and_hasher(seen.len(), FxBuildHasher);
        for Seen { letters, used, .. } in seen {
            if used.count > 1 && is_latin(&letters) {
                words[letters.len()].push(Word {
                    set: set(&letters),
                    weight: (used.count as f32).log10(),
                    letters: letters.as_str().into(),
                    written: used.word.into(),
                    is_name: used.is_name,
                });
            }
            known.insert(letters.into());
        }
        for words in &mut words {
            words.sort_unstable_by(|one: &Word, other| one.letters.cmp(&other.letters));
        }
        Self { words, known, homophones }
    }

    /// Returns whether a word, in lower case, is none that slipped.
    pub fn knows(&self, word: &str) -> bool {
        if word.is_ascii() {
            self.known.contains(word)
        } else {
            self.known.contains(&*folded(word))
        }
    }

    /// The bytes of the words of a text, in lower case, that slipped, with the ones that were meant. `is_word` says of
    /// words that this speller does not know that they are none that slipped, and `case` what each may be.
    pub fn slips(
        &self,
        text: &str,
        care: Care,
        is_word: impl Fn(&str) -> bool,
        case: impl Fn(&Range<usize>) -> Case,
    ) -> Vec<(Range<usize>, &str)> {
        let unknown = runs(text).filter(|bytes| {
            let word = &text[bytes.clone()];
            // Accents take bytes, so that longer ones may be short enough.
            (SHORTEST..=2 * LONGEST).contains(&word.len())
                && !word.starts_with(is_han)
                && is_prose(text, bytes)
                && !self.knows(word)
                && !is_word(word)
        });
        let found = unknown.take(MOST_SLIPS).filter_map(|bytes| {
            let named = match case(&bytes) {
                Case::Exact => return None,
                Case::Name => true,
                Case::Word => false,
            };
            let meant = self.meant(&text[bytes.clone()], care, named)?;
            Some((bytes, meant))
        });
        let mut slips: Vec<(Range<usize>, &str)> = found.collect();
        slips.extend(self.homophones.slips(text));
        slips.sort_by_key(|(bytes, _)| bytes.start);
        slips
    }

    /// The bytes of the words of a text, in lower case, that are none by `is_word` and nearly one of this speller: too far from
    /// each, or too near to several, to be read as it, and too near to be passed over.
    pub fn near(
        &self,
        text: &str,
        care: Care,
        is_word: impl Fn(&str) -> bool,
    ) -> Vec<Range<usize>> {
        let near = runs(text).filter(|bytes| {
            let word = &text[bytes.clone()];
            (SHORTEST..=2 * LONGEST).contains(&word.len())
                && is_prose(text, bytes)
                // Most words are known, and that is found at once.
                && !is_word(word)
                && self.is_near(word, care)
        });
        near.take(MOST_SLIPS).collect()
    }

    /// Returns whether a word, in lower case, is nearly one of this speller's.
    fn is_near(&self, word: &str, care: Care) -> bool {
        let letters = folded(word);
        let (limit, reach) = match (care, letters.len()) {
            // "Toda" is no day.
            (_, ..5) => return false,
            (Care::Usual, ..7) => (12, 1),
            (Care::Usual, _) => (20, 2),
            (Care::Much, ..8) => (10, 1),
            (Care::Much, _) => (12, 1),
        };
        if !is_latin(&letters) {
            return false;
        }
        let lengths = letters.len() - reach..=(letters.len() + reach).min(LONGEST);
        self.words.get(lengths).into_iter().flatten().flatten().any(|own| {
            let cost = cost(letters.as_bytes(), own.letters.as_bytes(), limit);
            // Other forms of a word end in another way, and no other way than twice with the same letter is a slip.
            let is_form = care == Care::Much && differ_in_ending(&letters, &own.letters);
            cost <= if is_form { cost::DOUBLED } else { limit }
        })
    }

    /// The word that was meant by one, in lower case, that nobody knows; `named` where only a part of a name may be.
    pub fn meant(&self, word: &str, care: Care, named: bool) -> Option<&str> {
        let letters = folded(word);
        if !is_latin(&letters) {
            return None;
        }
        // Who types accents knows where they belong.
        let accents = |word: &str| word.chars().filter(|c| !c.is_ascii()).collect::<String>();
        let typed = accents(word);
        let (limit, reach) = limits(letters.len());
        let own = set(&letters);
        let lengths = letters.len().saturating_sub(reach)..=(letters.len() + reach).min(LONGEST);
        let mut best: Option<(f32, &Word)> = None;
        let mut next = f32::MAX;
        for word in self.words.get(lengths)?.iter().flatten() {
            // A letter for another changes two of the set.
            let differ = (word.set ^ own).count_ones() as usize;
            if differ > 2 * reach || named && !word.is_name {
                continue;
            }
            if !typed.is_empty() && accents(&word.written) != typed {
                continue;
            }
            let limit = match care {
                Care::Much if !word.is_name => slightest(letters.len()),
                _ => limit,
            };
            let cost = cost(letters.as_bytes(), word.letters.as_bytes(), limit);
            if cost > limit || care == Care::Much && differ_in_ending(&letters, &word.letters) {
                continue;
            }
            let cost = f32::from(cost) - TENFOLD * word.weight;
            match best {
                Some((least, _)) if cost >= least => next = next.min(cost),
                _ => {
                    next = best.map_or(next, |(least, _)| next.min(least));
                    best = Some((cost, word));
                }
            }
        }
        best.filter(|(cost, _)| next - cost >= MARGIN).map(|(_, word)| &*word.written)
    }
}

/// The bytes of the runs of letters.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(char::is_alphabetic)?;
        let length = text[start..].find(|c: char| !c.is_alphabetic());
        rest = length.map_or(text.len(), |length| start + length);
        Some(start..rest)
    })
}

/// Returns whether a word stands by itself, and not within a name of code, a number, an address or a path.
fn is_prose(text: &str, bytes: &Range<usize>) -> bool {
    const JOINS: [char; 8] = ['_', '@', '/', '\\', '#', '`', '‹', '›'];
    let before = text[..bytes.start].chars().next_back();
    let mut behind = text[bytes.end..].chars();
    let (next, second) = (behind.next(), behind.next());
    let joins = |c: Option<char>| c.is_some_and(|c| JOINS.contains(&c) || c.is_ascii_digit());
    let dotted = before == Some('.')
        || next == Some('.') && second.is_some_and(char::is_alphanumeric)
        || next == Some('(');
    !joins(before) && !joins(next) && !dotted
}

/// The dearest slips that are forgiven in a word of so many letters, and how many letters they may add or take away.
fn limits(length: usize) -> (u16, usize) {
    match length {
        ..5 => (8, 1),
        5..8 => (12, 1),
        8..11 => (20, 2),
        _ => (24, 2),
    }
}

/// The same where much has to speak for a slip.
fn slightest(length: usize) -> u16 {
    match length {
        ..5 => 0,
        5..8 => 8,
        _ => 12,
    }
}

/// Returns whether two words differ in nothing but their last letters: hombre and hombres, listo and lista.
fn differ_in_ending(one: &str, other: &str) -> bool {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    same + 2 > one.len().max(other.len())
}

fn is_latin(letters: &str) -> bool {
    letters.bytes().all(|byte| byte.is_ascii_lowercase())
        && (SHORTEST..=LONGEST).contains(&letters.len())
}

/// The letters of a word, a bit each.
fn set(letters: &str) -> u32 {
    letters.bytes().fold(0, |set, letter| set | 1 << (letter - b'a'))
}

/// What the slips cost that make `typed` of `meant`; more than `limit` if they are dearer. Both have at most
/// [`LONGEST`] letters.
///
/// Source: Damerau 1964, restricted to letters that are edited once, with costs by the kind of slip.
fn cost(typed: &[u8], meant: &[u8], limit: u16) -> u16 {
    let mut rows = [[0_u16; LONGEST + 1]; 3];
    for at in 1..=meant.len() {
        rows[0][at] = rows[0][at - 1].saturating_add(left_out(meant, at - 1));
    }
    for at in 1..=typed.len() {
        let [now, last, before] = [at % 3, (at + 2) % 3, (at + 1) % 3];
        rows[now][0] = rows[last][0].saturating_add(too_many(typed, at - 1));
        let mut least = rows[now][0];
        for to in 1..=meant.len() {
            let (a, b) = (typed[at - 1], meant[to - 1]);
            let first = if at == 1 && to == 1 { cost::FIRST } else { 0 };
            let mut cell = rows[last][to - 1] + if a == b { 0 } else { replaced(a, b) + first };
            cell = cell.min(rows[last][to] + too_many(typed, at - 1));
            cell = cell.min(rows[now][to - 1] + left_out(meant, to - 1));
            if at > 1 && to > 1 && a != b && a == meant[to - 2] && b == typed[at - 2] {
                cell = cell.min(rows[before][to - 2] + cost::SWAPPED);
            }
            rows[now][to] = cell.min(cost::NEVER);
            least = least.min(cell);
        }
        if least > limit + cost::SWAPPED {
            return cost::NEVER;
        }
    }
    rows[typed.len() % 3][meant.len()]
}

fn left_out(meant: &[u8], at: usize) -> u16 {
    let doubled = at > 0 && meant[at] == meant[at - 1];
    // Who writes as he speaks leaves it out.
    let silent = meant[at] == b'h';
    if doubled || silent { cost::DOUBLED } else { cost::COUNT + first(at) }
}

fn too_many(typed: &[u8], at: usize) -> u16 {
    let doubled = at > 0 && typed[at] == typed[at - 1];
    if doubled { cost::DOUBLED } else { cost::COUNT + first(at) }
}

fn first(at: usize) -> u16 {
    if at == 0 { cost::FIRST } else { 0 }
}

fn replaced(typed: u8, meant: u8) -> u16 {
    let is_vowel = |letter: u8| b"aeiouy".contains(&letter);
    let alike = |pair: &[u8; 2]| pair.contains(&typed) && pair.contains(&meant);
    if is_vowel(typed) && is_vowel(meant) || ALIKE.iter().any(|pair| alike(pair)) {
        cost::ALIKE
    } else if is_beside(typed, meant) {
        cost::BESIDE
    } else {
        cost::OTHER
    }
}

/// Letters that are written for one another.
const ALIKE: [&[u8; 2]; 7] = [b"ck", b"cs", b"sz", b"cz", b"bv", b"gj", b"kq"];

fn is_beside(one: u8, other: u8) -> bool {
    let (Some((row, at)), Some((other_row, other_at))) = (key(one), key(other)) else {
        return false;
    };
    row.abs_diff(other_row) <= 1 && at.abs_diff(other_at) <= 1
}

/// The row of a key, and its place there.
fn key(letter: u8) -> Option<(usize, usize)> {
    let place = |keys: &&[u8]| keys.iter().position(|key| *key == letter);
    KEYS.iter().enumerate().find_map(|(row, keys)| Some((row, place(keys)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speller() -> Speller {
        let words = [
            ("temperature", 40, false),
            ("yesterday", 20, false),
            ("anomaly", 20, false),
            ("tomorrow", 9, false),
            ("llegado", 9, false),
            ("hazme", 9, false),
            ("mediterranean", 5, true),
            ("sea", 90, false),
            ("house", 9, false),
            ("mouse", 9, false),
            ("there", 30, false),
            ("three", 30, false),
        ];
        Speller::new(words.map(|(word, count, is_name)| Used { word, count, is_name }))
    }

    #[test]
    fn a_slip_is_read_as_the_word_that_is_nearest() {
        let speller = speller();
        for (typed, meant) in [
            ("yesteday", Some("yesterday")),
            ("yetserday", Some("yesterday")),
            ("anomoly", Some("anomaly")),
            ("tomorow", Some("tomorrow")),
            ("temprture", Some("temperature")),
            ("medditeranean", Some("mediterranean")),
            ("mediteranean", Some("mediterranean")),
            ("azme", Some("hazme")),
            ("thre", Some("three")),
            // Too short, too far, or as near to another.
            ("se", None),
            ("temporary", None),
            ("jouse", None),
            ("123", None),
        ] {
            assert_eq!(speller.meant(typed, Care::Usual, false), meant, "{typed}");
        }
        assert_eq!(speller.meant("yesteday", Care::Usual, true), None);
        assert_eq!(speller.meant("mediteranean", Care::Usual, true), Some("mediterranean"));
    }

    #[test]
    fn a_word_that_is_nearly_one_is_found_where_it_cannot_be_read() {
        let words = ["monday", "sunday", "wednesday", "tomorrow", "lunes", "mañana"];
        let dates = Speller::new(words.map(|word| Used { word, count: 9, is_name: false }));
        let found = |text, care| -> Vec<&str> {
            let is_word = |word: &str| word == "money";
            dates.near(text, care, is_word).into_iter().map(|bytes| &text[bytes]).collect()
        };
        for (text, near) in [
            ("money on mondy", vec!["mondy"]),
            ("tommorow or wensday", vec!["tommorow", "wensday"]),
            ("tides near sundy", vec!["sundy"]),
            ("the toda mon tides", vec![]),
            ("see `mondy` and mondy.txt", vec![]),
        ] {
            assert_eq!(found(text, Care::Usual), near, "{text}");
        }
        assert_eq!(found("el luness, mañanna, luneta", Care::Much), ["luness", "mañanna"]);
    }

    #[test]
    fn words_of_any_length_and_script_have_an_answer() {
        let speller = speller();
        let long = "a".repeat(1000);
        for word in ["", "海溫", "é", long.as_str(), "abcdefghijklmnopqrstuvwx", "ñññññ"] {
            assert_eq!(speller.meant(word, Care::Usual, false), None, "{word}");
        }
        assert_eq!(Speller::default().meant("yesteday", Care::Usual, false), None);
    }
}
