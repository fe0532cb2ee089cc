//! What users answer when a value of a list is asked for, as examples: each with the value that it means, or none.
//!
//! The words that a pack gives for a value name it; nobody can list how people describe it.

use serde::{Deserialize, Serialize};
use waypost_text::language::Language;
use waypost_text::text::Text;

use super::Files;
use super::check::did_you_mean;
use super::examples::unread;
use super::source::Fault;
use super::tool::Tool;

/// The file of a pack that holds them, one JSON object a line.
const FILE: &str = "answers.jsonl";

/// An answer with what it means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerExample {
    /// The answer, as someone wrote it.
    pub text: String,
    /// Its language.
    pub lang: Language,
    /// The argument that was asked for.
    pub argument: String,
    /// The value that is meant; none for a text that does not answer: a question about the values, a remark.
    pub value: Option<String>,
}

/// The answers of a pack, as far as they can be read.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) examples: Vec<AnswerExample>,
    /// The text of each, normalized.
    pub(super) normalized: Vec<String>,
}

/// Loads the answers of a pack, which need not have any; all faults are added.
pub(super) fn load(files: &Files, tools: &[Tool], faults: &mut Vec<Fault>) -> Answers {
    let mut answers = Answers::default();
    let text = files.get(FILE).map(String::as_str).unwrap_or_default();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str::<AnswerExample>(line) {
            Err(error) => faults.push(unread(FILE, number, &error)),
            Ok(example) => {
                if let Some((message, hint)) = fault(&example, tools) {
                    let fault = Fault {
                        file: FILE.to_owned(),
                        line: number,
                        column: 1,
                        message,
                        hint: Some(hint),
                    };
                    faults.push(fault);
                }
                let text = Text::new(&example.text);
                answers.normalized.push(text.normalized().trim().to_owned());
                answers.examples.push(example);
            }
        }
    }
    answers
}

fn fault(example: &AnswerExample, tools: &[Tool]) -> Option<(String, String)> {
    if example.text.trim().is_empty() {
        return Some(("the text is empty".to_owned(), "remove the line".to_owned()));
    }
    let asked = || tools.iter().filter(|tool| !tool.listed(&example.argument).is_empty());
    if asked().next().is_none() {
        let names = || tools.iter().flat_map(|tool| tool.arguments().map(move |name| (tool, name)));
        let listed = names().filter(|(tool, name)| !tool.listed(name).is_empty());
        let message = format!("no tool lists the values of an argument `{}`", example.argument);
        let hint = did_you_mean(&example.argument, listed.map(|(_, name)| name));
        return Some((message, hint));
    }
    let value = example.value.as_deref()?;
    if asked().any(|tool| tool.lists(&example.argument, value)) {
        return None;
    }
    let values = asked().flat_map(|tool| tool.listed(&example.argument));
    let message = format!("`{}` has no value `{value}`", example.argument);
    Some((message, did_you_mean(value, values.filter_map(|value| value.as_str()))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::Pack;

    const PACK: &str = "
name: t
summary: A test.
format: 1
languages: [en]
tz: UTC
fallback: tool
routes: [{ name: tool, handler: tool, summary: It. }]
servers: [{ name: s, command: [s] }]
tools:
  - name: count
    server: s
    summary: Counts.
    schema: { type: object, properties: { age: { enum: [young, old] }, n: { type: integer } } }
";

    fn load(answers: &str) -> Result<Pack, Vec<Fault>> {
        let examples = r#"{"text": "count", "lang": "en", "route": "tool", "tools": ["count"]}"#;
        Pack::load(&Files::from([
            ("pack.yaml".to_owned(), PACK.to_owned()),
            ("examples.jsonl".to_owned(), examples.to_owned()),
            (FILE.to_owned(), answers.to_owned()),
        ]))
    }

    #[test]
    fn an_answer_means_a_value_of_an_argument_that_lists_some_or_none() {
        let pack = load(
            r#"{"text": "kids", "lang": "en", "argument": "age", "value": "young"}

{"text": "why?", "lang": "en", "argument": "age", "value": null}"#,
        );
        let values: Vec<Option<String>> =
            pack.unwrap().answers.into_iter().map(|answer| answer.value).collect();
        assert_eq!(values, [Some("young".to_owned()), None]);
    }

    #[test]
    fn every_fault_is_told_with_its_line() {
        let faults = load(
            r#"{"text": "kids", "lang": "en", "argument": "agee", "value": "young"}
{"text": "kids", "lang": "en", "argument": "age", "value": "yuong"}
{"text": " ", "lang": "en", "argument": "age", "value": "old"}
{"text": "three", "lang": "en", "argument": "n", "value": "3"}
{"text": "kids", "lang": "en", "argument": "age"
"#,
        )
        .unwrap_err();
        let told: Vec<(u64, &str)> =
            faults.iter().map(|fault| (fault.line, fault.message.as_str())).collect();
        assert_eq!(
            told[..4],
            [
                (1, "no tool lists the values of an argument `agee`"),
                (2, "`age` has no value `yuong`"),
                (3, "the text is empty"),
                (4, "no tool lists the values of an argument `n`"),
            ]
        );
        assert_eq!(told[4].0, 5);
        assert!(faults[1].hint.as_deref().is_some_and(|hint| hint.contains("young")), "{faults:?}");
    }
}
