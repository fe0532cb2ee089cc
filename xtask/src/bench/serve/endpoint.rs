//! The endpoints that are measured: their paths, the questions that each is asked, and the name
//! under which the server counts the time of its work.

use crate::bench::samples::QUESTIONS;

/// The questions for an answer, one in each language of the pack `ocean` and one in another. None
/// needs a tool, a document or a model: each is asked back or refused.
const ANSWERED: [&str; 5] = [
    // What the pack does not cover.
    "(121.5,25.0) 海況？",
    "oleaje en (121.5,25.0) hoy",
    // An argument is missing, or is an area where a point is needed.
    "今天海水温度是多少",
    "tides for the box [118,20,123,25]?",
    // The pack has no Vietnamese: its tools are offered.
    "nhiệt độ nước biển hôm nay là bao nhiêu",
];

/// An endpoint of `waypost serve`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endpoint {
    /// Decides, and returns the record of the decision.
    Route,
    /// Decides and says what comes of it, and keeps what happened.
    Answer,
}

impl Endpoint {
    /// Both, in the order in which they are measured.
    pub(super) const ALL: [Self; 2] = [Self::Route, Self::Answer];

    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Route => "/v1/route",
            Self::Answer => "/v1/answer",
        }
    }

    /// The texts of its requests.
    pub(super) fn texts(self) -> Vec<&'static str> {
        match self {
            Self::Route => QUESTIONS.iter().map(|(_, [text, _])| *text).collect(),
            Self::Answer => ANSWERED.to_vec(),
        }
    }

    /// The word for what it makes of a request.
    pub(super) fn work(self) -> &'static str {
        match self {
            Self::Route => "decision",
            Self::Answer => "answer",
        }
    }

    /// The histogram of `/metrics` that counts how long the server worked on each.
    pub(super) fn histogram(self) -> &'static str {
        match self {
            Self::Route => "waypost_decision_duration_seconds",
            Self::Answer => "waypost_turn_duration_seconds",
        }
    }
}
