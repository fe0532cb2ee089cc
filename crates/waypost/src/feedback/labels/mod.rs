//! Reads from a turn whether a decision was right or wrong. Silence says nothing.
//!
//! Five things are said in passing: a model decides and the decision goes through, the user takes a
//! choice that names a route or a tool, answers the question that a model's decision left open, says
//! what else was meant, or says only that it was something else. A label is about words that stand
//! alone: the user's own, or those of the turn that was asked about.

use serde_json::Value as Json;
use waypost_core::records::approval::Approval;
use waypost_core::records::decision::{Decision, GateName, LayerName, Outcome, Reason};
use waypost_core::records::label::{Label, LabelKind, Verdict};
use waypost_core::records::request::Choice;
use waypost_core::records::session::{Bearing, Origin, Pending, Session};

use crate::observe::events::choice_taken;
use crate::understand::Turn;

/// Returns how the words of a turn relate to those of the turns before.
pub(crate) fn bearing(turn: &Turn<'_>, decision: &Decision) -> Bearing {
    let alone = !matches!(decision.layer, LayerName::Rules | LayerName::Declared);
    if let Some(objection) = &turn.said.objection {
        if objection.wish.is_empty() { Bearing::Rejects } else { Bearing::Restates }
    } else if alone && turn.stands_alone() && !turn.said.is_bare() {
        Bearing::Alone
    } else {
        Bearing::Leans
    }
}

/// The labels of a turn; `before` is what the session remembered when it began.
pub(crate) fn labels(
    turn: &Turn<'_>,
    decision: &Decision,
    bearing: Bearing,
    before: &Session,
) -> Vec<Label> {
    let own = Origin::of(turn.said.text.original(), decision);
    let said = match bearing {
        Bearing::Alone => taught(turn, decision, &own),
        Bearing::Restates => {
            answered(turn, decision, before).or_else(|| corrected(turn, decision, before))
        }
        // "That is not what I asked" has no route of its own; what it is taken for is not meant.
        Bearing::Rejects => {
            let wrong = before.origin.iter();
            let about = |asked| label(turn, LabelKind::Correction, asked, Verdict::Wrong);
            return wrong.map(about).collect();
        }
        Bearing::Leans => answered(turn, decision, before),
    };
    let right = || Verdict::Right { route: decision.route.clone(), tools: decision.tools() };
    said.into_iter().map(|(kind, about)| label(turn, kind, about, right())).collect()
}

/// The kind of statement that the route and the tools of this turn were right, and the turn it is
/// about.
type Said<'a> = Option<(LabelKind, &'a Origin)>;

/// A model decided, and it runs, or the model is sure that nothing serves it.
fn taught<'a>(turn: &Turn<'_>, decision: &Decision, own: &'a Origin) -> Said<'a> {
    let refused = decision.decision == Outcome::Refuse
        && decision.reason == Some(Reason::OutOfScope)
        && decision.confidence >= turn.pack.spec.policy.run;
    let completed = decision.decision == Outcome::Run || refused;
    (own.taught && completed).then_some((LabelKind::Teacher, own))
}

/// "No, I meant the tide": the route of these words is that of the turn before, if it is another
/// and the words say so without those before.
fn corrected<'a>(turn: &Turn<'_>, decision: &Decision, before: &'a Session) -> Said<'a> {
    let asked = before.origin.as_ref()?;
    let read = !matches!(decision.layer, LayerName::Rules | LayerName::Declared);
    let understood = read && (decision.decision == Outcome::Run || asks_for_more(turn, decision));
    let corrects =
        understood && !is_same(decision, asked) && !turn.said.wish_points_back(turn.pack);
    corrects.then_some((LabelKind::Correction, asked))
}

/// Returns whether only a value is missing: route and tools are as sure as if it ran.
fn asks_for_more(turn: &Turn<'_>, decision: &Decision) -> bool {
    let Some(route) = turn.pack.route(&decision.route) else { return false };
    decision.reason == Some(GateName::Completeness.into())
        && decision.confidence
            >= turn.pack.runs_from(
                route,
                decision.calls.iter().map(|call| call.tool.as_str()),
                &|tool| turn.access(tool),
            )
}

/// An answer to the question of a turn before. A choice of what was meant says just that, and so
/// does consent to a call that was shown.
///
/// A value for an argument does not: the user may fill in what is asked without a look at the tool
/// that asks. Where a model chose the tool, though, its decision went through after all.
fn answered<'a>(turn: &Turn<'_>, decision: &Decision, before: &'a Session) -> Said<'a> {
    let pending = before.pending.as_ref()?;
    let asked = pending.origin.as_ref()?;
    // The caller may have shown choices of its own, of which the session knows nothing.
    if decision.layer != LayerName::Rules || turn.context.options != pending.options {
        return None;
    }
    let taken = choice_taken(turn, decision).and_then(|at| pending.options.get(at));
    let goes_on = matches!(decision.decision, Outcome::Run | Outcome::Clarify);
    if taken.is_some_and(|taken| goes_on && says_what_was_meant(pending, taken)) {
        return Some((LabelKind::Choice, asked));
    }
    let through = decision.decision == Outcome::Run && is_same(decision, asked);
    (through && asked.taught).then_some((LabelKind::Teacher, asked))
}

/// Returns whether a choice says which route or tool was meant. A question about a tool offers
/// values for it instead, or what has to be done before it.
fn says_what_was_meant(pending: &Pending, taken: &Choice) -> bool {
    let names = |key: &str| taken.value.get(key).is_some_and(Json::is_string);
    let meant = pending.tool.is_none() && (names("route") || names("tool"));
    meant || Approval::of(&taken.value).is_some()
}

/// Returns whether the route and the tools are those of before, in any order.
fn is_same(decision: &Decision, asked: &Origin) -> bool {
    let (mut tools, mut before) = (decision.tools(), asked.tools.clone());
    tools.sort_unstable();
    before.sort_unstable();
    decision.route == asked.route && tools == before
}

fn label(turn: &Turn<'_>, kind: LabelKind, about: &Origin, verdict: Verdict) -> Label {
    Label {
        decision_id: about.decision_id.clone(),
        session_id: turn.request.session.clone(),
        owner: turn.request.owner.as_deref().map(str::to_owned),
        pack: turn.pack.spec.name.clone(),
        at: turn.now.timestamp().to_string(),
        kind,
        text: about.text.clone(),
        language: about.language.tag().to_owned(),
        era: turn.era,
        verdict,
    }
}

#[cfg(test)]
mod tests;
