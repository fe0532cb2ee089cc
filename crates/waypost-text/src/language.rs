//! Languages that Waypost speaks, and the tags that name them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A language that has rules and messages of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, schemars::JsonSchema)]
#[schemars(with = "String")]
pub enum Language {
    /// English.
    En,
    /// Chinese in traditional characters.
    ZhHant,
    /// Chinese in simplified characters.
    ZhHans,
    /// Vietnamese.
    Vi,
    /// Spanish.
    Es,
    /// French.
    Fr,
    /// Portuguese.
    Pt,
    /// German.
    De,
    /// Japanese.
    Ja,
    /// Indonesian.
    Id,
}

impl Language {
    /// All of them, in the order of reports.
    pub const ALL: [Language; 10] = [
        Language::En,
        Language::ZhHant,
        Language::ZhHans,
        Language::Vi,
        Language::Es,
        Language::Fr,
        Language::Pt,
        Language::De,
        Language::Ja,
        Language::Id,
    ];

    /// The BCP 47 tag that is written to the outside.
    pub fn tag(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::ZhHant => "zh-Hant",
            Language::ZhHans => "zh-Hans",
            Language::Vi => "vi",
            Language::Es => "es",
            Language::Fr => "fr",
            Language::Pt => "pt",
            Language::De => "de",
            Language::Ja => "ja",
            Language::Id => "id",
        }
    }

    /// The English name, by which a model is told it: few models know all tags, all know the names.
    ///
    /// # Example
    ///
    /// ```
    /// use waypost_text::language::Language;
    /// assert_eq!(Language::ZhHant.english_name(), "Traditional Chinese");
    /// ```
    pub fn english_name(self) -> &'static str {
        match self {
            Language::En => "English",
            Language::ZhHant => "Traditional Chinese",
            Language::ZhHans => "Simplified Chinese",
            Language::Vi => "Vietnamese",
            Language::Es => "Spanish",
            Language::Fr => "French",
            Language::Pt => "Portuguese",
            Language::De => "German",
            Language::Ja => "Japanese",
            Language::Id => "Indonesian",
        }
    }

    /// Reads a tag, taking regions as the script they write in (`zh-TW` is traditional).
    ///
    /// # Example
    ///
    /// ```
    /// use waypost_text::language::Language;
    /// assert_eq!(Language::from_tag("zh-TW"), Some(Language::ZhHant));
    /// assert_eq!(Language::from_tag("en-GB"), Some(Language::En));
    /// assert_eq!(Language::from_tag("tlh"), None);
    /// ```
    pub fn from_tag(tag: &str) -> Option<Language> {
        let tag = tag.to_ascii_lowercase().replace('_', "-");
        let mut parts = tag.split('-');
        match parts.next()? {
            "en" => Some(Language::En),
            "es" => Some(Language::Es),
            "vi" => Some(Language::Vi),
            "fr" => Some(Language::Fr),
            "pt" => Some(Language::Pt),
            "de" => Some(Language::De),
            "ja" => Some(Language::Ja),
            "id" | "in" => Some(Language::Id),
            "zh" | "cmn" | "yue" => {
                Some(if parts.any(|part| matches!(part, "hans" | "cn" | "sg" | "my")) {
                    Language::ZhHans
                } else {
                    Language::ZhHant
                })
            }
            _ => None,
        }
    }

    /// Returns whether it is Chinese, in either script.
    pub fn is_chinese(self) -> bool {
        matches!(self, Language::ZhHant | Language::ZhHans)
    }

    /// Returns whether people who read the other language read this one: both scripts of Chinese are read by either's readers.
    pub fn is_read_as(self, other: Language) -> bool {
        self == other || self.is_chinese() && other.is_chinese()
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}

impl Serialize for Language {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.tag())
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tag = String::deserialize(deserializer)?;
        Language::from_tag(&tag).ok_or_else(|| {
            serde::de::Error::custom(format!(
                "unknown language `{tag}`: use en, zh-TW, zh-CN, vi, es, fr, pt, de, ja or id"
            ))
        })
    }
}
