//! The stream of a connection: patient for a while with a client that takes nothing, and not fooled
//! by one that says nothing more.
//!
//! A client that closes its connection and one that only ends its own side, and goes on listening,
//! look alike: both say that nothing more will come. What is sent to the first is refused by its
//! system, what is sent to the second is not. So while it waits for an answer, a client that fell silent
//! is sent an interim response, which HTTP has everybody pass over; of an answer that comes as
//! events, the events tell.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::Limits;
use super::client::Client;

/// The interim response: a client that expects none passes over it (RFC 9110, 15.2).
const INTERIM: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
/// The time that a system takes at most to refuse what comes for a closed connection.
const ECHO: Duration = Duration::from_millis(200);

/// A stream of a client.
#[derive(Debug)]
pub(super) struct Stream {
    stream: TcpStream,
    client: Arc<Client>,
    limits: Limits,
    /// The end of the patience with a write that waits.
    waiting: Option<Pin<Box<Sleep>>>,
    /// True if something was sent since something was last read: an answer has begun.
    spoken: bool,
    silence: Silence,
    /// True if its bytes are those of TLS, among which no others may be.
    within_tls: bool,
}

/// A client that says nothing more while it waits for an answer.
#[derive(Debug)]
enum Silence {
    /// It may still say something.
    None,
    /// It is sent something when the time has come.
    Noticed(Pin<Box<Sleep>>),
    /// It was sent something, and its system may refuse that until then.
    Asked(Pin<Box<Sleep>>),
    /// It listens.
    Listens,
}

impl Stream {
    pub(super) fn new(stream: TcpStream, client: Arc<Client>, limits: Limits) -> Self {
        let silence = Silence::None;
        Self { stream, client, limits, waiting: None, spoken: false, silence, within_tls: false }
    }

    /// The same under TLS: a client that fell silent is not tried, and is taken to listen.
    pub(super) fn within_tls(self) -> Self {
        Self { within_tls: true, ..self }
    }

    /// Returns what a write came to, or an error at the end of patience.
    fn patiently<T>(
        &mut self,
        context: &mut Context<'_>,
        write: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if write.is_ready() {
            self.waiting = None;
            self.spoken = true;
            return write;
        }
        let patience = self.limits.write;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Finds out whether a client that fell silent still listens: fails if not, else waits.
    fn listens(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            match &mut self.silence {
                Silence::None => {
                    self.client.falls_silent();
                    self.silence = Silence::Noticed(Box::pin(sleep(self.limits.silence)));
                }
                Silence::Noticed(until) => {
                    ready!(until.as_mut().poll(context));
                    self.silence = Silence::Asked(Box::pin(sleep(ECHO)));
                    if !self.spoken && !self.within_tls {
                        // A full buffer is one that somebody was sent much into; it tells later.
                        let _ = Pin::new(&mut self.stream).poll_write(context, INTERIM)?;
                    }
                }
                Silence::Asked(until) => {
                    ready!(until.as_mut().poll(context));
                    self.silence = Silence::Listens;
                    if let Some(refused) = self.stream.take_error()? {
                        return Poll::Ready(Err(refused));
                    }
                }
                Silence::Listens => return Poll::Pending,
            }
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if buffer.filled().len() > before {
            self.spoken = false;
            return Poll::Ready(Ok(()));
        }
        match self.client.waits_for_answer() {
            true => self.listens(context),
            false => Poll::Ready(Ok(())),
        }
    }
}

impl AsyncWrite for Stream {
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
