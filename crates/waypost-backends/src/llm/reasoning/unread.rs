//! The part of a reply that was not read yet.

/// A text and the place up to which it was read. It moves on without moving the text, because a reply may be megabytes of
/// what looks like marks.
#[derive(Debug, Default)]
pub(super) struct Unread {
    text: String,
    at: usize,
}

impl Unread {
    /// Adds the next piece.
    pub(super) fn push(&mut self, piece: &str) {
        self.text.drain(..self.at);
        self.at = 0;
        self.text.push_str(piece);
    }

    /// What was not read.
    pub(super) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Reads over the first bytes.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Reads the first bytes.
    pub(super) fn take(&mut self, bytes: usize) -> String {
        let taken = self.rest()[..bytes].to_owned();
        self.skip(bytes);
        taken
    }

    /// Reads all that there is.
    pub(super) fn take_all(&mut self) -> String {
        self.take(self.rest().len())
    }
}
