//! Labels: a decision that is known to have been right or wrong, and who says so. A student learns
//! from them beside the examples of its pack.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::records::era::Era;

/// The kind of a label, which says who gave it. Source: S4-28; silence is no label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelKind {
    /// A model decided the turn.
    Teacher,
    /// A model was asked again, in the background, about what the student had decided.
    Audit,
    /// The user took one of the choices that were shown.
    Choice,
    /// The user said in the next turn that something else was meant.
    Correction,
    /// Somebody said expressly whether the decision was right.
    Feedback,
}

impl LabelKind {
    /// All of them, the weakest first.
    pub const ALL: [LabelKind; 5] = [
        LabelKind::Teacher,
        LabelKind::Audit,
        LabelKind::Choice,
        LabelKind::Correction,
        LabelKind::Feedback,
    ];

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            LabelKind::Teacher => "teacher",
            LabelKind::Audit => "audit",
            LabelKind::Choice => "choice",
            LabelKind::Correction => "correction",
            LabelKind::Feedback => "feedback",
        }
    }

    /// Returns whether a person says it.
    pub fn is_gold(self) -> bool {
        matches!(self, LabelKind::Choice | LabelKind::Correction | LabelKind::Feedback)
    }

    /// The weight beside an example of the pack, which counts 1.
    pub fn weight(self) -> f32 {
        if self.is_gold() { 1.0 } else { 0.5 }
    }
}

impl fmt::Display for LabelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One statement about one decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// The decision that it is about.
    pub decision_id: String,
    /// The session, where there is one; labels without one count as strangers to each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The key of whoever says so; none for the operator, and where callers need no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The name of the pack.
    pub pack: String,
    /// The instant of the request that gave it, RFC 3339.
    pub at: String,
    /// The kind, which tells who says so.
    pub kind: LabelKind,
    /// The whole text of the user: as it was routed, or with personal data taken out where the
    /// configuration says so.
    pub text: String,
    /// A BCP 47 tag.
    pub language: String,
    /// The era in which it was about to be said.
    #[serde(skip)]
    pub era: Era,
    /// The verdict: which route and tools are right.
    #[serde(flatten)]
    pub verdict: Verdict,
}

impl Label {
    /// Returns whether `other` is a newer statement of the same kind, by the same session, about
    /// the same decision.
    pub fn replaced_by(&self, other: &Label) -> bool {
        self.decision_id == other.decision_id
            && self.kind == other.kind
            && self.session_id == other.session_id
    }
}

/// The verdict of a label on its decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// This is the right route, with these tools.
    Right {
        /// A route of the pack, or `out_of_scope`.
        route: String,
        /// Tools of the pack by name; a route with tools may have none.
        #[serde(default)]
        tools: Vec<String>,
    },
    /// The decision is not right, and the right one is not said: it takes weaker labels of the same
    /// decision back, and teaches nothing by itself.
    Wrong,
}
