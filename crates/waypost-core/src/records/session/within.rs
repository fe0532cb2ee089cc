//! Bounds the memory of a conversation in bytes: what the next turns need least is left out first, and
//! the memory says what was.

use super::{Session, points};

/// A part of the memory, by the name that says that it was left out, and how it is.
struct Part {
    name: &'static str,
    leave_out: fn(&mut Session),
}

/// The name of the memories beside the latest one.
const BESIDE: &str = "beside";

/// The parts, what is needed least first. A flag that is gone closes a gate, and a question that is
/// gone approves nothing: neither opens anything.
const PARTS: &[Part] = &[
    Part { name: "answer", leave_out: |session| session.answer = None },
    Part { name: "words", leave_out: without_words },
    Part { name: "origin", leave_out: without_origin },
    Part { name: "calls", leave_out: |session| session.last_calls.clear() },
    Part { name: "question", leave_out: without_question },
    Part { name: "history", leave_out: |session| session.history.clear() },
    Part { name: "flags", leave_out: |session| session.flags.clear() },
];

impl Session {
    /// Returns the memory in at most `most` bytes of JSON, as far as leaving out helps: the parts that
    /// are needed least go first, and [`left_out`](Session::left_out) names them.
    #[must_use]
    pub fn within(mut self, most: usize) -> Self {
        // A point of before is needed less than any part of the latest memory.
        while self.size() > most && !self.beside.is_empty() {
            self.beside.remove(points::least_needed(&self.beside));
            if !self.left_out.iter().any(|name| name == BESIDE) {
                self.left_out.push(BESIDE.to_owned());
            }
        }
        for part in PARTS {
            if self.size() <= most {
                break;
            }
            let before = self.clone();
            (part.leave_out)(&mut self);
            if self != before {
                self.left_out.push(part.name.to_owned());
            }
        }
        self
    }

    fn size(&self) -> usize {
        serde_json::to_string(self).map_or(usize::MAX, |json| json.len())
    }
}

/// Calls are referred to by their arguments; the words that they were made for are for people.
fn without_words(session: &mut Session) {
    session.last_calls.iter_mut().for_each(|call| call.text = None);
    if let Some(pending) = &mut session.pending {
        pending.others.iter_mut().for_each(|call| call.text = None);
    }
}

/// A correction then teaches nothing.
fn without_origin(session: &mut Session) {
    session.origin = None;
    if let Some(pending) = &mut session.pending {
        pending.origin = None;
    }
}

/// What waits for a gate is then said again.
fn without_question(session: &mut Session) {
    session.pending = None;
    session.blocked = None;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn session(text: &str, value: &str, flag: &str) -> Session {
        let origin = json!({
            "decision_id": "d", "text": text, "language": "en", "route": "tool", "tools": [],
            "taught": false,
        });
        serde_json::from_value(json!({
            "flags": { "done": true, "large": flag },
            "answer": "26 °C",
            "origin": origin,
            "history": [{ "route": "tool", "topic": "tides" }],
            "last_calls": vec![json!({ "tool": "t", "arguments": { "v": value }, "text": text }); 8],
            "pending": {
                "tool": "t", "argument": "a", "arguments": { "v": value }, "options": [],
                "text": "which?", "origin": origin,
            },
        }))
        .unwrap()
    }

    #[test]
    fn a_memory_that_fits_stays_as_it_is() {
        let small = session("tides", "1", "x");
        assert_eq!(small.clone().within(10_000), small);
    }

    #[test]
    fn the_oldest_memories_beside_the_latest_go_before_any_part_of_it() {
        let long = "tides ".repeat(1_000);
        let mut latest = session("tides", "1", "x");
        latest.beside = vec![session(&long, "old", "x"), session("t", "new", "x")];
        let within = latest.clone().within(10_000);
        assert_eq!((within.beside.len(), &within.left_out), (1, &vec!["beside".to_owned()]));
        assert_eq!(within.beside[0], latest.beside[1]);
        assert_eq!(within.answer, latest.answer);
    }

    #[test]
    fn what_is_needed_least_goes_first_and_is_named() {
        let left_out = |session: Session, most: usize| {
            let within = session.within(most);
            assert!(within.size() <= most, "{} of {most}", within.size());
            within.left_out.join(" ")
        };
        let long = "tides ".repeat(5_000);
        assert_eq!(left_out(session(&long, "1", "x"), 100_000), "answer words");
        assert_eq!(left_out(session(&long, "1", "x"), 50_000), "answer words origin");
        let all = "answer words origin calls question";
        assert_eq!(left_out(session("t", &long, "x"), 10_000), all);
        assert_eq!(left_out(session("t", "1", &long), 10_000), format!("{all} history flags"));
    }
}
