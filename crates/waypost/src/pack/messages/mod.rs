//! The sentences that Waypost itself says, in every language it speaks.
//!
//! A language is one YAML file here; every file has the same names, which a test checks. Sentences
//! of a pack's own subject are in the pack.

mod number;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use minijinja::Value as Data;
use minijinja::value::Serde;
pub(crate) use number::readable;
use waypost_core::error::Code;
use waypost_core::records::decision::Question;
use waypost_core::records::request::Choice;
use waypost_text::language::Language;

use crate::pack::template::Engine;

const SOURCES: [(Language, &str); 10] = [
    (Language::En, include_str!("en.yaml")),
    (Language::ZhHant, include_str!("zh-Hant.yaml")),
    (Language::ZhHans, include_str!("zh-Hans.yaml")),
    (Language::Vi, include_str!("vi.yaml")),
    (Language::Es, include_str!("es.yaml")),
    (Language::Fr, include_str!("fr.yaml")),
    (Language::Pt, include_str!("pt.yaml")),
    (Language::De, include_str!("de.yaml")),
    (Language::Ja, include_str!("ja.yaml")),
    (Language::Id, include_str!("id.yaml")),
];

/// A sentence that is not yet in a language: its name and the values for its holes.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentence {
    /// Its name in the files of this folder.
    pub name: &'static str,
    /// The values for its holes, by their names.
    pub with: BTreeMap<&'static str, String>,
    /// The text instead, where a pack has words of its own in the user's language.
    pub own: Option<String>,
}

impl Sentence {
    /// A sentence without holes.
    pub fn new(name: &'static str) -> Self {
        Self { name, with: BTreeMap::new(), own: None }
    }

    /// A sentence of a pack, in the user's language already; `name` says what it is about.
    pub fn own(name: &'static str, text: impl Into<String>) -> Self {
        Self { own: Some(text.into()), ..Self::new(name) }
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
    /// The question.
    pub sentence: Sentence,
    /// The choices that lead on; labels are already in the language.
    pub choices: Vec<Choice>,
    /// The tool that it is about.
    pub tool: Option<String>,
    /// The argument that it asks for.
    pub argument: Option<String>,
    /// True if it was asked before and no answer was understood.
    pub again: bool,
}

impl Ask {
    /// A sentence alone: about nothing in particular, without choices.
    pub fn plain(sentence: Sentence) -> Self {
        Self { sentence, choices: Vec::new(), tool: None, argument: None, again: false }
    }
}

/// The sentences of a language, by their names.
type Texts = BTreeMap<String, String>;

/// All sentences in all languages. Those of a language are parsed when the first of them is said.
#[derive(Debug, Default)]
pub struct Messages {
    texts: [OnceLock<Texts>; SOURCES.len()],
    engine: Engine,
}

impl Messages {
    fn texts(&self, language: Language) -> Option<&Texts> {
        let place = SOURCES.iter().position(|(known, _)| *known == language)?;
        let parse = || serde_saphyr::from_str(SOURCES[place].1).unwrap_or_default();
        Some(self.texts[place].get_or_init(parse))
    }

    /// Says a sentence in a language.
    pub fn say(&self, language: Language, sentence: &Sentence) -> String {
        if let Some(own) = &sentence.own {
            return own.clone();
        }
        self.filled(language, sentence.name, &sentence.with)
    }

    fn filled(&self, language: Language, name: &str, with: &BTreeMap<&str, String>) -> String {
        let texts = self.texts(language);
        let Some(text) = texts.and_then(|texts| texts.get(name)) else {
            return name.replace('_', " ");
        };
        if !text.contains('{') {
            return text.clone();
        }
        let mut with = with.clone();
        // The name of a kind of value is a sentence of the language, too.
        if let Some(kind) = with.get_mut("kind") {
            *kind = texts.and_then(|texts| texts.get(kind)).cloned().unwrap_or_default();
        }
        let data = Data::from(Serde(with));
        let said = self.engine.parse(text).and_then(|template| template.render(data));
        said.unwrap_or_else(|_| text.clone())
    }

    /// The name of a language in a language.
    pub(crate) fn language(&self, language: Language, named: Language) -> String {
        let texts = self.texts(language);
        let name = texts.and_then(|texts| texts.get(&format!("language_{}", named.tag())));
        name.cloned().unwrap_or_else(|| named.tag().to_owned())
    }

    /// Fills the holes of a pack's own text; `None` if it has one that `with` does not name.
    pub(crate) fn fill(&self, text: &str, with: &BTreeMap<&str, String>) -> Option<String> {
        let template = self.engine.parse(text).ok()?;
        let mut holes = template.names(false).into_iter();
        if holes.any(|hole| !with.contains_key(hole.as_str())) {
            return None;
        }
        template.render(Data::from(Serde(with))).ok()
    }

    /// Says a question in a language.
    pub fn ask(&self, language: Language, ask: &Ask) -> Question {
        Question {
            text: self.say(language, &ask.sentence),
            choices: ask.choices.clone(),
            tool: ask.tool.clone(),
            argument: ask.argument.clone(),
            again: ask.again,
            conditions: Vec::new(),
        }
    }

    /// The sentence for a tool that failed with a code. It says that it was the tool, because the failure may be of anything that
    /// a tool is about.
    pub(crate) fn tool_error(&self, language: Language, code: Code, tool: &str) -> String {
        let with = BTreeMap::from([("tool", tool.to_owned())]);
        self.filled(language, &format!("tool_{}", code.name()), &with)
    }

    /// The sentence for an error code: short, safe and in the user's language.
    pub fn error(&self, language: Language, code: Code) -> String {
        let name = format!("e_{}", code.name());
        let texts = self.texts(language);
        texts.and_then(|texts| texts.get(&name)).cloned().unwrap_or_else(|| code.name().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_sentence() {
        let messages = Messages::default();
        let names: Vec<&String> =
            messages.texts(Language::En).expect("a file of English").keys().collect();
        assert!(names.len() > 30, "{names:?}");
        for language in Language::ALL {
            let texts = messages.texts(language).expect("a file of the language");
            assert_eq!(names, texts.keys().collect::<Vec<_>>(), "{language}");
            for (name, text) in texts {
                let said = messages
                    .engine
                    .parse(text)
                    .and_then(|text| text.render(minijinja::context! {}));
                assert!(said.is_ok(), "{language} {name}: {said:?}");
            }
        }
    }

    #[test]
    fn a_text_of_a_pack_is_filled_or_left_out() {
        let messages = Messages::default();
        let step = BTreeMap::from([("step", "age group".to_owned())]);
        let filled = messages.fill("Continue at {{ step }}", &step);
        assert_eq!(filled.as_deref(), Some("Continue at age group"));
        assert_eq!(messages.fill("Continue at {{ step }}", &BTreeMap::new()), None);
        assert_eq!(messages.fill("Finish", &BTreeMap::new()).as_deref(), Some("Finish"));
    }

    #[test]
    fn a_sentence_takes_what_goes_into_it() {
        let sentence = Sentence::new("no_such_date").with("text", "2025-02-30");
        let said = Messages::default().say(Language::ZhHant, &sentence);
        assert_eq!(said, "沒有「2025-02-30」這一天。請問是哪一天？");
    }
}
