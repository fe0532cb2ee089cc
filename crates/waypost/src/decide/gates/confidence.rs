//! Checks the confidence of a decision: run, ask one question, or ask to rephrase. Source: S1-8.

use waypost_core::records::decision::{GateName, Outcome};
use waypost_core::records::request::Choice;

use super::{Check, Closed};
use crate::pack::messages::{Ask, Sentence};
use crate::pack::spec::Selection;

/// Closes where it is open which tool of a server is meant: which one comes before what it wants and whether it may run. It says
/// which tools there are, as nobody knows the words of their authors.
pub(super) fn doubted(proposal: &Check<'_>) -> Option<Closed> {
    let is_doubted = proposal.pack().spec.selection == Selection::Catalog
        && proposal.confidence <= proposal.pack().spec.policy.ask
        && proposal.meanings.len() > 1;
    is_doubted.then(|| asking(&proposal.meanings))
}

pub(super) fn closed(proposal: &Check<'_>) -> Option<Closed> {
    let tools = proposal.calls.iter().map(|call| call.tool.as_str());
    let access = |tool: &str| proposal.turn.access(tool);
    let needed = proposal.pack().runs_from(proposal.route, tools, &access);
    if proposal.confidence >= needed {
        return None;
    }
    let asked = proposal.confidence >= proposal.pack().spec.policy.ask;
    if asked && !proposal.meanings.is_empty() {
        return Some(asking(&proposal.meanings));
    }
    let ask = Ask::plain(Sentence::new("rephrase"));
    Some(Closed { outcome: Outcome::Rephrase, ..Closed::asking(GateName::Confidence, ask) })
}

fn asking(meanings: &[Choice]) -> Closed {
    let ask = Ask { choices: meanings.to_vec(), ..Ask::plain(question(meanings)) };
    Closed::asking(GateName::Confidence, ask)
}

fn question(meanings: &[Choice]) -> Sentence {
    match meanings {
        [only] => {
            Sentence::new("confirm_value").with("value", only.label.trim_end_matches(['.', '。']))
        }
        _ => Sentence::new("did_you_mean"),
    }
}
