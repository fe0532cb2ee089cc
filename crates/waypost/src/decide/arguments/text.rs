//! Free text: what stands in quotation marks or behind the verb that asks for it.

use serde_json::json;
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::{Kind, ObjectClass};

use super::phrase::{self, Chosen, Phrase};
use super::{FilledValue, Match, Wanted};
use crate::pack::spec::FreeText;
use crate::pack::suggest::words_of;

/// The most words of an answer to the question for a text.
const MOST_WORDS: usize = 200;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let shape = wanted.tool.shape(wanted.name)?;
    let is_text = wanted.annotation.kind == Some(Kind::Text) && shape.types.string;
    let said = wanted.annotation.text.is_none_or(|words| words == FreeText::Said);
    if !is_text || !said {
        return None;
    }
    match chosen(wanted) {
        Chosen::None => None,
        Chosen::One(phrase) => found(wanted, &phrase),
        Chosen::Unsure(phrases) => {
            Some(Match::Unsure(phrases.iter().map(|phrase| json!(phrase.words)).collect()))
        }
    }
}

/// The words that may be meant, by the surest sign that there is: the object that the argument is named for, a
/// quotation, the answer to the question for it.
fn chosen(wanted: &Wanted<'_>) -> Chosen {
    let rivals = rivals(wanted);
    // A question is no message: "tell me what it costs" says nothing to anybody.
    let thought = wanted.tool.suggested(wanted.name).is_some_and(|suggested| suggested.thought);
    let searched: &[ObjectClass] = &[ObjectClass::Search];
    let classes = if thought { searched } else { classes(wanted.name) };
    let objects = phrase::objects(wanted, classes);
    if let [only] = &objects[..] {
        return Chosen::One(only.clone());
    }
    let quoted = phrase::quoted(wanted);
    if !quoted.is_empty() {
        return phrase::choose(wanted, quoted, &rivals);
    }
    if !objects.is_empty() {
        return phrase::choose(wanted, objects, &rivals);
    }
    phrase::answer(wanted, MOST_WORDS).map_or(Chosen::None, Chosen::One)
}

/// The arguments of the tool that take free text.
fn rivals<'a>(wanted: &Wanted<'a>) -> Vec<&'a str> {
    let texts = wanted.tool.annotations().filter(|(_, note)| note.kind == Some(Kind::Text));
    texts.map(|(name, _)| name).collect()
}

/// The classes of objects by the words of an argument's name.
const CLASSES: [(&[&str], &[ObjectClass]); 4] = [
    (
        &["query", "q", "search", "keyword", "keywords", "question", "term", "terms", "phrase"],
        &[ObjectClass::Search],
    ),
    (&["title", "name", "caption"], &[ObjectClass::Name]),
    (&["message", "subject", "summary"], &[ObjectClass::Message, ObjectClass::Say]),
    (
        &[
            "text",
            "content",
            "contents",
            "body",
            "comment",
            "note",
            "notes",
            "description",
            "reason",
            "sentence",
            "instructions",
        ],
        &[ObjectClass::Say, ObjectClass::Message],
    ),
];

fn classes(name: &str) -> &'static [ObjectClass] {
    const ANY: &[ObjectClass] = &[ObjectClass::Say, ObjectClass::Message, ObjectClass::Search];
    let words = words_of(name);
    let is_word = |known: &&str| words.iter().any(|word| word == known);
    let found = CLASSES.iter().find(|(known, _)| known.iter().any(is_word));
    found.map_or(ANY, |(_, classes)| classes)
}

fn found(wanted: &Wanted<'_>, phrase: &Phrase) -> Option<Match> {
    let value = json!(phrase.words);
    wanted.tool.accepts(wanted.name, &value).then(|| {
        let evidence = Evidence::span(phrase.words.clone(), By::Text);
        Match::Found(FilledValue { value, evidence, spans: vec![phrase.span] })
    })
}
