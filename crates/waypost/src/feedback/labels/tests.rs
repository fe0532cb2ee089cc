//! Conversations and what they teach: each line is a turn, and behind it what was learned from it.

use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt;
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Error, Result};
use waypost_core::ports::model::{Model, Pieces, Prompt, Reply};
use waypost_core::ports::store::{Filter, Forgotten, Page, Store};
use waypost_core::ports::turns::{TurnPermit, Turns};
use waypost_core::records::belief::Belief;
use waypost_core::records::decision::TurnOutcome;
use waypost_core::records::era::Era;
use waypost_core::records::event::{Record, Replies};
use waypost_core::records::request::{Context, Request};
use waypost_learning::Bundle;

use super::*;
use crate::decide::cascade::{DecisionDependencies, Teaching, Worth, Worths};
use crate::decide::{Matchers, decide};
use crate::feedback::{self, Feedback};
use crate::observe::events::router_event;
use crate::pack::messages::Messages;
use crate::pack::{Files, Pack};
use crate::student::heads::train_student;
use crate::understand::ingest;

const YAML: &str = "\
name: p
summary: A test.
format: 1
languages: [en, zh-TW, es, vi]
tz: UTC
fallback: explain
# Twenty examples make nobody surer.
policy: { write: 0.7 }
routes:
  - { name: tool, handler: tool, summary: The user wants data. }
  - { name: explain, handler: explain, summary: The user asks what something is. }
servers:
  - { name: s, demo: ocean }
tools:
  - name: tide.at
    server: s
    summary: Tides at a port.
    schema:
      type: object
      required: [port]
      properties: { port: { type: string, enum: [keelung, hualien] } }
  - name: sst.now
    server: s
    summary: The temperature of the sea.
    schema: { type: object, properties: { depth: { type: number } } }
  - name: buoy.reset
    server: s
    summary: Resets a buoy.
    access: write
    schema: { type: object, properties: {} }
";

fn student() -> &'static (Pack, Bundle) {
    static STUDENT: OnceLock<(Pack, Bundle)> = OnceLock::new();
    STUDENT.get_or_init(|| {
        let mut examples = String::new();
        for ending in ["now", "please", "today", "for the trip", "at once"] {
            for (text, route, tools) in [
                ("show the tide at keelung", "tool", vec!["tide.at"]),
                ("show the sea temperature", "tool", vec!["sst.now"]),
                ("reset the buoy", "tool", vec!["buoy.reset"]),
                ("what is a thermocline", "explain", vec![]),
            ] {
                let text = format!("{text} {ending}");
                let line = json!({ "text": text, "lang": "en", "route": route, "tools": tools });
                examples.push_str(&format!("{line}\n"));
            }
        }
        let files = Files::from([
            ("pack.yaml".to_owned(), YAML.to_owned()),
            ("examples.jsonl".to_owned(), examples),
        ]);
        let pack = Pack::load(&files).unwrap();
        let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
        (pack, bundle)
    })
}

/// A model that replies one thing, or fails.
#[derive(Debug)]
struct Says(Option<Json>);

impl Says {
    /// The share of its replies that was right. What it says of itself counts for nothing, and tells here what that is.
    fn belief(&self) -> Belief {
        let said = self.0.as_ref().and_then(|reply| reply["confidence"].as_f64());
        let worth = Worth { asked: 1000, right: (1000.0 * said.unwrap_or(1.0)) as u32 };
        Worths { choosing: worth, reading: worth }.belief(None)
    }
}

#[async_trait]
impl Model for Says {
    fn name(&self) -> &'static str {
        "says"
    }

    async fn complete(&self, _: &Prompt, _: &CancellationToken) -> Result<Reply> {
        let reply = self.0.as_ref().ok_or_else(|| Error::unavailable("gone"))?;
        Ok(Reply { text: reply.to_string(), usage: None, truncated: false })
    }

    async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        Err(Error::unavailable("gone"))
    }
}

/// Keeps events and labels, and no session.
#[derive(Debug, Default)]
struct Kept(Mutex<(Vec<Record>, Vec<Label>)>);

#[async_trait]
impl Store for Kept {
    async fn turn(&self, session: &str) -> Result<TurnPermit> {
        Turns::default().take(session).await
    }

    async fn session(&self, _: &str) -> Result<Session> {
        Ok(Session::default())
    }

    async fn save_session(&self, _: &str, _: &Session) -> Result<()> {
        Ok(())
    }

    fn append(&self, events: Vec<Record>) {
        self.0.lock().unwrap().0.extend(events);
    }

    async fn flush(&self) -> Result<()> {
        Ok(())
    }

    async fn events(&self, filter: &Filter, _: usize) -> Result<Vec<Record>> {
        let kept = self.0.lock().unwrap();
        Ok(kept.0.iter().filter(|record| filter.takes(record)).cloned().collect())
    }

    async fn page(&self, _: &Filter, _: u64, _: usize) -> Result<Page> {
        Err(Error::unavailable("nobody reads here"))
    }

    async fn save_labels(&self, labels: &[Label]) -> Result<()> {
        self.0.lock().unwrap().1.extend_from_slice(labels);
        Ok(())
    }

    async fn forget(&self, _: &str) -> Result<Forgotten> {
        Ok(Forgotten::default())
    }
}

/// A conversation and what was learned in it so far.
#[derive(Default)]
struct Talk {
    session: Session,
    turns: usize,
    learned: Vec<Label>,
    decisions: Vec<Decision>,
    store: Kept,
}

impl Talk {
    /// A turn; what a model says of it, if one is there.
    #[expect(clippy::needless_pass_by_value, reason = "so that a case reads as a sentence")]
    fn turn(&mut self, request: Request, model: Option<Says>) -> &mut Self {
        let (pack, bundle) = student();
        self.turns += 1;
        let now = Some(format!("2025-11-06T09:00:{:02}Z", self.turns));
        let request = Request { now, session: Some("s".to_owned()), ..request };
        let context = self.session.context(&request.context, request.trusted);
        let turn = ingest(pack, &request, context).unwrap();
        let cancel = CancellationToken::new();
        let belief = model.as_ref().map(Says::belief).unwrap_or_default();
        let model = model.as_ref().map(|model| model as &dyn Model);
        let dependencies = DecisionDependencies {
            bundle,
            arguments: &Matchers,
            encoder: None,
            model,
            teaching: &Teaching::default(),
            belief,
            recall: None,
            recalled: None,
            layers: &[],
            cancel: &cancel,
        };
        let decided = decide(&turn, &dependencies, &Messages::default()).now_or_never();
        let decision = decided.unwrap().unwrap().decision;
        let bearing = bearing(&turn, &decision);
        self.learned.extend(labels(&turn, &decision, bearing, &self.session));
        let outcome = TurnOutcome::default();
        self.session.remember(turn.said.text.original(), bearing, &decision, &outcome);
        let event = router_event(&turn, &decision, Replies::default(), Duration::ZERO);
        self.store.append(vec![Record {
            decision_id: decision.id.clone(),
            session_id: request.session.clone(),
            pack: "p".to_owned(),
            at: turn.now.timestamp().to_string(),
            era: Era::default(),
            event,
        }]);
        self.decisions.push(decision);
        self
    }

    fn say(&mut self, text: &str) -> &mut Self {
        self.turn(Request::new(text), None)
    }

    /// A turn that only a model can decide.
    fn taught(&mut self, text: &str, reply: Json) -> &mut Self {
        self.turn(Request::new(text), Some(Says(Some(reply))))
    }

    fn click(&mut self, choice: Json) -> &mut Self {
        self.turn(Request { choice: Some(choice), ..Request::new("") }, None)
    }

    /// A statement of `session` about a turn, counted from 1, and what comes of it.
    fn feedback(
        &self,
        turn: usize,
        session: &str,
        said: Feedback,
    ) -> std::result::Result<String, Error> {
        let decision_id = self.decisions.get(turn - 1).map_or("nobody's", |decision| &decision.id);
        let (decision_id, session) = (decision_id.to_owned(), Some(session.to_owned()));
        let said = Feedback { decision_id, session, ..said };
        let label = feedback::give(&student().0, &self.store, &said).now_or_never().unwrap()?;
        let Some(label) = label else { return Ok("nothing".to_owned()) };
        assert_eq!(self.store.0.lock().unwrap().1.last(), Some(&label));
        assert_eq!((label.kind, label.session_id.as_deref()), (LabelKind::Feedback, Some("s")));
        Ok(match label.verdict {
            Verdict::Wrong => format!("“{}” wrong", label.text),
            Verdict::Right { route, tools } => format!("“{}” is {route} {tools:?}", label.text),
        })
    }

    /// The labels so far: who says it, of which turn, what is right.
    fn shown(&self) -> Vec<String> {
        let line = |label: &Label| {
            let at = self.decisions.iter().position(|decision| decision.id == label.decision_id);
            let what = match &label.verdict {
                Verdict::Right { route, tools } => {
                    [vec![route.clone()], tools.clone()].concat().join(" ")
                }
                Verdict::Wrong => "wrong".to_owned(),
            };
            format!("{} of {}: “{}” is {what}", label.kind, at.unwrap() + 1, label.text)
        };
        self.learned.iter().map(line).collect()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "so that a case reads as a sentence")]
fn tool(name: &str, arguments: Json) -> Json {
    json!({ "decision": "tool", "confidence": 0.95, "tool": { "name": name, "arguments": arguments } })
}

/// Of a model that is right in seven of ten: it is the likeliest, and the user is asked.
fn unsure(name: &str) -> Json {
    let mut reply = tool(name, json!({}));
    reply["confidence"] = json!(0.7);
    reply
}

/// So unsure that the user is asked what was meant.
fn doubtful(name: &str) -> Json {
    let mut reply = tool(name, json!({}));
    reply["confidence"] = json!(0.5);
    reply
}

fn route(name: &str) -> Json {
    json!({ "decision": name, "confidence": 0.95 })
}

#[test]
fn s4_28_a_model_teaches_where_its_decision_goes_through() {
    let mut talk = Talk::default();
    talk.taught("¿qué tal el agua afuera hoy?", tool("sst.now", json!({})));
    talk.taught("粼粼波光", route("explain"));
    talk.taught("bake me a cake", route("out_of_scope"));
    let label = talk.learned[1].clone();
    assert_eq!(
        talk.shown(),
        [
            "teacher of 1: “¿qué tal el agua afuera hoy?” is tool sst.now",
            "teacher of 2: “粼粼波光” is explain",
            "teacher of 3: “bake me a cake” is out_of_scope",
        ]
    );
    assert_eq!((label.session_id.as_deref(), label.pack.as_str()), (Some("s"), "p"));
    assert_eq!((label.at.as_str(), label.language.as_str()), ("2025-11-06T09:00:02Z", "zh-Hant"));
}

#[test]
fn s4_28_silence_and_what_the_student_says_teach_nothing() {
    let mut talk = Talk::default();
    talk.say("show the sea temperature today").say("what is a thermocline please");
    assert_eq!(talk.decisions[0].layer, LayerName::Linear);
    assert_eq!(talk.shown(), [""; 0]);
}

#[test]
fn s4_28_a_model_that_fails_doubts_or_is_asked_about_other_words_teaches_nothing() {
    let mut talk = Talk::default();
    talk.turn(Request::new("cobalt blue vibes"), Some(Says(None)));
    talk.taught("cobalt blue vibes", json!({ "decision": "nonsense", "confidence": 0.9 }));
    talk.taught("cobalt blue vibes", json!({ "decision": "explain", "confidence": 0.2 }));
    talk.taught("cobalt", json!({ "decision": "out_of_scope", "confidence": 0.2 }));
    assert_eq!(talk.shown(), [""; 0]);
    for text in ["explain that again in cobalt", "y esto qué tal", "剛才那個呢，青花的"] {
        let mut talk = Talk::default();
        talk.taught(text, route("explain"));
        assert_eq!(talk.shown(), [""; 0], "{text}");
    }
}

#[test]
fn s4_28_a_declared_route_and_what_the_caller_adds_teach_nothing() {
    let mut talk = Talk::default();
    let declared = Request { route: Some("explain".to_owned()), ..Request::new("cobalt vibes") };
    talk.turn(declared, Some(Says(Some(route("explain")))));
    let context = Context { extra: Some("fn main() {}".to_owned()), ..Context::default() };
    talk.turn(Request { context, ..Request::new("cobalt") }, Some(Says(Some(route("explain")))));
    assert_eq!(talk.shown(), [""; 0]);
    // Nor may the record of them, which does not hold what was added.
    for turn in [1, 2] {
        let said = Feedback { route: Some("explain".to_owned()), ..Feedback::default() };
        assert_eq!(talk.feedback(turn, "s", said).unwrap(), "nothing", "{turn}");
    }
    assert!(!format!("{:?}", talk.store).contains("fn main"));
}

#[test]
fn s1_30_s4_28_a_choice_says_what_the_words_before_it_meant() {
    for choice in [json!(null), json!({ "tool": "sst.now", "arguments": {} })] {
        let mut talk = Talk::default();
        talk.taught("show the cobalt", unsure("sst.now"));
        assert_eq!(talk.decisions[0].reason, Some(GateName::Confidence.into()));
        match choice {
            Json::Null => talk.say("1"),
            choice => talk.click(choice),
        };
        assert_eq!(talk.shown(), ["choice of 1: “show the cobalt” is tool sst.now"]);
    }
    // A choice that was not shown says nothing.
    let mut talk = Talk::default();
    talk.taught("show the cobalt", unsure("sst.now"));
    talk.click(json!({ "tool": "tide.at", "arguments": { "port": "keelung" } }));
    assert_eq!(talk.shown(), [""; 0]);
}

#[test]
fn s4_28_consent_says_that_the_call_was_meant_and_a_no_says_nothing() {
    let mut talk = Talk::default();
    talk.say("reset the buoy please").say("yes");
    assert_eq!(talk.shown(), ["choice of 1: “reset the buoy please” is tool buoy.reset"]);
    let mut talk = Talk::default();
    talk.say("reset the buoy please").say("no");
    assert_eq!(talk.shown(), [""; 0]);
}

#[test]
fn s4_28_an_argument_completes_a_models_decision_and_says_nothing_of_the_students() {
    let mut talk = Talk::default();
    talk.taught("cobalt high water", tool("tide.at", json!({})));
    assert_eq!(talk.shown(), [""; 0]);
    talk.say("hualien");
    assert_eq!(talk.decisions[1].decision, Outcome::Run);
    assert_eq!(talk.shown(), ["teacher of 1: “cobalt high water” is tool tide.at"]);
    let mut talk = Talk::default();
    talk.say("show the tide at once").say("hualien");
    assert_eq!(talk.decisions[0].layer, LayerName::Linear);
    assert_eq!(talk.decisions[1].decision, Outcome::Run);
    assert_eq!(talk.shown(), [""; 0]);
}

#[test]
fn s4_28_a_correction_says_what_the_words_before_it_meant() {
    for (text, again) in [
        ("no, I meant the sea temperature", "no, I meant: what is a thermocline"),
        ("不是，我是說海溫", "不是，我是說溫躍層是什麼"),
        ("no, quise decir la temperatura del mar", "no, me refería a qué es una termoclina"),
        ("ý tôi là nhiệt độ nước biển", "khong, y toi la tang nhiet la gi"),
    ] {
        let mut talk = Talk::default();
        talk.say("show the tide at keelung please");
        talk.taught(text, tool("sst.now", json!({})));
        let meant = "correction of 1: “show the tide at keelung please” is";
        assert_eq!(talk.shown(), [format!("{meant} tool sst.now")], "{text}");
        // And once more: it is still the first turn that is corrected.
        talk.taught(again, route("explain"));
        assert_eq!(talk.shown()[1..], [format!("{meant} explain")], "{again}");
    }
}

#[test]
fn s4_28_a_correction_teaches_nothing_unless_it_is_decided_and_differs() {
    let first = "show the tide at keelung please";
    for (before, text, reply) in [
        // A new subject, an excuse, a slip of the user's own.
        (first, "sorry, the sea temperature", tool("sst.now", json!({}))),
        (first, "oops, my mistake, the sea temperature", tool("sst.now", json!({}))),
        (first, "show the sea temperature today", tool("sst.now", json!({}))),
        // The same tool, with another value.
        (first, "no, I meant hualien", tool("tide.at", json!({ "port": "hualien" }))),
        // Asked, not decided.
        (first, "no, I meant the temperature", doubtful("sst.now")),
        // The words that say what is meant point back themselves.
        (first, "I didn't ask for the tide. Is there one in the sea?", tool("sst.now", json!({}))),
        // The turn before points back itself, or there is none.
        ("what about hualien?", "no, I meant the sea temperature", tool("sst.now", json!({}))),
    ] {
        let mut talk = Talk::default();
        talk.say(before);
        talk.learned.clear();
        talk.taught(text, reply);
        let corrections: Vec<String> =
            talk.shown().into_iter().filter(|line| line.starts_with("correction")).collect();
        assert_eq!(corrections, [""; 0], "{before} / {text}");
    }
}

#[test]
fn s4_28_a_correction_that_lacks_only_a_value_names_its_tool() {
    let mut talk = Talk::default();
    talk.say("what is a thermocline now");
    talk.taught("no, I meant the tide", tool("tide.at", json!({})));
    assert_eq!(talk.decisions[1].reason, Some(GateName::Completeness.into()));
    let meant = "correction of 1: “what is a thermocline now” is tool tide.at";
    assert_eq!(talk.shown(), [meant]);
    let mut talk = Talk::default();
    talk.say("what is a thermocline now");
    talk.taught("no, I meant the tide", doubtful("tide.at"));
    assert_eq!(talk.shown(), [""; 0]);
}

#[test]
fn s4_28_who_only_rejects_says_that_it_was_wrong_and_never_what_was_right() {
    for text in [
        "that's not what I asked",
        "I didn't ask for the tide",
        "你沒聽懂我的問題",
        "eso no es lo que pregunté",
        "bạn hiểu sai ý mình rồi",
    ] {
        let mut talk = Talk::default();
        talk.say("show the tide at keelung please");
        talk.taught(text, route("explain"));
        let wrong = "correction of 1: “show the tide at keelung please” is wrong";
        assert_eq!(talk.shown(), [wrong], "{text}");
        // And what is said then is still about the first turn.
        talk.taught("I meant the sea temperature", tool("sst.now", json!({})));
        let meant = "correction of 1: “show the tide at keelung please” is tool sst.now";
        assert_eq!(talk.shown()[1..], [meant], "{text}");
    }
    // A complaint about an answer says nothing of its route, and without a turn before nobody knows
    // what was rejected.
    for (before, text) in [
        ("show the tide at keelung please", "that number is wrong"),
        ("show the tide at keelung please", "wrong, try again"),
        ("what about hualien?", "that's not what I asked"),
    ] {
        let mut talk = Talk::default();
        talk.say(before);
        talk.learned.clear();
        talk.say(text);
        assert_eq!(talk.shown(), [""; 0], "{before} / {text}");
    }
}

#[test]
fn what_is_denied_is_not_taken_for_what_is_asked() {
    for (text, tool) in [
        ("I don't want the sea temperature, I want to show the tide at keelung", "tide.at"),
        ("I didn't ask for the tide at keelung, show the sea temperature today", "sst.now"),
        ("show the sea temperature today", "sst.now"),
    ] {
        let mut talk = Talk::default();
        talk.say(text);
        assert_eq!(talk.decisions[0].tools(), [tool], "{text}");
    }
}

#[test]
fn a_session_of_an_older_program_is_read() {
    let mut talk = Talk::default();
    talk.taught("cobalt high water", tool("tide.at", json!({})));
    let mut stored = serde_json::to_value(&talk.session).unwrap();
    let again: Session = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(again, talk.session);
    stored.as_object_mut().unwrap().remove("origin");
    stored["pending"].as_object_mut().unwrap().remove("origin");
    talk.session = serde_json::from_value(stored).unwrap();
    talk.say("hualien");
    assert_eq!(talk.decisions[1].decision, Outcome::Run);
    assert_eq!(talk.shown(), [""; 0]);
}

#[test]
fn s4_28_feedback_says_what_was_right() {
    let mut talk = Talk::default();
    talk.say("show the tide at keelung please").say("show the tide at once").say("hualien");
    talk.taught("bake me a cake", route("out_of_scope"));
    let right = || Feedback { right: true, ..Feedback::default() };
    let is = |route: &str, tools: &[&str]| Feedback {
        route: Some(route.to_owned()).filter(|route| !route.is_empty()),
        tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        ..Feedback::default()
    };
    let first = "“show the tide at keelung please”";
    for (turn, said, wanted) in [
        (1, right(), format!("{first} is tool [\"tide.at\"]")),
        (1, Feedback::default(), format!("{first} wrong")),
        (1, is("explain", &[]), format!("{first} is explain []")),
        (1, is("out_of_scope", &[]), format!("{first} is out_of_scope []")),
        (1, is("", &["sst.now", "sst.now"]), format!("{first} is tool [\"sst.now\"]")),
        // It asked for what was missing, and that was right.
        (2, right(), "“show the tide at once” is tool [\"tide.at\"]".to_owned()),
        // A value alone means nothing.
        (3, right(), "nothing".to_owned()),
        (3, is("explain", &[]), "nothing".to_owned()),
        (3, Feedback::default(), "“hualien” wrong".to_owned()),
        (4, right(), "“bake me a cake” is out_of_scope []".to_owned()),
    ] {
        let told = talk.feedback(turn, "s", said.clone());
        assert_eq!(told.as_deref(), Ok(wanted.as_str()), "{turn}: {said:?}");
    }
}

#[test]
fn s4_28_feedback_that_cannot_be_meant_is_refused_with_what_there_is() {
    let mut talk = Talk::default();
    talk.say("show the tide at keelung please");
    talk.taught("cobalt", json!({ "decision": "explain", "confidence": 0.2 }));
    let right = || Feedback { right: true, ..Feedback::default() };
    let is = |route: Option<&str>, tool: Option<&str>| Feedback {
        route: route.map(str::to_owned),
        tools: tool.map(str::to_owned).into_iter().collect(),
        ..Feedback::default()
    };
    for (turn, session, said, wanted) in [
        (9, "s", right(), "NOT_FOUND: there is no decision `nobody's` of the pack `p`"),
        (1, "other", right(), "NOT_FOUND: there is no decision"),
        (1, "s", is(Some("tides"), None), "`tides`: known here: tool, explain, out_of_scope"),
        (1, "s", is(None, Some("x")), "`x`: known here: sst.now, tide.at, buoy.reset"),
        (1, "s", is(Some("explain"), Some("sst.now")), "`explain` runs no tools"),
        (1, "s", Feedback { route: Some("explain".to_owned()), ..right() }, "needs no other route"),
        (2, "s", right(), "settled no route"),
    ] {
        let error = talk.feedback(turn, session, said.clone()).unwrap_err();
        let hint = error.hint().unwrap();
        let told = format!("{}: {}: {hint}", error.code(), error.message());
        assert!(told.contains(wanted), "{said:?}: {told}");
    }
    let trusted = Feedback { trusted: true, ..right() };
    assert!(talk.feedback(1, "other", trusted).is_ok());
    assert_eq!(talk.store.0.lock().unwrap().1.len(), 1);
}
