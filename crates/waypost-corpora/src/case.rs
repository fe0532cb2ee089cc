//! A row of a corpus in our terms: the text, its setting, and the values that must be found.

use jiff::{Zoned, civil::DateTime, tz::TimeZone};
use waypost_text::extract::Conventions;
use waypost_text::language::Language;

use crate::Expected;
use crate::split::{self, Part};

/// The source of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Corpus {
    /// Microsoft Recognizers-Text, the models that end users see.
    Recognizers,
    /// The test corpora of Facebook's Duckling.
    Duckling,
    /// The tests of the JavaScript library chrono.
    Chrono,
}

impl Corpus {
    /// All corpora, in the order of reports.
    pub const ALL: [Corpus; 3] = [Corpus::Recognizers, Corpus::Duckling, Corpus::Chrono];

    /// The name in tables and options.
    pub fn name(self) -> &'static str {
        match self {
            Corpus::Recognizers => "recognizers",
            Corpus::Duckling => "duckling",
            Corpus::Chrono => "chrono",
        }
    }

    /// The file below the data folder.
    pub fn file(self) -> &'static str {
        match self {
            Corpus::Recognizers => "recognizers_text/models.jsonl",
            Corpus::Duckling => "duckling/all.jsonl",
            Corpus::Chrono => "chrono/all.jsonl",
        }
    }
}

/// A text, its setting, and what must be found in it.
#[derive(Debug)]
pub struct Case {
    /// The corpus that it comes from.
    pub corpus: Corpus,
    /// The corpus's tag of the language, in lower case; what stands before a `-` is the language
    /// that figures are summed by.
    pub lang: String,
    /// The language that the extractors are told.
    pub language: Language,
    /// The kind that it is counted under.
    pub kind: &'static str,
    /// The words.
    pub text: String,
    /// The reference time, in the zone of the corpus.
    pub now: Zoned,
    /// The habits of the corpus.
    pub conventions: Conventions,
    /// The values that must be found, or the kinds that may not.
    pub expectation: Expectation,
}

impl Case {
    /// The language that figures are summed by: `zh` for `zh-hans`.
    pub fn main_language(&self) -> &str {
        self.lang.split('-').next().unwrap_or_default()
    }

    /// Returns the part that it belongs to, drawn by its words.
    pub fn part(&self) -> Part {
        split::part(&self.text)
    }

    /// Returns whether nothing may be found.
    pub fn is_negative(&self) -> bool {
        matches!(self.expectation, Expectation::Nothing(_))
    }
}

/// The expectation of a case.
#[derive(Debug)]
pub enum Expectation {
    /// All of these must be found; other values do no harm.
    Find(Vec<Wanted>),
    /// No value of these kinds may be found.
    Nothing(&'static [&'static str]),
}

/// A value that must be found.
#[derive(Debug)]
pub struct Wanted {
    /// Its words; `None` where the corpus does not say.
    pub text: Option<String>,
    /// The right values: one of its readings must be one of these.
    pub values: Vec<Expected>,
    /// The corpus's own notation, for people.
    pub shown: String,
}

/// A local time as an instant in UTC, for corpora without a zone.
pub(crate) fn utc(local: DateTime) -> Option<Zoned> {
    local.to_zoned(TimeZone::UTC).ok()
}

/// The extractors' language for a tag of a corpus.
pub(crate) fn language(tag: &str) -> Option<Language> {
    match tag {
        "en" | "any" | "en-others" => Some(Language::En),
        "es" | "es-mx" => Some(Language::Es),
        "vi" => Some(Language::Vi),
        "zh" | "zh-hans" => Some(Language::ZhHans),
        "zh-hant" => Some(Language::ZhHant),
        _ => None,
    }
}
