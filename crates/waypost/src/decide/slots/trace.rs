//! Collects all values that were weighed for an argument: the surest one won, and the others lost to it. It serves explanations;
//! filling stops at the first answer of a matcher.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::deal::Weighed;
use super::matchers::{Match, Wanted, answers, likely};
use super::{About, DraftCall, bind, each, fill, names, said, walk};
use crate::understand::Turn;

/// The values that were weighed for the arguments of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Traced {
    /// The tool.
    pub(crate) tool: String,
    /// Every argument of its schema, in order, with what was found for it, the winner first.
    pub(crate) arguments: Vec<(String, Vec<Candidate>)>,
}

/// A value that a matcher candidates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    /// The matcher.
    pub(crate) matcher: &'static str,
    /// The value, or all that it cannot decide between.
    pub(crate) values: Vec<Json>,
    /// The words that it was read from.
    pub(crate) text: Option<String>,
    /// What speaks for it, each with what it adds; empty where nothing was weighed.
    pub(crate) features: Vec<(&'static str, f64)>,
}

/// Asks every matcher that is on for every argument of the tool that a call comes to. Where the
/// words make several calls, the first place and time count.
pub(crate) fn trace(turn: &Turn<'_>, draft: &DraftCall) -> Option<Traced> {
    let own = draft.section.as_ref().map(|section| turn.of_section(section));
    let turn = own.as_ref().unwrap_or(turn);
    let draft = &DraftCall { section: None, ..draft.clone() };
    let filled = fill(turn, draft)?;
    let tool = turn.pack.tool(&filled.calls.first()?.tool)?;
    let bindings = bind::bind(turn, draft, tool);
    let dealt = said::deal(turn, draft, tool);
    let weighed = said::weigh(turn, draft, tool);
    let each = each::values(turn, draft, tool);
    let about = About {
        place: bindings.places.first(),
        time: bindings.times.first(),
        each: each.first(),
        dealt: &dealt,
    };
    let mut found: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
    walk(turn, draft, tool, &about, |wanted| {
        let mut all: Vec<(&'static str, Match)> = answers(wanted).collect();
        if !wanted.last {
            let is_open = all.is_empty();
            let is_undecided =
                matches!(all.first(), Some((_, Match::Unsure(values))) if values.len() > 1);
            all.extend(answers(&Wanted { last: true, undecided: is_undecided, ..*wanted }));
            match all.iter().position(|(name, _)| *name == likely::NAME).filter(|_| is_undecided) {
                Some(settles) => {
                    let settled = all.remove(settles);
                    all.insert(0, settled);
                }
                None if is_open => return None,
                None => {}
            }
        }
        // The first to answer wins, and takes its words.
        let taken = all.first().map(|(_, answer)| match answer {
            Match::Found(found) => found.spans.clone(),
            Match::Unsure(_) => Vec::new(),
        });
        let named = if wanted.named.is_some() { names::weigh(wanted) } else { Vec::new() };
        let own = weighed.iter().chain(&named).filter(|one| one.argument == wanted.name);
        let own: Vec<&Weighed> = own.collect();
        found.insert(wanted.name.to_owned(), candidates(wanted, all, &own));
        taken
    });
    let arguments =
        tool.arguments().map(|name| (name.to_owned(), found.remove(name).unwrap_or_default()));
    Some(Traced { tool: tool.spec.name.clone(), arguments: arguments.collect() })
}

/// The answers of the matchers, each with what speaks for it, and behind them what was weighed and lost.
fn candidates(
    wanted: &Wanted<'_>,
    all: Vec<(&'static str, Match)>,
    weighed: &[&Weighed],
) -> Vec<Candidate> {
    let features = |values: &[Json]| {
        let [value] = values else { return Vec::new() };
        let own = weighed.iter().find(|one| one.value == *value);
        own.map(|one| one.features.named().collect()).unwrap_or_default()
    };
    let mut candidates: Vec<Candidate> = Vec::new();
    for (matcher, answer) in all {
        let (values, text) = match answer {
            Match::Found(found) => (vec![found.value], found.evidence.text),
            Match::Unsure(values) => (values, None),
        };
        candidates.push(Candidate { matcher, features: features(&values), values, text });
    }
    let matcher = match (wanted.tool.is_number(wanted.name), wanted.annotation.kind) {
        (true, _) => "number",
        (false, Some(_)) => "typed",
        (false, None) => "name",
    };
    for one in weighed {
        if candidates.iter().all(|offer| !offer.values.contains(&one.value)) {
            let (values, text) = (vec![one.value.clone()], Some(one.text.clone()));
            let features = one.features.named().collect();
            candidates.push(Candidate { matcher, values, text, features });
        }
    }
    candidates
}
