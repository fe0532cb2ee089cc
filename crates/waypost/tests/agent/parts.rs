//! The parts of the agent's tests: a made-up market, and a model that says what it is told to.

#![expect(clippy::disallowed_methods, reason = "golden traces are read from their folder")]
#![expect(clippy::expect_used, reason = "a test without its parts has nothing to say")]

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures_util::StreamExt;
use serde_json::{Map, Value as Json, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use waypost::learning::Bundle;
use waypost::pack::Pack;
use waypost::ports::model::{Model, Piece, Pieces, Prompt, Reply, Slot, Usage};
use waypost::ports::tools::{ToolDescription, ToolResult, ToolServer};
use waypost::records::answer::{Answer, Part};
use waypost::records::event::Event;
use waypost::records::request::Request;
use waypost::records::rollout::Rollout;
use waypost::router::{AnswerOptions, Parts, Router};
use waypost::student::heads::train_student;
use waypost::{Code, Error, Result};
use waypost_testing::{EmptyShelf, StillClock};

use crate::contract::parts::Kept;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pack with its student.
#[derive(Clone)]
pub(crate) struct Trained {
    pack: Arc<Pack>,
    bundle: Arc<Bundle>,
}

/// The files of the pack, its text edited.
pub(crate) fn files(edits: &[(&str, &str)]) -> BTreeMap<String, String> {
    let mut yaml = include_str!("market/pack.yaml").to_owned();
    for (from, to) in edits {
        assert!(yaml.contains(from), "pack.yaml has no `{from}`");
        yaml = yaml.replace(from, to);
    }
    BTreeMap::from([
        ("pack.yaml".to_owned(), yaml),
        ("companies.yaml".to_owned(), include_str!("market/companies.yaml").to_owned()),
        ("examples.jsonl".to_owned(), include_str!("market/examples.jsonl").to_owned()),
    ])
}

/// Loads the pack, its text edited, and trains its student.
pub(crate) fn trained(edits: &[(&str, &str)]) -> Trained {
    let pack = Pack::load(&files(edits)).expect("a valid pack");
    let bundle = train_student(&pack, None, &mut |_| {}).expect("a student");
    Trained { pack: Arc::new(pack), bundle: Arc::new(bundle) }
}

/// The market: it dies after so many calls, if it is told to.
#[derive(Debug)]
pub(crate) struct Market {
    calls: Mutex<Vec<(String, Json)>>,
    dies_after: usize,
    /// Stops the turn once so many calls were made.
    stops: Option<(usize, CancellationToken)>,
}

impl Market {
    fn result(&self, tool: &str, arguments: &Map<String, Json>) -> Result<Json> {
        let mut calls = lock(&self.calls);
        calls.push((tool.to_owned(), Json::Object(arguments.clone())));
        if let Some((after, cancel)) = &self.stops
            && calls.len() >= *after
        {
            cancel.cancel();
        }
        if calls.len() > self.dies_after {
            return Err(Error::new(Code::Unavailable, "the server is gone"));
        }
        let symbol = arguments["symbol"].as_str().unwrap_or_default();
        let place = symbol.bytes().next().map_or(0, |first| u64::from(first) - 64);
        Ok(match tool {
            "rivals" => json!({ "symbol": symbol, "rivals": ["BOLT", "CORK"] }),
            "notes" => {
                json!({ "symbol": symbol, "notes": ["buy low"], "of": arguments["user_id"] })
            }
            _ => {
                json!({ "symbol": symbol, "price": place * 100 + 25, "volume": place * 1_000_000 })
            }
        })
    }
}

#[async_trait]
impl ToolServer for Market {
    async fn list(&self, _: &CancellationToken) -> Result<Vec<ToolDescription>> {
        Err(Error::new(Code::Unimplemented, "it has no list"))
    }

    async fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Json>,
        _: &CancellationToken,
    ) -> Result<ToolResult> {
        self.result(tool, arguments).map(ToolResult::from)
    }
}

/// A model with a script. It says nothing once the script is over, and the test fails then.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    replies: Mutex<VecDeque<String>>,
    pub(crate) prompts: Mutex<Vec<Prompt>>,
    cost: f64,
}

#[async_trait]
impl Model for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn cost(&self, _: Usage) -> f64 {
        self.cost
    }

    async fn complete(&self, _: &Prompt, _: &CancellationToken) -> Result<Reply> {
        Err(Error::new(Code::Unavailable, "it decides nothing"))
    }

    async fn stream(&self, prompt: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        lock(&self.prompts).push(prompt.clone());
        let reply = lock(&self.replies).pop_front();
        let reply = reply.ok_or_else(|| Error::new(Code::Unavailable, "the script is over"))?;
        // Pieces of a few characters, as servers send them.
        let pieces: Vec<Result<Piece>> = reply
            .chars()
            .collect::<Vec<_>>()
            .chunks(7)
            .map(|piece| Ok(Piece::Words(piece.iter().collect())))
            .collect();
        let usage = Piece::Usage(Usage { prompt: 500, cached: 0, reply: 40 });
        Ok(futures_util::stream::iter(pieces.into_iter().chain([Ok(usage)])).boxed())
    }
}

/// A turn of the agent to be played.
pub(crate) struct Play<'a> {
    pub(crate) text: &'a str,
    /// The replies of the model; no model where there are none.
    pub(crate) replies: &'a [&'a str],
    pub(crate) dies_after: usize,
    /// Stops the turn once so many calls were made.
    pub(crate) stops_after: Option<usize>,
    pub(crate) cost: f64,
    /// True if the platform says that its user approved the pending write.
    pub(crate) vouched: bool,
}

impl Default for Play<'_> {
    fn default() -> Self {
        Self {
            text: "",
            replies: &[],
            dies_after: usize::MAX,
            stops_after: None,
            cost: 0.0,
            vouched: false,
        }
    }
}

/// What a play came to.
pub(crate) struct Played {
    pub(crate) answer: Result<Answer>,
    /// All that people, programs and servers saw of it, in one text.
    pub(crate) trace: String,
    pub(crate) prompts: Vec<Prompt>,
    /// The tools that were called.
    pub(crate) called: Vec<String>,
}

/// Plays a turn.
pub(crate) fn play(trained: &Trained, play: &Play<'_>) -> Played {
    let cancel = CancellationToken::new();
    let market = Arc::new(Market {
        calls: Mutex::default(),
        dies_after: play.dies_after,
        stops: play.stops_after.map(|after| (after, cancel.clone())),
    });
    let replies = play.replies.iter().map(|reply| (*reply).to_owned()).collect();
    let scripted =
        Arc::new(Scripted { replies: Mutex::new(replies), cost: play.cost, ..Scripted::default() });
    let mut models: BTreeMap<Slot, Arc<dyn Model>> = BTreeMap::new();
    if !play.replies.is_empty() {
        models.insert(Slot::Main, Arc::<Scripted>::clone(&scripted));
    }
    let store = Arc::new(Kept::default());
    let server: Arc<dyn ToolServer> = Arc::<Market>::clone(&market);
    let router = Router::new(Parts {
        pack: Arc::clone(&trained.pack),
        bundle: Arc::clone(&trained.bundle).into(),
        models,
        servers: BTreeMap::from([("market".to_owned(), server)]),
        encoder: None,
        retriever: Arc::new(EmptyShelf),
        store: Arc::<Kept>::clone(&store),
        clock: Arc::new(StillClock),
        rollout: Rollout::default(),
        recall: None,
    });
    let mut request = Request::new(play.text);
    request.now = Some("2026-03-12T09:00:00Z".to_owned());
    request.session = Some("ana".to_owned());
    if play.vouched {
        request.trusted = true;
        request.context.flags.insert("approval".to_owned(), json!(true));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let (answer, parts) = runtime.block_on(async {
        let (out, mut pieces) = mpsc::channel(1_000);
        let answer = router.answer(&request, AnswerOptions::default(), &out, &cancel).await;
        drop(out);
        let mut parts = Vec::new();
        while let Some(part) = pieces.recv().await {
            parts.push(part);
        }
        (answer, parts)
    });
    let trace = trace(&parts, &answer, &market, &store);
    let prompts = std::mem::take(&mut *lock(&scripted.prompts));
    let called = lock(&market.calls).iter().map(|(tool, _)| tool.clone()).collect();
    Played { answer, trace, prompts, called }
}

fn trace(parts: &[Part], answer: &Result<Answer>, market: &Market, store: &Kept) -> String {
    let mut trace = String::new();
    for part in parts {
        let _ = match part {
            Part::Decided(decision) => {
                let calls: Vec<String> = decision
                    .calls
                    .iter()
                    .map(|call| format!("{} {}", call.tool, Json::Object(call.arguments.clone())))
                    .collect();
                let strategy = json!(decision.strategy);
                writeln!(
                    trace,
                    "decided   {} {}",
                    strategy.as_str().unwrap_or_default(),
                    calls.join(", ")
                )
            }
            Part::Phase(phase) => {
                writeln!(trace, "phase     {} {}: {}", phase.phase, phase.action, phase.content)
            }
            Part::ToolStarted { tool } => writeln!(trace, "started   {tool}"),
            Part::ToolDone { tool, code } => {
                let code = code.map_or("success".to_owned(), |code| code.to_string());
                writeln!(trace, "done      {tool} {code}")
            }
            Part::Token(words) => writeln!(trace, "words     {words:?}"),
            Part::Withdrawn(words) => writeln!(trace, "withdrawn {words:?}"),
            Part::Prepared { .. } | Part::ToolProgress { .. } => Ok(()),
        };
    }
    for (tool, arguments) in lock(&market.calls).iter() {
        let _ = writeln!(trace, "reached   {tool} {arguments}");
    }
    match answer {
        Ok(answer) => {
            let _ = writeln!(trace, "answer    {} {:?}", answer.mode, answer.text);
            let _ = writeln!(trace, "degraded  {}", answer.raw.plan["degraded"]);
        }
        Err(error) => {
            let _ = writeln!(trace, "error     {}", error.code());
        }
    }
    for event in store.take() {
        if let Event::AgentEvent(run) = &event {
            let _ = writeln!(trace, "agent     {}", json!(run));
        }
    }
    trace
}

/// Compares a trace with its golden file.
pub(crate) fn golden(name: &str, trace: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/agent");
    let path = format!("{folder}/{name}.txt");
    if std::env::var_os("WAYPOST_UPDATE_AGENT").is_some() {
        std::fs::write(&path, trace).expect("a trace that can be written");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(trace, golden, "{name}: if this is right, WAYPOST_UPDATE_AGENT=1 writes it anew");
}
