//! Measures how similar two texts are: by the share of the pieces of three characters that both
//! have. The caller chooses which characters of a text count, and from which share on two texts are
//! the same.
//!
//! With many texts, signatures find the pairs that are worth a comparison, without looking at all.

use std::cmp::Ordering;

use crate::hash::{Fnv, mix};

/// The characters of a piece.
const PIECE: usize = 3;
/// The most pieces of a text that are looked at: a text may have 64 KiB.
const MOST_PIECES: usize = 2_000;

/// The pieces of a text, as sorted hashes, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shingles(Vec<u64>);

impl Shingles {
    /// The pieces of these characters; fewer than three are one piece.
    pub fn of(characters: &[char]) -> Self {
        let size = PIECE.min(characters.len()).max(1);
        let mut pieces: Vec<u64> = characters.windows(size).take(MOST_PIECES).map(hash).collect();
        pieces.sort_unstable();
        pieces.dedup();
        Self(pieces)
    }

    /// The share of their pieces that both have, from 0 to 1; 0 where neither has any.
    pub fn share(&self, other: &Self) -> f64 {
        let (mut a, mut b, mut both) = (0, 0, 0_usize);
        while let (Some(left), Some(right)) = (self.0.get(a), other.0.get(b)) {
            let order = left.cmp(right);
            both += usize::from(order == Ordering::Equal);
            a += usize::from(order != Ordering::Greater);
            b += usize::from(order != Ordering::Less);
        }
        let all = self.0.len() + other.0.len() - both;
        both as f64 / all.max(1) as f64
    }

    /// A signature in `BANDS` bands of `ROWS` minima of hashes: of texts that have the share `s` of
    /// their pieces in common, any one band is the same with a probability of `s` to the power of
    /// `ROWS`.
    ///
    /// # Source
    ///
    /// Broder 1997, "On the resemblance and containment of documents"; banding as in Leskovec,
    /// Rajaraman, Ullman, "Mining of Massive Datasets", chapter 3.
    pub fn bands<const BANDS: usize, const ROWS: usize>(&self) -> [[u64; ROWS]; BANDS] {
        std::array::from_fn(|band| {
            std::array::from_fn(|row| {
                let seed = mix((band * ROWS + row + 1) as u64);
                self.0.iter().map(|piece| mix(piece ^ seed)).min().unwrap_or(u64::MAX)
            })
        })
    }
}

/// The hash of these characters in their order: of a piece, or of a whole text.
pub fn hash(characters: &[char]) -> u64 {
    let mut hash = Fnv::default();
    for c in characters {
        hash.write(&u32::from(*c).to_le_bytes());
    }
    hash.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Shingles {
        Shingles::of(&text.chars().collect::<Vec<char>>())
    }

    fn share(a: &str, b: &str) -> f64 {
        pieces(a).share(&pieces(b))
    }

    #[test]
    fn texts_share_their_pieces() {
        assert!((share("tides at Keelung", "tides at Keelung") - 1.0).abs() < f64::EPSILON);
        assert!((share("abcd", "bcda") - 1.0 / 3.0).abs() < f64::EPSILON);
        assert!(share("tides at Keelung", "sing me a song") < 0.1);
        assert!((share("潮", "潮") - 1.0).abs() < f64::EPSILON);
        assert!(share("", "") < f64::EPSILON && share("a", "") < f64::EPSILON);
    }

    #[test]
    fn texts_that_are_alike_have_a_band_in_common() {
        let bands = |text: &str| pieces(text).bands::<10, 4>();
        let common = |a: &str, b: &str| {
            bands(a).iter().zip(&bands(b)).filter(|(left, right)| left == right).count()
        };
        let text = "how warm is the sea at the coast today, please";
        assert_eq!(common(text, text), 10);
        assert!((1..10).contains(&common(text, "how warm is the sea at the coast today, pleas")));
        assert_eq!(common(text, "write a script that sorts a list of names"), 0);
        assert_eq!(common("", ""), 10);
    }
}
