//! What people ask assistants of all kinds: requests of everyday and working life. Their words are known to the speller, and
//! a student learns from them what its pack is not for.

use std::sync::LazyLock;

use serde::Deserialize;
use waypost_text::language::Language;

/// The requests of a language, one JSON object a line.
const FILES: [(Language, &str); 5] = [
    (Language::En, include_str!("../background/en.jsonl")),
    (Language::Es, include_str!("../background/es.jsonl")),
    (Language::Vi, include_str!("../background/vi.jsonl")),
    (Language::ZhHans, include_str!("../background/zh-Hans.jsonl")),
    (Language::ZhHant, include_str!("../background/zh-Hant.jsonl")),
];

static REQUESTS: LazyLock<Vec<(Language, Vec<BackgroundRequest>)>> = LazyLock::new(|| {
    let read = |line: &'static str| serde_json::from_str(line).ok();
    let of = |lines: &'static str| lines.lines().filter_map(read).collect();
    FILES.iter().map(|(language, lines)| (*language, of(lines))).collect()
});

/// A request to some assistant.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct BackgroundRequest {
    text: String,
    /// What it is about, in English: for those who look for what is missing here.
    #[serde(rename = "topic")]
    _topic: String,
}

/// The requests in these languages.
pub(crate) fn requests(
    languages: &[Language],
) -> impl Iterator<Item = (Language, &'static str)> + '_ {
    let own = REQUESTS.iter().filter(|(language, _)| languages.contains(language));
    own.flat_map(|(language, requests)| {
        requests.iter().map(|request| (*language, request.text.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_request_of_its_own() {
        for ((language, lines), (_, read)) in FILES.iter().zip(REQUESTS.iter()) {
            assert_eq!(lines.lines().count(), read.len(), "{language}");
            let texts: std::collections::BTreeSet<&str> =
                read.iter().map(|request| request.text.as_str()).collect();
            assert_eq!(texts.len(), read.len(), "{language}");
        }
    }
}
