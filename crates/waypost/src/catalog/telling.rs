//! Decides how much a word tells of what is wanted: "please" stands in every request, "invoice" in few.

use std::collections::HashMap;
use std::sync::LazyLock;

use waypost_text::language::Language;

use super::lexicon::Lexicon;
use super::stem::stem;
use super::words;
use crate::everyday;

/// The languages of the everyday requests.
const LANGUAGES: [Language; 5] =
    [Language::En, Language::Es, Language::Vi, Language::ZhHans, Language::ZhHant];

/// A word that stands in so many requests of a language tells nothing.
const COMMON: f32 = 400.0;

/// The number of everyday requests in which each word stands, by its stem.
static EVERYDAY: LazyLock<HashMap<String, u32>> = LazyLock::new(|| {
    let mut counts: HashMap<String, u32> = HashMap::new();
    for (_, text) in everyday::requests(&LANGUAGES) {
        let mut stems: Vec<String> = words::latin(text).map(|word| stem(&word)).collect();
        for stretch in words::han(text) {
            let pieces = Lexicon::built_in().cut(stretch);
            stems.extend(pieces.into_iter().map(|(piece, _)| piece.to_owned()));
        }
        stems.sort_unstable();
        stems.dedup();
        stems.into_iter().for_each(|stem| *counts.entry(stem).or_default() += 1);
    }
    counts
});

/// How much a word tells, by its stem: from nearly 0 for one of every request to 1 for one of none, as the logarithm of how
/// rare it is.
pub(crate) fn telling(stem: &str) -> f32 {
    let count = EVERYDAY.get(stem).copied().unwrap_or_default();
    (1.0 - (1.0 + count as f32).ln() / COMMON.ln()).clamp(0.02, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_tell_little() {
        for (little, much) in
            [("the", "invoice"), ("my", "branch"), ("我", "分支"), ("que", "rama")]
        {
            assert!(telling(little) + 0.2 < telling(much), "{little} {much}");
        }
    }
}
