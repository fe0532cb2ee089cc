//! The order in which texts are walked and parted.
//!
//! It follows from each text alone: one text more leaves all others in their order. A student that
//! learned one thing more differs where that matters, and not because everything was shuffled anew.

use waypost_core::hash::{Fnv, mix};

/// A number for a text, for [`shuffle`].
pub(crate) fn mark(text: &str) -> u64 {
    let mut hash = Fnv::default();
    hash.write(text.as_bytes());
    hash.value()
}

/// Puts places of texts into the order of one pass; `mark` is that of the text at a place.
pub(crate) fn shuffle(places: &mut [u32], pass: u64, mark: impl Fn(u32) -> u64) {
    places.sort_by_cached_key(|place| (mix(mark(*place) ^ pass), *place));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_more_leaves_the_others_in_their_order() {
        let texts: Vec<String> = (0..50).map(|n| format!("text {n}")).collect();
        let order = |texts: &[String], pass: u64| {
            let mut places: Vec<u32> = (0..texts.len() as u32).collect();
            shuffle(&mut places, pass, |place| mark(&texts[place as usize]));
            places
        };
        let before = order(&texts, 7);
        let mut after = order(&[texts.clone(), vec!["one more".to_owned()]].concat(), 7);
        after.retain(|place| *place < 50);
        assert_eq!(after, before);
        assert_ne!(order(&texts, 8), before, "each pass has an order of its own");
    }
}
