//! Names that were misspelled a little.
//!
//! Only words that nobody knows are looked at, so that no word becomes another, and only letters
//! of Latin script: a Chinese character more or less is another word.

use rustc_hash::FxHashMap;

/// Shorter words are too near to others.
const SHORTEST: usize = 5;

/// From so many letters on, two mistakes are forgiven.
const LONG: usize = 9;

/// No word of a name is longer; longer ones are not looked at.
const LONGEST: usize = 32;

/// The place of a word in a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The name that it is part of.
    pub(crate) name: usize,
    /// The number of words of the name that stand before it.
    pub(crate) before: usize,
}

/// The words of names, by their first letter and their length.
#[derive(Debug, Default)]
pub(crate) struct Words {
    buckets: FxHashMap<(u8, usize), Vec<Word>>,
}

/// A word, and where it stands in names.
#[derive(Debug)]
struct Word {
    letters: Box<str>,
    /// The letters that it has, a bit each.
    set: u32,
    places: Vec<Place>,
}

impl Words {
    /// Notes a word of a name, in lower case and without accents.
    pub(crate) fn note(&mut self, word: &str, place: Place) {
        let Some(key) = key(word) else { return };
        let bucket = self.buckets.entry(key).or_default();
        match bucket.iter_mut().find(|known| &*known.letters == word) {
            Some(known) => known.places.push(place),
            None => {
                let (letters, set) = (word.into(), letters(word));
                bucket.push(Word { letters, set, places: vec![place] });
            }
        }
    }

    /// Visits the words that `word` may have been meant for, with the number of mistakes.
    pub(crate) fn near(&self, word: &str, mut found: impl FnMut(usize, &[Place])) {
        let Some((first, own)) = key(word) else { return };
        let set = letters(word);
        for length in own.saturating_sub(2)..=own + 2 {
            let most = if length >= LONG { 2 } else { 1 };
            if own.abs_diff(length) > most {
                continue;
            }
            for known in self.buckets.get(&(first, length)).into_iter().flatten() {
                // A letter for another changes two of the set, any other mistake fewer.
                let differ = (known.set ^ set).count_ones() as usize;
                if differ > 2 * most {
                    continue;
                }
                if let Some(mistakes) = distance(word, &known.letters, most) {
                    found(mistakes, &known.places);
                }
            }
        }
    }
}

/// The bucket of a word. One letter less than the shortest name counts, as it may be left out.
fn key(word: &str) -> Option<(u8, usize)> {
    let is_latin = word.bytes().all(|byte| byte.is_ascii_lowercase());
    let first = *word.as_bytes().first()?;
    (is_latin && (SHORTEST - 1..=LONGEST).contains(&word.len())).then_some((first, word.len()))
}

/// The letters of a word that has a [`key`], a bit each.
fn letters(word: &str) -> u32 {
    word.bytes().fold(0, |set, letter| set | 1 << (letter - b'a'))
}

/// Counts the letters that were left out, added, replaced or swapped with the next one, if at most
/// `most`.
///
/// Source: Damerau 1964, restricted to letters that are edited once.
fn distance(one: &str, two: &str, most: usize) -> Option<usize> {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    if two.len() < SHORTEST || one.len().abs_diff(two.len()) > most {
        return None;
    }
    let mut rows = [[0_usize; LONGEST + 1]; 3];
    for (at, cell) in rows[0].iter_mut().enumerate() {
        *cell = at;
    }
    for (row, &a) in one.iter().enumerate() {
        let (now, last, before) = ((row + 1) % 3, row % 3, (row + 2) % 3);
        rows[now][0] = row + 1;
        let mut least = row + 1;
        for (column, &b) in two.iter().enumerate() {
            let replaced = rows[last][column] + usize::from(a != b);
            let edited = rows[now][column].min(rows[last][column + 1]) + 1;
            let mut cost = replaced.min(edited);
            if row > 0 && column > 0 && a == two[column - 1] && one[row - 1] == b {
                cost = cost.min(rows[before][column - 1] + 1);
            }
            rows[now][column + 1] = cost;
            least = least.min(cost);
        }
        // A row and the one before it cannot get better again; swaps reach back no further.
        if least > most + 1 {
            return None;
        }
    }
    let found = rows[one.len() % 3][two.len()];
    (found <= most).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_counted() {
        assert_eq!(distance("rainfal", "rainfall", 1), Some(1));
        assert_eq!(distance("rianfall", "rainfall", 1), Some(1));
        assert_eq!(distance("rainfull", "rainfall", 1), Some(1));
        assert_eq!(distance("rainnfall", "rainfall", 1), Some(1));
        assert_eq!(distance("ranfal", "rainfall", 1), None);
        assert_eq!(distance("elevtoin", "elevation", 2), Some(2));
        assert_eq!(distance("cal", "call", 1), None);
    }
}
