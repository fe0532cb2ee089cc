//! The options of a sample server: the present moment, the fault, the log.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use crate::fault::Fault;

/// The options of a sample server. Time is a value here, so that tests need no clock.
#[derive(Debug, Clone)]
pub struct DemoOptions {
    /// The day that counts as today: the synthetic data end the day before.
    pub today: jiff::civil::Date,
    /// The present moment, for calls that name none. It stays the same while the server runs.
    pub now: jiff::Zoned,
    /// The fault to play, if any.
    pub fault: Option<Fault>,
    /// The log that gets a line about each call.
    pub log: Log,
    /// The journal that gets a line when a call begins and one when it ends or is cancelled, to count what was done.
    pub journal: Log,
}

impl DemoOptions {
    /// No fault, the log on stderr, and today as `now` has it in its own time zone.
    pub fn at(now: jiff::Zoned) -> Self {
        Self { today: now.date(), now, fault: None, log: Log::stderr(), journal: Log::none() }
    }
}

/// Takes one line (without its end) for each call.
#[derive(Clone)]
pub struct Log(Arc<dyn Fn(&str) + Send + Sync>);

impl Log {
    /// A log that hands each line to `write`, which may be called from several threads at once.
    pub fn new(write: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(write))
    }

    /// A log on stderr. Stdout belongs to the protocol.
    pub fn stderr() -> Self {
        Self::new(|line| {
            // A closed stderr must not end the server: the line is lost, the call is not.
            let _ = writeln!(std::io::stderr(), "{line}");
        })
    }

    /// A log that appends each line to a file; what cannot be written is lost.
    pub fn file(file: std::fs::File) -> Self {
        // One write a line: several processes may have the file.
        Self::new(move |line| drop((&file).write_all(format!("{line}\n").as_bytes())))
    }

    /// A log that keeps nothing.
    pub fn none() -> Self {
        Self::new(|_| {})
    }

    pub(crate) fn line(&self, line: &str) {
        (self.0)(line);
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}
