//! The split of the cases: four fifths are shown to the authors of the rules, a fifth is held out.
//!
//! The part of a case is drawn by a hash of its words alone, so that a text which stands in several
//! corpora, languages or kinds is in one part only, and a new copy of the corpora is split alike.

/// One case in so many is held out.
const HELD_OUT: u64 = 5;

/// The part of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What failed may be looked at.
    Shown,
    /// Scored in columns of its own and never shown.
    HeldOut,
}

/// Returns the part of a text; case and white space at its ends do not count.
pub(crate) fn part(text: &str) -> Part {
    if hash(&text.trim().to_lowercase()).is_multiple_of(HELD_OUT) {
        Part::HeldOut
    } else {
        Part::Shown
    }
}

/// FNV-1a, with its bits mixed once more: the remainder of the plain hash is that of few letters.
fn hash(text: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let hash = text.bytes().fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_is_held_out() {
        let texts = (0..10_000).map(|number| format!("{number} km"));
        let held = texts.filter(|text| part(text) == Part::HeldOut).count();
        assert!((1_900..2_100).contains(&held), "{held}");
    }

    #[test]
    fn case_and_outer_space_do_not_count() {
        for number in 0..50 {
            let text = format!("Day {number}");
            assert_eq!(part(&text), part(&format!(" {} ", text.to_uppercase())));
        }
    }
}
