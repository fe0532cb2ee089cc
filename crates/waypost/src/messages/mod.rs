//! The sentences that Waypost itself says, in every language it speaks.
//!
//! A language is one YAML file here; every file has the same names, which a test checks. Sentences
//! of a pack's own subject are in the pack.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Environment, Value as Data};

use crate::decision::Question;
use crate::error::Code;
use crate::language::Language;
use crate::request::Choice;

const SOURCES: [(Language, &str); 5] = [
    (Language::En, include_str!("en.yaml")),
    (Language::ZhHant, include_str!("zh-Hant.yaml")),
    (Language::ZhHans, include_str!("zh-Hans.yaml")),
    (Language::Vi, include_str!("vi.yaml")),
    (Language::Es, include_str!("es.yaml")),
];

/// A sentence that is not yet in a language: its name and what goes into it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentence {
    /// Its name in the files of this folder.
    pub name: &'static str,
    /// What goes into it, by the names of its holes.
    pub with: BTreeMap<&'static str, String>,
}

impl Sentence {
    /// A sentence without holes.
    pub fn new(name: &'static str) -> Self {
        Self { name, with: BTreeMap::new() }
    }

    /// A sentence of a pack's own, which is in the user's language already.
    pub fn own(text: impl Into<String>) -> Self {
        Self::new("own").with("text", text)
    }

    /// The same sentence with a hole filled.
    #[must_use]
    pub fn with(mut self, hole: &'static str, value: impl Into<String>) -> Self {
        self.with.insert(hole, value.into());
        self
    }
}

/// A question that is not yet in a language.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// What is asked.
    pub sentence: Sentence,
    /// The choices that lead on; labels are already in the language.
    pub choices: Vec<Choice>,
    /// The tool that it is about.
    pub tool: Option<String>,
    /// The argument that it asks for.
    pub argument: Option<String>,
}

/// All sentences in all languages, parsed once.
#[derive(Debug)]
pub struct Messages {
    texts: BTreeMap<Language, BTreeMap<String, String>>,
    engine: Environment<'static>,
}

impl Default for Messages {
    fn default() -> Self {
        let texts = SOURCES
            .iter()
            .map(|(language, source)| {
                (*language, serde_saphyr::from_str(source).unwrap_or_default())
            })
            .collect();
        Self { texts, engine: crate::template::engine() }
    }
}

impl Messages {
    /// Says a sentence in a language.
    pub fn say(&self, language: Language, sentence: &Sentence) -> String {
        let text = self.texts.get(&language).and_then(|texts| texts.get(sentence.name));
        let Some(text) = text else { return sentence.name.replace('_', " ") };
        if !text.contains("{{") {
            return text.clone();
        }
        let data = Data::from(Serde(&sentence.with));
        self.engine.render_str(text, data).unwrap_or_else(|_| text.clone())
    }

    /// Says a question in a language.
    pub fn ask(&self, language: Language, ask: &Ask) -> Question {
        Question {
            text: self.say(language, &ask.sentence),
            choices: ask.choices.clone(),
            tool: ask.tool.clone(),
            argument: ask.argument.clone(),
        }
    }

    /// The sentence for an error code: short, safe and in the user's language.
    pub fn error(&self, language: Language, code: Code) -> String {
        let name = format!("e_{}", code.name());
        let texts = self.texts.get(&language);
        texts.and_then(|texts| texts.get(&name)).cloned().unwrap_or_else(|| code.name().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_sentence() {
        let messages = Messages::default();
        let names: Vec<&String> = messages.texts[&Language::En].keys().collect();
        assert!(names.len() > 30, "{names:?}");
        for language in Language::ALL {
            let texts = &messages.texts[&language];
            assert_eq!(names, texts.keys().collect::<Vec<_>>(), "{language}");
            for (name, text) in texts {
                let said = messages.engine.render_str(text, minijinja::context! {});
                assert!(said.is_ok(), "{language} {name}: {said:?}");
            }
        }
    }

    #[test]
    fn a_sentence_takes_what_goes_into_it() {
        let sentence = Sentence::new("no_such_date").with("text", "2025-02-30");
        let said = Messages::default().say(Language::ZhHant, &sentence);
        assert_eq!(said, "沒有「2025-02-30」這一天。請問是哪一天？");
    }
}
