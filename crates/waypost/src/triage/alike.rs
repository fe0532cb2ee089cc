//! Texts that are nearly the same: by the share of pieces of three characters that they have in
//! common.

use std::collections::{HashSet, VecDeque};

use crate::hash::Fnv;
use crate::text::Text;

/// Characters of a piece.
const PIECE: usize = 3;
/// Pieces of a text that are looked at: a text may have 64 KiB.
const MOST_PIECES: usize = 2_000;
/// Texts that another is compared with piece by piece, the latest; older ones only as a whole.
const MOST_KNOWN: usize = 500;

/// The pieces of a text, as sorted hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pieces(Vec<u64>);

impl Pieces {
    pub(super) fn of(text: &str) -> Self {
        let letters = letters(text);
        let windows = letters.windows(PIECE.min(letters.len()).max(1)).take(MOST_PIECES);
        let mut pieces: Vec<u64> = windows.map(hash).collect();
        pieces.sort_unstable();
        pieces.dedup();
        Self(pieces)
    }

    /// The share of their pieces that both have, from 0 to 1.
    pub(super) fn share(&self, other: &Pieces) -> f64 {
        let (mut a, mut b, mut both) = (0, 0, 0_usize);
        while let (Some(left), Some(right)) = (self.0.get(a), other.0.get(b)) {
            both += usize::from(left == right);
            let (next_a, next_b) = (left <= right, right <= left);
            a += usize::from(next_a);
            b += usize::from(next_b);
        }
        let all = self.0.len() + other.0.len() - both;
        if all == 0 { 0.0 } else { both as f64 / all as f64 }
    }
}

fn letters(text: &str) -> Vec<char> {
    Text::new(text).normalized().chars().filter(|c| c.is_alphanumeric()).collect()
}

fn hash(letters: &[char]) -> u64 {
    let mut hash = Fnv::default();
    for c in letters {
        hash.write(&u32::from(*c).to_le_bytes());
    }
    hash.value()
}

/// Texts that have their labels.
#[derive(Debug)]
pub(super) struct Known {
    whole: HashSet<u64>,
    latest: VecDeque<Pieces>,
}

impl Known {
    pub(super) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut known = Self { whole: HashSet::new(), latest: VecDeque::new() };
        for text in texts {
            known.whole.insert(hash(&letters(text)));
            known.latest.push_back(Pieces::of(text));
            if known.latest.len() > MOST_KNOWN {
                known.latest.pop_front();
            }
        }
        known
    }

    /// Whether a text is one of them, or shares so much with one.
    pub(super) fn has(&self, text: &str, pieces: &Pieces, same: f64) -> bool {
        self.whole.contains(&hash(&letters(text)))
            || self.latest.iter().any(|known| known.share(pieces) >= same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(a: &str, b: &str) -> f64 {
        Pieces::of(a).share(&Pieces::of(b))
    }

    #[test]
    fn texts_share_their_pieces() {
        assert!((share("tides at Keelung", "Tides at Keelung!") - 1.0).abs() < f64::EPSILON);
        assert!(share("tides at Keelung tomorrow", "tide at Keelung tomorrow") > 0.7);
        assert!(share("tides at Keelung", "sing me a song") < 0.1);
        assert!((share("基隆潮汐", "基隆潮汐？") - 1.0).abs() < f64::EPSILON);
        assert!(share("", "") < f64::EPSILON && share("a", "") < f64::EPSILON);
    }
}
