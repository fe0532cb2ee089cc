//! Reads the events of a streamed answer, none larger than a message may be.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use reqwest::Response;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::{Sse, SseStream};

use super::super::greeting;
use super::super::reply::{self, Asked};

/// The events of an answer. One of more than `most` bytes ends them, and sets `oversized`.
pub(super) fn events(
    response: Response,
    most: usize,
    oversized: Arc<AtomicBool>,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let mut room = Room { most, event: 0, line: 0 };
    let bytes = response.bytes_stream().map(move |chunk| {
        // The address may be private.
        let chunk = chunk.map_err(|error| io::Error::other(error.without_url()))?;
        if room.takes(&chunk) {
            return Ok(chunk);
        }
        oversized.store(true, Ordering::Relaxed);
        Err(io::Error::other("an event is too large"))
    });
    SseStream::from_bytes_stream(bytes).boxed()
}

/// The same events, with their messages as JSON-RPC has them. `asked` is the request that the stream answers, and `greeting`
/// the one that is answered by a greeting.
pub(super) fn repaired(
    events: BoxStream<'static, Result<Sse, SseError>>,
    asked: Asked,
    greeting: Option<RequestId>,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let several = move |event: Result<Sse, SseError>| {
        let events = match event {
            Ok(event) => {
                messages_of(event, &asked, greeting.as_ref()).into_iter().map(Ok).collect()
            }
            Err(error) => vec![Err(error)],
        };
        stream::iter(events)
    };
    events.flat_map(several).boxed()
}

/// The events of the messages of an event. One without a message passes, because it may say where the stream goes on.
fn messages_of(event: Sse, asked: &Asked, greeting: Option<&RequestId>) -> Vec<Sse> {
    let data = event.data.as_deref().unwrap_or_default();
    let messages = reply::messages(data.as_bytes(), asked).into_iter();
    let messages = messages.map(|message| greeting::read(message, greeting));
    let texts: Vec<String> =
        messages.filter_map(|message| serde_json::to_string(&message).ok()).collect();
    if texts.is_empty() {
        return vec![event];
    }
    let bare = Sse { data: None, ..event };
    texts.into_iter().map(|text| Sse { data: Some(text), ..bare.clone() }).collect()
}

/// The room that an event takes.
#[derive(Debug)]
struct Room {
    most: usize,
    event: usize,
    line: usize,
}

impl Room {
    /// Counts new bytes; returns whether the event that they are of is still small enough.
    fn takes(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            match byte {
                b'\r' => {}
                b'\n' if self.line == 0 => self.event = 0,
                b'\n' => self.line = 0,
                _ => {
                    self.line += 1;
                    self.event += 1;
                }
            }
            if self.event > self.most {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_bounded_and_a_stream_is_not() {
        let room = || Room { most: 10, event: 0, line: 0 };
        let mut stream = room();
        assert!((0..100).all(|_| stream.takes(b"data: 1\r\n\r\n: ping\n\n")));
        assert!(!room().takes(b"data: 1\ndata: 2\n\n"));
        let mut split = room();
        assert!(split.takes(b"data: ") && split.takes(b"1234") && !split.takes(b"5"));
    }
}
