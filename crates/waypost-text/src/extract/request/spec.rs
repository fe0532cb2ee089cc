//! Runs the cases of `spec/extract/request.txt`: where objects begin and end, and the roles of values.

use super::object::objects;
use super::role::role;
use crate::language::Language;
use crate::text::{Span, Text};

const CASES: &str = include_str!("../../../../../spec/extract/request.txt");

/// Each case with its language, its text and what is expected of it.
fn cases() -> Vec<(Language, &'static str, &'static str)> {
    let mut language = Language::En;
    let mut cases = Vec::new();
    for line in CASES.lines().map(str::trim) {
        if let Some(tag) = line.strip_prefix("@language ") {
            language = Language::from_tag(tag).expect("`@language` has a known tag");
        } else if !line.is_empty() && !line.starts_with('#') {
            let (text, expected) = line.split_once("=>").expect("a case has `=>`");
            cases.push((language, text.trim(), expected.trim()));
        }
    }
    cases
}

#[test]
fn objects_and_roles_are_found_as_specified() {
    let mut differences = Vec::new();
    for (language, text, expected) in cases() {
        let found = match text.split_once('[').zip(text.split_once(']')) {
            Some(((before, _), (_, after))) => {
                let plain = text.replace(['[', ']'], "");
                let start = before.chars().count();
                let end = plain.chars().count() - after.chars().count();
                let said = role(&Text::new(&plain), Span { start, end }, language);
                said.map_or("-", super::super::Role::name).to_owned()
            }
            None => {
                let found = objects(&Text::new(text), language);
                let shown: Vec<String> = found
                    .iter()
                    .map(|object| format!("{}: {}", object.class.name(), object.text))
                    .collect();
                shown.join("; ")
            }
        };
        if found != expected {
            differences.push(format!("{text} => {found}\n    wanted {expected}"));
        }
    }
    assert!(differences.is_empty(), "differences:\n{}", differences.join("\n"));
}

#[test]
fn an_object_may_end_before_a_word_of_a_role() {
    let text = Text::new("search for notes in the folder work");
    let found = objects(&text, Language::En);
    let breaks: Vec<&str> = found[0].breaks.iter().map(|span| text.slice(*span)).collect();
    assert_eq!(breaks, ["in"]);
}
