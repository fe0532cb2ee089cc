//! The card of a version: what it was trained from, how good it is, and when it served.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use waypost_core::Error;
use waypost_core::records::label::LabelKind;
use waypost_learning::calibrate::threshold::Threshold;
use waypost_learning::data::curate::Reason;
use waypost_learning::promotion::Examined;
use waypost_learning::version::bundle::Metrics;

/// The record of a bundle that is written when it is kept; it never changes afterwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The id of the bundle.
    pub bundle: String,
    /// The id of the pack that it was trained for: name and hash.
    pub pack: String,
    /// The instant at which it was trained, RFC 3339.
    pub at: String,
    /// The data that it was trained from.
    pub trained: Trained,
    /// The metrics that cross-validation measured.
    pub metrics: Metrics,
    /// The threshold of its decisions; `None` where the pack's policy says so.
    #[serde(rename = "bar", default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<Threshold>,
    /// The comparison with the champion of its time; `None` where nobody compared it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Compared>,
    /// The sessions whose labels it learned from, as [`super::Registry::hashed`] gives them.
    #[serde(default)]
    pub sessions: Vec<String>,
}

/// The comparison of a version with the champion of its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The version that served; `None` for the student that the pack trains.
    pub with: Option<u64>,
    /// The id of its bundle.
    pub champion: String,
    /// The result.
    #[serde(flatten)]
    pub examined: Examined,
}

/// The data that a version was trained from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// Examples of the pack.
    pub examples: usize,
    /// Texts that labels taught beside them.
    #[serde(default)]
    pub texts: usize,
    /// The labels that there were, by kind.
    #[serde(default)]
    pub labels: BTreeMap<LabelKind, u64>,
    /// The labels that did not count, by reason.
    #[serde(default)]
    pub left_out: BTreeMap<Reason, usize>,
    /// The sessions that there were labels of.
    #[serde(default)]
    pub sessions: u64,
    /// The decision of the newest label that there was: later labels are new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    /// A hash of all of it: the same hash, the same texts with the same routes and weights.
    pub data: String,
}

/// The author of a change of which version serves, with its instant and reason.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct By {
    /// The author, as `user@host` or in any other words.
    pub who: String,
    /// The instant, RFC 3339.
    pub at: String,
    /// The reason, where somebody gives one.
    pub because: Option<String>,
    /// True if it is done against the comparison's verdict.
    pub forced: bool,
}

/// A change of which version serves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The step that was taken.
    pub step: Step,
    /// The version that serves from then on; `None` for the student that the pack trains.
    pub version: Option<u64>,
    /// The instant, RFC 3339.
    pub at: String,
    /// The author of the change.
    pub by: String,
    /// The reason, where somebody gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// True if it was done against the comparison's verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
}

/// A way in which the version that serves changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A version was put in service.
    Promote,
    /// The version or student that served before was put back.
    Rollback,
}

/// The state of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It serves.
    Champion,
    /// It never served, and is newer than all that did.
    Challenger,
    /// It served, or a newer one was taken instead.
    Retired,
}

impl State {
    /// The name in records and tables.
    pub fn name(self) -> &'static str {
        match self {
            State::Champion => "champion",
            State::Challenger => "challenger",
            State::Retired => "retired",
        }
    }
}

/// A version with its card.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Version {
    /// Counts up from 1 for each pack and is never given twice.
    #[serde(rename = "version")]
    pub number: u64,
    /// Its state.
    pub state: State,
    /// Its card.
    #[serde(flatten)]
    pub card: Card,
    /// The changes that put it in service, oldest first.
    pub promoted: Vec<Change>,
}

/// The versions of a pack, as they were at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The number that [`super::Registry::generation`] gives.
    pub generation: u64,
    /// The number of the version that serves; `None` where the student that the pack trains does.
    pub champion: Option<u64>,
    /// Oldest first, without those whose card cannot be read.
    pub versions: Vec<Version>,
    /// The others, oldest first.
    pub unreadable: Vec<Unreadable>,
    /// The changes of which version serves, oldest first; the latest 200.
    pub changes: Vec<Change>,
}

/// A version whose card cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Unreadable {
    /// The number of the version.
    pub number: u64,
    /// The reason, and what can be done about it.
    pub error: Error,
}
