//! Words that steer what is under way: cancel, back, skip, status. While nothing is, all but "cancel" are a request to the tools
//! like any other: a git server has a status, too.

use waypost_core::records::decision::{By, Evidence, LayerName, Source};
use waypost_text::extract::Operator;

use super::super::{Aim, Proposal, Step};
use super::follow::SURE;
use super::settle::{call, memory_of};
use crate::decide::slots::{DraftCall, Given};
use crate::pack::Tool;
use crate::pack::spec::{HandlerName, RouteSpec, Selection, ValueWord};
use crate::understand::Turn;
use crate::understand::act::Act;

/// A text that is nothing but such a word, while it steers something.
pub(super) fn steered(turn: &Turn<'_>) -> Option<Proposal> {
    let operator = turn.said.act().or_else(|| learned(turn))?;
    let has_flags = operator == Operator::Status && !turn.pack.spec.gates.is_empty();
    // Who cancels wants nothing done, whatever a tool calls itself.
    let settles = has_flags || operator == Operator::Cancel;
    let under_way = settles || !turn.is_unprompted() || turn.context.run.is_some();
    under_way.then(|| steer(turn, operator)).flatten()
}

/// What the layers say of a text. Where it is such a word and nothing is under way, they have to be sure of a tool, or that is
/// what the user is told.
pub(in super::super) fn unless_asked(turn: &Turn<'_>, step: Step) -> Step {
    let learned = turn.pack.spec.selection != Selection::Catalog;
    // A student cannot be sure of a word that no example has.
    let is_sure = |proposal: &Proposal| {
        proposal.confidence >= turn.pack.spec.policy.run && !(learned && turn.has_unknown_words())
    };
    match &step {
        Step::Failed(_) => step,
        Step::Decided(one) | Step::Abstained(Some(one))
            if !one.calls.is_empty() && is_sure(one) =>
        {
            step
        }
        _ => {
            let steered = turn.said.act().and_then(|operator| steer(turn, operator));
            steered.map_or(step, Step::Decided)
        }
    }
}

fn steer(turn: &Turn<'_>, operator: Operator) -> Option<Proposal> {
    // Without tools nothing is ever under way, and "never mind" is small talk.
    if turn.pack.tools.is_empty() {
        return None;
    }
    match operator {
        Operator::Cancel => Some(sure(Aim::Stopped, "the user stops what is under way")),
        Operator::Status => Some(sure(Aim::Status, "the user asks where things stand")),
        Operator::Back => Some(back(turn)),
        Operator::Skip => skip(turn),
        _ => None,
    }
}

/// The operator that a text is by how it puts it, where it names nothing: "let's leave it at that, I'm tired".
fn learned(turn: &Turn<'_>) -> Option<Operator> {
    let names = !turn.said.values.is_empty() || !turn.said.discourse.mentions.is_empty();
    if names || turn.active_tool().is_none() {
        return None;
    }
    let acts = [
        (Act::Stop, Operator::Cancel),
        (Act::Back, Operator::Back),
        (Act::Skip, Operator::Skip),
        (Act::Status, Operator::Status),
    ];
    // "Back pain, what should I take?" asks for something else.
    let asks = turn.said.discourse.says(Operator::Question);
    let fits = |act: Act| turn.acts().share(act) >= SURE && (act == Act::Status || !asks);
    let found = acts.into_iter().find(|(act, _)| fits(*act));
    found.map(|(_, operator)| operator)
}

/// The acts that ask about what was asked or shown.
const ASKS_BACK: &[Act] = &[Act::AskOption, Act::PointBack];

/// A sure question about what was asked or shown, though it names a value: "what does tertiary mean?"
pub(super) fn surely_asked_back(turn: &Turn<'_>) -> Option<Proposal> {
    let asks = turn.said.discourse.says(Operator::Question)
        && turn.asked().is_some()
        && turn.acts().share(Act::AskOption) >= SURE;
    asks.then(|| asked_back(turn)).flatten()
}

/// A question about what was asked or shown: it is answered, and what was asked stays open.
pub(super) fn asked_back(turn: &Turn<'_>) -> Option<Proposal> {
    turn.asked()?;
    let asks = turn.does(ASKS_BACK);
    let explains = |route: &&RouteSpec| route.handler == HandlerName::Explain;
    let fallback = turn.pack.route(&turn.pack.spec.fallback);
    let route = fallback.iter().copied().chain(&turn.pack.spec.routes).find(explains)?;
    let why = "the user asks about what was asked";
    asks.then(|| sure(Aim::Route(route.name.clone()), why))
}

fn sure(aim: Aim, rationale: &str) -> Proposal {
    Proposal::sure(LayerName::Rules, aim, rationale)
}

/// The step before: the last argument that was settled, asked for once more.
fn back(turn: &Turn<'_>) -> Proposal {
    const WHY: &str = "the user goes back a step";
    let Some((tool, asked)) = turn.asked() else {
        return sure(Aim::Unclear("nothing_pending"), WHY);
    };
    let before = tool.arguments().take_while(|name| *name != asked).last().unwrap_or(asked);
    let mut memory = memory_of(turn, &tool.spec.name);
    if let Some(memory) = &mut memory {
        memory.arguments.retain(|name, _| name != before && name != asked);
    }
    let proposal = DraftCall { memory, ask: Some(before.to_owned()), ..step(tool) };
    call(turn.pack, proposal, WHY).unwrap_or_else(|| sure(Aim::Unclear("nothing_pending"), WHY))
}

/// The next step: this one gets the value for passing over it, or its default, or stays out.
fn skip(turn: &Turn<'_>) -> Option<Proposal> {
    const WHY: &str = "the user passes over this step";
    let (tool, asked) = turn.asked()?;
    let note = tool.annotation(asked);
    let value = note.and_then(|note| note.skip.as_ref().or(note.default.as_ref()));
    let value = value.map(|value| ValueWord::meant(value, &turn.now));
    let memory = memory_of(turn, &tool.spec.name);
    let mut proposal = DraftCall { memory, skipped: true, ..step(tool) };
    match value {
        Some(value) => {
            let evidence = Evidence::new(Source::Default, By::Skip);
            proposal.given.insert(asked.to_owned(), Given { value, evidence });
        }
        None if tool.requires(asked) => return Some(sure(Aim::Unclear("cannot_skip"), WHY)),
        None => {}
    }
    call(turn.pack, proposal, WHY)
}

fn step(tool: &Tool) -> DraftCall {
    DraftCall { tool: tool.spec.name.clone(), exact: true, ..DraftCall::default() }
}
