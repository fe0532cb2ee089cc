//! Tells whether two texts are the same but for slips of the finger.

use rapidfuzz::distance::osa;

/// In shorter words a letter more or less makes another word: not, note.
const SHORTEST: usize = 5;

/// Returns whether two texts have the same words, a few of them mistyped; `known` says which words
/// the pack has.
///
/// Anything between words is ignored. A missing or added word never is: it may be a "not".
pub(super) fn are_same(one: &[&str], other: &[&str], known: impl Fn(&str) -> bool) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| one == other || is_slip(one, other, &known))
}

/// Returns whether one is a word of the pack, and the other is none and has two letters exchanged,
/// or one too many or too few. Another letter is too often another word: insert, invert.
fn is_slip(one: &str, other: &str, known: &impl Fn(&str) -> bool) -> bool {
    let is_latin = |word: &str| word.chars().all(|c| c.is_alphabetic() && c < '\u{250}');
    let lengths = (one.chars().count(), other.chars().count());
    let exchanged = || {
        let sorted = |word: &str| {
            let mut letters: Vec<char> = word.chars().collect();
            letters.sort_unstable();
            letters
        };
        sorted(one) == sorted(other)
    };
    is_latin(one)
        && is_latin(other)
        && lengths.0.min(lengths.1) >= SHORTEST
        && (lengths.0 != lengths.1 || exchanged())
        && osa::distance(one.chars(), other.chars()) == 1
        && known(one) != known(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_told_from_another_word() {
        let known = |word: &str| ["explain", "insert", "temperature", "sinks"].contains(&word);
        fn words(text: &str) -> Vec<&str> {
            text.split(' ').collect()
        }
        let same = |one: &str, other: &str| are_same(&words(one), &words(other), known);
        for (one, other) in [
            ("explain the temperature", "explian the temperature"),
            ("explain the temperature", "explain the temperture"),
            ("explainn the temperature", "explain the temperature"),
        ] {
            assert!(same(one, other), "{one} / {other}");
        }
        for (one, other) in [
            ("insert it", "invert it"),
            ("explain it", "do not explain it"),
            ("explain not it", "explain now it"),
            ("sinks", "sink"),
            ("uses", "users"),
            ("explain", "explain explain"),
            ("要顯示海溫", "不要顯示海溫"),
            ("temperature max", "temperature min"),
        ] {
            assert!(!same(one, other), "{one} / {other}");
        }
    }
}
