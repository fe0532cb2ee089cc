//! Collects the answers of every matcher for an argument: the first one wins, and the others lost
//! to it. It serves explanations; filling stops at the first answer.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use waypost_text::text::Span;

use super::{
    About, DraftCall, Match, NAMES, Wanted, assign, bind, by_reach, each, fill, is_free, matchers,
    names, number, reach,
};
use crate::pack::Tool;
use crate::pack::spec::Annotation;
use crate::understand::Turn;

/// The answers of the matchers for the arguments of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Traced {
    /// The tool.
    pub(crate) tool: String,
    /// Every argument of its schema, in order, with what was offered for it, the winner first.
    pub(crate) arguments: Vec<(String, Vec<Offer>)>,
}

/// A value that a matcher offers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Offer {
    /// The matcher.
    pub(crate) matcher: &'static str,
    /// The value, or all that it cannot decide between.
    pub(crate) values: Vec<Json>,
    /// The words that it was read from.
    pub(crate) text: Option<String>,
}

/// Asks every matcher that is on for every argument of the tool that a draft comes to. Where the
/// words make several calls, the first place and time count.
pub(crate) fn trace(turn: &Turn<'_>, draft: &DraftCall) -> Option<Traced> {
    let filled = fill(turn, draft)?;
    let tool = turn.pack.tool(&filled.calls.first()?.tool)?;
    let bindings = bind::bind(turn, draft, tool);
    let numbers = number::assign(turn, draft, tool);
    let assigned = assign::assign(turn, draft, tool);
    let each = each::values(turn, draft, tool);
    let about = About {
        place: bindings.places.first(),
        time: bindings.times.first(),
        each: each.first(),
        numbers: &numbers,
        assigned: &assigned,
    };
    let mut offered: BTreeMap<&str, Vec<Offer>> = BTreeMap::new();
    let mut seen = Seen::default();
    for name in by_reach(tool) {
        offered.insert(name, offers(turn, draft, tool, name, &about, &mut seen));
    }
    let arguments =
        tool.arguments().map(|name| (name.to_owned(), offered.remove(name).unwrap_or_default()));
    Some(Traced { tool: tool.spec.name.clone(), arguments: arguments.collect() })
}

/// The words that the arguments before have taken.
#[derive(Default)]
struct Seen {
    used: Vec<Span>,
    named: Option<names::Named>,
}

fn offers(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    name: &str,
    about: &About<'_>,
    seen: &mut Seen,
) -> Vec<Offer> {
    let plain = Annotation::default();
    let annotation = tool.annotation(name).unwrap_or(&plain);
    let &About { place, time, numbers, assigned, each } = about;
    let before = seen.used.clone();
    let none = names::Named::new();
    let wanted = Wanted {
        turn,
        draft,
        tool,
        name,
        annotation,
        place,
        time,
        numbers,
        assigned,
        each,
        named: &none,
        used: &before,
    };
    if seen.named.is_none() && reach(tool, name) == NAMES {
        seen.named = Some(names::share(&wanted));
    }
    let wanted = Wanted { named: seen.named.as_ref().unwrap_or(&none), ..wanted };
    let used = &mut seen.used;
    let on = matchers().iter().filter(|(name, _)| turn.permits.enabled.matcher(name));
    let offers = on.filter_map(|(matcher, find)| {
        let answer = find(&wanted).filter(|answer| is_free(&wanted, answer))?;
        let (values, text) = match answer {
            Match::Found(found) => {
                // The first to answer wins, and takes its words.
                if used.len() == before.len() {
                    used.extend(&found.spans);
                }
                (vec![found.value], found.evidence.text)
            }
            Match::Unsure(values) => (values, None),
        };
        Some(Offer { matcher, values, text })
    });
    offers.collect()
}
