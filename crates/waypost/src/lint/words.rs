//! Finds sentences and templates that miss a language of the pack, and templates that name what is never there.

use std::collections::BTreeMap;

use waypost_text::language::Language;

use super::{Finding, Level, Linted};
use crate::pack::template;
use crate::respond::render::SEEN;

type Texts = BTreeMap<String, String>;

pub(super) fn check(linted: &Linted<'_>) -> Vec<Finding> {
    let texts = texts(linted);
    let missing = texts.into_iter().filter_map(|(at, what, texts)| {
        let languages = missing(&linted.pack.languages, texts);
        if languages.is_empty() {
            return None;
        }
        let tags: Vec<&str> = languages.iter().map(|language| language.tag()).collect();
        let message = format!("{what} is not there in `{}`", tags.join("`, `"));
        let why = "who writes in that language is answered in another";
        let finding = linted.at(Level::Warning, "missing-language", &at, message);
        Some(finding.because(why, "translate it"))
    });
    missing.chain(holes(linted)).collect()
}

/// The templates of answers that name what no answer has: it would be a hole in the sentence.
fn holes(linted: &Linted<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, tool) in linted.pack.tools.iter().enumerate() {
        let spec = &tool.spec;
        for (tag, name) in template::names(&spec.answer, true) {
            let root = name.split('.').next().unwrap_or_default();
            let argument = name.strip_prefix("arguments.").and_then(|rest| rest.split('.').next());
            let (what, hint) = match argument {
                _ if !SEEN.contains(&root) => (
                    format!("`{root}`"),
                    format!("write `result.{root}`, or one of: {}", SEEN.join(", ")),
                ),
                Some(own) if !tool.is_open() && tool.property(own).is_none() => {
                    let known = tool.arguments().collect::<Vec<_>>().join(", ");
                    (format!("the argument `{own}`"), format!("its arguments are: {known}"))
                }
                _ => continue,
            };
            let message =
                format!("the answer of `{}` names {what}, which is never there", spec.name);
            let at = format!("/tools/{index}/answer/{tag}");
            let finding = linted.at(Level::Error, "template-hole", &at, message);
            findings.push(finding.because("the sentence is said with a hole in it", &hint));
        }
    }
    findings
}

/// Every text by language, with its place and what it is.
fn texts<'a>(linted: &'a Linted<'_>) -> Vec<(String, String, &'a Texts)> {
    let spec = &linted.pack.spec;
    let mut all = Vec::new();
    for (name, texts) in &spec.messages {
        all.push((format!("/messages/{name}"), format!("the message `{name}`"), texts));
    }
    for (index, tool) in spec.tools.iter().enumerate() {
        let at = format!("/tools/{index}");
        all.push((format!("{at}/answer"), format!("the answer of `{}`", tool.name), &tool.answer));
        for (name, note) in &tool.arguments {
            let at = format!("{at}/arguments/{name}");
            let of = format!("of `{name}` of `{}`", tool.name);
            all.push((format!("{at}/label"), format!("the label {of}"), &note.label));
            all.push((format!("{at}/ask"), format!("the question {of}"), &note.ask));
            for (value, naming) in &note.values {
                let at = format!("{at}/values/{value}/label");
                all.push((at, format!("the label of `{value}` {of}"), &naming.label));
            }
        }
    }
    for (index, gate) in spec.gates.iter().enumerate() {
        let at = format!("/gates/{index}");
        let of = format!("of the gate `{}`", gate.flag);
        all.push((format!("{at}/label"), format!("the label {of}"), &gate.label));
        all.push((format!("{at}/ask"), format!("the question {of}"), &gate.ask));
        for (step, choice) in gate.choices.iter().enumerate() {
            let at = format!("{at}/choices/{step}/label");
            all.push((at, format!("choice {} {of}", step + 1), &choice.label));
        }
    }
    // A text that is in no language is left out: Waypost says its own sentence there.
    all.retain(|(.., texts)| !texts.is_empty());
    all
}

/// The languages that are served by another one. The sibling script of Chinese can be read.
fn missing(languages: &[Language], texts: &Texts) -> Vec<Language> {
    let has = |language: &Language| {
        texts
            .keys()
            .filter_map(|tag| Language::from_tag(tag))
            .any(|known| known == *language || known.is_chinese() && language.is_chinese())
    };
    languages.iter().copied().filter(|language| !has(language)).collect()
}
