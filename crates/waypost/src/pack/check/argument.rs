//! Checks the annotations of arguments against the schema and the gazetteers.

use std::collections::BTreeMap;

use serde_json::Value;
use waypost_core::schema::FlatSchema;
use waypost_text::language::Language;

use super::super::source::{Fault, Source};
use super::super::spec::{Annotation, PackSpec, ToolSpec};
use super::did_you_mean;
use crate::pack::template;

/// All faults of a tool's annotations.
pub(super) fn check(
    source: &Source,
    spec: &PackSpec,
    index: usize,
    (tool, flat): (&ToolSpec, &FlatSchema),
    faults: &mut Vec<Fault>,
) {
    let keys = tool.arguments.iter().filter(|(_, note)| note.idempotency_key);
    for (name, _) in keys.skip(1) {
        let at = format!("/tools/{index}/arguments/{name}/idempotency_key");
        faults.push(source.fault(&at, "another argument takes the key of a call already"));
    }
    for (name, note) in &tool.arguments {
        let at = format!("/tools/{index}/arguments/{name}");
        let property = flat.properties.get(name);
        let values = listed(property);
        if !(values.is_empty() && takes_text(property)) {
            check_values(source, &at, &values, note, faults);
        }
        check_gazetteer(source, spec, &at, note, faults);
        if note.inject.is_some() && !takes_text(property) {
            let message = "what Waypost fills it with is text, and this argument takes none";
            faults.push(source.fault(&format!("{at}/inject"), message));
        }
        if note.idempotency_key && !takes_text(property) {
            let message = "the key of a call is text, and this argument takes none";
            faults.push(source.fault(&format!("{at}/idempotency_key"), message));
        }
        if note.soft.is_some_and(|[least, most]| least >= most) {
            let fault = source.fault(&format!("{at}/soft"), "the range `soft` is empty");
            faults.push(fault.hint("give [least, most]"));
        }
        let texts = note
            .values
            .iter()
            .map(|(value, naming)| (format!("values/{value}/label"), &naming.label));
        let texts = texts.chain([("label".to_owned(), &note.label), ("ask".to_owned(), &note.ask)]);
        for (key, text) in texts {
            check_texts(source, &format!("{at}/{key}"), text, faults);
        }
    }
}

/// Returns whether a schema takes text, or a list of it.
fn takes_text(property: Option<&Value>) -> bool {
    let is_text = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "string");
    property.is_some_and(|schema| is_text(schema) || schema.get("items").is_some_and(is_text))
}

fn listed(property: Option<&Value>) -> Vec<&str> {
    let listed = property.and_then(|schema| {
        schema.get("enum").or_else(|| schema.get("items")?.get("enum"))?.as_array()
    });
    listed.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Named values, and those that aliases and `of` lead to, must be values of the schema, where it lists
/// some. One that takes any text may have words for a few.
fn check_values(
    source: &Source,
    at: &str,
    listed: &[&str],
    note: &Annotation,
    faults: &mut Vec<Fault>,
) {
    let mut known = |pointer: String, value: &str| {
        if !listed.contains(&value) {
            let fault = source.fault(&pointer, format!("the schema lists no value `{value}`"));
            faults.push(fault.hint(did_you_mean(value, listed.iter().copied())));
        }
    };
    for (value, naming) in &note.values {
        known(format!("{at}/values/{value}"), value);
        for (index, part) in naming.of.iter().enumerate() {
            known(format!("{at}/values/{value}/of/{index}"), part);
        }
    }
    for (alias, value) in &note.aliases {
        known(format!("{at}/aliases/{alias}"), value);
    }
}

fn check_gazetteer(
    source: &Source,
    spec: &PackSpec,
    at: &str,
    note: &Annotation,
    faults: &mut Vec<Fault>,
) {
    let Some(name) = &note.gazetteer else { return };
    let known = || spec.gazetteers.iter().map(|gazetteer| gazetteer.name.as_str());
    if !known().any(|known| known == name) {
        let at = format!("{at}/gazetteer");
        let fault = source.fault(&at, format!("there is no gazetteer `{name}`"));
        faults.push(fault.hint(did_you_mean(name, known())));
    }
}

/// The sentence about a loss: a hole that no argument fills would leave it unsaid.
pub(super) fn check_loss(
    source: &Source,
    index: usize,
    (tool, flat): (&ToolSpec, &FlatSchema),
    faults: &mut Vec<Fault>,
) {
    let at = format!("/tools/{index}/loss");
    check_texts(source, &at, &tool.loss, faults);
    let known = || flat.properties.keys().map(String::as_str);
    for (tag, hole) in crate::pack::template::holes(&tool.loss) {
        if !known().any(|name| name == hole) {
            let message = format!("the schema of `{}` has no argument `{hole}`", tool.name);
            let fault = source.fault(&format!("{at}/{tag}"), message);
            faults.push(fault.hint(did_you_mean(&hole, known())));
        }
    }
}

/// Texts by language: known tags, and English among them, which others fall back to.
pub(super) fn check_texts(
    source: &Source,
    at: &str,
    texts: &BTreeMap<String, String>,
    faults: &mut Vec<Fault>,
) {
    for tag in texts.keys().filter(|tag| Language::from_tag(tag).is_none()) {
        let fault = source.fault(&format!("{at}/{tag}"), format!("unknown language `{tag}`"));
        faults.push(fault.hint("use en, zh-TW, zh-CN, vi, es, fr, pt, de, ja or id"));
    }
    check_templates(source, at, texts, faults);
}

/// Templates by language: each can be parsed, and its filters are there.
pub(super) fn check_templates(
    source: &Source,
    at: &str,
    texts: &BTreeMap<String, String>,
    faults: &mut Vec<Fault>,
) {
    for (tag, text) in texts {
        let at = format!("{at}/{tag}");
        if let Some(message) = template::fault(text) {
            faults.push(source.fault(&at, message));
            continue;
        }
        for name in template::unknown_filters(text) {
            let fault = source.fault(&at, format!("there is no filter `{name}`"));
            faults.push(fault.hint(did_you_mean(&name, template::FILTERS.iter().copied())));
        }
    }
}
