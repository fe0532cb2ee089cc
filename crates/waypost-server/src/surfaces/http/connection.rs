//! Accepts connections: bounds their number and the patience with slow clients, and ends them when
//! the server stops.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router as App;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;
use tokio_util::sync::CancellationToken;

use super::Limits;

/// The most connections at once; more of them wait to be accepted.
const CONNECTIONS: u32 = 1024;
/// The largest head, in bytes.
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// The pause after a connection that could not be accepted: where files are used up, trying again
/// at once would only burn the processor.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    places: Arc<Semaphore>,
    limits: Limits,
}

impl Connections {
    pub(super) fn new(limits: Limits) -> Self {
        Self { places: Arc::new(Semaphore::new(CONNECTIONS as usize)), limits }
    }

    /// Serves whoever comes until `stop`; answers that have begun then go on.
    pub(super) async fn accept(&self, listener: TcpListener, app: App, stop: &CancellationToken) {
        let accepting = async {
            loop {
                // The semaphore is never closed.
                let Ok(place) = Arc::clone(&self.places).acquire_owned().await else { return };
                match listener.accept().await {
                    Ok((stream, _)) => {
                        let (app, stop) = (app.clone(), stop.clone());
                        tokio::spawn(serve(stream, app, self.limits, stop, place));
                    }
                    Err(error) => {
                        tracing::warn!("a connection could not be accepted: {error}");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = accepting => {}
        }
    }

    /// Waits until all have ended.
    pub(super) async fn ended(&self) {
        let _ = self.places.acquire_many(CONNECTIONS).await;
    }
}

async fn serve(
    stream: TcpStream,
    app: App,
    limits: Limits,
    stop: CancellationToken,
    _place: OwnedSemaphorePermit,
) {
    // Events are small and should leave at once.
    let _ = stream.set_nodelay(true);
    let io = TokioIo::new(Patient { stream, patience: limits.write, waiting: None });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(io, TowerToHyperService::new(app));
    let mut connection = std::pin::pin!(connection);
    // A connection that breaks is its client's affair.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// A stream whose writes fail when nobody reads them for too long.
struct Patient {
    stream: TcpStream,
    patience: Duration,
    /// The end of the patience with a write that waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    /// Returns what a write came to, or an error at the end of patience.
    fn patiently<T>(
        &mut self,
        context: &mut Context<'_>,
        write: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if write.is_ready() {
            self.waiting = None;
            return write;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.patiently(context, write)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.patiently(context, write)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
