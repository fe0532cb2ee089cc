//! A reply that comes in pieces, as a stream that ends at the first error.

use futures_util::stream::{self, BoxStream, StreamExt};
use reqwest::Response;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use waypost_core::Result;

use super::{fault, reasoning, sse, wire};
use crate::bounds::cancelled;

/// The words of `response` as they come; dropping the stream drops the connection.
pub(super) fn pieces(
    response: Response,
    deadline: Instant,
    cancel: CancellationToken,
) -> BoxStream<'static, Result<String>> {
    let reading = Reading {
        response,
        deadline,
        cancel,
        events: sse::Reader::default(),
        filter: reasoning::Filter::default(),
        complete: false,
        ended: false,
    };
    stream::unfold(reading, |mut reading| async move {
        let next = reading.next().await.transpose()?;
        reading.ended |= next.is_err();
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
    /// The server said that this was all; the rest of the stream does not count.
    complete: bool,
    /// Nothing more will be returned.
    ended: bool,
}

impl Reading {
    /// The next words, or none at the end.
    async fn next(&mut self) -> Result<Option<String>> {
        while !self.ended {
            let text = match self.events.next() {
                Some(sse::Event::Data(data)) => {
                    let piece = wire::piece(&data)?;
                    self.complete |= piece.last;
                    self.filter.push(&piece.text)
                }
                Some(sse::Event::Done) => self.end(),
                None => self.read().await?,
            };
            if !text.is_empty() {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// Waits for bytes; at their end returns the words that were held back.
    async fn read(&mut self) -> Result<String> {
        let chunk = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(cancelled()),
            () = tokio::time::sleep_until(self.deadline) => return Err(fault::SERVER.late()),
            chunk = self.response.chunk() => chunk.map_err(|error| fault::SERVER.transport(&error))?,
        };
        match chunk {
            Some(bytes) => self.events.push(&bytes).map_err(|_| fault::SERVER.too_long())?,
            None if self.events.finish() => {}
            None if self.complete => return Ok(self.end()),
            None => return Err(fault::broken_off()),
        }
        Ok(String::new())
    }

    fn end(&mut self) -> String {
        self.ended = true;
        self.filter.finish()
    }
}
