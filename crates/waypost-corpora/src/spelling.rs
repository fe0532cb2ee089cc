//! Decides when two stretches of a text are the same words.
//!
//! Corpora write what they matched in lower case and in half-width characters, so both sides are
//! normalized ([`Text::normalized`]) and then cut in one of two ways, alike on both sides:
//!
//! - [`exact`]: white space and punctuation at both ends are dropped;
//! - [`trimmed`]: so are the articles, bare prepositions and counters of `FUNCTION_WORDS`, since corpora
//!   disagree whether "on Monday" or "Monday" is the date. Words that carry meaning (before,
//!   after, last, since, every) are not among them.

use waypost_text::language::Language;
use waypost_text::text::Text;

/// Articles, bare prepositions and counters that may stand at either end without being part of a value.
const FUNCTION_WORDS: &[(&str, &[&str])] = &[
    (
        "en",
        &["the", "a", "an", "on", "at", "in", "of", "for", "to", "from", "with", "by", "during"],
    ),
    (
        "es",
        &[
            "el", "la", "los", "las", "un", "una", "lo", "en", "a", "al", "de", "del", "por",
            "para", "durante",
        ],
    ),
    (
        "vi",
        &[
            "vào", "lúc", "ngày", "ở", "của", "trong", "từ", "cho", "vao", "luc", "ngay", "cua",
            "tu",
        ],
    ),
    // Not separated by spaces; 的 and the general counter of a number stand behind.
    ("zh", &["在", "于", "於", "的", "从", "從", "由", "个", "個"]),
];

/// Marks that are no part of a value at its ends; currency signs, % and ° are.
fn is_edge(c: char) -> bool {
    c.is_whitespace()
        || ".,;:!?¿¡'\"`()[]{}<>、，。！？：；（）「」『』“”‘’《》…·-–—−_/|*".contains(c)
}

/// The words without white space and punctuation at the ends.
pub fn exact(words: &str) -> String {
    Text::new(words).normalized().trim_matches(is_edge).to_owned()
}

/// The words without function words at the ends either; the last word always stays.
pub fn trimmed(words: &str, language: Language) -> String {
    let words = exact(words);
    let mut rest = words.as_str();
    while let Some(shorter) = without_one(rest, language) {
        rest = shorter;
    }
    rest.to_owned()
}

fn without_one(words: &str, language: Language) -> Option<&str> {
    let tag = if language.is_chinese() { "zh" } else { language.tag() };
    let list = FUNCTION_WORDS.iter().find(|known| known.0 == tag)?.1;
    let glued = language.is_chinese();
    let cut = |rest: &str| glued || rest.starts_with(is_edge) || rest.ends_with(is_edge);
    // The word at the front goes first: the una of "a la una" is no article.
    let before = list.iter().filter_map(|word| words.strip_prefix(word));
    let behind = list.iter().filter_map(|word| words.strip_suffix(word));
    before
        .chain(behind)
        .filter(|rest| cut(rest))
        .map(|rest| rest.trim_matches(is_edge))
        .find(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_and_prepositions_are_cut_and_words_with_meaning_stay() {
        assert_eq!(trimmed(" On the 5th of May, ", Language::En), "5th of may");
        assert_eq!(trimmed("after the 5th", Language::En), "after the 5th");
        assert_eq!(trimmed("el lunes", Language::Es), "lunes");
        assert_eq!(trimmed("在１２日", Language::ZhHans), "12日");
        assert_eq!(trimmed("vào lúc 5 giờ", Language::Vi), "5 giờ");
        // "a" is a word here and no part of one.
        assert_eq!(trimmed("august", Language::En), "august");
        assert_eq!(trimmed("the", Language::En), "the");
    }

    #[test]
    fn exact_keeps_all_words() {
        assert_eq!(exact("(On Monday)."), "on monday");
        assert_eq!(exact("$5"), "$5");
    }
}
