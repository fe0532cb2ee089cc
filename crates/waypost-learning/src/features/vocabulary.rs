//! The words of examples, so that a student reads what slipped as what was meant.

use std::collections::BTreeMap;

use waypost_text::spelling::{Speller, Used};

/// The words of normalized texts with the number of times that each stands there, in alphabetic order; placeholders are
/// none.
pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<(String, u32)> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for text in texts {
        let outside = text.split('‹').enumerate().map(|(at, part)| match part.split_once('›') {
            Some((_, behind)) if at > 0 => behind,
            _ => part,
        });
        let words = outside.flat_map(|part| part.split(|c: char| !c.is_alphabetic()));
        for word in words.filter(|word| word.chars().next().is_some_and(is_spaced)) {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts.into_iter().map(|(word, count)| (word.to_owned(), count)).collect()
}

/// Knows the words of a vocabulary.
pub(crate) fn speller(vocabulary: &[(String, u32)]) -> Speller {
    Speller::new(vocabulary.iter().map(|(word, count)| Used {
        word,
        count: *count,
        is_name: false,
    }))
}

/// Returns whether a letter is of a script that a speller corrects: Latin, with its accents.
fn is_spaced(letter: char) -> bool {
    letter < '\u{250}' || ('\u{1e00}'..'\u{1f00}').contains(&letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_and_placeholders_are_none() {
        let words = of(["hot sea at ‹place›", "sea, 海溫 ‹day› mañana", "el día ‹"].into_iter());
        let words: Vec<_> = words.iter().map(|(word, count)| (word.as_str(), *count)).collect();
        let expected = [("at", 1), ("día", 1), ("el", 1), ("hot", 1), ("mañana", 1), ("sea", 2)];
        assert_eq!(words, expected);
    }
}
