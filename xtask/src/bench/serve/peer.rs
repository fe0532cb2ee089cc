//! The peer: the HTTP of `waypost serve` with nothing behind it. It waits as long as the work on a
//! request takes and returns as many bytes as the real server, in a process of its own, as the real
//! server has one.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
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

use super::process::Process;

/// The argument that makes this program the peer.
pub(super) const FLAG: &str = "--peer";
/// The header of a request that says how long the work on it takes, in nanoseconds. The real server
/// is sent it, too, and does not know it.
pub(super) const WAIT: &str = "bench-wait";

/// The reply to each body, by the path of the request.
pub(super) type Replies = BTreeMap<String, BTreeMap<String, String>>;

/// The replies at one path.
type Answers = BTreeMap<Bytes, Bytes>;

/// A peer that runs until it is dropped.
#[derive(Debug)]
pub(super) struct Peer {
    _process: Process,
    pub(super) address: SocketAddr,
}

impl Peer {
    /// Starts a peer that has these replies.
    pub(super) fn start(replies: &Replies) -> Result<Self> {
        let mut command = Command::new(env::current_exe()?);
        let told = serde_json::to_string(replies)?;
        let (process, said) = Process::start(command.args(["bench", "serve", FLAG]), &told)?;
        let address = said.trim().parse().context("the peer does not say where it listens")?;
        Ok(Self { _process: process, address })
    }
}

/// Runs as the peer: reads the replies in one line, says where it listens, serves until its input
/// ends.
pub(super) fn serve() -> Result<()> {
    let mut input = io::stdin().lock();
    let mut line = String::new();
    input.read_line(&mut line)?;
    let app = app(serde_json::from_str(&line)?);
    // A thread for each core, as `waypost serve` has.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
    crate::bench::print(&listener.local_addr()?.to_string());
    runtime.spawn(accept(listener, app));
    io::copy(&mut input, &mut io::sink())?;
    Ok(())
}

fn app(replies: Replies) -> App {
    let mut app = App::new();
    for (path, replies) in replies {
        let bytes = replies.into_iter().map(|(body, reply)| (body.into(), reply.into()));
        let answers: Answers = bytes.collect();
        app = app.route(&path, post(answer).with_state(Arc::new(answers)));
    }
    app
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
    use crate::bench::serve::client::{Connection, Exchange, Wanted, post};

    #[test]
    fn an_answer_other_than_the_one_that_is_wanted_is_a_fault() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let faults = runtime.block_on(async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            let address = listener.local_addr().unwrap();
            let reply = |reply: &str| BTreeMap::from([("{}".to_owned(), reply.to_owned())]);
            let replies = [("/a".to_owned(), reply("[1]")), ("/b".to_owned(), reply("[2]"))];
            tokio::spawn(accept(listener, app(Replies::from(replies))));
            let mut faults = Vec::new();
            for (path, body, wanted) in
                [("/a", "{}", "[1]"), ("/b", "{}", "[2]"), ("/a", "{}", "[2]"), ("/a", "[]", "[1]")]
            {
                let sent = post(path, &[(WAIT, "0")], body);
                let exchange = Exchange { sent, wanted: Wanted::exactly(wanted) };
                let mut connection = Connection::open(address).await.unwrap();
                // The second time on the same connection.
                let twice =
                    [connection.exchange(&exchange).await, connection.exchange(&exchange).await];
                faults.push(twice.map(|it| it.err().map(|fault| fault.to_string())));
            }
            faults
        });
        assert_eq!(faults[0], [None, None]);
        assert_eq!(faults[1], [None, None]);
        for (faults, why) in [(&faults[2], "not the one that is wanted"), (&faults[3], "404")] {
            assert!(faults.iter().all(|it| it.as_ref().is_some_and(|it| it.contains(why))));
        }
    }
}
