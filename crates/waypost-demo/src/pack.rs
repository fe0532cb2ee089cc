//! The table of packs, and what a pack gives the server: its tools and how to call one.

use std::sync::Arc;

use jiff::Zoned;
use jiff::civil::Date;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::accelerator::Ring;
use crate::finance::Memory;
use crate::picture::Picture;
use crate::{accelerator, finance, malaria, ocean};

/// The packs, in the order they are listed. A new pack is one file and one line here.
const PACKS: &[Pack] = &[ocean::PACK, malaria::PACK, finance::PACK, accelerator::PACK];

/// The names of [`PACKS`].
pub(crate) const NAMES: [&str; PACKS.len()] = names();

const fn names() -> [&'static str; PACKS.len()] {
    let mut names = [""; PACKS.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = PACKS[index].name;
        index += 1;
    }
    names
}

/// One pack's sample server.
pub(crate) struct Pack {
    /// The pack's name, as in `waypost demo NAME`.
    pub(crate) name: &'static str,
    /// The server's words about itself for a model.
    pub(crate) instructions: &'static str,
    /// The tools, in the order they are listed.
    pub(crate) tools: fn() -> Vec<Tool>,
    /// The names of the tools that change what the server remembers; all others only read.
    pub(crate) writers: &'static [&'static str],
}

/// One tool: what is published about it, and what it does.
pub(crate) struct Tool {
    /// The name callers use.
    pub(crate) name: &'static str,
    /// One or two sentences for a model.
    pub(crate) description: &'static str,
    /// The JSON Schema of the arguments; the server checks every call against it.
    pub(crate) input: Value,
    /// The JSON Schema of the result.
    pub(crate) output: Value,
    /// Answers a call whose arguments fit `input`.
    pub(crate) call: fn(&Map<String, Value>, &Context) -> Result<Reply, Failure>,
}

/// The reply to a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    /// The result, which fits the tool's `output`.
    pub(crate) result: Value,
    /// Pictures of it.
    pub(crate) pictures: Vec<Picture>,
}

impl From<Value> for Reply {
    fn from(result: Value) -> Self {
        Self { result, pictures: Vec::new() }
    }
}

/// The facts about the world that a call may know.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// The day that counts as today.
    pub(crate) today: Date,
    /// The present moment.
    pub(crate) now: Zoned,
    /// True to behave as if there were no data at all.
    pub(crate) no_data: bool,
    /// What the server remembers from call to call.
    pub(crate) memory: Arc<Memory>,
    /// The same of the ring of the accelerator.
    pub(crate) ring: Arc<Ring>,
}

/// The reason why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The canonical code, such as `NOT_FOUND`.
    pub(crate) code: &'static str,
    /// A sentence for people; some callers parse it.
    pub(crate) message: String,
}

impl Failure {
    /// A value that is malformed or out of range.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self { code: "INVALID_ARGUMENT", message: message.into() }
    }

    /// A fault of this program.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self { code: "INTERNAL", message: message.into() }
    }
}

/// Reads checked arguments into the tool's own struct.
pub(crate) fn read<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<T, Failure> {
    serde_json::from_value(Value::Object(arguments.clone()))
        .map_err(|error| Failure::invalid(format!("the arguments do not fit: {error}")))
}

/// The pack with that name.
pub(crate) fn find(name: &str) -> Option<&'static Pack> {
    PACKS.iter().find(|pack| pack.name == name)
}
