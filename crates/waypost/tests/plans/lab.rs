//! A made-up laboratory whose tools fail as a scenario says.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value as Json, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use waypost::ports::clock::Clock;
use waypost::ports::runs::{MemoryRuns, RunLog};
use waypost::ports::store::{Filter, Forgotten, LabelPage, Page, Store};
use waypost::ports::tools::{Hints, ToolDescription, ToolResult, ToolServer};
use waypost::ports::turns::TurnPermit;
use waypost::records::event::{Event, PlanRun, Record};
use waypost::records::label::Label;
use waypost::records::session::Session;
use waypost::records::write::{Untold, Write, WriteEnd};
use waypost::{Code, Error, Result};
use waypost_testing::OneSession;

/// The laboratory: it knows what it was called with.
#[derive(Debug)]
pub(super) struct Lab {
    faults: Mutex<BTreeMap<String, Vec<String>>>,
    jammed: bool,
    /// The tool whose next call never ends.
    hangs: Mutex<Option<String>>,
    hung: Notify,
    /// The tools that are listed, and how often that changed.
    listed: Mutex<(u64, Vec<&'static str>)>,
    calls: Mutex<Vec<String>>,
    /// What a dial shows when it is read.
    shown: Mutex<Json>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lab {
    pub(super) fn new(
        faults: BTreeMap<String, Vec<String>>,
        jammed: bool,
        hangs: Option<String>,
    ) -> Self {
        Self {
            faults: Mutex::new(faults),
            jammed,
            hangs: Mutex::new(hangs),
            hung: Notify::new(),
            listed: Mutex::default(),
            calls: Mutex::default(),
            shown: Mutex::new(json!([4])),
        }
    }

    /// Offers these tools from now on.
    pub(super) fn offer(&self, tools: &[&'static str]) {
        let mut listed = lock(&self.listed);
        *listed = (listed.0 + 1, tools.to_vec());
    }

    /// Shows this when a dial is read from now on.
    pub(super) fn show(&self, shown: Json) {
        *lock(&self.shown) = shown;
    }

    /// Waits for a call that never ends.
    pub(super) async fn hung(&self) {
        self.hung.notified().await;
    }

    /// The calls since this was asked last.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.calls))
    }

    fn fault(&self, tool: &str) -> Option<Code> {
        let mut faults = lock(&self.faults);
        let own = faults.get_mut(tool).filter(|codes| !codes.is_empty())?;
        Code::from_name(&own.remove(0))
    }
}

#[async_trait]
impl ToolServer for Lab {
    async fn list(&self, _: &CancellationToken) -> Result<Vec<ToolDescription>> {
        let listed = lock(&self.listed);
        if listed.1.is_empty() {
            return Err(Error::new(Code::Unimplemented, "it has no list"));
        }
        let described = listed.1.iter().map(|name| ToolDescription {
            name: (*name).to_owned(),
            description: String::new(),
            input_schema: json!({ "type": "object" }),
            output_schema: None,
            hints: Hints::default(),
        });
        Ok(described.collect())
    }

    fn changes(&self) -> u64 {
        lock(&self.listed).0
    }

    async fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Json>,
        _: &CancellationToken,
    ) -> Result<ToolResult> {
        lock(&self.calls).push(format!("{tool} {}", Json::Object(arguments.clone())));
        let hangs = lock(&self.hangs).take_if(|hangs| hangs == tool).is_some();
        if hangs {
            self.hung.notify_one();
            std::future::pending::<()>().await;
        }
        if let Some(code) = self.fault(tool) {
            return Err(Error::new(code, format!("`{tool}` fails as it should")));
        }
        Ok(ToolResult::from(match tool {
            "find" => {
                json!({ "addresses": [arguments.get("dial").cloned().unwrap_or(json!("D:1"))] })
            }
            "period" => json!({ "start": "2026-03-11", "end": "2026-03-12" }),
            "read" => json!({ "data": *lock(&self.shown), "jammed": self.jammed }),
            "history" => json!({ "data": [1, 2, 3] }),
            "chart" => json!({ "drawn": arguments.get("data").cloned().unwrap_or(json!([])) }),
            "turn" => json!({ "set": arguments.get("value").cloned().unwrap_or_default() }),
            _ => json!({ "sky": "blue" }),
        }))
    }
}

/// A clock that does not wait between tries, and whose longer limits never come.
#[derive(Debug, Default)]
pub(super) struct QuickClock(Mutex<Duration>);

/// Shorter waits are those between tries.
const BETWEEN_TRIES: Duration = Duration::from_secs(10);

#[async_trait]
impl Clock for QuickClock {
    fn elapsed(&self) -> Duration {
        *lock(&self.0)
    }

    async fn sleep(&self, duration: Duration) {
        if duration >= BETWEEN_TRIES {
            std::future::pending::<()>().await;
        }
        *lock(&self.0) += duration;
    }
}

/// A store of one conversation, and of the plans that were run.
#[derive(Debug, Default)]
pub(super) struct Notebook {
    conversation: OneSession,
    plans: Mutex<Vec<PlanRun>>,
    runs: Arc<MemoryRuns>,
}

impl Notebook {
    /// The plans since this was asked last.
    pub(super) fn take(&self) -> Vec<PlanRun> {
        std::mem::take(&mut *lock(&self.plans))
    }
}

#[async_trait]
impl Store for Notebook {
    async fn turn(&self, session: &str) -> Result<TurnPermit> {
        self.conversation.turn(session).await
    }

    async fn begin_write(&self, write: &Write) -> Result<bool> {
        self.conversation.begin_write(write).await
    }

    async fn end_write(&self, token: &str, end: WriteEnd) -> Result<()> {
        self.conversation.end_write(token, end).await
    }

    async fn untold(&self, session: &str) -> Result<Vec<Untold>> {
        self.conversation.untold(session).await
    }

    async fn told(&self, tokens: &[String]) -> Result<()> {
        self.conversation.told(tokens).await
    }

    async fn session(&self, id: &str) -> Result<Session> {
        self.conversation.session(id).await
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<()> {
        self.conversation.save_session(id, session).await
    }

    fn runs(&self) -> Option<Arc<dyn RunLog>> {
        Some(Arc::<MemoryRuns>::clone(&self.runs))
    }

    fn append(&self, records: Vec<Record>) {
        let plans = records.into_iter().filter_map(|record| match record.event {
            Event::PlanEvent(run) => Some(run),
            _ => None,
        });
        lock(&self.plans).extend(plans);
    }

    async fn flush(&self) -> Result<()> {
        Ok(())
    }

    async fn events(&self, filter: &Filter, limit: usize) -> Result<Vec<Record>> {
        self.conversation.events(filter, limit).await
    }

    async fn page(&self, filter: &Filter, from: u64, limit: usize) -> Result<Page> {
        self.conversation.page(filter, from, limit).await
    }

    async fn save_labels(&self, labels: &[Label]) -> Result<()> {
        self.conversation.save_labels(labels).await
    }

    async fn labels(&self, pack: &str, from: u64, limit: usize) -> Result<LabelPage> {
        self.conversation.labels(pack, from, limit).await
    }

    async fn forget(&self, session: &str) -> Result<Forgotten> {
        self.conversation.forget(session).await
    }
}
