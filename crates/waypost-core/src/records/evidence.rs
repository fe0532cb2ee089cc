//! The evidence of an argument's value: where it came from, and which matcher or rule read it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use waypost_text::extract::Rule;

/// The source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The user's words.
    Span,
    /// An earlier call of this conversation.
    Memory,
    /// The pack's default.
    Default,
    /// A choice that was shown.
    Option,
    /// A language model.
    Llm,
    /// The caller.
    Caller,
}

/// The evidence of an argument's value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evidence {
    /// The source of the value.
    pub source: Source,
    /// The words, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The matcher or rule that read them.
    #[schemars(with = "String")]
    pub by: By,
}

impl Evidence {
    /// Evidence without words.
    pub fn new(source: Source, by: impl Into<By>) -> Self {
        Self { source, text: None, by: by.into() }
    }

    /// Evidence from words of the user.
    pub fn span(text: impl Into<String>, by: impl Into<By>) -> Self {
        Self { source: Source::Span, text: Some(text.into()), by: by.into() }
    }
}

/// The matcher or rule that read a value. Records hold it as a string: `zh.date.relative`, `typed
/// en.number`, `gazetteer place hualien`, `memory run_tpr_step`, `ordinal`.
#[derive(Debug, Clone)]
pub enum By {
    /// A rule of the extractors.
    Rule(Rule),
    /// A rule of the extractors that read a number, which was given to the argument that it is for.
    Typed(Rule),
    /// The names in a gazetteer, such as the columns of the data.
    Gazetteer(String),
    /// One entry of a gazetteer.
    Entry {
        /// The gazetteer.
        gazetteer: String,
        /// The entry.
        key: String,
    },
    /// A choice that was clicked or named.
    Option,
    /// A choice by its place in the order.
    Ordinal,
    /// The words that a pack gives for a value.
    Words,
    /// A word that is nearly one of these.
    Fuzzy,
    /// What answers of this kind mean, as examples of them taught it.
    Learned,
    /// The user's own words as they are.
    Text,
    /// Words that point back to an earlier value.
    Reference,
    /// An earlier call of this tool.
    Memory(String),
    /// A result of this tool, earlier in the same turn.
    Result(String),
    /// The pack's default.
    Default,
    /// The value that passing over a question stands for.
    Skip,
    /// A language model.
    Llm,
    /// A rule as a record names it, or what another version wrote. Rules are known where they are
    /// written, not by their names.
    Recorded(String),
}

/// The matchers that are written without a value of their own.
const WORDS: [(&str, By); 10] = [
    ("option", By::Option),
    ("ordinal", By::Ordinal),
    ("words", By::Words),
    ("fuzzy", By::Fuzzy),
    ("learned", By::Learned),
    ("text", By::Text),
    ("reference", By::Reference),
    ("default", By::Default),
    ("skip", By::Skip),
    ("llm", By::Llm),
];

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            By::Rule(rule) => return rule.fmt(f),
            By::Typed(rule) => return write!(f, "typed {rule}"),
            By::Gazetteer(gazetteer) => return write!(f, "gazetteer {gazetteer}"),
            By::Entry { gazetteer, key } => return write!(f, "gazetteer {gazetteer} {key}"),
            By::Memory(tool) => return write!(f, "memory {tool}"),
            By::Result(tool) => return write!(f, "result {tool}"),
            By::Recorded(name) => name,
            By::Option => "option",
            By::Ordinal => "ordinal",
            By::Words => "words",
            By::Fuzzy => "fuzzy",
            By::Learned => "learned",
            By::Text => "text",
            By::Reference => "reference",
            By::Default => "default",
            By::Skip => "skip",
            By::Llm => "llm",
        };
        f.write_str(word)
    }
}

impl From<&str> for By {
    /// Reads a matcher from a record.
    fn from(name: &str) -> Self {
        if let Some((_, by)) = WORDS.iter().find(|(word, _)| *word == name) {
            return by.clone();
        }
        match name.split_once(' ') {
            Some(("gazetteer", rest)) => match rest.split_once(' ') {
                Some((gazetteer, key)) => {
                    By::Entry { gazetteer: gazetteer.to_owned(), key: key.to_owned() }
                }
                None => By::Gazetteer(rest.to_owned()),
            },
            Some(("memory", tool)) => By::Memory(tool.to_owned()),
            Some(("result", tool)) => By::Result(tool.to_owned()),
            _ => By::Recorded(name.to_owned()),
        }
    }
}

/// Two are equal where a record shows them alike: a rule that was read back equals the one that was
/// written.
impl PartialEq for By {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for By {}

impl Serialize for By {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for By {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| By::from(name.as_str()))
    }
}

/// The first word of what another version wrote, and what events call it.
const RECORDED: [(&str, &str); 6] = [
    ("exact", "exact"),
    ("typed", "regex"),
    ("regex", "regex"),
    ("gazetteer", "gazetteer"),
    ("entity", "gazetteer"),
    ("fuzzy", "fuzzy"),
];

impl By {
    /// The name that events have for it; `None` for a rule, which reads what is typed.
    fn matcher(&self) -> Option<&'static str> {
        Some(match self {
            By::Rule(rule) if rule.is_name() => "gazetteer",
            By::Rule(_) | By::Skip => return None,
            By::Typed(_) => "regex",
            By::Gazetteer(_) | By::Entry { .. } => "gazetteer",
            By::Option => "exact",
            By::Ordinal => "ordinal",
            By::Words | By::Text => "words",
            By::Fuzzy => "fuzzy",
            By::Learned => "learned",
            By::Reference => "reference",
            By::Memory(_) | By::Result(_) => "memory",
            By::Default => "default",
            By::Llm => "llm",
            By::Recorded(name) => {
                let first = name.split([' ', '.', ':']).next().unwrap_or_default();
                return RECORDED.iter().find(|(word, _)| *word == first).map(|(_, name)| *name);
            }
        })
    }
}

/// Names how an argument's value was matched, in the words of events: `exact` (a choice that was
/// clicked or named), `ordinal`, `regex` (a typed value that an extractor read), `gazetteer`,
/// `words`, `fuzzy`, `llm`, `reference`, `memory`, `default` or `caller`. S1-19 names `llm`,
/// `ordinal`, `regex` and `fuzzy`; the other words are Waypost's own.
///
/// The source comes first: a place of an earlier call is `memory`, though its name was looked up in
/// a gazetteer.
pub fn matched_by(evidence: &Evidence) -> &'static str {
    match (evidence.source, evidence.by.matcher()) {
        (Source::Memory, Some("reference")) => "reference",
        (Source::Memory, _) => "memory",
        (Source::Option, Some(name @ ("ordinal" | "words" | "fuzzy"))) => name,
        (Source::Option, _) => "exact",
        (Source::Span, Some(name)) => name,
        (Source::Span, None) => "regex",
        (Source::Llm, _) => "llm",
        (Source::Default, _) => "default",
        (Source::Caller, _) => "caller",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn s1_19_every_matcher_has_its_name() {
        for (source, by, name) in [
            (Source::Llm, "llm", "llm"),
            (Source::Llm, "model", "llm"),
            (Source::Option, "ordinal", "ordinal"),
            (Source::Span, "zh.date.relative", "regex"),
            (Source::Span, "typed en.number.words", "regex"),
            (Source::Span, "coordinate.suffix", "regex"),
            (Source::Span, "fuzzy ‹rainfal›", "fuzzy"),
            (Source::Option, "option", "exact"),
            (Source::Span, "gazetteer place hualien", "gazetteer"),
            (Source::Span, "entity", "gazetteer"),
            (Source::Span, "words", "words"),
            (Source::Span, "text", "words"),
            (Source::Memory, "reference", "reference"),
            (Source::Memory, "last call of x", "memory"),
            (Source::Memory, "memory run_tpr_step", "memory"),
            (Source::Memory, "gazetteer place taiwan_strait", "memory"),
            (Source::Option, "gazetteer place taiwan_strait", "exact"),
            (Source::Option, "fuzzy", "fuzzy"),
            (Source::Default, "default", "default"),
            (Source::Caller, "request", "caller"),
        ] {
            assert_eq!(matched_by(&Evidence::new(source, by)), name, "{source:?} {by}");
        }
    }

    #[test]
    fn every_matcher_is_written_as_before_and_read_back() {
        let typed = Rule::from("date.iso");
        for (by, written) in [
            (By::Rule(typed), "date.iso"),
            (By::Typed(typed), "typed date.iso"),
            (By::Gazetteer("column".to_owned()), "gazetteer column"),
            (
                By::Entry { gazetteer: "place".to_owned(), key: "hualien".to_owned() },
                "gazetteer place hualien",
            ),
            (By::Option, "option"),
            (By::Ordinal, "ordinal"),
            (By::Words, "words"),
            (By::Fuzzy, "fuzzy"),
            (By::Learned, "learned"),
            (By::Text, "text"),
            (By::Reference, "reference"),
            (By::Memory("run_tpr_step".to_owned()), "memory run_tpr_step"),
            (By::Default, "default"),
            (By::Skip, "skip"),
            (By::Llm, "llm"),
            (By::Recorded("last call of x".to_owned()), "last call of x"),
        ] {
            assert_eq!(by.to_string(), written);
            let read = By::from(written);
            assert_eq!((read.to_string().as_str(), &read), (written, &by));
            // A rule alone is not known by its name.
            let same = std::mem::discriminant(&read) == std::mem::discriminant(&by);
            assert!(same || matches!(by, By::Rule(_) | By::Typed(_)), "{by:?} {read:?}");
        }
    }

    #[test]
    fn a_receipt_of_a_record_is_printed_byte_for_byte() {
        let receipts = [
            r#"{"source":"span","text":"昨日","by":"zh.date.relative"}"#,
            r#"{"source":"memory","by":"memory tide.forecast"}"#,
            r#"{"source":"option","text":"penghu","by":"gazetteer place penghu"}"#,
            r#"{"source":"span","text":"half","by":"typed en.number"}"#,
            r#"{"source":"span","text":"x","by":""}"#,
        ];
        for receipt in receipts {
            let read: Evidence = serde_json::from_str(receipt).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), receipt);
        }
        let schema = schemars::schema_for!(Evidence);
        assert_eq!(schema.get("properties").unwrap()["by"]["type"], json!("string"));
    }
}
