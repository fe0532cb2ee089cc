//! A tool server of one's own: tools that run in this process instead of behind MCP, what they say
//! when something is not there, and what the router makes of one that fails.
//!
//! `cargo run -p waypost-examples --bin own_tool_server`
#![expect(clippy::print_stdout, reason = "it is a program that prints")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::ports::tools::{Hints, ToolDescription, ToolResult, ToolServer};
use waypost::router::{Parts, Router};
use waypost::{Code, Error, Result};
use waypost_examples::{ask, parts};

/// Opening hours as a program has them at hand. The first call fails, as a database that just began
/// to run does.
#[derive(Debug, Default)]
struct Hours {
    calls: AtomicUsize,
}

#[async_trait]
impl ToolServer for Hours {
    async fn list(&self, _: &CancellationToken) -> Result<Vec<ToolDescription>> {
        Ok(vec![ToolDescription {
            name: "hours".to_owned(),
            description: "Opening hours of a branch of the library.".to_owned(),
            input_schema: json!({ "type": "object", "required": ["branch"] }),
            output_schema: None,
            // Without this it would be taken for a write, and asked for approval.
            hints: Hints { read_only: Some(true), ..Hints::default() },
        }])
    }

    async fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Json>,
        cancel: &CancellationToken,
    ) -> Result<ToolResult> {
        // A user who left waits for nothing: work that takes longer selects on `cancel`.
        if cancel.is_cancelled() {
            return Err(Error::new(Code::Cancelled, "the request was stopped"));
        }
        // The router tries again, and this never does: two of them would try four times.
        if self.calls.fetch_add(1, Ordering::Relaxed) == 0 {
            return Err(Error::unavailable("the opening hours are being loaded"));
        }
        let text = |name: &str| arguments.get(name).and_then(Json::as_str).unwrap_or_default();
        let (branch, date) = (text("branch"), text("date"));
        println!("  called: {tool} {branch} {date}");
        if date.ends_with("-12-25") {
            // A code for the router; what a user reads is the router's, in the user's language.
            return Err(Error::new(Code::NotFound, "there are no opening hours of that day"));
        }
        let to = if branch == "harbor" { "18:00" } else { "20:30" };
        Ok(json!({ "branch": branch, "date": date, "from": "09:00", "to": to }).into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let hours = Arc::new(Hours::default());
    let tools: Arc<dyn ToolServer> = Arc::<Hours>::clone(&hours);
    // By the name that the pack gives the server of its tools.
    let servers = BTreeMap::from([("desk".to_owned(), tools)]);
    let router = Router::new(Parts { servers, ..parts().await? });
    for text in ["is the harbor branch open tomorrow?", "is the central branch open on 2025-12-25?"]
    {
        println!("> {text}");
        let answer = ask(&router, "ada", text).await?;
        println!("{} ({})", answer.text, answer.mode);
    }
    println!("calls: {}", hours.calls.load(Ordering::Relaxed));
    Ok(())
}
