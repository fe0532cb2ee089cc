//! The talk that people put around a request: who they are, why they ask, what the weather does.
//!
//! It says nothing about what is asked, but a student that saw each word of it in a few examples only would think so.
//! Copies of examples with talk around them teach it that any request may stand there.

use std::sync::LazyLock;

use serde::Deserialize;
use waypost_core::hash::mix;
use waypost_text::language::Language;

/// The talk of a language, one JSON object a line.
const FILES: [(Language, &str); 5] = [
    (Language::En, include_str!("../../stories/en.jsonl")),
    (Language::Es, include_str!("../../stories/es.jsonl")),
    (Language::Vi, include_str!("../../stories/vi.jsonl")),
    (Language::ZhHans, include_str!("../../stories/zh-Hans.jsonl")),
    (Language::ZhHant, include_str!("../../stories/zh-Hant.jsonl")),
];

static STORIES: LazyLock<Vec<(Language, Vec<Story>)>> = LazyLock::new(|| {
    let read = |line: &'static str| serde_json::from_str(line).ok();
    let of = |lines: &'static str| lines.lines().filter_map(read).collect();
    FILES.iter().map(|(language, lines)| (*language, of(lines))).collect()
});

/// What stands around a request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Story {
    /// What stands before it; may be empty.
    before: String,
    /// What stands behind it; may be empty.
    after: String,
}

/// The talk of some languages, each as it teaches.
pub(crate) struct Talk(Vec<(Language, Vec<Story>)>);

impl Talk {
    /// The talk as `read` sees it: each is read once, and stands around many texts.
    pub(crate) fn read(languages: &[Language], read: impl Fn(&str, Language) -> String) -> Self {
        let own = STORIES.iter().filter(|(language, _)| languages.contains(language));
        let of = |(language, stories): &(Language, Vec<Story>)| {
            let read =
                |text: &str| if text.is_empty() { String::new() } else { read(text, *language) };
            let story =
                |story: &Story| Story { before: read(&story.before), after: read(&story.after) };
            (*language, stories.iter().map(story).collect())
        };
        Self(own.map(of).collect())
    }

    /// A text, read already, with talk around it; the same text is always told the same way. `None` in a language that
    /// has no talk here.
    pub(crate) fn around(&self, text: &str, language: Language) -> Option<String> {
        let (_, stories) = self.0.iter().find(|(own, _)| *own == language)?;
        let draw =
            text.bytes().fold(0x9e37_79b9_7f4a_7c15, |hash, byte| mix(hash ^ u64::from(byte)));
        let story = stories.get(draw as usize % stories.len().max(1))?;
        let parts = [story.before.as_str(), text.trim(), story.after.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Some(parts.join(if language.is_chinese() { "" } else { " " }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_talk() {
        for ((language, lines), (_, read)) in FILES.iter().zip(STORIES.iter()) {
            assert_eq!(lines.lines().count(), read.len(), "{language}");
        }
    }

    #[test]
    fn the_request_stands_within_the_talk() {
        let talk = Talk::read(&[Language::En], |text, _| text.to_owned());
        let tell = |text: &str| talk.around(text, Language::En).unwrap();
        assert_eq!(tell("how warm is the sea"), tell("how warm is the sea"));
        let told: Vec<String> = (0..20).map(|at| tell(&format!("how warm is sea {at}"))).collect();
        assert!(
            told.iter().zip(0..).all(|(text, at)| text.contains(&format!("how warm is sea {at}")))
        );
        assert!(told.iter().filter(|text| text.starts_with("how")).count() < 10);
    }
}
