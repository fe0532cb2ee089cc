//! How sure a decision must be: run, ask one question, or ask to rephrase. Source: S1-8.

use super::{Closed, Proposal};
use crate::decision::{Call, Outcome};
use crate::messages::{Ask, Sentence};
use crate::pack::Pack;
use crate::pack::spec::RouteSpec;
use crate::request::Choice;

pub(super) fn closed(proposal: &Proposal<'_>) -> Option<Closed> {
    if proposal.confidence >= bar(proposal.pack(), proposal.route, proposal.calls) {
        return None;
    }
    let asked = proposal.confidence >= proposal.pack().spec.policy.ask;
    let (outcome, sentence, choices) = match proposal.meanings {
        meanings if asked && !meanings.is_empty() => {
            (Outcome::Clarify, question(meanings), meanings)
        }
        _ => (Outcome::Rephrase, Sentence::new("rephrase"), [].as_slice()),
    };
    let ask = Ask { choices: choices.to_vec(), ..Ask::plain(sentence) };
    Some(Closed { outcome, reason: "gate:confidence".to_owned(), ..Closed::asking(ask) })
}

/// From where on it runs: the route's bar, or the highest that its tools want instead.
pub(crate) fn bar(pack: &Pack, route: &RouteSpec, calls: &[Call]) -> f64 {
    let of_route = route.run.unwrap_or(pack.spec.policy.run);
    let of_tools = calls.iter().filter_map(|call| pack.tool(&call.tool));
    let highest = of_tools.map(|tool| tool.spec.run.unwrap_or(of_route)).reduce(f64::max);
    highest.unwrap_or(of_route)
}

fn question(meanings: &[Choice]) -> Sentence {
    match meanings {
        [only] => {
            Sentence::new("confirm_value").with("value", only.label.trim_end_matches(['.', '。']))
        }
        _ => Sentence::new("did_you_mean"),
    }
}
