//! The limits of a server.

use std::time::Duration;

/// The limits of a server; `[limits]` of the configuration sets them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Turns under way.
    pub(crate) turns: usize,
    /// Connections at once.
    pub(crate) connections: usize,
    /// The bytes that long bodies hold together while they are read.
    pub(crate) body_bytes: usize,
    /// The time that a client may take for the head of a request, and keep a connection that is
    /// idle.
    pub(crate) head: Duration,
    /// The time that a client may take to send a body.
    pub(crate) body: Duration,
    /// The time that a client may go without taking any of what is sent to it.
    pub(crate) write: Duration,
    /// The time that turns under way may go on after the server was stopped.
    pub(crate) grace: Duration,
    /// The time that the server then takes at most to end.
    pub(crate) last_words: Duration,
    /// The time after which a client that ended its side of the connection, while its turn is under
    /// way, is tried whether it listens.
    pub(crate) silence: Duration,
}
