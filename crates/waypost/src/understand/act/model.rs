//! The classifier of acts: how its examples are read, how it is trained, and the trained one, which is part of
//! the program.
//!
//! An example is a sentence with its act, in which braces stand around names and values. It is learned twice: with
//! the names masked, as where the pack knows them, and with their words, as where it does not.

use std::sync::LazyLock;

use serde::Deserialize;
use waypost_core::{Error, Result};
use waypost_learning::train::{Labelled, OUT_OF_SCOPE, Progress, TrainOptions, train};
use waypost_learning::{Bundle, Scratch};
use waypost_text::language::Language;
use waypost_text::text::{Text, folded};

use super::{Act, Acts, MASK};

/// A trained classifier, and the acts in the order of its scores.
type Trained = Option<(Bundle, Vec<Act>)>;

/// The one of the languages that have thousands of examples each, as `cargo xtask acts` made it.
static OF_MANY: LazyLock<Trained> =
    LazyLock::new(|| trained(include_bytes!("../../../acts/acts.bin")));

/// The one of all languages, for those with fewer. What it learns of them would cost the others two sentences of a
/// hundred, as both have as many weights.
static OF_ALL: LazyLock<Trained> =
    LazyLock::new(|| trained(include_bytes!("../../../acts/acts_all.bin")));

fn trained(bytes: &[u8]) -> Trained {
    let bundle = Bundle::from_bytes(bytes).ok()?;
    let acts = bundle.routes().iter().map(|route| of_route(route)).collect::<Option<_>>()?;
    Some((bundle, acts))
}

/// Returns whether a language has thousands of examples.
pub fn has_many(language: Language) -> bool {
    use Language::{En, Es, Vi, ZhHans, ZhHant};
    matches!(language, En | Es | Vi | ZhHans | ZhHant)
}

/// The classifier that tells the acts of texts in a language.
fn of(language: Language) -> &'static Trained {
    if has_many(language) { &OF_MANY } else { &OF_ALL }
}

/// The name of the act that is none, for the training: it also learns what is outside.
fn route(act: Act) -> &'static str {
    if act == Act::Other { OUT_OF_SCOPE } else { act.name() }
}

fn of_route(name: &str) -> Option<Act> {
    if name == OUT_OF_SCOPE { Some(Act::Other) } else { Act::named(name) }
}

/// The probability of each act; `None` if this program was built without its examples.
pub(super) fn score(masked: &str, language: Language) -> Option<Acts> {
    let (bundle, order) = of(language).as_ref()?;
    let scores = bundle.score(masked, &mut Scratch::default());
    let mut acts = Acts::UNKNOWN;
    for (act, share) in order.iter().zip(scores.routes) {
        acts.shares[*act as usize] = share;
    }
    Some(acts)
}

/// The id of the trained one of a language: that of the examples that it was trained on.
pub fn id(language: Language) -> Option<&'static str> {
    of(language).as_ref().map(|(bundle, _)| bundle.id())
}

/// A sentence with its act.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The sentence; braces stand around each name and value.
    pub text: String,
    /// What it does.
    pub act: Act,
}

impl Example {
    /// The sentence as the classifier sees it, names and values masked.
    pub fn masked(&self) -> String {
        let mut masked = String::with_capacity(self.text.len());
        let mut rest = self.text.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            let Some((_, behind)) = behind.split_once('}') else { break };
            masked.push_str(before);
            masked.push(' ');
            masked.push_str(MASK);
            masked.push(' ');
            rest = behind;
        }
        masked.push_str(rest);
        prepared(&masked)
    }

    /// The sentence as it was typed.
    pub fn plain(&self) -> String {
        prepared(&self.text.replace(['{', '}'], ""))
    }
}

/// A text as the classifier sees it: normalized, without accents, which many leave out.
pub(super) fn prepared(text: &str) -> String {
    folded(Text::new(text).normalized())
}

/// Reads the examples of a file, one JSON object a line.
///
/// # Errors
///
/// `INVALID_ARGUMENT` with the number of the first line that is no example.
pub fn examples(lines: &str) -> Result<Vec<Example>> {
    let read = lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = read.map(|(at, line)| {
        serde_json::from_str(line)
            .map_err(|error| Error::invalid(format!("line {}: {error}", at + 1)))
    });
    read.collect()
}

/// Trains a classifier on examples.
///
/// # Errors
///
/// As [`train`].
pub fn learn(examples: &[Example], progress: &mut dyn FnMut(Progress)) -> Result<Bundle> {
    let labelled = examples.iter().flat_map(|example| {
        let plain = example.plain();
        let masked = Some(example.masked()).filter(|masked| *masked != plain);
        [Some(plain), masked].into_iter().flatten().map(|text| Labelled {
            text,
            language: None,
            route: route(example.act).to_owned(),
            tools: Vec::new(),
            weight: 1.0,
        })
    });
    let labelled: Vec<Labelled> = labelled.collect();
    // The words of a turn are those that were meant already.
    let options =
        TrainOptions { names_as_examples: false, spelling: false, ..TrainOptions::default() };
    train(&labelled, &options, None, progress)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_masked_where_braces_stand() {
        let example = Example { text: "Sí, {Cádiz}, no {Lima}".to_owned(), act: Act::Prefer };
        let words: Vec<String> = [example.masked(), example.plain()]
            .iter()
            .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(words, ["si, ‹named› , no ‹named›", "si, cadiz, no lima"]);
        let open = Example { text: "a { b".to_owned(), act: Act::Other };
        assert_eq!(open.masked(), "a { b");
    }

    #[test]
    fn the_built_in_classifiers_are_what_their_examples_give() {
        let many = [
            include_str!("../../../acts/en.jsonl"),
            include_str!("../../../acts/es.jsonl"),
            include_str!("../../../acts/vi.jsonl"),
            include_str!("../../../acts/zh-Hans.jsonl"),
            include_str!("../../../acts/zh-Hant.jsonl"),
        ];
        let few = [
            include_str!("../../../acts/fr.jsonl"),
            include_str!("../../../acts/pt.jsonl"),
            include_str!("../../../acts/de.jsonl"),
            include_str!("../../../acts/ja.jsonl"),
            include_str!("../../../acts/id.jsonl"),
        ];
        let read = |files: &[&str]| -> Vec<Example> {
            files.iter().flat_map(|lines| examples(lines).unwrap()).collect()
        };
        let (many, few) = (read(&many), read(&few));
        let all = [many.clone(), few].concat();
        for (language, examples) in [(Language::En, many), (Language::Fr, all)] {
            let learned = learn(&examples, &mut |_| ()).unwrap();
            assert_eq!(Some(learned.id()), id(language), "run `cargo xtask acts train`");
        }
    }

    #[test]
    fn a_line_that_is_no_example_is_told_by_its_number() {
        let error =
            examples("{\"text\": \"a\", \"act\": \"stop\"}\n\n{\"text\": \"b\"}").unwrap_err();
        assert!(error.to_string().contains("line 3"), "{error}");
    }
}
