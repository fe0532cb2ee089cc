//! What the programs in `src/bin` share, so that each shows one thing: the pack, the tools of a
//! library desk, and a router over both. `router_in_forty_lines.rs` uses none of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value as Json, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use waypost::pack::Pack;
use waypost::ports::tools::{Hints, ToolDescription, ToolResult, ToolServer};
use waypost::records::answer::Answer;
use waypost::records::request::Request;
use waypost::records::rollout::Rollout;
use waypost::router::{AnswerOptions, Parts, Router};
use waypost::student::heads::train_student;
use waypost::{Error, Result};
use waypost_backends::clock::SystemClock;
use waypost_backends::retrieval::Bm25Index;
use waypost_backends::stores::MemoryStore;

/// The instant of every question: a program reads it from its clock.
pub const NOW: &str = "2025-11-06T09:00:00+01:00";

/// The parts of a router over the pack of this folder: its tools answer in this process, and what it
/// remembers ends with the process. A program replaces the part that it is about.
///
/// # Errors
///
/// `INVALID_ARGUMENT` with every fault of the pack, if it has any.
pub async fn parts() -> Result<Parts> {
    let files = BTreeMap::from([
        ("pack.yaml".to_owned(), include_str!("../pack/pack.yaml").to_owned()),
        ("examples.jsonl".to_owned(), include_str!("../pack/examples.jsonl").to_owned()),
    ]);
    let pack = Pack::load(&files).map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        Error::invalid(faults.join("\n"))
    })?;
    let student = train_student(&pack, None, &mut |_| {})?;
    let desk: Arc<dyn ToolServer> = Arc::new(Desk);
    Ok(Parts {
        bundle: Arc::new(student).into(),
        models: BTreeMap::new(),
        servers: BTreeMap::from([("desk".to_owned(), desk)]),
        encoder: None,
        retriever: Arc::new(Bm25Index::open(pack.documents.clone()).await?),
        store: Arc::new(MemoryStore::new()),
        clock: Arc::new(SystemClock::new()),
        rollout: Rollout::default(),
        recall: None,
        pack: Arc::new(pack),
    })
}

/// Asks in a conversation at [`NOW`].
///
/// # Errors
///
/// As [`Router::answer`].
pub async fn ask(router: &Router, session: &str, text: &str) -> Result<Answer> {
    let request = Request {
        session: Some(session.to_owned()),
        now: Some(NOW.to_owned()),
        ..Request::new(text)
    };
    // Nobody reads the pieces here: a receiver that is gone stops nothing.
    let (out, _) = mpsc::channel(1);
    router.answer(&request, AnswerOptions::default(), &out, &CancellationToken::new()).await
}

/// The tools of the library desk.
#[derive(Debug)]
pub struct Desk;

#[async_trait]
impl ToolServer for Desk {
    async fn list(&self, _: &CancellationToken) -> Result<Vec<ToolDescription>> {
        // What it does to the world is said here; the pack declares the rest.
        let hints = Hints { read_only: Some(true), ..Hints::default() };
        Ok(vec![ToolDescription { name: "hours".to_owned(), hints, ..ToolDescription::default() }])
    }

    async fn call(
        &self,
        _: &str,
        arguments: &Map<String, Json>,
        _: &CancellationToken,
    ) -> Result<ToolResult> {
        let [branch, date] = ["branch", "date"].map(|name| &arguments[name]);
        Ok(json!({ "branch": branch, "date": date, "from": "09:00", "to": "20:30" }).into())
    }
}
