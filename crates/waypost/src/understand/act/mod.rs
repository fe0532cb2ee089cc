//! What a text does in a conversation: choose, refuse, change the last request, ask about an option.
//!
//! Two small classifiers that are built into the program tell it, by how people put it in ten languages;
//! names and values are masked, so that it knows no pack. It decides *which* act a text is. What the act is
//! about (options, values, places in a list) is for the grammar to find.

pub mod model;
mod reading;

use std::fmt;

use serde::Deserialize;
use waypost_text::language::Language;

/// An act of a user in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Takes one or several of the options that were shown.
    Select,
    /// Agrees to what was proposed.
    Affirm,
    /// Refuses it, and gives nothing instead.
    Deny,
    /// Weighs one option against another.
    Prefer,
    /// Takes all but some.
    Except,
    /// Wants less of the last request: only a part of it.
    Only,
    /// Wants something more in the last request.
    Add,
    /// Wants something left out of the last request.
    Remove,
    /// Wants the last request with something changed or put right.
    Replace,
    /// Says that the answer is wrong, without saying what is right.
    Object,
    /// Asks about what was just answered.
    PointBack,
    /// Wants the same again.
    Repeat,
    /// Goes back a step.
    Back,
    /// Leaves the question open.
    Skip,
    /// Gives the matter up.
    Stop,
    /// Asks where things stand.
    Status,
    /// Asks about an option, or about the question itself.
    AskOption,
    /// Asks or tells something of its own.
    Request,
    /// Greets.
    Greet,
    /// Thanks, or takes leave.
    Thank,
    /// Chats.
    SmallTalk,
    /// Does none of these.
    #[serde(rename = "none")]
    Other,
}

impl Act {
    /// All of them, with their names in the examples.
    pub const ALL: [(Self, &'static str); 22] = [
        (Self::Select, "select"),
        (Self::Affirm, "affirm"),
        (Self::Deny, "deny"),
        (Self::Prefer, "prefer"),
        (Self::Except, "except"),
        (Self::Only, "only"),
        (Self::Add, "add"),
        (Self::Remove, "remove"),
        (Self::Replace, "replace"),
        (Self::Object, "object"),
        (Self::PointBack, "point_back"),
        (Self::Repeat, "repeat"),
        (Self::Back, "back"),
        (Self::Skip, "skip"),
        (Self::Stop, "stop"),
        (Self::Status, "status"),
        (Self::AskOption, "ask_option"),
        (Self::Request, "request"),
        (Self::Greet, "greet"),
        (Self::Thank, "thank"),
        (Self::SmallTalk, "small_talk"),
        (Self::Other, "none"),
    ];

    /// Its name in the examples.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The act of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, own)| *own == name).map(|(act, _)| *act)
    }

    /// Returns whether it can be meant where things stand so.
    fn is_possible(self, situation: Situation) -> bool {
        match self {
            Self::Select | Self::Prefer | Self::Except => situation.asks,
            Self::Affirm | Self::Deny | Self::AskOption => situation.asks,
            Self::Skip | Self::Back => situation.asks,
            Self::Add | Self::Remove | Self::Only | Self::Replace => situation.follows,
            Self::Object | Self::PointBack | Self::Repeat => situation.follows,
            _ => true,
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What an act can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Situation {
    /// True if something was asked, or options were shown.
    pub asks: bool,
    /// True if something was done, or is being filled, that may be changed.
    pub follows: bool,
}

/// How probable each act is for a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Acts {
    shares: [f32; Act::ALL.len()],
}

impl Acts {
    /// Those of a text that nothing is known of: no act is probable.
    const UNKNOWN: Self = Self { shares: [0.0; Act::ALL.len()] };

    /// The probability that a text is this act.
    pub fn share(&self, act: Act) -> f32 {
        self.shares[act as usize]
    }

    /// The probability that it is any of these.
    pub fn any(&self, acts: &[Act]) -> f32 {
        acts.iter().map(|act| self.share(*act)).sum()
    }

    /// The likeliest act.
    pub fn best(&self) -> Act {
        let best = Act::ALL.iter().map(|(act, _)| *act);
        best.max_by(|one, other| self.share(*one).total_cmp(&self.share(*other)))
            .unwrap_or(Act::Other)
    }

    /// The same where things stand so: an act that nothing is there for is less probable.
    #[must_use]
    fn within(mut self, situation: Situation) -> Self {
        /// What is left of the probability of an act that has nothing to be about: the caller may not have
        /// sent all that was said.
        const LEFT: f32 = 0.1;
        for (act, _) in Act::ALL {
            if !act.is_possible(situation) {
                self.shares[act as usize] *= LEFT;
            }
        }
        let sum: f32 = self.shares.iter().sum();
        if sum > 0.0 {
            self.shares.iter_mut().for_each(|share| *share /= sum);
        }
        self
    }
}

/// The place of a name or value in a text whose act is asked for.
pub const MASK: &str = "‹named›";

/// The acts of a text in which [`MASK`] stands for each name and value; `masked` is normalized and without accents.
pub fn acts(masked: &str, language: Language, situation: Situation) -> Acts {
    model::score(masked, language).unwrap_or(Acts::UNKNOWN).within(situation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_act_has_its_name_and_its_place() {
        for (place, (act, name)) in Act::ALL.into_iter().enumerate() {
            assert_eq!((act as usize, act.name(), Act::named(name)), (place, name, Some(act)));
        }
    }

    #[test]
    fn an_act_that_nothing_is_there_for_is_less_probable() {
        let [open, done] = [(true, false), (false, true)].map(|(asks, follows)| {
            acts("the second one please", Language::En, Situation { asks, follows })
        });
        assert_eq!(open.best(), Act::Select);
        assert!(open.share(Act::Select) > done.share(Act::Select));
        assert!((done.shares.iter().sum::<f32>() - 1.0).abs() < 1e-3);
    }
}
