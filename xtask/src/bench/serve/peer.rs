//! The peer: the HTTP of `waypost serve` with nothing behind it. It waits as long as a decision
//! takes and returns the bytes of the real answer, in a process of its own, as the real server has
//! one.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, hint};

use anyhow::{Context, Result};
use axum::Router as App;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;

use super::PATH;

/// The argument that makes this program the peer.
pub(super) const FLAG: &str = "--peer";
/// The header of a request that says how long its decision takes, in nanoseconds. The real server
/// is sent it, too, and does not know it.
pub(super) const WAIT: &str = "bench-wait";

/// The answer to each body.
type Answers = BTreeMap<Bytes, Bytes>;

/// A peer that runs until it is dropped.
#[derive(Debug)]
pub(super) struct Peer {
    child: Child,
    pub(super) address: SocketAddr,
}

impl Peer {
    /// Starts a peer that knows the answer to each body.
    pub(super) fn start(answers: &BTreeMap<String, String>) -> Result<Self> {
        let mut child = Command::new(env::current_exe()?)
            .args(["bench", "serve", FLAG])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the peer could not be started")?;
        let input = child.stdin.as_mut().context("the peer has no input")?;
        writeln!(input, "{}", serde_json::to_string(answers)?)?;
        let mut line = String::new();
        let output = child.stdout.as_mut().context("the peer has no output")?;
        BufReader::new(output).read_line(&mut line)?;
        let address = line.trim().parse().context("the peer does not say where it listens")?;
        Ok(Self { child, address })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input ends it, so that it does not outlive a bench that is killed.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Runs as the peer: reads the answers in one line, says where it listens, serves until its input
/// ends.
pub(super) fn serve() -> Result<()> {
    let mut input = io::stdin().lock();
    let mut line = String::new();
    input.read_line(&mut line)?;
    let answers: BTreeMap<String, String> = serde_json::from_str(&line)?;
    let bytes = answers.into_iter().map(|(body, answer)| (body.into(), answer.into()));
    let app = app(bytes.collect());
    // A thread for each core, as `waypost serve` has.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
    crate::bench::print(&listener.local_addr()?.to_string());
    runtime.spawn(accept(listener, app));
    io::copy(&mut input, &mut io::sink())?;
    Ok(())
}

fn app(answers: Answers) -> App {
    App::new().route(PATH, post(answer)).with_state(Arc::new(answers))
}

/// Without the real server's limits: a client that is slow is no part of this.
async fn accept(listener: TcpListener, app: App) {
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(app.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), service);
        tokio::spawn(connection);
    }
}

async fn answer(State(answers): State<Arc<Answers>>, headers: HeaderMap, body: Bytes) -> Response {
    let started = Instant::now();
    let wait = headers.get(WAIT).and_then(|value| value.to_str().ok()?.parse().ok());
    let (Some(wait), Some(answer)) = (wait.map(Duration::from_nanos), answers.get(&body)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    while started.elapsed() < wait {
        hint::spin_loop();
    }
    ([(CONTENT_TYPE, "application/json")], answer.clone()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::serve::client::{Connection, Exchange, post};

    #[test]
    fn an_answer_other_than_the_one_that_is_wanted_is_a_fault() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let faults = runtime.block_on(async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            let address = listener.local_addr().unwrap();
            let answers = Answers::from([("{}".into(), "[1]".into())]);
            tokio::spawn(accept(listener, app(answers)));
            let mut faults = Vec::new();
            for (body, wanted) in [("{}", "[1]"), ("{}", "[2]"), ("[]", "[1]")] {
                let exchange =
                    Exchange { sent: post(PATH, (WAIT, "0"), body), wanted: wanted.into() };
                let mut connection = Connection::open(address).await.unwrap();
                // The second time on the same connection.
                let twice =
                    [connection.exchange(&exchange).await, connection.exchange(&exchange).await];
                faults.push(twice.map(|it| it.err().map(|fault| fault.to_string())));
            }
            faults
        });
        assert_eq!(faults[0], [None, None]);
        for (faults, why) in [(&faults[1], "not what is decided"), (&faults[2], "404")] {
            assert!(faults.iter().all(|it| it.as_ref().is_some_and(|it| it.contains(why))));
        }
    }
}
