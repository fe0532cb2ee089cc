//! `cargo xtask peers agent`: the same questions answered without a model, with a scripted one, with what a real one said once,
//! and with real ones behind a llama.cpp server.
//!
//! What was called is read from the events of the program, not from its words: each call is held to the question, the decided
//! calls and the results, by means that the program does not use itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use waypost::pack::Pack;
use waypost::pack::spec::Access;

use super::relay::{Answers, Exchange, Upstream, saying};
use super::{Server, Subject, build, printed};
use crate::bench::samples;
use crate::{root, say};

const PACK: &str = "finance";
const QUESTIONS: &str = "spec/agent/questions.jsonl";
const RECORDED: &str = "spec/agent/recorded.jsonl";
/// All questions are asked at one instant, so that replies fit their results when they are said again.
const NOW: &str = "2026-03-18T10:00:00+08:00";
const STRATEGIES: [&str; 4] = ["direct", "iterative", "parallel", "all"];

/// What came of a question.
struct Asked {
    strategy: String,
    /// The calls that were decided are those that the question needs.
    right: bool,
    turns: u64,
    calls: usize,
    /// Calls beyond the decided ones.
    further: usize,
    tokens: u64,
    took: Duration,
    /// A model's words were told.
    told: bool,
    faults: Vec<String>,
    /// Calls that nothing bears out: there must be none.
    breaches: Vec<String>,
}

/// Runs all questions with each model; `--record` keeps what the last real one said.
pub(super) fn run(given: &[String]) -> Result<()> {
    let (flags, given): (Vec<&String>, Vec<&String>) =
        given.iter().partition(|argument| argument.starts_with("--"));
    if let Some(unknown) = flags.iter().find(|flag| **flag != "--record") {
        bail!("there is no `{unknown}`, only `--record`");
    }
    build(&[])?;
    let text = std::fs::read_to_string(root().join(QUESTIONS)).context(QUESTIONS)?;
    let questions: Vec<Value> =
        text.lines().map(serde_json::from_str).collect::<serde_json::Result<_>>()?;
    let pack = samples::load(&samples::folder_files(&root().join("packs").join(PACK))?)?;
    say(
        "| model | strategy | questions | decided right | turns | calls | of these further | tokens | ms | told by the model | faults |",
    );
    say("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    let mut breaches = Vec::new();
    let mut all = |name: &str, answers: Option<Arc<dyn Answers>>| -> Result<Vec<Exchange>> {
        let subject = Subject::new(PACK, answers)?.built_for_tests();
        let asked = ask(&subject, &questions, &pack)?;
        table(name, &asked);
        breaches.extend(asked.into_iter().flat_map(|asked| asked.breaches));
        Ok(subject.taken())
    };
    all("none", None)?;
    all("scripted", Some(Arc::new(Script)))?;
    if root().join(RECORDED).exists() {
        all("recorded", Some(Arc::new(Recorded::read()?)))?;
    }
    if let [program, models @ ..] = given.as_slice() {
        for model in models {
            let model = Path::new(model.as_str());
            let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let server = Server::start(Path::new(program.as_str()), model)?;
            let said = all(&name, Some(Arc::new(Upstream(server.port))))?;
            if !flags.is_empty() {
                record(&said)?;
            }
        }
    }
    if !breaches.is_empty() {
        bail!("{} calls are borne out by nothing:\n{}", breaches.len(), breaches.join("\n"));
    }
    say("\nEvery call is borne out by its question, a decided call, a result or a default.");
    Ok(())
}

fn ask(subject: &Subject, questions: &[Value], pack: &Pack) -> Result<Vec<Asked>> {
    let mut answers = Vec::new();
    for question in questions {
        let text = question["text"].as_str().context("a question without `text`")?;
        let started = Instant::now();
        let answer =
            printed(&mut subject.command(&["ask", "--pack", PACK, "--json", "--now", NOW, text]))
                .with_context(|| text.to_owned())?;
        answers.push((question, answer, started.elapsed()));
    }
    let events = subject.command(&["events", "export", "--pack", PACK]).output()?;
    let mut of: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&events.stdout).lines() {
        let event: Value = serde_json::from_str(line)?;
        let id = event["decision_id"].as_str().unwrap_or_default().to_owned();
        of.entry(id).or_default().push(event);
    }
    let own = |answer: &Value| of.get(answer["id"].as_str().unwrap_or_default());
    let read = |(question, answer, took): (&Value, Value, Duration)| {
        let events = own(&answer).map(Vec::as_slice).unwrap_or_default();
        one(question, &answer, events, took, pack)
    };
    Ok(answers.into_iter().map(read).collect())
}

/// What came of a question, by its answer and its events.
fn one(question: &Value, answer: &Value, events: &[Value], took: Duration, pack: &Pack) -> Asked {
    let plan = &answer["raw"]["plan"];
    let of = |kind: &'static str| events.iter().filter(move |event| event["type"] == kind);
    let run = of("agent_event").next().unwrap_or(&Value::Null);
    let decided = list(&plan["calls"]);
    let made: Vec<&Value> = of("tool_event").collect();
    let is_decided = |event: &&&Value| {
        decided.iter().any(|call| {
            call["tool"] == event["tool"] && holds(&event["arguments"], &call["arguments"])
        })
    };
    let further: Vec<&Value> = made.iter().filter(|event| !is_decided(event)).copied().collect();
    let mut borne = question["text"].as_str().unwrap_or_default().to_lowercase();
    borne += &Value::from(decided.to_vec()).to_string().to_lowercase();
    borne += &answer["raw"]["tool_result"].to_string().to_lowercase();
    let breaches = further.iter().filter_map(|event| breach(event, &borne, pack)).collect();
    let mut faults: Vec<String> = list(&plan["degraded"])
        .iter()
        .filter_map(|what| what.as_str().map(str::to_owned))
        .collect();
    faults.sort();
    faults.dedup();
    Asked {
        strategy: plan["strategy"].as_str().unwrap_or("none").to_owned(),
        right: right(list(&question["calls"]), decided),
        turns: run["turns"].as_u64().unwrap_or(1),
        calls: made.len(),
        further: further.len(),
        tokens: run["tokens"].as_u64().unwrap_or_default(),
        told: run.is_object()
            && run["stopped"].is_null()
            && !faults.iter().any(|fault| is_models(fault)),
        took,
        faults,
        breaches,
    }
}

/// Returns whether a fault is that the model gave no words.
fn is_models(fault: &str) -> bool {
    fault.starts_with("model:")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns whether all of these arguments stand in those.
fn holds(arguments: &Value, these: &Value) -> bool {
    let these = these.as_object().into_iter().flatten();
    these.into_iter().all(|(name, value)| arguments[name] == *value)
}

/// Returns whether the decided calls are the expected ones: each its own, and no other.
fn right(expected: &[Value], decided: &[Value]) -> bool {
    let mut left: Vec<&Value> = decided.iter().collect();
    let all = expected.iter().all(|call| {
        let own = left.iter().position(|other| {
            call["tool"] == other["tool"] && holds(&other["arguments"], &call["arguments"])
        });
        own.map(|at| left.swap_remove(at)).is_some()
    });
    all && left.is_empty()
}

/// Why a call is not borne out: its tool does more than read, or a value stands nowhere.
fn breach(event: &Value, borne: &str, pack: &Pack) -> Option<String> {
    let name = event["tool"].as_str().unwrap_or_default();
    let Some(tool) = pack.tool(name) else { return Some(format!("{name}: no such tool")) };
    if tool.spec.access != Some(Access::Read) {
        return Some(format!("{name}: does more than read"));
    }
    let known = &tool.spec.schema["properties"];
    let arguments = event["arguments"].as_object().into_iter().flatten();
    let mut unborne = arguments.into_iter().filter(|(name, value)| {
        let said = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        known[name.as_str()]["default"] != **value && !borne.contains(&said.to_lowercase())
    });
    unborne.next().map(|(argument, value)| format!("{name}.{argument}: {value}"))
}

fn table(model: &str, asked: &[Asked]) {
    for strategy in STRATEGIES {
        let own: Vec<&Asked> =
            asked.iter().filter(|one| strategy == "all" || one.strategy == strategy).collect();
        if own.is_empty() {
            continue;
        }
        let mean = |of: &dyn Fn(&Asked) -> f64| {
            own.iter().map(|one| of(one)).sum::<f64>() / own.len() as f64
        };
        let count = |of: &dyn Fn(&Asked) -> bool| own.iter().filter(|one| of(one)).count();
        let mut faults: BTreeMap<&str, usize> = BTreeMap::new();
        for fault in own.iter().flat_map(|one| &one.faults) {
            *faults.entry(fault).or_default() += 1;
        }
        let faults: Vec<String> =
            faults.iter().map(|(what, times)| format!("{what} {times}")).collect();
        say(&format!(
            "| {model} | {strategy} | {} | {} | {:.1} | {:.1} | {:.1} | {:.0} | {:.0} | {} | {} |",
            own.len(),
            count(&|one| one.right),
            mean(&|one| one.turns as f64),
            mean(&|one| one.calls as f64),
            mean(&|one| one.further as f64),
            mean(&|one| one.tokens as f64),
            mean(&|one| one.took.as_secs_f64() * 1e3),
            count(&|one| one.told),
            faults.join(", ")
        ));
    }
}

/// The question of a prompt of the agent; none of another prompt.
fn question(asked: &Value) -> Option<&str> {
    let said = asked["messages"].as_array()?.last()?["content"].as_str()?;
    said.split_once("\nQuestion: ")?.1.rsplit_once("\n\nAnswer in ").map(|(text, _)| text)
}

/// A model that looks one more thing up where it may, and then says of each result which it is.
struct Script;

impl Answers for Script {
    fn answer(&self, asked: &Value) -> Result<Value> {
        let messages = list(&asked["messages"]);
        let content = |at: usize| messages.get(at).and_then(|own| own["content"].as_str());
        let (system, said) = (content(0).unwrap_or_default(), content(1).unwrap_or_default());
        let results: Vec<&str> = said.lines().filter(|line| line.starts_with('[')).collect();
        let shown = system.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut names = shown.filter_map(|tool| tool["name"].as_str().map(str::to_owned));
        let new = names.find(|name| !said.contains(&format!("] {name} ")));
        if let Some(name) = new.filter(|_| !said.contains("Not called: ")) {
            let more = json!([{ "tool": name, "arguments": { "symbol": symbol(&results) } }]);
            return Ok(saying(&format!("<calls>{more}</calls>")));
        }
        let words: Vec<String> =
            (1..=results.len()).map(|number| format!("Result {number} is below.")).collect();
        Ok(saying(&words.join(" ")))
    }
}

/// The first symbol of the results.
fn symbol(results: &[&str]) -> String {
    let mut symbols = results.iter().filter_map(|line| {
        let (_, rest) = line.split_once("\"symbol\":\"")?;
        rest.split_once('"').map(|(symbol, _)| symbol.to_owned())
    });
    symbols.next().unwrap_or_default()
}

/// What a model said once, by question, in the order in which it was asked.
struct Recorded(Mutex<BTreeMap<String, Vec<String>>>);

impl Recorded {
    fn read() -> Result<Self> {
        let mut replies: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in std::fs::read_to_string(root().join(RECORDED))?.lines() {
            let line: Value = serde_json::from_str(line)?;
            let own = list(&line["replies"]).iter().rev();
            let own = own.filter_map(|reply| reply.as_str().map(str::to_owned));
            replies.insert(line["text"].as_str().unwrap_or_default().to_owned(), own.collect());
        }
        Ok(Self(Mutex::new(replies)))
    }
}

impl Answers for Recorded {
    fn answer(&self, asked: &Value) -> Result<Value> {
        let text = question(asked).context("no question of the agent")?;
        let mut replies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = replies.get_mut(text).and_then(Vec::pop);
        Ok(saying(&reply.with_context(|| format!("nothing is recorded for `{text}`"))?))
    }
}

/// Keeps what a model said, for [`Recorded`].
fn record(said: &[Exchange]) -> Result<()> {
    let mut replies: Vec<(&str, Vec<&Value>)> = Vec::new();
    for exchange in said {
        let Some(text) = question(&exchange.asked) else { continue };
        let reply = &exchange.answer["choices"][0]["message"]["content"];
        match replies.iter_mut().find(|(other, _)| *other == text) {
            Some((_, own)) => own.push(reply),
            None => replies.push((text, vec![reply])),
        }
    }
    let lines = replies
        .iter()
        .map(|(text, replies)| format!("{}\n", json!({ "text": text, "replies": replies })));
    Ok(std::fs::write(root().join(RECORDED), lines.collect::<String>())?)
}
