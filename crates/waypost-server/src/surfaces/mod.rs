//! Ways in other than the command line.

mod caller;
mod front;
mod hosted;
mod json;
mod numbered;
mod request_log;
mod salt;
mod shares;
mod turns;

pub(crate) mod http;
pub(crate) mod mcp;

pub(crate) use hosted::{Absent, Hosted, HostedPack, PackSlot};
pub(crate) use request_log::Upstreams;

use std::time::Duration;

/// The time that a program takes to end after the grace of its turns: half of it for cancelled turns
/// to end, three eighths for the store to write what waits, and the rest for `main` to let go of all
/// threads.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(4);

/// The time for cancelled turns to end, and then for the store to write what waits.
fn last_words(all: Duration) -> (Duration, Duration) {
    (all / 2, all * 3 / 8)
}
