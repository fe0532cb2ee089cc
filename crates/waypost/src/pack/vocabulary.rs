//! The words for the values of a pack's arguments, ready to be looked up in a text.
//!
//! Arguments of one name mean the same in every tool of a pack: `method` has one vocabulary.

use std::collections::BTreeMap;

use serde_json::Value;

use super::spec::{EntrySpec, Naming};
use super::tool::Tool;
use crate::extract::Gazetteer;

/// Entries by key, by the name of their gazetteer.
pub(super) type Entries = BTreeMap<String, BTreeMap<String, EntrySpec>>;

/// A vocabulary for every argument with listed values, and every gazetteer that arguments take their
/// values from.
pub(super) fn vocabularies(tools: &[Tool], entries: &Entries) -> Vec<Gazetteer> {
    let mut words: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for tool in tools {
        for argument in tool.arguments() {
            let gazetteer = tool.annotation(argument).and_then(|note| note.gazetteer.as_ref());
            if let Some(gazetteer) = gazetteer {
                let entries = entries.get(gazetteer).into_iter().flatten();
                let own = words.entry(gazetteer.clone()).or_default();
                own.extend(entries.map(|(key, entry)| (key.clone(), names_of(key, entry))));
            } else {
                for value in tool.listed(argument).iter().filter_map(Value::as_str) {
                    let own = words.entry(argument.to_owned()).or_default();
                    own.entry(value.to_owned()).or_default().extend(named(tool, argument, value));
                }
            }
        }
    }
    words.into_iter().map(|(name, values)| Gazetteer::new(&name, values)).collect()
}

fn names_of(key: &str, entry: &EntrySpec) -> Vec<String> {
    let own = readable(key);
    entry.names.iter().cloned().chain([own]).collect()
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
