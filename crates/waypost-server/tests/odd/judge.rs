//! What came of a try, and whether it is right.

use serde_json::Value as Json;

use crate::case::Try;

/// Words of a program's inside that no user may see.
const INTERNAL: [&str; 6] = ["panicked", "rmcp", "serde", ".rs:", "Error {", "Some("];

/// An answer, whichever way it came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// The mode of the envelope; `refused` if there is none.
    pub(crate) mode: String,
    /// The words that a user is shown.
    pub(crate) text: String,
    /// All that is said, codes and hints included.
    pub(crate) said: String,
    pub(crate) code: String,
}

impl Outcome {
    /// Reads an envelope.
    pub(crate) fn of_answer(answer: &Json) -> Self {
        let text = answer["text"].as_str().unwrap_or_default().to_owned();
        Self {
            mode: answer["mode"].as_str().unwrap_or_default().to_owned(),
            said: format!("{text} {}", answer["error"]),
            code: answer["error"]["code"].as_str().unwrap_or_default().to_owned(),
            text,
        }
    }

    /// A refusal with all that it says.
    pub(crate) fn refused(said: String) -> Self {
        Self { mode: "refused".to_owned(), text: said.clone(), said, code: String::new() }
    }
}

/// Returns what is wrong with an outcome, given the arguments of the calls that the server got.
pub(crate) fn fault(one: &Try, outcome: &Outcome, sent: &[Json]) -> Option<String> {
    if let Some(word) = INTERNAL.iter().find(|word| outcome.text.contains(**word)) {
        return Some(format!("`{word}` leaks"));
    }
    if one.either {
        return None;
    }
    let all = |words: &[String], text: &str| words.iter().all(|word| text.contains(word));
    let rights: Option<Vec<&Json>> = match (&one.sent, &one.sent_any) {
        (Some(sent), _) => Some(vec![sent]),
        (None, any) => any.as_ref().map(|any| any.iter().collect()),
    };
    if let Some(rights) = rights {
        let [sent] = sent else { return Some(format!("{} calls were made", sent.len())) };
        if !rights.iter().any(|right| same(right, sent)) {
            return Some(format!("{sent} was sent"));
        }
    }
    if let Some(words) = &one.asks {
        let right = sent.is_empty() && outcome.mode == "clarify" && all(words, &outcome.text);
        return (!right).then(|| format!("no question with {words:?}"));
    }
    if let Some(words) = &one.refused {
        let is_refusal = matches!(outcome.mode.as_str(), "refused" | "error" | "clarify");
        let right = sent.is_empty() && is_refusal && all(words, &outcome.said);
        return (!right).then(|| format!("no refusal with {words:?}"));
    }
    match (one.fails.as_deref(), outcome.mode.as_str()) {
        (None | Some("MAYBE"), "tool") | (Some("MAYBE" | "ANY"), "error") => {}
        (Some(code), "error") if code == outcome.code => {}
        (wanted, mode) => return Some(format!("it is `{mode}` {}, not {wanted:?}", outcome.code)),
    }
    let missing = one.shown.iter().find(|word| !outcome.text.contains(*word));
    if let Some(word) = missing {
        return Some(format!("`{word}` is not shown"));
    }
    let leaked = one.hidden.iter().find(|word| outcome.text.contains(*word));
    leaked.map(|word| format!("{word:?} is shown"))
}

/// Returns whether two values are the same; a call without arguments has none, and 7.0 is 7.
pub(crate) fn same(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Object(none), Json::Null) | (Json::Null, Json::Object(none)) => none.is_empty(),
        (Json::Number(left), Json::Number(right)) => {
            left == right || (left.is_f64() || right.is_f64()) && left.as_f64() == right.as_f64()
        }
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Json::Object(left), Json::Object(right)) => {
            let pairs = |(key, value): (&String, &Json)| {
                right.get(key).is_some_and(|other| same(value, other))
            };
            left.len() == right.len() && left.iter().all(pairs)
        }
        (left, right) => left == right,
    }
}
