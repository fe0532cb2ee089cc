//! A reply that comes in pieces, as a stream that ends at the first error.
//!
//! The count of tokens comes behind the last words, from the servers that send it. It is waited for
//! only shortly, and nothing that goes wrong there is a fault of the reply, which is whole by then.

use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use reqwest::Response;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use waypost_core::Result;
use waypost_core::ports::model::{Cut, Piece, Pieces, Usage};

use super::wire::End;
use super::{fault, reasoning, sse, wire};
use crate::bounds::cancelled;

/// The longest wait for what comes behind the last words: a server that counts sends it at once.
const LAST_WAIT: Duration = Duration::from_millis(500);

/// The words of `response` as they come, without what `filter` takes out; dropping the stream drops the connection.
pub(super) fn pieces(
    response: Response,
    filter: reasoning::Filter,
    deadline: Instant,
    cancel: CancellationToken,
) -> Pieces {
    let reading = Reading {
        response,
        deadline,
        cancel,
        events: sse::Reader::default(),
        filter,
        usage: None,
        cut: None,
        complete: false,
        ended: false,
    };
    stream::unfold(reading, |mut reading| async move {
        let next = reading.next().await.transpose()?;
        if next.is_err() {
            reading.ended = true;
            reading.usage = None;
            reading.cut = None;
        }
        Some((next, reading))
    })
    .boxed()
}

struct Reading {
    response: Response,
    deadline: Instant,
    cancel: CancellationToken,
    events: sse::Reader,
    filter: reasoning::Filter,
    /// The tokens of the call, as they were told last.
    usage: Option<Usage>,
    /// The reason why the words end early, if they do.
    cut: Option<Cut>,
    /// The server said that these were the last words.
    complete: bool,
    /// No more words will be returned.
    ended: bool,
}

impl Reading {
    /// The next piece, or none at the end.
    async fn next(&mut self) -> Result<Option<Piece>> {
        while !self.ended {
            let text = match self.events.next() {
                Some(sse::Event::Data(data)) => self.take(&data)?,
                Some(sse::Event::Done) => self.end(),
                None => self.read().await?,
            };
            if !text.is_empty() {
                return Ok(Some(Piece::Words(text)));
            }
        }
        let cut = self.cut.take().map(Piece::Cut);
        Ok(cut.or_else(|| self.usage.take().map(Piece::Usage)))
    }

    /// Takes an event, and returns the words that can be shown with it.
    fn take(&mut self, data: &str) -> Result<String> {
        let piece = match wire::piece(data) {
            Ok(piece) => piece,
            Err(_) if self.complete => return Ok(self.end()),
            Err(error) => return Err(error),
        };
        self.usage = piece.usage.or(self.usage);
        if piece.end != End::Open && !self.complete {
            if piece.end == End::Broken {
                return Err(fault::broken_off());
            }
            self.complete = true;
            self.cut = piece.end.cut();
            self.deadline = self.deadline.min(Instant::now() + LAST_WAIT);
        }
        Ok(self.filter.push(&piece.text))
    }

    /// Waits for bytes; at their end returns the words that were held back.
    async fn read(&mut self) -> Result<String> {
        let chunk = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(cancelled()),
            () = tokio::time::sleep_until(self.deadline) => Err(fault::SERVER.late()),
            chunk = self.response.chunk() => chunk.map_err(|error| fault::SERVER.transport(&error)),
        };
        match chunk {
            Ok(Some(bytes)) if self.events.push(&bytes).is_ok() => Ok(String::new()),
            Ok(None) if self.events.finish() => Ok(String::new()),
            _ if self.complete => Ok(self.end()),
            Ok(Some(_)) => Err(fault::SERVER.too_long()),
            Ok(None) => Err(fault::broken_off()),
            Err(error) => Err(error),
        }
    }

    fn end(&mut self) -> String {
        self.ended = true;
        self.filter.finish(self.cut.is_some())
    }
}
