//! Answers about the user's account from what the caller gave with the request, and from nothing
//! else: lines of it without a model, a text written from them with one.

use std::collections::BTreeSet;

use async_trait::async_trait;
use serde_json::Value as Json;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use waypost_core::error::Result;
use waypost_core::ports::model::{Message, Prompt, Speaker};
use waypost_core::records::request::shorten;
use waypost_core::text_match::numbers;

use super::written::{Marks, Wrote, written};
use super::{Handler, HandlerDependencies, Job, Prepared, Work, earlier, material, say, system};
use crate::pack::messages::Sentence;
use crate::pack::spec::HandlerName;
use crate::pack::words;
use crate::understand::{Turn, told};

pub(super) struct Account;

/// The longest written answer, in tokens, where the route does not say it.
const MAX_TOKENS: u32 = 400;
/// The most lines that are read, that are quoted, and that are named where none fits.
const MAX_READ: usize = 400;
const MAX_QUOTED: usize = 6;
const MAX_NAMED: usize = 8;
/// The longest line that is quoted, and the longest name of one, in characters.
const LINE_CHARACTERS: usize = 300;
const NAME_CHARACTERS: usize = 40;
/// Shorter words are in every line.
const SHORTEST_WORD: usize = 4;

#[async_trait]
impl Handler for Account {
    fn name(&self) -> HandlerName {
        HandlerName::Account
    }

    async fn run(
        &self,
        job: Job<'_>,
        prepared: &Prepared,
        dependencies: HandlerDependencies<'_>,
    ) -> Result<Work> {
        let mut work = Work::said(String::new(), "account");
        let marks = Marks::default();
        let wrote = written(job, &mut work, prepared, dependencies, marks, || prompt(job)).await?;
        if matches!(wrote, Wrote::Whole { .. }) {
            return Ok(work);
        }
        let said = quoted(job.turn, job.question());
        work.text = dependencies.messages.say(job.turn.said.language, &said);
        say(dependencies, &work.text).await;
        Ok(work)
    }
}

fn prompt(job: Job<'_>) -> Prompt {
    let data = material(job.turn).unwrap_or("none were given");
    let before = earlier::before(job);
    let content = format!("{before}Account data:\n{data}\n\nQuestion: {}", job.question());
    let messages = vec![
        system(job, &job.turn.pack.spec.prompts.account),
        Message { role: Speaker::User, content },
    ];
    super::prompt(job, messages, MAX_TOKENS)
}

/// The lines of the account data that answer the question, or else the names of the lines that
/// there are.
fn quoted(turn: &Turn<'_>, question: &str) -> Sentence {
    let lines = material(turn).map(lines).unwrap_or_default();
    if lines.is_empty() {
        return Sentence::new("account_unknown");
    }
    let found = fitting(turn, question, &lines);
    if found.is_empty() {
        let names: BTreeSet<String> = lines.iter().map(|line| name(line)).collect();
        let names: Vec<String> = names.into_iter().take(MAX_NAMED).collect();
        return Sentence::new("account_nothing").with("names", names.join(", "));
    }
    let quoted: Vec<String> =
        found.iter().map(|line| format!("- {}", shorten(line, LINE_CHARACTERS))).collect();
    Sentence::new("account_says").with("lines", quoted.join("\n"))
}

/// The lines about what the question is about. Words that mean the same count first, and numbers;
/// where a question has none of them, any longer word that stands in both.
fn fitting<'a>(turn: &Turn<'_>, question: &str, lines: &'a [String]) -> Vec<&'a String> {
    let asked = topics(turn, question);
    let by_topic = best(lines, |line| asked.intersection(&topics(turn, line)).count());
    if !by_topic.is_empty() {
        return by_topic;
    }
    let asked = terms(question);
    best(lines, |line| asked.intersection(&terms(line)).count())
}

/// The lines that share the most, in their order.
fn best(lines: &[String], shared: impl Fn(&str) -> usize) -> Vec<&String> {
    let shared: Vec<usize> = lines.iter().map(|line| shared(line)).collect();
    let most = shared.iter().copied().max().unwrap_or_default().max(1);
    let pairs = lines.iter().zip(&shared).filter(|(_, shared)| **shared == most);
    pairs.map(|(line, _)| line).take(MAX_QUOTED).collect()
}

/// The topics of a text: the pack's groups of words that it names, and its numbers.
fn topics(turn: &Turn<'_>, text: &str) -> BTreeSet<String> {
    let words = std::slice::from_ref(&turn.pack.synonyms);
    let found = told::named(text, turn.said.language, words);
    let groups = found.into_iter().flat_map(|mention| mention.entries).map(|(_, group)| group);
    groups.chain(numbers(text).map(str::to_owned)).collect()
}

/// The longer words of a text without case and accents.
fn terms(text: &str) -> BTreeSet<String> {
    let text: String = text.to_lowercase().nfd().filter(|c| !is_combining_mark(*c)).collect();
    let long = words(&text).filter(|word| word.chars().count() >= SHORTEST_WORD);
    long.map(str::to_owned).collect()
}

/// Account data line by line: JSON as `path: value`, text as it stands.
fn lines(data: &str) -> Vec<String> {
    let mut lines = Vec::new();
    match serde_json::from_str::<Json>(data) {
        Ok(value @ (Json::Object(_) | Json::Array(_))) => flatten(&value, "", &mut lines),
        _ => lines.extend(
            data.lines()
                .flat_map(|line| line.split("; "))
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .take(MAX_READ)
                .map(str::to_owned),
        ),
    }
    lines
}

/// Adds the lines of a value. The parser bounds how deep this goes.
fn flatten(value: &Json, path: &str, lines: &mut Vec<String>) {
    if lines.len() >= MAX_READ {
        return;
    }
    match value {
        Json::Object(map) => map.iter().for_each(|(key, value)| {
            let joined = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            flatten(value, &joined, lines);
        }),
        Json::Array(items) => items.iter().for_each(|item| flatten(item, path, lines)),
        Json::Null => {}
        Json::String(text) if path.is_empty() => lines.push(text.clone()),
        Json::String(text) => lines.push(format!("{path}: {text}")),
        other if path.is_empty() => lines.push(other.to_string()),
        other => lines.push(format!("{path}: {other}")),
    }
}

/// The name of a line: the words before its colon, or its first words.
fn name(line: &str) -> String {
    let head = line.split_once([':', '=']).map_or(line, |(head, _)| head);
    shorten(head.trim(), NAME_CHARACTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_read_line_by_line() {
        let json = r#"{"plan": "Pro", "usage": {"percent": 20, "calls": [1, 2]}, "note": null}"#;
        let mut expected = ["plan: Pro", "usage.percent: 20", "usage.calls: 1", "usage.calls: 2"];
        let mut read = lines(json);
        expected.sort_unstable();
        read.sort_unstable();
        assert_eq!(read, expected);
        assert_eq!(
            lines("Plan: Pro; usage 20%\n\n  Invoice due\n"),
            ["Plan: Pro", "usage 20%", "Invoice due"]
        );
        assert_eq!(lines("20"), ["20"]);
        assert_eq!(lines("  "), Vec::<String>::new());
    }

    #[test]
    fn a_line_is_named_by_what_stands_before_its_colon() {
        assert_eq!(name("usage.percent: 20"), "usage.percent");
        assert_eq!(name("the invoice is due"), "the invoice is due");
    }

    #[test]
    fn reading_is_bounded() {
        let many = format!("[{}]", vec!["\"x\""; 5000].join(","));
        assert_eq!(lines(&many).len(), MAX_READ);
        assert_eq!(lines(&"x\n".repeat(5000)).len(), MAX_READ);
    }
}
