//! Copies of texts with slips of the finger, so that a student also learns what people type in a hurry: a key beside the
//! one that was meant, a letter left out, doubled or swapped with the next, accents left out.
//!
//! Placeholders stay as they are, and so do characters that no key of a Latin keyboard stands for.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use super::order::mark;
use crate::random::Random;

/// The rows of a keyboard. A key lies beside those of its row and the nearest of the rows around it.
const KEYS: [&[u8]; 3] = [b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];
/// The share of copies without any accent, where the text has some.
const BARE: f64 = 0.3;

/// A copy of `text` in which a share of its letters slipped, from 0 to 1; `None` where none did. The same text, share
/// and seed give the same copy.
///
/// # Example
///
/// ```
/// use waypost_learning::slipped;
///
/// let copy = slipped("how warm is the sea at ‹place›", 0.3, 7).unwrap();
/// assert!(copy.ends_with("‹place›") && copy != "how warm is the sea at ‹place›");
/// assert_eq!(slipped("海溫", 0.3, 7), None);
/// ```
pub fn slipped(text: &str, rate: f64, seed: u64) -> Option<String> {
    let random = &mut Random::new(seed ^ mark(text));
    let bare = random.share() < BARE && !text.is_ascii();
    let source: String = if bare { without_accents(text) } else { text.to_owned() };
    let mut copy = String::with_capacity(source.len());
    let mut letters = source.chars().peekable();
    let mut is_placeholder = false;
    while let Some(letter) = letters.next() {
        is_placeholder = letter == '‹' || is_placeholder && letter != '›';
        let slips = !is_placeholder && place(letter).is_some() && random.share() < rate;
        if !slips {
            copy.push(letter);
            continue;
        }
        match random.below(4) {
            0 => copy.push(beside(letter, random)),
            1 => {}
            2 => copy.extend([letter, letter]),
            _ => {
                copy.extend(letters.next_if(|next| place(*next).is_some()));
                copy.push(letter);
            }
        }
    }
    (copy != text).then_some(copy)
}

fn without_accents(text: &str) -> String {
    let bare = text.nfd().filter(|c| canonical_combining_class(*c) == 0);
    bare.map(|c| if c == 'đ' { 'd' } else { c }).nfc().collect()
}

/// The row and the place in it of the key for a letter, with or without an accent.
fn place(letter: char) -> Option<(usize, usize)> {
    let plain = std::iter::once(letter).nfd().next()?;
    let key = u8::try_from(plain).ok()?.to_ascii_lowercase();
    KEYS.iter()
        .enumerate()
        .find_map(|(row, keys)| Some((row, keys.iter().position(|own| *own == key)?)))
}

/// The letter of a key beside the one of `letter`.
fn beside(letter: char, random: &mut Random) -> char {
    let Some((row, at)) = place(letter) else { return letter };
    let rows = row.saturating_sub(1)..=(row + 1).min(KEYS.len() - 1);
    let near = rows.flat_map(|other| {
        let from = at.saturating_sub(1);
        let keys = KEYS[other].get(from..(at + 2).min(KEYS[other].len())).unwrap_or_default();
        keys.iter().enumerate().map(move |(nth, key)| (other, from + nth, *key))
    });
    let near: Vec<u8> =
        near.filter(|(other, nth, _)| (*other, *nth) != (row, at)).map(|(.., key)| key).collect();
    near.get(random.below(near.len().max(1))).map_or(letter, |key| char::from(*key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_as_many_letters_slip_as_asked_for_and_nothing_else_does() {
        let text = "how warm is the sea at ‹place› 昨天 121.5 ".repeat(50);
        let copy = slipped(&text, 0.1, 3).unwrap();
        assert_eq!(copy.matches("‹place›").count(), 50);
        assert_eq!(copy.matches("昨天 121.5").count(), 50);
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (before, after) = (words(&text), words(&copy));
        assert_eq!(before.len(), after.len());
        let changed = before.iter().zip(&after).filter(|(one, other)| one != other).count();
        assert!((50..150).contains(&changed), "{changed}");
        assert_eq!(slipped("昨天", 0.9, 3), None);
    }

    #[test]
    fn a_key_lies_beside_others() {
        let mut random = Random::new(1);
        let near = |key: char, random: &mut Random| -> String {
            let keys = (0..200).map(|_| beside(key, random));
            keys.collect::<std::collections::BTreeSet<char>>().into_iter().collect()
        };
        assert_eq!(near('q', &mut random), "asw");
        assert_eq!(near('g', &mut random), "bfhnrtvy");
        assert!((0..100).all(|_| beside('é', &mut random) != 'é'));
    }
}
