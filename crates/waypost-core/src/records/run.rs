//! A run: the work on a plan, as it is recorded while it goes on, so that it can go on after its process was gone.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Code;
use crate::records::decision::Call;
use crate::records::era::Era;
use crate::records::request::{Context, Request};

/// The work on the plan of one decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The id of the decision that began it.
    pub id: String,
    /// The name of the pack.
    pub pack: String,
    /// The request without its context: who asked, what, and when.
    pub request: Request,
    /// The key of whoever asked; another does not go on with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The calls that were approved.
    pub calls: Vec<Call>,
    /// The steps that ended, in that order; a call that was tried again stands once for each time.
    #[serde(default)]
    pub steps: Vec<RunStep>,
    /// The end; none while somebody is at work on it, or was when their process ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<RunEnd>,
    /// The era in which the turn that is at work on it began.
    #[serde(skip)]
    pub era: Era,
}

/// A step that ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunStep {
    /// The tool.
    pub tool: String,
    /// Its arguments as they were approved; what other steps gave is in their outputs.
    pub arguments: Map<String, Value>,
    /// Its result, unless it failed or the result is too large to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// The code of its failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// Milliseconds from the beginning of the work until the step began.
    pub began_ms: f64,
    /// Milliseconds that it took.
    pub took_ms: f64,
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// All that could be done was, and the user has an answer.
    Done,
    /// A limit or a failure ended it; the user was told.
    Stopped,
    /// Whoever asked left.
    Cancelled,
    /// A person gave it up.
    Abandoned,
}

impl RunEnd {
    /// The name, such as `done`.
    pub fn name(self) -> &'static str {
        match self {
            RunEnd::Done => "done",
            RunEnd::Stopped => "stopped",
            RunEnd::Cancelled => "cancelled",
            RunEnd::Abandoned => "abandoned",
        }
    }

    /// The end with this name; one of a newer program is an end all the same.
    pub fn from_name(name: &str) -> Self {
        [RunEnd::Done, RunEnd::Cancelled, RunEnd::Abandoned]
            .into_iter()
            .find(|end| end.name() == name)
            .unwrap_or(RunEnd::Stopped)
    }

    /// Returns whether nothing is left to go on with.
    pub fn is_final(self) -> bool {
        matches!(self, RunEnd::Done | RunEnd::Abandoned)
    }
}

impl Run {
    /// A run that begins. What the caller or the conversation knew beside the words is left out: the calls have taken what they
    /// need of it, and no approval of then is one of later.
    pub fn new(id: &str, pack: &str, request: &Request, calls: &[Call]) -> Self {
        let owner = request.owner.as_deref().map(str::to_owned);
        let request = Request {
            context: Context::default(),
            choice: None,
            trusted: false,
            resume: None,
            ..request.clone()
        };
        let (id, pack, calls) = (id.to_owned(), pack.to_owned(), calls.to_vec());
        let era = Era::default();
        Self { id, pack, request, owner, calls, steps: Vec::new(), end: None, era }
    }

    /// The conversation that it is part of.
    pub fn session(&self) -> Option<&str> {
        self.request.session.as_deref()
    }

    /// Returns whether somebody may go on with it, or give it up.
    pub fn is_open(&self) -> bool {
        self.end.is_none_or(|end| !end.is_final())
    }

    /// The result of a call, where it is on record.
    pub fn output(&self, tool: &str, arguments: &Map<String, Value>) -> Option<&Value> {
        let same = |step: &&RunStep| step.tool == tool && step.arguments == *arguments;
        self.steps.iter().rev().filter(same).find_map(|step| step.output.as_ref())
    }

    /// The number of its calls that have a result.
    pub fn finished(&self) -> usize {
        let done = |call: &&Call| self.output(&call.tool, &call.arguments).is_some();
        self.calls.iter().filter(done).count()
    }
}
