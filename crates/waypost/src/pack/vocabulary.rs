//! The words for the values of a pack's arguments, ready to be looked up in a text.
//!
//! Arguments of one name mean the same in every tool of a pack: `method` has one vocabulary.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde_json::Value;
use waypost_core::text_match::is_han;
use waypost_text::extract::Gazetteer;
use waypost_text::language::Language;

use super::examples::Example;
use super::spec::{Annotation, Band, EntrySpec, Naming};
use super::tool::Tool;

/// Entries by key, by the name of their gazetteer.
pub(super) type Entries = BTreeMap<String, BTreeMap<String, EntrySpec>>;

/// The entries of each gazetteer by their names.
pub(super) fn gazetteers(entries: &Entries) -> Vec<Gazetteer> {
    let gazetteer = |(name, places): (&String, &BTreeMap<String, EntrySpec>)| {
        let names = places.iter().map(|(key, entry)| (key.as_str(), entry.names.as_slice()));
        Gazetteer::new(name, names)
    };
    entries.iter().map(gazetteer).collect()
}

/// A vocabulary for every argument with listed values, and every gazetteer that arguments take their
/// values from.
/// `nameless` are the gazetteers whose keys are no words.
pub(super) fn vocabularies(
    tools: &[Tool],
    entries: &Entries,
    nameless: &[String],
) -> Vec<Gazetteer> {
    let mut words: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for tool in tools {
        for argument in tool.arguments() {
            let gazetteer = tool.annotation(argument).and_then(|note| note.gazetteer.as_ref());
            if let Some(gazetteer) = gazetteer {
                let entries = entries.get(gazetteer).into_iter().flatten();
                let own = words.entry(gazetteer.clone()).or_default();
                let has_own = !nameless.contains(gazetteer);
                own.extend(entries.map(|(key, entry)| {
                    let name = has_own.then(|| readable(key));
                    (key.clone(), entry.names.iter().cloned().chain(name).collect())
                }));
            } else {
                for value in tool.listed(argument).iter().filter_map(Value::as_str) {
                    let own = words.entry(argument.to_owned()).or_default();
                    own.entry(value.to_owned()).or_default().extend(named(tool, argument, value));
                }
                // A value of those that a schema takes anyway is found as it is, by its kind.
                for value in tool.named(argument) {
                    let note = tool.annotation(argument).and_then(|note| note.values.get(value));
                    let naming = note.map(|naming| naming.words.clone()).unwrap_or_default();
                    let own = words.entry(argument.to_owned()).or_default();
                    own.entry(value.to_owned()).or_default().extend(naming);
                }
            }
        }
    }
    words.into_iter().map(|(name, values)| Gazetteer::new(&name, values)).collect()
}

/// The vocabularies of which a value is generic, so that most texts name some in passing.
pub(super) fn in_passing(tools: &[Tool]) -> BTreeSet<String> {
    let passing =
        |tool: &Tool, name: &str| tool.annotation(name).is_some_and(Annotation::is_in_passing);
    let names = tools.iter().flat_map(|tool| tool.arguments().map(move |name| (tool, name)));
    let (some, others): (Vec<_>, Vec<_>) = names.partition(|(tool, name)| passing(tool, name));
    let some = some.into_iter().map(|(_, name)| name);
    some.filter(|name| !others.iter().any(|(_, other)| other == name)).map(str::to_owned).collect()
}

/// The words for one value of an argument: those of the pack, its aliases, and itself.
fn named(tool: &Tool, argument: &str, value: &str) -> Vec<String> {
    let Some(note) = tool.annotation(argument) else { return vec![readable(value)] };
    let plain = Naming { own_name: true, ..Naming::default() };
    let naming = note.values.get(value).unwrap_or(&plain);
    let labels = naming.label.values().cloned();
    let aliases =
        note.aliases.iter().filter(|(_, of)| *of == value).map(|(alias, _)| readable(alias));
    let own = naming.own_name.then(|| readable(value));
    naming.words.iter().cloned().chain(labels).chain(aliases).chain(own).collect()
}

/// A value as people write it: `land_use` is "land use".
fn readable(value: &str) -> String {
    value.replace('_', " ")
}

/// The languages in which a word was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tongues(u16);

impl Tongues {
    fn add(&mut self, language: Language) {
        self.0 |= Self::bit(language);
    }

    pub(super) fn has(self, language: Language) -> bool {
        self.0 & Self::bit(language) != 0
    }

    fn bit(language: Language) -> u16 {
        let place = Language::ALL.iter().position(|known| *known == language);
        place.map_or(0, |place| 1 << place)
    }
}

/// The words of the examples with their languages, given their normalized texts.
pub(super) fn known(examples: &[Example], normalized: &[String]) -> FxHashMap<String, Tongues> {
    let mut known: FxHashMap<String, Tongues> = FxHashMap::default();
    for (example, text) in examples.iter().zip(normalized) {
        for word in words(text) {
            match known.get_mut(word) {
                Some(tongues) => tongues.add(example.lang),
                None => {
                    let mut tongues = Tongues::default();
                    tongues.add(example.lang);
                    known.insert(word.to_owned(), tongues);
                }
            }
        }
    }
    known
}

/// The values that are bands of numbers, by vocabulary.
pub(super) fn bands(tools: &[Tool]) -> Vec<(String, String, Band)> {
    let mut bands: Vec<(String, String, Band)> = Vec::new();
    for tool in tools {
        for (argument, note) in &tool.spec.arguments {
            for (value, naming) in &note.values {
                let Some(band) = &naming.band else { continue };
                let band = (argument.clone(), value.clone(), band.clone());
                if !bands.contains(&band) {
                    bands.push(band);
                }
            }
        }
    }
    bands
}

/// The words of a normalized text that may say something: of letters, and not the shortest; a Han
/// character is a word. The marks of masked values are left out.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    /// Shorter ones are articles and slips.
    const SHORTEST: usize = 3;
    let pieces = text.split('‹').enumerate().flat_map(|(index, piece)| {
        let own =
            if index == 0 { piece } else { piece.split_once('›').map_or(piece, |(_, own)| own) };
        own.split(|c: char| !c.is_alphabetic())
    });
    pieces
        .flat_map(cut)
        .filter(|word| word.chars().next().is_some_and(is_han) || word.chars().count() >= SHORTEST)
}

/// Cuts a run of letters into words: Han characters one by one, others as they are.
fn cut(stretch: &str) -> impl Iterator<Item = &str> {
    stretch.split_inclusive(is_han).flat_map(|part| {
        let last = part.char_indices().next_back().filter(|(_, c)| is_han(*c));
        let (before, han) = part.split_at(last.map_or(part.len(), |(at, _)| at));
        [before, han]
    })
}
