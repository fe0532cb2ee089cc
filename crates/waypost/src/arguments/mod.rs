//! Fills the arguments of a tool, each with a receipt.
//!
//! First the values that say where and when are bound to the tool's arguments of that kind (several
//! places or days make several calls); then every argument is asked of the matchers in their order.
//! What stays open is a gap, what cannot be is a fault: both become the one question of a turn.

mod bind;
mod convert;
mod default;
mod given;
mod memory;
mod proposed;
mod typed;
mod words;

use serde_json::{Map, Value as Json};

use crate::decision::{Call, Evidence};
use crate::extract::{Reading, Value};
use crate::messages::Sentence;
use crate::pack::spec::Annotation;
use crate::pack::{Pack, Tool};
use crate::request::Choice;
use crate::turn::Turn;

/// A tool that a layer proposes, with what it knows of the arguments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DraftCall {
    /// The tool, or any of its family.
    pub tool: String,
    /// Values that are settled: a choice, an answer.
    pub given: Map<String, Json>,
    /// Values that a model proposes: believed only as far as the words bear them out.
    pub proposed: Map<String, Json>,
    /// The earlier call that this one follows.
    pub memory: Option<crate::request::PastCall>,
    /// Whether this very tool is meant, not one of its family.
    pub exact: bool,
    /// The part of the text that asks for it, where the text asks for several things.
    pub clause: Option<crate::text::Span>,
}

/// An argument that nothing fills.
#[derive(Debug, Clone, PartialEq)]
pub struct Gap {
    /// The tool.
    pub tool: String,
    /// The argument.
    pub argument: String,
    /// What to ask.
    pub sentence: Sentence,
    /// Choices that lead on.
    pub choices: Vec<Choice>,
}

/// What filling a tool gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filled {
    /// The calls, as far as they are known.
    pub calls: Vec<Call>,
    /// What is missing, in the order of the schema.
    pub gaps: Vec<Gap>,
    /// What was assumed rather than said.
    pub assumptions: Vec<Sentence>,
    /// How badly the tool fits what was said; the tool of a family with the least cost is taken.
    pub cost: f64,
}

/// One argument that wants a value.
pub(crate) struct Wanted<'a> {
    pub(crate) turn: &'a Turn<'a>,
    pub(crate) draft: &'a DraftCall,
    pub(crate) tool: &'a Tool,
    pub(crate) name: &'a str,
    pub(crate) annotation: &'a Annotation,
    /// Where this call is about, if it is about a place.
    pub(crate) place: Option<&'a bind::Bound>,
    /// When this call is about, if a time was said.
    pub(crate) time: Option<&'a bind::Bound>,
}

/// A value with its receipt.
pub(crate) struct Found {
    pub(crate) value: Json,
    pub(crate) evidence: Evidence,
}

/// A source of values for an argument.
pub(crate) type Matcher = fn(&Wanted<'_>) -> Option<Found>;

/// The matchers, surest first: what the user settled, then what the words say, then what a model
/// proposes, then what was said before, then the pack's default.
pub(crate) fn matchers() -> &'static [(&'static str, Matcher)] {
    &[
        ("given", given::find),
        ("typed", typed::find),
        ("words", words::find),
        ("proposed", proposed::find),
        ("memory", memory::find),
        ("default", default::find),
    ]
}

/// Fills the tool of `draft`, or the one of its family that fits what was said best.
///
/// Returns `None` if the pack has no such tool.
pub fn fill(turn: &Turn<'_>, draft: &DraftCall) -> Option<Filled> {
    let tool = turn.pack.tool(&draft.tool)?;
    if draft.exact {
        return Some(fill_tool(turn, draft, tool));
    }
    // The named tool stands first, so that it wins where all fit alike.
    let others = turn.pack.family(tool).filter(|other| other.spec.name != tool.spec.name);
    let mut best = fill_tool(turn, draft, tool);
    for other in others {
        let filled = fill_tool(turn, draft, other);
        if filled.cost < best.cost {
            best = filled;
        }
    }
    Some(best)
}

fn fill_tool(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool) -> Filled {
    let bindings = bind::bind(turn, draft, tool);
    let mut filled =
        Filled { cost: bindings.cost, assumptions: bindings.assumptions, ..Filled::default() };
    let places = optional(&bindings.places);
    let times = optional(&bindings.times);
    let limit = turn.pack.spec.policy.max_calls + 1;
    for place in &places {
        for time in &times {
            if filled.calls.len() < limit {
                filled.calls.push(fill_call(turn, draft, tool, *place, *time));
            }
        }
    }
    filled.gaps = gaps(turn, draft, tool, &filled.calls, &bindings.unusable);
    let time = bindings.unusable_times.first();
    if let Some(gap) = time.and_then(|time| bind::day_gap(turn, tool, time)) {
        // A stretch of days is not silently today.
        filled.calls.iter_mut().for_each(|call| {
            call.arguments.shift_remove(&gap.argument);
            call.evidence.remove(&gap.argument);
        });
        filled.gaps.push(gap);
    }
    let required = filled.gaps.len();
    filled.cost += required as f64;
    filled
}

/// Every item, or one `None` where there is none: a call is made either way.
fn optional<T>(items: &[T]) -> Vec<Option<&T>> {
    if items.is_empty() { vec![None] } else { items.iter().map(Some).collect() }
}

fn fill_call(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    place: Option<&bind::Bound>,
    time: Option<&bind::Bound>,
) -> Call {
    let mut call = Call {
        tool: tool.spec.name.clone(),
        arguments: Map::new(),
        evidence: std::collections::BTreeMap::new(),
    };
    let plain = Annotation::default();
    for name in tool.arguments() {
        let annotation = tool.spec.arguments.get(name).unwrap_or(&plain);
        let wanted = Wanted { turn, draft, tool, name, annotation, place, time };
        let mut on = matchers().iter().filter(|(name, _)| turn.enabled.matcher(name));
        if let Some(found) = on.find_map(|(_, matcher)| matcher(&wanted)) {
            call.arguments.insert(name.to_owned(), found.value);
            call.evidence.insert(name.to_owned(), found.evidence);
        }
    }
    call
}

fn gaps(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    calls: &[Call],
    unusable: &[bind::Bound],
) -> Vec<Gap> {
    let unconfirmed = proposed::ungrounded(turn, draft, tool);
    let mut gaps: Vec<Gap> = Vec::new();
    for name in tool.arguments().filter(|name| tool.requires(name)) {
        if calls.iter().all(|call| call.arguments.contains_key(name)) {
            continue;
        }
        let gap = if unconfirmed.contains_key(name) {
            proposed::confirmation(turn, tool, name, &unconfirmed)
        } else {
            bind::gap(turn, tool, name, unusable)
        };
        // Longitude and latitude are one question.
        if !gaps.iter().any(|known| known.sentence == gap.sentence) {
            gaps.push(gap);
        }
    }
    gaps
}

/// What looks like a value and cannot be one, as the question that it deserves.
pub fn faults<'a>(turn: &'a Turn<'_>) -> Vec<(Sentence, &'a Value)> {
    turn.values
        .iter()
        .filter_map(|value| match &value.reading {
            Reading::Fault(fault) => Some((fault_sentence(fault, &value.text), value)),
            _ => None,
        })
        .collect()
}

fn fault_sentence(fault: &crate::extract::Fault, text: &str) -> Sentence {
    use crate::extract::Fault;
    let name = match fault {
        Fault::NoSuchDate => "no_such_date",
        Fault::NoSuchTime => "no_such_time",
        Fault::LongitudeRange => "longitude_range",
        Fault::LatitudeRange => "latitude_range",
        Fault::EmptyBox => "empty_box",
        Fault::RangeReversed => "range_reversed",
    };
    Sentence::new(name).with("text", text)
}

/// The label of the place that a call is about, in the user's language, for its answer.
pub fn place_label(pack: &Pack, turn: &Turn<'_>, call: &Call) -> String {
    bind::label(pack, turn, call)
}
