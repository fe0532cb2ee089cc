//! A write that is asked for under a condition: what the condition speaks of is read before the question and again after the yes,
//! and nothing is written where it does not hold or nobody can say it.

use std::cell::Cell;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;
use waypost::records::answer::Answer;
use waypost::records::request::Request;
use waypost::router::{AnswerOptions, Router};

use super::lab::Lab;
use super::{Scenario, parts_of};

/// A conversation with a laboratory whose dials can be read for a condition.
struct Talk {
    runtime: Runtime,
    router: Router,
    lab: Arc<Lab>,
    minute: Cell<u32>,
}

impl Talk {
    fn new() -> Self {
        Self::with("reads: { of: dial, at: /data/0 }")
    }

    fn with(reads: &str) -> Self {
        let edit = |yaml: String| {
            yaml.replace("provides: [values]", &format!("provides: [values]\n    {reads}"))
        };
        let (parts, lab, _) = parts_of("plan_first", &Scenario::default(), edit);
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        Self { runtime, router: Router::new(parts), lab, minute: Cell::new(0) }
    }

    fn request(&self, text: &str) -> Request {
        let minute = self.minute.replace(self.minute.get() + 1);
        let mut request = Request::new(text);
        request.now = Some(format!("2026-03-12T09:{minute:02}:00Z"));
        request.session = Some("ana".to_owned());
        request
    }

    fn say(&self, text: &str) -> Answer {
        let (out, _) = tokio::sync::mpsc::channel(1);
        let (request, cancel) = (self.request(text), CancellationToken::new());
        let answer = self.router.answer(&request, AnswerOptions::default(), &out, &cancel);
        self.runtime.block_on(answer).expect("an answer")
    }

    /// The dials that were read since this was asked last, and those that were turned.
    fn made(&self) -> (Vec<String>, Vec<String>) {
        let made = self.lab.take();
        let of = |tool: &str| {
            let own = made.iter().filter_map(|call| call.strip_prefix(tool)?.strip_prefix(' '));
            own.map(str::to_owned).collect()
        };
        (of("read"), of("turn"))
    }
}

fn reason(answer: &Answer) -> Json {
    answer.raw.plan["reason"].clone()
}

const ABOVE: &str = "if the left dial is above 3, turn the right dial to 2";
const READ: &str = r#"{"dial":"D:1"}"#;
const TURNED: &str = r#"{"dial":"D:2","value":2}"#;

#[test]
fn a_condition_that_holds_is_shown_with_what_was_read_and_read_again_after_the_yes() {
    for (text, condition) in [
        (ABOVE, "if the left dial is above 3"),
        (
            "turn the right dial to 2 unless the left dial is above 9",
            "unless the left dial is above 9",
        ),
        (
            "set the right dial to 2 only if the left dial reads at least 4",
            "only if the left dial reads at least 4",
        ),
    ] {
        let talk = Talk::new();
        let asked = talk.say(text);
        assert_eq!(reason(&asked), "gate:approval", "{text}: {}", asked.text);
        let mut lines = asked.text.lines();
        let line = lines.find(|line| line.starts_with("- tested")).unwrap_or_default();
        assert!(
            line.contains(condition) && line.contains("read D:1 just now: 4"),
            "{}",
            asked.text
        );
        assert!(!asked.text.contains("not tested"), "{}", asked.text);
        assert_eq!(talk.made(), (vec![READ.to_owned()], Vec::new()), "{text}");
        let done = talk.say("yes");
        let (read, turned) = talk.made();
        assert!(read.iter().any(|read| read == READ), "{text}: {}", done.text);
        assert_eq!(turned, [TURNED], "{text}: {}", done.text);
    }
}

#[test]
fn a_condition_that_does_not_hold_stops_the_write() {
    for text in [
        "if the left dial is above 50, turn the right dial to 2",
        "turn the right dial to 2 unless the left dial is above 3",
        "set the right dial to 2 only if the left dial reads less than 4",
    ] {
        let talk = Talk::new();
        let said = talk.say(text);
        assert!(said.text.starts_with("Nothing was changed"), "{text}: {}", said.text);
        assert!(said.text.contains("read D:1 just now: 4"), "{}", said.text);
        assert_eq!(said.raw.plan["outcome"], "refuse", "{}", said.raw.plan);
        // Nothing is open that a yes could be for.
        talk.say("yes");
        assert_eq!(talk.made().1, [""; 0], "{text}");
    }
}

#[test]
fn a_condition_that_holds_no_more_by_the_time_of_the_yes_stops_the_write() {
    let talk = Talk::new();
    talk.say(ABOVE);
    talk.lab.show(json!([1]));
    let said = talk.say("yes");
    assert!(said.text.starts_with("Nothing was changed"), "{}", said.text);
    assert!(said.text.contains("just now: 1"), "{}", said.text);
    talk.lab.show(json!([4]));
    talk.say("yes");
    assert_eq!(talk.made().1, [""; 0]);
}

#[test]
fn a_condition_that_cannot_be_read_any_more_is_asked_about_anew_as_not_tested() {
    for nothing in [json!([]), json!(["4"]), json!([4, 9])] {
        let talk = Talk::new();
        talk.say(ABOVE);
        talk.lab.show(nothing.clone());
        let asked = talk.say("yes");
        assert_eq!(reason(&asked), "gate:approval", "{nothing}: {}", asked.text);
        assert!(asked.text.contains("- not tested"), "{nothing}: {}", asked.text);
        assert_eq!(talk.made().1, [""; 0], "{nothing}");
        // What was shown as not tested is no longer what is asked once it can be tested.
        talk.lab.show(json!([1]));
        let said = talk.say("yes");
        assert!(said.text.starts_with("Nothing was changed"), "{nothing}: {}", said.text);
        assert_eq!(talk.made().1, [""; 0], "{nothing}");
    }
}

#[test]
fn what_is_not_wholly_read_is_shown_as_not_tested_and_nothing_is_read_for_it() {
    for text in [
        "when the left dial is above 3, turn the right dial to 2",
        "if the left dial was above 3, turn the right dial to 2",
        "if the left dial is above 3 for 5 minutes, turn the right dial to 2",
        "if the left dial stops, turn the right dial to 2",
    ] {
        let talk = Talk::new();
        let asked = talk.say(text);
        assert!(asked.text.contains("- not tested"), "{text}: {}", asked.text);
        assert_eq!(talk.made(), (Vec::new(), Vec::new()), "{text}");
    }
    // Neither is it without a tool that the pack says to read numbers, and a dry decision reads nothing.
    let talk = Talk::with("after: []");
    let asked = talk.say(ABOVE);
    assert!(asked.text.contains("- not tested"), "{}", asked.text);
    let talk = Talk::new();
    let cancel = CancellationToken::new();
    let request = talk.request(ABOVE);
    let dry = talk.runtime.block_on(talk.router.route(&request, &cancel)).expect("a decision");
    let shown = dry.question.map(|question| question.text).unwrap_or_default();
    assert!(shown.contains("- not tested"), "{shown}");
    assert_eq!(talk.made(), (Vec::new(), Vec::new()));
}
