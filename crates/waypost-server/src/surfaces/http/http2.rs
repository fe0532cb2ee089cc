//! Connections of HTTP/2, which gRPC needs, too: many requests at once, under the limits of every connection.
//!
//! A client that ends its side of such a connection has left; there is no half of it that goes on listening. One
//! that vanished without a word is found out by pings.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router as App;
use axum::http::HeaderValue;
use axum::http::header::HOST;
use axum::response::{IntoResponse, Response};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::client::Client;
use super::problem::Problem;
use super::{Limits, WATCHED};

/// The first bytes of HTTP/2 (RFC 9113, 3.4): no request of HTTP/1.1 begins so.
const PREFACE: &[u8] = b"PRI ";
/// The pause before a beginning that is not whole is looked at again.
const PAUSE: Duration = Duration::from_millis(5);
/// The largest head, in bytes, as over HTTP/1.1.
const MAX_HEAD_BYTES: u32 = 32 * 1024;
/// The requests of one connection at once. Turns have a limit of their own.
const MAX_STREAMS: u32 = 100;
/// The time after which a connection that shows no life is pinged.
const PING: Duration = Duration::from_secs(15);

/// Returns whether a client begins as HTTP/2 does; nothing of what it sent is taken.
///
/// # Errors
///
/// If the connection is broken.
pub(super) async fn is_asked(stream: &TcpStream) -> io::Result<bool> {
    let mut first = [0; PREFACE.len()];
    loop {
        let sent = stream.peek(&mut first).await?;
        if sent == PREFACE.len() || !PREFACE.starts_with(&first[..sent]) || sent == 0 {
            return Ok(first == PREFACE);
        }
        // What is there is told at once, again and again: only time brings the rest.
        tokio::time::sleep(PAUSE).await;
    }
}

/// Serves a connection of HTTP/2 until it ends, is idle for too long, has to give way, or `stop`.
pub(super) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    app: App,
    limits: Limits,
    stop: CancellationToken,
    client: Arc<Client>,
) {
    client.asks_many();
    let spare = client.is_spare();
    let app = TowerToHyperService::new(app);
    let (served, asked) = (Arc::clone(&client), Arc::new(AtomicU64::new(0)));
    let count = Arc::clone(&asked);
    let service = service_fn(move |mut request: Request<Incoming>| {
        count.fetch_add(1, Ordering::Relaxed);
        let crowded = spare && !WATCHED.contains(&request.uri().path());
        name_host(&mut request);
        request.extensions_mut().insert(Arc::clone(&served));
        let answer = (!crowded).then(|| app.call(request));
        Arc::clone(&served).served(async move {
            match answer {
                Some(answer) => answer.await,
                None => Ok::<Response, _>(Problem::crowded(limits.connections).into_response()),
            }
        })
    });
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEAD_BYTES)
        .max_concurrent_streams(if spare { 1 } else { MAX_STREAMS })
        .keep_alive_interval(PING)
        .keep_alive_timeout(limits.write)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // A connection that breaks is its client's affair.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = client.gives_way() => {
            if client.is_idle() {
                return;
            }
        }
        () = idle(&client, &asked, limits.head) => return,
        () = stop.cancelled() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// Waits until nothing was asked for `patience` and nothing is served; at most twice as long.
async fn idle(client: &Client, asked: &AtomicU64, patience: Duration) {
    let mut before = None;
    loop {
        tokio::time::sleep(patience).await;
        let now = client.is_idle().then(|| asked.load(Ordering::Relaxed));
        if now.is_some() && now == before {
            return;
        }
        before = now;
    }
}

/// Gives a request the header that says for whom it is, as HTTP/1.1 has it: HTTP/2 says it elsewhere. Two that
/// differ stay two, and are refused.
fn name_host(request: &mut Request<Incoming>) {
    let Some(authority) = request.uri().authority() else { return };
    let Ok(host) = HeaderValue::from_str(authority.as_str()) else { return };
    if request.headers().get(HOST) != Some(&host) {
        request.headers_mut().append(HOST, host);
    }
}
