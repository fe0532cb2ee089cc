//! The memory of a conversation, for people: the question that waits, flags, the last calls.

use waypost::ports::store::{Filter, Store};
use waypost::records::decision::Decision;
use waypost::records::event::Event;
use waypost::records::request::{Choice, shorten};
use waypost::records::session::Session;

use super::columns::{Row, clean};
use super::view::{self, Detail};
use crate::output::Shown;

/// The longest part of an earlier question that is shown, in characters.
const SHOWN: usize = 60;

/// The question that waits for an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Open {
    pub(super) question: String,
    pub(super) choices: Vec<Choice>,
}

/// Returns the question that a session waits with. The session of an older program has no words of
/// it; it is then described by what the user had asked.
pub(super) fn open(session: &Session) -> Option<Open> {
    let pending = session.pending.as_ref()?;
    let question = match pending.question.as_str() {
        "" => format!("a question about “{}”", clean(&shorten(&pending.text, SHOWN))),
        question => question.to_owned(),
    };
    Some(Open { question, choices: pending.options.clone() })
}

/// The last decision of a conversation, if it was written down.
pub(super) async fn last_decision(store: &dyn Store, session: &str) -> Option<Box<Decision>> {
    let kind = Some("router_event".to_owned());
    let filter = Filter { session: Some(session.to_owned()), kind, ..Filter::default() };
    match store.events(&filter, 1).await.ok()?.pop()?.event {
        Event::RouterEvent(routed) => Some(routed.decision),
        _ => None,
    }
}

/// The choices as lines, numbered as they can be answered.
pub(super) fn choices(choices: &[Choice], number: &dyn Fn(&str) -> Shown) -> Vec<Shown> {
    let line = |(index, choice): (usize, &Choice)| {
        "  " + number(&format!("{}.", index + 1)) + " " + &choice.label
    };
    choices.iter().enumerate().map(line).collect()
}

/// The flags of the workflow and the last calls.
pub(super) fn rows(session: &Session) -> Vec<Row> {
    let flags =
        session.flags.iter().map(|(flag, value)| Row::new("flag", flag, &value.to_string()));
    let calls = session.last_calls.iter().flat_map(|past| {
        let mut rows = view::call("call", &past.tool, &past.arguments, |_| None, Detail::Short);
        let asked = past.text.as_deref().map(|text| format!("“{}”", shorten(text, SHOWN)));
        rows.extend(asked.map(|asked| Row::new("  asked", &asked, "")));
        rows
    });
    flags.chain(calls).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::columns::lines;
    use super::*;
    use crate::output::plain;

    fn session() -> Session {
        serde_json::from_value(json!({
            "flags": { "tpr_complete": true },
            "pending": { "tool": "t", "argument": "a", "arguments": {}, "text": "maps",
                "options": [{ "label": "One", "value": 1 }] },
            "last_calls": [{ "tool": "t", "arguments": { "n": 3 }, "text": "three of them" }]
        }))
        .unwrap()
    }

    #[test]
    fn a_question_is_told_in_its_own_words_where_they_are_known() {
        let mut session = session();
        assert_eq!(open(&session).unwrap().question, "a question about “maps”");
        session.pending.as_mut().unwrap().question = "Which?".to_owned();
        assert_eq!(open(&session).unwrap().question, "Which?");
        assert_eq!(open(&Session::default()), None);
    }

    #[test]
    fn flags_and_calls_are_listed() {
        let shown = lines(&rows(&session()), &plain);
        let expected =
            "  flag     tpr_complete  true\n  call     t\n    n      3\n    asked  “three of them”";
        assert_eq!(shown.as_str(), expected);
    }
}
