//! aurelio's semantic-router behind FastAPI, in a Python that has both and uvicorn: another router
//! that is asked over HTTP.
//!
//! The Python runs `semantic_router.py`, which says what it is told, what it leaves out, and that
//! this favours it.

use std::net::SocketAddr;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::json;

use super::asked::Asked;
use super::client::{Exchange, Wanted, post};
use super::endpoint::Endpoint;
use super::process::Process;

const SCRIPT: &str = include_str!("semantic_router.py");

/// The path that the script serves.
const PATH: &str = "/route";
/// The beginning of every reply. Which route it is depends on vectors that mean nothing.
const REPLY: &str = r#"{"route":"#;

/// A server that runs until it is dropped.
#[derive(Debug)]
pub(super) struct SemanticRouter {
    _process: Process,
    pub(super) address: SocketAddr,
    /// Its name in the table, with its version.
    pub(super) name: String,
}

/// The line by which it says that it listens.
#[derive(Debug, Deserialize)]
struct Said {
    address: SocketAddr,
    version: String,
}

impl SemanticRouter {
    /// Starts it with the routes of the pack, whose utterances are the pack's examples.
    ///
    /// # Errors
    ///
    /// If the Python does not start or lacks a package; it has said which one.
    pub(super) fn start(python: &str, asked: &Asked) -> Result<Self> {
        let told = serde_json::to_string(&asked.examples())?;
        let (process, said) = Process::start(Command::new(python).args(["-c", SCRIPT]), &told)?;
        let said: Said = serde_json::from_str(&said)
            .with_context(|| format!("semantic-router says `{:.200}`", said.trim_end()))?;
        let name = format!("semantic-router {} behind FastAPI, vectors given", said.version);
        Ok(Self { _process: process, address: said.address, name })
    }
}

/// The questions of [`Endpoint::Route`] as this server takes them.
pub(super) fn exchanges() -> Vec<Exchange> {
    let exchange = |text: &str| Exchange {
        sent: post(PATH, &[], &json!({ "text": text }).to_string()),
        wanted: Wanted::beginning(REPLY, None),
    };
    Endpoint::Route.texts().into_iter().map(exchange).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_where_it_listens_and_what_it_is() {
        let said = r#"{"address": "127.0.0.1:4000", "version": "1.1.1"}"#;
        let said: Said = serde_json::from_str(said).unwrap();
        assert_eq!((said.address.port(), said.version.as_str()), (4000, "1.1.1"));
    }

    #[test]
    fn it_is_asked_what_the_server_is_asked() {
        let sent: Vec<String> =
            exchanges().iter().map(|it| String::from_utf8_lossy(&it.sent).into_owned()).collect();
        for (sent, text) in sent.iter().zip(Endpoint::Route.texts()) {
            assert!(sent.starts_with("POST /route HTTP/1.1\r\n"), "{sent}");
            assert!(sent.ends_with(&format!("\r\n\r\n{{\"text\":\"{text}\"}}")), "{sent}");
        }
    }
}
