//! The limits of the surfaces, as a file sets them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::surfaces::LAST_WORDS;
use crate::surfaces::http::Limits;

const MIB: usize = 1024 * 1024;
/// The time after which it is tried whether a client that ended its side listens: most answers have
/// come by then.
const SILENCE: Duration = Duration::from_secs(1);

/// The limits of the surfaces, and of tool servers. Each is at least 1.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LimitsFile {
    /// How many turns `serve` works on at once; more are told to come again.
    #[serde(deserialize_with = "positive")]
    turns: u32,
    /// How many connections `serve` has at once; for one more, that which is idle longest is closed.
    #[serde(deserialize_with = "positive")]
    connections: u32,
    /// How many MiB the long bodies of requests take together while they are read; what does not fit
    /// is told to come again. The first 16 KiB of a body always fit.
    #[serde(deserialize_with = "positive")]
    body_mib: u32,
    /// How many seconds a client may take for the head of a request, and be idle.
    #[serde(deserialize_with = "positive")]
    head_seconds: u32,
    /// How many seconds a client may take to send a body.
    #[serde(deserialize_with = "positive")]
    body_seconds: u32,
    /// How many seconds a client may take nothing of what is sent to it.
    #[serde(deserialize_with = "positive")]
    write_seconds: u32,
    /// How many seconds turns under way may go on after `serve` was told to stop, or after the client
    /// of `mcp` has left. The program has ended 4 seconds later.
    #[serde(deserialize_with = "positive")]
    grace_seconds: u32,
    /// How many seconds a tool server may take until it is ready, and again to list its tools. More where a runner
    /// such as `npx` has to fetch it over a slow line.
    #[serde(deserialize_with = "positive")]
    tool_server_seconds: u32,
}

impl Default for LimitsFile {
    fn default() -> Self {
        Self {
            turns: 64,
            connections: 1024,
            body_mib: 64,
            head_seconds: 30,
            body_seconds: 10,
            write_seconds: 30,
            grace_seconds: 10,
            tool_server_seconds: 15,
        }
    }
}

fn positive<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<u32, D::Error> {
    match u32::deserialize(from)? {
        0 => Err(D::Error::custom("a limit must be at least 1")),
        limit => Ok(limit),
    }
}

impl LimitsFile {
    /// The longest wait until a tool server is ready, and for its list of tools.
    pub(crate) fn tool_server(&self) -> Duration {
        Duration::from_secs(self.tool_server_seconds.into())
    }

    /// The limits as a server keeps them.
    pub(crate) fn limits(&self) -> Limits {
        let count = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        Limits {
            turns: count(self.turns),
            connections: count(self.connections),
            body_bytes: count(self.body_mib).saturating_mul(MIB),
            head: seconds(self.head_seconds),
            body: seconds(self.body_seconds),
            write: seconds(self.write_seconds),
            grace: seconds(self.grace_seconds),
            last_words: LAST_WORDS,
            silence: SILENCE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_nothing_is_a_fault() {
        let read = |line: &str| toml::from_str::<LimitsFile>(line);
        let fault = read("turns = 0").unwrap_err();
        assert_eq!(fault.message(), "a limit must be at least 1");
        let limits = read("body_mib = 2\ngrace_seconds = 3").unwrap().limits();
        assert_eq!((limits.body_bytes, limits.grace), (2 * MIB, Duration::from_secs(3)));
        assert_eq!(limits.turns, 64);
        assert_eq!(read("").unwrap().tool_server(), Duration::from_secs(15));
    }
}
