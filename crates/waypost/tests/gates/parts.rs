//! The parts of the router in these tests: a tool server that finishes its work or not, and a model
//! that wants everything to run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::decide::cascade::{Worth, Worths};
use waypost::learning::Bundle;
use waypost::pack::Pack;
use waypost::ports::model::{Model, Pieces, Prompt, Reply, Slot};
use waypost::ports::store::Store;
use waypost::ports::tools::{Hints, ToolDescription, ToolResult, ToolServer};
use waypost::records::rollout::Rollout;
use waypost::router::{Parts, Router};
use waypost::student::heads::train_student;
use waypost::{Code, Error, Result};
use waypost_testing::{EmptyShelf, OneSession, StillClock};

use super::generator::Random;

/// The tools of the pack.
pub(crate) const TOOLS: [&str; 8] =
    ["survey", "analysis", "plan", "report", "note", "publish", "purge", "demolish"];

/// The tools as a server lists them that says of all that they only read: what the pack says counts.
pub(crate) fn readers() -> Vec<ToolDescription> {
    let hints = Hints { read_only: Some(true), ..Hints::default() };
    let reader =
        |name: &str| ToolDescription { name: name.to_owned(), hints, ..ToolDescription::default() };
    TOOLS.into_iter().map(reader).collect()
}

/// The pack with its student: trained once, used by every thread.
#[derive(Debug, Clone)]
pub(crate) struct Trained {
    pub(crate) pack: Arc<Pack>,
    bundle: Arc<Bundle>,
}

/// Loads the pack and trains its student.
pub(crate) fn trained() -> Trained {
    trained_with(str::to_owned)
}

/// Does the same with a pack that is edited.
pub(crate) fn trained_with(edit: impl FnOnce(&str) -> String) -> Trained {
    trained_of(edited(edit))
}

/// Trains the student of a pack.
pub(crate) fn trained_of(pack: Pack) -> Trained {
    let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
    Trained { pack: Arc::new(pack), bundle: Arc::new(bundle) }
}

/// Loads the pack, edited.
pub(crate) fn edited(edit: impl FnOnce(&str) -> String) -> Pack {
    loaded_with(edit(include_str!("workflow/pack.yaml")), Vec::new())
}

/// Loads the pack from this text, with files beside its examples.
pub(crate) fn loaded_with(text: String, beside: Vec<(String, String)>) -> Pack {
    let examples = include_str!("workflow/examples.jsonl").to_owned();
    let own = [("pack.yaml".to_owned(), text), ("examples.jsonl".to_owned(), examples)];
    Pack::load(&own.into_iter().chain(beside).collect()).unwrap()
}

/// Loads a pack from the texts of its two files.
pub(crate) fn loaded(pack: String, examples: String) -> Pack {
    loaded_with(pack, vec![("examples.jsonl".to_owned(), examples)])
}

impl Trained {
    /// Another pack with this student: one whose examples are the same, or whose tools are chosen by what is written about them.
    pub(crate) fn serving(&self, pack: Pack) -> Self {
        Self { pack: Arc::new(pack), bundle: Arc::clone(&self.bundle) }
    }
}

/// A router over these parts; `model` adds the teacher that wants everything to run.
pub(crate) fn router(
    trained: &Trained,
    land: &Arc<Land>,
    store: &Arc<OneSession>,
    model: bool,
) -> Router {
    let greedy: Arc<dyn Model> = Arc::new(Greedy(Mutex::new(Random::new(7))));
    let server: Arc<dyn ToolServer> = Arc::<Land>::clone(land);
    let models = if model { BTreeMap::from([(Slot::Main, greedy)]) } else { BTreeMap::new() };
    let router =
        Router::new(Parts { models, ..parts(trained, server, Arc::<OneSession>::clone(store)) });
    // The model is believed in everything: what no gate lets through is not for want of trust.
    let always = Worth { asked: 1_000_000, right: 1_000_000 };
    router.believing(Worths { choosing: always, reading: always }.belief(None))
}

/// The parts of a router without a model, over this tool server and this store.
pub(crate) fn parts(
    trained: &Trained,
    server: Arc<dyn ToolServer>,
    store: Arc<dyn Store>,
) -> Parts {
    Parts {
        pack: Arc::clone(&trained.pack),
        bundle: Arc::clone(&trained.bundle).into(),
        models: BTreeMap::new(),
        servers: BTreeMap::from([("land".to_owned(), server)]),
        encoder: None,
        retriever: Arc::new(EmptyShelf),
        store,
        clock: Arc::new(StillClock),
        rollout: Rollout::default(),
        recall: None,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call that reached the tool server, and what it returned.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Json>,
    pub(crate) result: Option<Json>,
}

/// The tool server: it answers as it is told, or else by chance.
#[derive(Debug)]
pub(crate) struct Land {
    made: Mutex<Vec<Made>>,
    told: Mutex<Option<Json>>,
    random: Mutex<Random>,
}

impl Land {
    pub(crate) fn new(seed: u64) -> Arc<Self> {
        let random = Mutex::new(Random::new(seed));
        Arc::new(Self { made: Mutex::default(), told: Mutex::default(), random })
    }

    /// Sets what the next call returns.
    pub(crate) fn tell(&self, result: Json) {
        *lock(&self.told) = Some(result);
    }

    /// The calls since the last time.
    pub(crate) fn take(&self) -> Vec<Made> {
        std::mem::take(&mut lock(&self.made))
    }

    fn result(&self) -> Result<Json> {
        if let Some(told) = lock(&self.told).take() {
            return Ok(told);
        }
        match lock(&self.random).below(10) {
            0 => Err(Error::new(Code::NotFound, "nothing there")),
            // A result may say anything: only the place and value that the pack names count.
            1 => Ok(json!({ "status": "in_progress", "survey_done": true, "is": "complete" })),
            2 => Ok(json!({ "status": ["complete"], "flags": { "analysis_done": true } })),
            3 | 4 => Ok(json!({ "status": "in_progress", "next": "depth" })),
            _ => Ok(json!({ "status": "complete" })),
        }
    }
}

#[async_trait]
impl ToolServer for Land {
    async fn list(&self, _: &CancellationToken) -> Result<Vec<ToolDescription>> {
        Ok(readers())
    }

    async fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Json>,
        _: &CancellationToken,
    ) -> Result<ToolResult> {
        let result = self.result();
        lock(&self.made).push(Made {
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            result: result.as_ref().ok().cloned(),
        });
        result.map(ToolResult::from)
    }
}

/// A model that is sure of everything that it names, and adds words that might open a gate.
#[derive(Debug)]
struct Greedy(Mutex<Random>);

#[async_trait]
impl Model for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    async fn complete(&self, _: &Prompt, _: &CancellationToken) -> Result<Reply> {
        let mut random = lock(&self.0);
        let tool = random.pick(&TOOLS);
        let arguments = random.pick(&[
            json!({}),
            json!({ "approve": true, "survey_done": true }),
            json!({ "audience": "team", "region": "north", "method": "quick" }),
            json!({ "budget": 5_000_000, "column": "rain" }),
            json!({ "title": "all is well", "tags": ["a", "b"], "meta": { "approve": true } }),
            json!({ "house": "every house", "tags": "no list" }),
        ]);
        let reply = json!({
            "decision": "tool",
            "confidence": 1.0,
            "tool": { "name": tool, "arguments": arguments },
            "rationale": "approved; all flags are set",
            "needs_followup": false,
        });
        Ok(Reply { text: reply.to_string(), usage: None, truncated: false })
    }

    async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        Err(Error::new(Code::InvalidArgument, "it only decides"))
    }
}
