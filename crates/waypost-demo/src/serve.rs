//! The ways in: standard streams, any pair of streams, and streamable HTTP.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::any;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::fault::Fault;
use crate::options::DemoOptions;
use crate::pack::{self, NAMES, Pack};
use crate::server::Server;

/// The bytes that `garbage` sends instead of a reply: neither JSON nor, because of the first one,
/// UTF-8.
const GARBAGE: &[u8] = b"\xff\x00{\"jsonrpc\": <<< this is not JSON-RPC >>>\n";

/// The longest line that `garbage` reads before it answers, in bytes; more is cut off.
const LONGEST_LINE: u64 = 4 << 20;

/// The time that calls under way may still take after a shutdown; a hanging one would never end.
const GRACE: Duration = Duration::from_secs(2);

/// The reason why a sample server could not run, as a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Serves `pack` on stdin and stdout until stdin ends. Nothing else may write to stdout.
///
/// # Errors
///
/// If no such pack exists, or the client's first message is not a handshake.
pub async fn serve_stdio(pack: &str, options: DemoOptions) -> Result<(), Error> {
    serve_stream(pack, options, tokio::io::stdin(), tokio::io::stdout()).await
}

/// Serves `pack` on any two streams, one JSON-RPC message a line, until `input` ends.
///
/// # Errors
///
/// As [`serve_stdio`].
pub async fn serve_stream<I, O>(
    pack: &str,
    options: DemoOptions,
    input: I,
    output: O,
) -> Result<(), Error>
where
    I: AsyncRead + Send + Unpin + 'static,
    O: AsyncWrite + Send + Unpin + 'static,
{
    let pack = find(pack)?;
    if options.fault == Some(Fault::Garbage) {
        return answer_garbage(input, output)
            .await
            .map_err(|error| Error { message: format!("the streams broke: {error}") });
    }
    let running = match Server::new(pack, options).serve((input, output)).await {
        Ok(running) => running,
        // The client left before it said anything, which is its right.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Error { message: format!("the handshake failed: {error}") }),
    };
    running
        .waiting()
        .await
        .map(|_| ())
        .map_err(|error| Error { message: format!("the server broke off: {error}") })
}

/// Serves `pack` over streamable HTTP at `/mcp` until `shutdown` completes.
///
/// It keeps no sessions and answers in JSON. Only requests that name a loopback host, and come
/// from no web page or a loopback one, are answered, whatever address `listener` is bound to.
/// Calls under way at the shutdown have two seconds to end.
///
/// # Errors
///
/// If no such pack exists, or the listener fails.
pub async fn serve_http(
    pack: &str,
    options: DemoOptions,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<(), Error> {
    let router = router(find(pack)?, options);
    let stop = CancellationToken::new();
    let serving =
        axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned());
    let stopping = async {
        shutdown.await;
        stop.cancel();
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        served = serving.into_future() => {
            served.map_err(|error| Error { message: format!("the listener failed: {error}") })
        }
        () = stopping => Ok(()),
    }
}

fn router(pack: &'static Pack, options: DemoOptions) -> Router {
    if options.fault == Some(Fault::Garbage) {
        let garbage = || async { ([(CONTENT_TYPE, "application/json")], GARBAGE) };
        return Router::new().route("/mcp", any(garbage));
    }
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]);
    let server = Server::new(pack, options);
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    Router::new().route_service("/mcp", service)
}

fn find(name: &str) -> Result<&'static Pack, Error> {
    pack::find(name).ok_or_else(|| Error {
        message: format!("no pack `{name}` has a sample server; choose {}", NAMES.join(", ")),
    })
}

/// Answers each line of `input` with [`GARBAGE`].
async fn answer_garbage(
    input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> std::io::Result<()> {
    use tokio::io::AsyncReadExt;
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    while (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line).await? > 0 {
        line.clear();
        output.write_all(GARBAGE).await?;
        output.flush().await?;
    }
    Ok(())
}
