//! Watches what a child writes on its standard output: lines that are no messages, and lines that
//! are too long, end the conversation instead of being waited through.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

/// The longest message that is read, in bytes. More than is kept of one: of a larger result the
/// beginning is worth something, and a change that it tells of was made.
pub(super) const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// The number of lines that are tolerated though they are no messages: some servers greet.
const MAX_GARBAGE: usize = 20;

/// The statistics of the wire, shared between its reader and those who wait for answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Wire(Arc<Seen>);

#[derive(Debug, Default)]
struct Seen {
    garbage: AtomicUsize,
    oversized: AtomicBool,
}

impl Wire {
    /// Returns how many lines were no messages.
    pub(super) fn garbage(&self) -> usize {
        self.0.garbage.load(Ordering::Relaxed)
    }

    /// Returns whether there were so many of them that the conversation was ended.
    pub(super) fn is_noise(&self) -> bool {
        self.garbage() > MAX_GARBAGE
    }

    /// Returns whether the conversation was ended because of a line that was too long.
    pub(super) fn is_oversized(&self) -> bool {
        self.0.oversized.load(Ordering::Relaxed)
    }
}

/// A child's standard output under watch.
#[derive(Debug)]
pub(super) struct Guard<R> {
    output: R,
    wire: Wire,
    line: Line,
}

#[derive(Debug, Default)]
struct Line {
    length: usize,
    /// True once its first character has been seen.
    begun: bool,
}

impl<R> Guard<R> {
    pub(super) fn new(output: R, wire: Wire) -> Self {
        Self { output, wire, line: Line::default() }
    }

    /// Looks at new bytes; returns whether the conversation may go on.
    fn look(&mut self, bytes: &[u8]) -> bool {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.length += part.len();
            let first = part.iter().find(|byte| !byte.is_ascii_whitespace());
            if let (false, Some(first)) = (self.line.begun, first) {
                self.line.begun = true;
                // A message is an object; a byte order mark may stand before the first one.
                if !matches!(first, b'{' | b'[' | 0xEF) {
                    self.wire.0.garbage.fetch_add(1, Ordering::Relaxed);
                }
            }
            if self.line.length > MAX_MESSAGE_BYTES {
                self.wire.0.oversized.store(true, Ordering::Relaxed);
                return false;
            }
            if part.ends_with(b"\n") {
                self.line = Line::default();
            }
        }
        !self.wire.is_noise()
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Guard<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.output).poll_read(context, buffer);
        if polled.is_ready() && !self.look(&buffer.filled()[before..]) {
            // An empty read means the end.
            buffer.set_filled(before);
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    async fn read(output: &[u8]) -> (usize, Wire) {
        let wire = Wire::default();
        let mut passed = Vec::new();
        Guard::new(output, wire.clone()).read_to_end(&mut passed).await.unwrap();
        (passed.len(), wire)
    }

    #[tokio::test]
    async fn messages_pass_and_a_greeting_is_counted() {
        let output = b"hello\n{\"a\":1}\n\n {\"b\":2}\r\n";
        let (passed, wire) = read(output).await;
        assert_eq!((passed, wire.garbage(), wire.is_noise()), (output.len(), 1, false));
    }

    #[tokio::test]
    async fn noise_ends_the_conversation() {
        let (_, wire) = read("no message\n".repeat(1000).as_bytes()).await;
        assert!(wire.is_noise() && !wire.is_oversized());
    }

    #[tokio::test]
    async fn a_line_without_end_ends_the_conversation() {
        let (passed, wire) = read("{".repeat(MAX_MESSAGE_BYTES + 2).as_bytes()).await;
        assert!(wire.is_oversized() && passed <= MAX_MESSAGE_BYTES);
    }
}
