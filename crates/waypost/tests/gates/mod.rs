//! The gates hold, seen from outside: whatever is said, sent or claimed, a tool server is never
//! called before a result, a trusted caller or the user's own yes has opened the way.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod acts;
mod approval;
mod bound;
mod catalogs;
mod declared;
mod generator;
mod oracle;
mod own;
mod parts;
mod points;
mod shown;
mod unknown;
mod vouched;
mod writes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value as Json, json};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;
use waypost::pack::Pack;
use waypost::records::answer::Answer;
use waypost::records::request::{Choice, Request};
use waypost::router::{AnswerOptions, Router};
use waypost_testing::OneSession;

use generator::{Act, CONSENTS, Random, Turn, turn};
use parts::{Land, Made, Trained, router, trained};

/// The number of sessions that are tried.
const SESSIONS: u64 = 100_000;
/// The most turns of one.
const TURNS: usize = 4;

/// A conversation with a router.
struct Talk {
    runtime: Runtime,
    router: Router,
    land: Arc<Land>,
    store: Arc<OneSession>,
}

impl Talk {
    fn new(trained: &Trained, seed: u64, model: bool) -> Self {
        let (land, store) = (Land::new(seed), Arc::new(OneSession::default()));
        let runtime = Builder::new_current_thread().build().unwrap();
        Self { runtime, router: router(trained, &land, &store, model), land, store }
    }

    fn answer(&self, request: &Request) -> Answer {
        let (out, _) = tokio::sync::mpsc::channel(1);
        let cancel = CancellationToken::new();
        let answer = self.router.answer(request, AnswerOptions::default(), &out, &cancel);
        self.runtime.block_on(answer).unwrap()
    }
}

/// The state of a session, as far as it is known from outside.
#[derive(Default)]
struct Session {
    /// The flags that results have set.
    flags: BTreeSet<&'static str>,
    /// The choices on the screen.
    shown: Vec<Choice>,
    /// The question of the last turn, and the words that led to it.
    question: Json,
    text: String,
}

impl Session {
    /// Returns whether a flag is set, by a result or by a trusted caller in this turn.
    fn has(&self, flag: &str, turn: &Turn) -> bool {
        let request = &turn.request;
        let told = request.trusted && request.context.flags.get(flag) == Some(&json!(true));
        told || self.flags.contains(flag)
    }

    /// Returns whether the user has said yes to this very call, which was shown.
    fn consents(&self, turn: &Turn, call: &Made) -> bool {
        let (request, context) = (&turn.request, &turn.request.context);
        let arguments = Json::from(call.arguments.clone());
        let is_yes = |value: &Json| {
            let same = value["tool"] == *call.tool && value["arguments"] == arguments;
            same && value["approve"].is_string()
        };
        // A platform that is believed says what its user saw and approved, or names the call.
        if request.trusted && context.flags.get("approval") == Some(&json!(true)) {
            let mut seen = context.options.iter().chain(&self.shown);
            let names_it = match &turn.act {
                Act::Declares(own) => own.tool == call.tool && own.arguments == call.arguments,
                _ => false,
            };
            return names_it || seen.any(|choice| is_yes(&choice.value));
        }
        // What a caller says was shown is of its own making.
        let own = context.options.is_empty() && context.active_tool.is_none();
        own && self.shown.iter().any(|choice| is_yes(&choice.value))
            && match &turn.act {
                Act::Clicks(value) => {
                    is_yes(value) && self.shown.iter().any(|choice| choice.value == *value)
                }
                Act::Answers(text) => CONSENTS.contains(&text.as_str()),
                Act::Declares(declared) => declared.approved,
                Act::Asks { .. } | Act::Injects => false,
            }
    }

    /// Returns the reason why a call should not have been made, if there is one.
    fn fault(&self, turn: &Turn, call: &Made, pack: &Pack) -> Option<String> {
        let arguments = Json::from(call.arguments.clone());
        let invalid = pack.tool(&call.tool).unwrap().faults(&arguments);
        if let Some(fault) = invalid.first() {
            return Some(format!("`{}` ran with {arguments}: {}", call.tool, fault.detail));
        }
        let ranks = turn.act == Act::Asks { ranking: true };
        let needed = match call.tool.as_str() {
            "analysis" => Some("survey_done"),
            "plan" => Some("analysis_done"),
            "report" if ranks && !call.arguments.contains_key("column") => Some("analysis_done"),
            _ => None,
        };
        if let Some(flag) = needed.filter(|flag| !self.has(flag, turn)) {
            return Some(format!("`{}` ran before `{flag}`", call.tool));
        }
        match call.tool.as_str() {
            "purge" | "demolish" if !turn.request.trusted => {
                Some("an untrusted caller destroyed".to_owned())
            }
            "note" | "publish" | "purge" | "demolish" if !self.consents(turn, call) => {
                Some(format!("`{}` changed something without a yes", call.tool))
            }
            _ => None,
        }
    }

    /// Returns the reason why an answer should not have been given, if there is one.
    fn flaw(&self, turn: &Turn, answer: &Answer, made: &[Made]) -> Option<String> {
        let plan = &answer.raw.plan;
        let question = &plan["question"];
        if plan["outcome"] == "run" {
            // Of two writes the second waits for a yes of its own, and what a gate held back is offered once it is open.
            let next = question["choices"][1]["value"]["cancel"] == true;
            return (!question.is_null() && !next).then(|| "it ran and asked as well".to_owned());
        }
        if !made.is_empty() {
            return Some(format!("it called tools and decided {}", plan["outcome"]));
        }
        let reason = plan["reason"].as_str().unwrap_or_default();
        let fork = reason.ends_with("_done");
        let context = &turn.request.context;
        let own = context.options.is_empty() && context.active_tool.is_none();
        let request = &turn.request;
        // A program that declares a call again is told the same again.
        let wanted =
            request.call.is_some() || request.choice.is_none() && request.text == self.text;
        let counts = own && !fork && !wanted && !question["tool"].is_null();
        if counts && *question == self.question {
            return Some(format!("it asked twice: {question}"));
        }
        let unanswered = self.question["again"] == true && is_about(question, &self.question);
        (counts && unanswered).then(|| format!("it asked three times: {question}"))
    }

    /// Notes what is known after a turn.
    fn learn(&mut self, turn: &Turn, answer: &Answer, made: &[Made]) {
        for call in made {
            let complete = call.result.as_ref().is_some_and(|it| it["status"] == "complete");
            match call.tool.as_str() {
                "survey" if complete => drop(self.flags.insert("survey_done")),
                "analysis" if complete => drop(self.flags.insert("analysis_done")),
                _ => {}
            }
        }
        self.shown.clone_from(&answer.choices);
        self.question = answer.raw.plan["question"].clone();
        self.text.clone_from(&turn.request.text);
    }
}

/// Returns whether two questions wait for the same answer.
fn is_about(question: &Json, other: &Json) -> bool {
    let same = |key: &str| question[key] == other[key];
    same("tool") && same("argument") && same("choices") && other["choices"] != json!([])
}

/// Counts of what happened, so that the test shows what it has tried.
type Tally = BTreeMap<String, u64>;

/// Holds one session, and fails at the first turn that a gate should have held.
fn hold(talk: &Talk, trained: &Trained, seed: u64, tally: &mut Tally) {
    let mut random = Random::new(seed);
    let mut session = Session::default();
    let mut told: Vec<String> = Vec::new();
    let mut count =
        |what: &str, name: &str| *tally.entry(format!("{what} {name}")).or_default() += 1;
    for _ in 0..=random.below(TURNS) {
        let turn = turn(&mut random, &trained.pack, &seed.to_string(), &session.shown);
        told.push(serde_json::to_string(&turn.request).unwrap());
        let answer = talk.answer(&turn.request);
        let made = talk.land.take();
        let faults = made.iter().filter_map(|call| session.fault(&turn, call, &trained.pack));
        if let Some(fault) = faults.chain(session.flaw(&turn, &answer, &made)).next() {
            panic!("session {seed}: {fault}\n{}\n{}", told.join("\n"), answer.raw.plan);
        }
        count("turns", "all");
        made.iter().for_each(|call| count("ran", &call.tool));
        let outcome = answer.raw.plan["outcome"].as_str().unwrap_or_default();
        let reason = answer.raw.plan["reason"].as_str().unwrap_or("none");
        count(outcome, reason);
        session.learn(&turn, &answer, &made);
    }
}

/// Every session of one thread, with and without a model.
fn hold_every(trained: &Trained, first: u64, step: u64) -> Tally {
    let plain = Talk::new(trained, first, false);
    let greedy = Talk::new(trained, first + step, true);
    let mut tally = Tally::new();
    for seed in (first..SESSIONS).step_by(usize::try_from(step).unwrap()) {
        // Every third session has a model that wants everything to run.
        let talk = if seed % 3 == 0 { &greedy } else { &plain };
        hold(talk, trained, seed, &mut tally);
    }
    tally
}

#[test]
fn s1_38_s1_41_no_words_no_choice_and_no_context_opens_a_gate() {
    let trained = trained();
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get() as u64);
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let trained = &trained;
        let held = |first| scope.spawn(move || hold_every(trained, first, threads));
        let running: Vec<_> = (0..threads).map(held).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut all = Tally::new();
    for (what, count) in tallies.into_iter().flatten() {
        *all.entry(what).or_default() += count;
    }
    // A gate that is never tried holds nothing: each has to be closed, and what waits behind it has
    // to run when the way is open.
    for (what, least) in [
        ("turns all", 2 * SESSIONS),
        ("ran survey", 2000),
        ("ran analysis", 500),
        ("ran plan", 100),
        ("ran report", 500),
        ("ran note", 200),
        ("ran publish", 200),
        ("ran purge", 50),
        ("ran demolish", 50),
        ("clarify gate:survey_done", 2000),
        ("clarify gate:analysis_done", 2000),
        ("clarify gate:approval", 2000),
        ("clarify gate:values", 30),
        ("clarify gate:completeness", 500),
        ("clarify gate:confidence", 200),
        ("refuse gate:permission", 1000),
    ] {
        let count = all.get(what).copied().unwrap_or_default();
        assert!(count >= least, "{what}: {count} is less than {least}\n{all:#?}");
    }
}

/// One turn of a session, in words or by a click.
fn say(talk: &Talk, text: &str, choice: Option<Json>) -> Json {
    let mut request = Request::new(text);
    request.session = Some("s".to_owned());
    request.now = Some("2025-11-06T09:00:00Z".to_owned());
    request.choice = choice;
    talk.answer(&request).raw.plan
}

#[test]
fn s1_36_work_in_progress_sets_no_flag() {
    let talk = Talk::new(&trained(), 1, false);
    let (survey, analysis) = (json!({ "tool": "survey" }), json!({ "tool": "analysis" }));
    for result in [
        json!({ "status": "in_progress", "next": "depth" }),
        json!({ "survey_done": true }),
        json!({ "status": { "is": "complete" } }),
    ] {
        talk.land.tell(result);
        assert_eq!(say(&talk, "", Some(survey.clone()))["outcome"], "run");
        let gated = say(&talk, "", Some(analysis.clone()));
        assert_eq!(gated["reason"], "gate:survey_done", "{gated}");
    }
    talk.land.tell(json!({ "status": "complete" }));
    say(&talk, "", Some(survey));
    assert_eq!(say(&talk, "", Some(analysis))["outcome"], "run");
    let ran: Vec<String> = talk.land.take().into_iter().map(|call| call.tool).collect();
    assert_eq!(ran, ["survey", "survey", "survey", "survey", "analysis"]);
}

#[test]
fn a_choice_of_a_fork_leads_on_from_where_the_user_was() {
    let talk = Talk::new(&trained(), 1, false);
    talk.land.tell(json!({ "status": "in_progress", "next": "depth" }));
    say(&talk, "", Some(json!({ "tool": "survey", "arguments": { "region": "north" } })));
    let fork = say(&talk, "", Some(json!({ "tool": "analysis" })));
    let choices = fork["question"]["choices"].as_array().unwrap();
    assert_eq!(choices[1]["label"], "Continue the survey at depth");
    talk.land.tell(json!({ "status": "complete" }));
    say(&talk, "", Some(choices[0]["value"].clone()));
    let last = talk.land.take().pop().unwrap();
    assert_eq!(Json::from(last.arguments), json!({ "region": "north", "depth": "shallow" }));
    // The same fork may be offered again: its choices are ways on, not answers.
    let plan = || say(&talk, "", Some(json!({ "tool": "plan" })));
    assert_eq!((&plan()["outcome"], &plan()["outcome"]), (&json!("clarify"), &json!("clarify")));
}

#[test]
fn what_a_gate_held_back_is_offered_when_it_opens() {
    let talk = Talk::new(&trained(), 1, false);
    let blocked = || {
        let fork = say(&talk, "", Some(json!({ "tool": "analysis" })));
        assert_eq!(fork["reason"], "gate:survey_done", "{fork}");
        fork["question"]["choices"][0]["value"].clone()
    };
    let is_offered = |turn: &Json| {
        turn["question"]["choices"][0]["value"] == json!({ "tool": "analysis", "arguments": {} })
    };
    // A platform opens the gate, and whatever the user says to that.
    blocked();
    let mut request = Request::new("qwxz kjhg vbnm");
    request.session = Some("s".to_owned());
    request.now = Some("2025-11-06T09:00:00Z".to_owned());
    request.trusted = true;
    request.context.flags.insert("survey_done".to_owned(), json!(true));
    let opened = talk.answer(&request).raw.plan;
    assert!(is_offered(&opened), "{opened}");
    // A step of before opens it.
    let lead = blocked();
    talk.land.tell(json!({ "status": "complete" }));
    let opened = say(&talk, "", Some(lead));
    assert!(opened["outcome"] == "run" && is_offered(&opened), "{opened}");
    say(&talk, "yes", None);
    let ran: Vec<String> = talk.land.take().into_iter().map(|call| call.tool).collect();
    assert_eq!(ran, ["survey", "analysis"]);
}

#[test]
fn s1_8_the_same_question_is_never_asked_twice() {
    let talk = Talk::new(&trained(), 1, false);
    let asked = say(&talk, "", Some(json!({ "tool": "note" })));
    assert_eq!(asked["outcome"], "clarify", "{asked}");
    let choices = &asked["question"]["choices"];
    let again = say(&talk, "", Some(json!({ "tool": "note" })));
    assert_eq!((&again["outcome"], &again["reason"]), (&json!("clarify"), &asked["reason"]));
    assert_eq!(again["question"]["again"], true, "it is not the same question");
    let said = again["question"]["text"].as_str().unwrap();
    assert!(said.starts_with("That is still open"), "{said}");
    assert_eq!(&again["question"]["choices"], choices);
    // A third time it is let go, and may be asked anew.
    let let_go = say(&talk, "", Some(json!({ "tool": "note" })));
    assert_eq!(let_go["outcome"], "rephrase");
    assert_eq!(let_go["question"]["choices"], json!([]));
    assert_eq!(say(&talk, "", Some(json!({ "tool": "note" })))["question"], asked["question"]);
    // A user who makes the same request once more gets the same question.
    let request = || say(&talk, "leave a note for the team", None);
    let (one, other) = (request(), request());
    assert_eq!(one["reason"], "gate:approval", "{one}");
    assert_eq!(one["question"]["text"], other["question"]["text"]);
    assert_eq!(one["outcome"], other["outcome"]);
}

#[test]
fn a_model_teaches_nothing_where_its_tool_failed() {
    let talk = Talk::new(&trained(), 1, true);
    let (mut failed, mut taught) = (0, 0);
    for _ in 0..400 {
        let now = Some("2025-11-06T09:00:00Z".to_owned());
        talk.answer(&Request { now, ..Request::new("qwxz kjhg vbnm") });
        let (made, labels) = (talk.land.take(), talk.store.take_labels());
        let Some(last) = made.last() else { continue };
        assert_eq!(labels.len(), usize::from(last.result.is_some()), "{made:?} {labels:?}");
        *if labels.is_empty() { &mut failed } else { &mut taught } += 1;
    }
    assert!(failed >= 5 && taught >= 50, "{failed} failed, {taught} taught");
}

#[test]
fn an_unusual_value_runs_once_it_is_confirmed() {
    let talk = Talk::new(&trained(), 1, false);
    for tool in ["survey", "analysis"] {
        talk.land.tell(json!({ "status": "complete" }));
        say(&talk, "", Some(json!({ "tool": tool })));
    }
    let asked = say(&talk, "please plan it with 5000000", None);
    assert_eq!(asked["reason"], "gate:values", "{asked}");
    let yes = asked["question"]["choices"][0].clone();
    assert_eq!(yes["label"], "Yes, 5,000,000");
    assert_eq!(say(&talk, "yes", None)["outcome"], "run");
    assert_eq!(talk.land.take().pop().unwrap().arguments["budget"], 5_000_000);
    say(&talk, "please plan it with 6000000", None);
    assert_eq!(say(&talk, "no", None)["reason"], "steer:stopped");
    assert!(talk.land.take().is_empty());
}
