//! Knows the texts that have their labels, and whether another text is one of them in other words.

use std::collections::{HashSet, VecDeque};

use waypost_core::similarity::{self, Shingles};
use waypost_text::text::Text;

/// The most texts, the latest, that another is compared with piece by piece; older ones only whole.
const MOST_KNOWN: usize = 500;

/// The pieces of a text, without regard to case, punctuation and spaces.
pub(super) fn pieces(text: &str) -> Shingles {
    Shingles::of(&letters(text))
}

fn letters(text: &str) -> Vec<char> {
    Text::new(text).normalized().chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Texts that have their labels.
#[derive(Debug)]
pub(super) struct Known {
    whole: HashSet<u64>,
    latest: VecDeque<Shingles>,
}

impl Known {
    pub(super) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut known = Self { whole: HashSet::new(), latest: VecDeque::new() };
        for text in texts {
            let letters = letters(text);
            known.whole.insert(similarity::hash(&letters));
            known.latest.push_back(Shingles::of(&letters));
            if known.latest.len() > MOST_KNOWN {
                known.latest.pop_front();
            }
        }
        known
    }

    /// Returns whether a text is one of them, or shares at least `same` of its pieces with one.
    pub(super) fn has(&self, text: &str, pieces: &Shingles, same: f64) -> bool {
        self.whole.contains(&similarity::hash(&letters(text)))
            || self.latest.iter().any(|known| known.share(pieces) >= same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_signs_tell_no_texts_apart() {
        assert_eq!(pieces("tides at Keelung"), pieces("Tides at Keelung!"));
        assert_eq!(pieces("基隆潮汐"), pieces("基隆潮汐？"));
        let share = pieces("tides at Keelung tomorrow").share(&pieces("tide at Keelung tomorrow"));
        assert!((0.7..1.0).contains(&share), "{share}");
    }
}
