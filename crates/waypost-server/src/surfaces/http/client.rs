//! A client, as its connection and the turns that it asks for see it: whether it waits for an answer,
//! and whether it has stopped talking.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio_util::sync::CancellationToken;

use super::places::Place;

/// A client that is connected.
#[derive(Debug)]
pub(super) struct Client {
    place: Place,
    /// The number under which it waits for a request to come; 0 while one is served.
    waits: AtomicU64,
    /// The number of requests of it that are served.
    under_way: Mutex<usize>,
    /// True if its connection has many requests at once (HTTP/2).
    many: AtomicBool,
    /// True while it waits for the answer to a request that was read whole.
    heard: AtomicBool,
    /// Fires when it has to give way to others.
    close: CancellationToken,
    /// Fires when it has ended its side of the connection while it waited for an answer.
    silent: CancellationToken,
}

/// A request of a client that is served, until its answer has been handed over.
#[derive(Debug)]
struct Asked(Arc<Client>);

/// The body of an answer, and what is held until its end: with a request, the client is idle again then.
#[derive(Debug)]
struct Holding<T> {
    body: Body,
    _held: T,
}

/// The response, which holds something until it has been handed over.
pub(super) fn holding<T: Send + Unpin + 'static>(response: Response, held: T) -> Response {
    response.map(|body| Body::new(Holding { body, _held: held }))
}

impl Client {
    pub(super) fn new(place: Place) -> Arc<Self> {
        let close = CancellationToken::new();
        let waits = AtomicU64::new(place.idle(close.clone()));
        let (heard, silent) = (AtomicBool::new(false), CancellationToken::new());
        let (under_way, many) = (Mutex::new(0), AtomicBool::new(false));
        Arc::new(Self { place, waits, under_way, many, heard, close, silent })
    }

    /// Returns whether it may ask about the server itself alone.
    pub(super) fn is_spare(&self) -> bool {
        self.place.spare
    }

    /// Returns whether no request of it is served.
    pub(super) fn is_idle(&self) -> bool {
        self.waits.load(Ordering::SeqCst) != 0
    }

    /// Waits until it has to give way to others.
    pub(super) async fn gives_way(&self) {
        self.close.cancelled().await;
    }

    /// Serves a request of it: `answer` makes the response.
    pub(super) async fn served<E>(
        self: Arc<Self>,
        answer: impl Future<Output = Result<Response, E>>,
    ) -> Result<Response, E> {
        let asked = Asked::of(self);
        Ok(holding(answer.await?, asked))
    }

    /// Notes that what it asks was read whole: nothing more has to come from it.
    pub(super) fn note_heard(&self) {
        if !self.many.load(Ordering::SeqCst) {
            self.heard.store(true, Ordering::SeqCst);
        }
    }

    /// Notes that its connection has many requests at once (HTTP/2): to end its side is to leave.
    pub(super) fn asks_many(&self) {
        self.many.store(true, Ordering::SeqCst);
    }

    /// Returns whether it waits for the answer to a request that was read whole.
    pub(super) fn waits_for_answer(&self) -> bool {
        self.heard.load(Ordering::SeqCst)
    }

    /// Notes that it has ended its side of the connection.
    pub(super) fn falls_silent(&self) {
        self.silent.cancel();
    }

    /// Waits until it has ended its side of the connection while it waited for an answer.
    pub(super) async fn silent(&self) {
        self.silent.cancelled().await;
    }
}

impl Asked {
    /// Notes that one more request is served.
    fn of(client: Arc<Client>) -> Self {
        let mut count = client.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if *count == 0 {
            client.place.busy(client.waits.swap(0, Ordering::SeqCst));
        }
        *count += 1;
        drop(count);
        Self(client)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let client = &self.0;
        let mut count = client.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        *count = count.saturating_sub(1);
        if *count == 0 {
            client.heard.store(false, Ordering::SeqCst);
            client.waits.store(client.place.idle(client.close.clone()), Ordering::SeqCst);
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.place.busy(self.waits.load(Ordering::SeqCst));
    }
}

impl<T: Unpin> HttpBody for Holding<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
