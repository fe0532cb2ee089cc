//! An answer that describes the value that is meant, or names several and means one: "the ones with a baby on the way",
//! "slides, our kits expired".

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_learning::Bundle;
use waypost_text::extract::Operator;
use waypost_text::text::Span;

use super::super::Proposal;
use super::choice::selects;
use super::settle::{call, memory_of};
use crate::decide::slots::{DraftCall, Given};
use crate::pack::spec::Access;
use crate::student::answers;
use crate::understand::Turn;
use crate::understand::act::Act;

/// From this probability a meaning outweighs what is named in the text, or what else the text may be.
const SURE: f32 = 0.85;
/// From this probability it is taken where nothing else was understood.
const LIKELY: f32 = 0.7;

/// The acts of texts that do something else than to answer.
const OTHERWISE: &[Act] =
    &[Act::Stop, Act::Back, Act::Skip, Act::Thank, Act::Greet, Act::SmallTalk, Act::Request];
/// Those of texts that ask.
const ASKS: &[Act] = &[Act::AskOption, Act::PointBack, Act::Status];

/// An answer that names several values and surely means one of them.
pub(super) fn preferred(turn: &Turn<'_>, bundle: &Bundle) -> Option<Proposal> {
    let named = named(turn);
    if named.len() < 2 || is_exact(turn) || denies(turn) {
        return None;
    }
    let (proposal, value) = meant(turn, bundle, SURE)?;
    named.contains(&value).then_some(proposal)
}

/// An answer that likely means a value, where nothing exact was understood.
pub(super) fn described(turn: &Turn<'_>, bundle: &Bundle) -> Option<Proposal> {
    // Most texts answer nothing, and classifying their acts would be work for nothing.
    turn.asked()?;
    let named = named(turn);
    let asks = turn.said.text.normalized().contains(['?', '？']) || turn.does(ASKS);
    // "The little ones and the grown-ups" describe two values.
    let doubtful = asks || named.is_empty() && (turn.does(OTHERWISE) || joins(turn));
    let (proposal, value) = meant(turn, bundle, if doubtful { SURE } else { LIKELY })?;
    let is_own = named.iter().all(|name| *name == value);
    (is_own && !denies(turn) && !is_exact(turn) && !names_others(turn)).then_some(proposal)
}

/// Returns whether a word joins what was said: "and", "or".
fn joins(turn: &Turn<'_>) -> bool {
    let joins = |operator: Operator| matches!(operator, Operator::And | Operator::Or);
    let mut marks = turn.said.discourse.marks.iter().filter(|mark| joins(mark.operator));
    marks.any(|mark| turn.said.text.slice(mark.span).contains(char::is_alphabetic))
}

/// The values of what was asked for that the words name.
fn named(turn: &Turn<'_>) -> Vec<Json> {
    let Some((tool, name)) = turn.asked() else { return Vec::new() };
    let keys = turn.said.discourse.mentions.iter().flat_map(|mention| mention.key(name));
    let mut named: Vec<Json> = keys.map(|key| tool.canonical(name, &Json::from(key))).collect();
    named.sort_by_key(Json::to_string);
    named.dedup();
    named
}

/// Returns whether the words name a value of something else than what was asked for: "map the population density first".
fn names_others(turn: &Turn<'_>) -> bool {
    let Some((_, name)) = turn.asked() else { return false };
    turn.said.discourse.mentions.iter().any(|mention| mention.key(name).next().is_none())
}

/// Returns whether alternatives are offered, or nothing is said but a place in the list.
fn is_exact(turn: &Turn<'_>) -> bool {
    let spans: Vec<Span> =
        turn.said.discourse.mentions.iter().map(|mention| mention.span).collect();
    let offers = spans.windows(2).any(|pair| turn.said.discourse.has_or(pair[0], pair[1]));
    let options = turn.context.options.len();
    let pointers = turn.said.pointers(&spans, options);
    let places = turn.said.values.iter().map(|value| value.span).chain(spans);
    let places: Vec<Span> =
        places.chain(pointers.into_iter().map(|pointer| pointer.span)).collect();
    offers || !places.is_empty() && selects(turn, &places)
}

/// Returns whether something is denied: what is left then is for those who read it exactly.
fn denies(turn: &Turn<'_>) -> bool {
    let mut denials = [Operator::Not, Operator::Except, Operator::Dropped].into_iter();
    // "Las mamás no": a denial that stands last is for nobody who reads it exactly.
    denials.any(|operator| turn.said.discourse.says(operator)) || turn.said.negates()
}

/// The call that was asked about with the value that the whole text means, and that value.
fn meant(turn: &Turn<'_>, bundle: &Bundle, least: f32) -> Option<(Proposal, Json)> {
    let (tool, name) = turn.asked()?;
    // What changes something needs a value that is named.
    if turn.access(&tool.spec.name) != Access::Read {
        return None;
    }
    let meaning = answers::read(bundle, &turn.said.text, name)?;
    if meaning.share < least || !tool.lists(name, &meaning.value) {
        return None;
    }
    let whole = Span { start: 0, end: turn.said.text.original().chars().count() };
    let value = Json::from(meaning.value);
    let filled = if tool.is_list(name) { json!([value]) } else { value.clone() };
    let evidence = Evidence::span(turn.said.text.original().trim(), By::Learned);
    let given = Given { value: filled, evidence };
    let proposal = DraftCall {
        tool: tool.spec.name.clone(),
        given: [(name.to_owned(), given)].into(),
        memory: memory_of(turn, &tool.spec.name),
        exact: true,
        ..DraftCall::default()
    };
    let mut proposal = call(turn.pack, proposal, "an answer that describes a value")?;
    proposal.confidence = f64::from(meaning.share);
    Some((proposal.consuming(&[whole]), value))
}
