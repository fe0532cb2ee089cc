//! A reader of server-sent events as model servers send them: one `data:` line an event, the last
//! one `[DONE]`.
//!
//! Bytes are decoded by whole lines, so a character may be split over two network packets.

use std::collections::VecDeque;

/// The longest line, in bytes: an event carries a few tokens, not a document.
const MAX_LINE: usize = 256 * 1024;
/// The longest stream, in bytes: an event of one token has some 250 bytes around it.
const MAX_STREAM: usize = 16 * 1024 * 1024;

/// The content of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// Data, most likely JSON.
    Data(String),
    /// The stream is complete.
    Done,
}

/// The error of a stream that is longer than anyone needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong;

/// Turns bytes into events.
#[derive(Debug, Default)]
pub(super) struct Reader {
    line: Vec<u8>,
    total: usize,
    events: VecDeque<Event>,
}

impl Reader {
    /// Takes bytes as they come from the network.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        self.total += bytes.len();
        if self.total > MAX_STREAM {
            return Err(TooLong);
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + part.len() > MAX_LINE {
                return Err(TooLong);
            }
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.end_line();
            }
        }
        Ok(())
    }

    /// Returns the next event, if a whole one has come.
    pub(super) fn next(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Takes the last line where the server did not end it; returns whether an event is left.
    pub(super) fn finish(&mut self) -> bool {
        self.end_line();
        !self.events.is_empty()
    }

    fn end_line(&mut self) {
        let line = String::from_utf8_lossy(&self.line);
        if let Some(data) = line.trim_end_matches(['\r', '\n']).strip_prefix("data:") {
            match data.trim() {
                "" => {}
                "[DONE]" => self.events.push_back(Event::Done),
                data => self.events.push_back(Event::Data(data.to_owned())),
            }
        }
        self.line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stream: &str, size: usize) -> Vec<Event> {
        let mut reader = Reader::default();
        for bytes in stream.as_bytes().chunks(size) {
            reader.push(bytes).unwrap();
        }
        reader.finish();
        std::iter::from_fn(|| reader.next()).collect()
    }

    #[test]
    fn events_are_the_same_however_the_network_cuts_them() {
        let stream =
            ": ping\n\ndata: {\"a\":\"潮汐\"}\n\nevent: x\r\ndata:{\"b\":1}\r\n\r\ndata: [DONE]";
        let events = vec![
            Event::Data("{\"a\":\"潮汐\"}".to_owned()),
            Event::Data("{\"b\":1}".to_owned()),
            Event::Done,
        ];
        for size in 1..stream.len() {
            assert_eq!(read(stream, size), events, "packets of {size}");
        }
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut reader = Reader::default();
        let outcome = (0..100).try_for_each(|_| reader.push(&[b'x'; 10_000]));
        assert_eq!(outcome, Err(TooLong));
    }

    #[test]
    fn a_stream_without_end_is_refused() {
        let mut reader = Reader::default();
        let lines = "data: x\n".repeat(1000);
        let outcome = (0..10_000).try_for_each(|_| {
            let outcome = reader.push(lines.as_bytes());
            while reader.next().is_some() {}
            outcome
        });
        assert_eq!(outcome, Err(TooLong));
    }
}
