//! Answers while a server starts: its packs may have to train first, which takes seconds, and a supervisor must see that
//! the process lives.
//!
//! `/healthz` says so, and everything else is 503 with the time to come again.

use std::io;
use std::net::TcpListener as Listener;
use std::time::Duration;

use axum::Router as App;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use waypost::Error;

use super::connection::Connections;
use super::endpoints::healthz;
use super::problem::Problem;
use super::{Limits, Tls};
use crate::surfaces::front::apart;

/// The longest wait for the answers that are under way when the server is ready.
const LAST_ANSWERS: Duration = Duration::from_millis(500);

/// Answers on threads of its own until `ready` fires, then ends each connection after the request that it serves.
///
/// # Errors
///
/// If the system gives no threads, or the listener cannot be used.
pub(crate) async fn starting(
    listener: Listener,
    limits: Limits,
    tls: Option<Tls>,
    ready: CancellationToken,
) -> io::Result<()> {
    apart(async move {
        let listener = TcpListener::from_std(listener)?;
        let connections = Connections::new(limits, tls);
        connections.accept(listener, app(), &ready).await;
        // A client that is slow must not hold up the start.
        let _ = tokio::time::timeout(LAST_ANSWERS, connections.ended()).await;
        Ok(())
    })
    .await?
}

fn app() -> App {
    App::new().route("/healthz", get(healthz)).fallback(not_yet)
}

async fn not_yet() -> Problem {
    let error = Error::unavailable("the server is starting");
    Problem::from(&error.with_hint("ask again in a second"))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream};

    use super::*;
    use crate::surfaces::http::tests::LIMITS;

    /// The status and the body of an answer.
    fn asked(address: SocketAddr, path: &str) -> (String, String) {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().to_owned(), body.to_owned())
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_server_that_starts_lives_and_is_not_ready() {
        let listener = Listener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let ready = CancellationToken::new();
        let (same, until) = (listener.try_clone().unwrap(), ready.clone());
        let serving = tokio::spawn(starting(same, LIMITS, None, until));
        let answers = tokio::task::spawn_blocking(move || {
            ["/healthz", "/readyz", "/v1/route"].map(|path| asked(address, path))
        });
        let [health, readiness, route] = answers.await.unwrap();
        assert_eq!(health, ("200".to_owned(), "ok\n".to_owned()));
        assert_eq!((readiness.0.as_str(), route.0.as_str()), ("503", "503"));
        assert!(readiness.1.contains("the server is starting"), "{}", readiness.1);
        ready.cancel();
        serving.await.unwrap().unwrap();
    }
}
