//! Checks the confidence of a decision: run, ask one question, or ask to rephrase. Source: S1-8.

use waypost_core::records::decision::{GateName, Outcome};
use waypost_core::records::request::Choice;

use super::{Check, Closed};
use crate::pack::messages::{Ask, Sentence};

pub(super) fn closed(proposal: &Check<'_>) -> Option<Closed> {
    let tools = proposal.calls.iter().map(|call| call.tool.as_str());
    let access = |tool: &str| proposal.turn.access(tool);
    let needed = proposal.pack().runs_from(proposal.route, tools, &access);
    if proposal.confidence >= needed {
        return None;
    }
    let asked = proposal.confidence >= proposal.pack().spec.policy.ask;
    let (outcome, sentence, choices) = match proposal.meanings.as_slice() {
        meanings if asked && !meanings.is_empty() => {
            (Outcome::Clarify, question(meanings), meanings)
        }
        _ => (Outcome::Rephrase, Sentence::new("rephrase"), [].as_slice()),
    };
    let ask = Ask { choices: choices.to_vec(), ..Ask::plain(sentence) };
    Some(Closed { outcome, ..Closed::asking(GateName::Confidence, ask) })
}

fn question(meanings: &[Choice]) -> Sentence {
    match meanings {
        [only] => {
            Sentence::new("confirm_value").with("value", only.label.trim_end_matches(['.', '。']))
        }
        _ => Sentence::new("did_you_mean"),
    }
}
