//! A router in some forty lines, imports aside: a pack from text, a tool in this process, a question
//! and its answer.
//!
//! `cargo run -p waypost-examples --bin router_in_forty_lines`
#![expect(clippy::print_stdout, reason = "it is a program that prints")]

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use waypost::ports::tools::{Hints, ToolDescription, ToolResult, ToolServer};
use waypost::router::{AnswerOptions, Parts, Router};
use waypost::{Result, pack::Pack, records::request::Request, student::heads::train_student};
use waypost_backends::{clock::SystemClock, retrieval::Bm25Index, stores::MemoryStore};

/// The tools that the pack names, answered by this very program.
#[derive(Debug)]
struct Desk;

#[async_trait]
impl ToolServer for Desk {
    async fn list(&self, _: &CancellationToken) -> Result<Vec<ToolDescription>> {
        let hints = Hints { read_only: Some(true), ..Hints::default() };
        Ok(vec![ToolDescription { name: "hours".to_owned(), hints, ..Default::default() }])
    }

    async fn call(
        &self,
        _: &str,
        given: &Map<String, Value>,
        _: &CancellationToken,
    ) -> Result<ToolResult> {
        let (branch, date) = (&given["branch"], &given["date"]);
        Ok(json!({ "branch": branch, "date": date, "from": "09:00", "to": "20:30" }).into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let files = [
        ("pack.yaml".to_owned(), include_str!("../../pack/pack.yaml").to_owned()),
        ("examples.jsonl".to_owned(), include_str!("../../pack/examples.jsonl").to_owned()),
    ];
    let pack = Pack::load(&files.into()).map_err(|faults| faults[0].to_string())?;
    let router = Router::new(Parts {
        bundle: Arc::new(train_student(&pack, None, &mut |_| {})?).into(),
        models: BTreeMap::new(),
        servers: BTreeMap::from([("desk".to_owned(), Arc::new(Desk) as Arc<dyn ToolServer>)]),
        encoder: None,
        retriever: Arc::new(Bm25Index::open(pack.documents.clone()).await?),
        store: Arc::new(MemoryStore::new()),
        clock: Arc::new(SystemClock::new()),
        rollout: Default::default(),
        recall: None,
        pack: Arc::new(pack),
    });
    let now = Some("2025-11-06T09:00:00+01:00".to_owned());
    let request = Request { now, ..Request::new("is the harbor branch open tomorrow?") };
    let (out, _) = tokio::sync::mpsc::channel(1);
    let cancel = CancellationToken::new();
    let answer = router.answer(&request, AnswerOptions::default(), &out, &cancel).await?;
    println!("{}", answer.text);
    Ok(())
}
