//! Chooses the logged turns that are worth a label: those first where a person's word teaches most.
//!
//! A turn is worth it where the router was unsure, where two judges disagree, or where the user's next
//! turn says that something went wrong. What a person has said of a turn already is left out, and of
//! turns that are nearly the same the first stands for all. It decides nothing and reads nothing: it
//! is handed records and labels, oldest first.

mod known;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet, VecDeque};

use serde::Serialize;
use waypost_core::records::decision::{Decision, LayerName, Outcome};
use waypost_core::records::event::{Event, Record, Routed};
use waypost_core::records::label::{Label, Verdict};
use waypost_core::similarity::Shingles;

use crate::pack::OUT_OF_SCOPE;
use known::{Known, pieces};

/// The number of the latest turns that are looked at; older ones count as labeled.
pub const MAX_TURNS: usize = 50_000;
/// The most turns that are listed.
pub const MAX_LISTED: usize = 200;
/// Below this much a label would teach next to nothing.
const WORTH: f64 = 0.2;
/// From this share of common pieces on two texts are one question in other words.
const SAME: f64 = 0.8;
/// From this share on the next turn asks the same again: people change more than a letter.
const ASKED_AGAIN: f64 = 0.5;
/// A decision leads by more than this where it is not unsure.
const MARGIN: f64 = 0.7;
/// Out of scope is near the border below this confidence.
const BORDER: f64 = 0.95;

/// A reason why a turn is worth a label. Each has a weight of its own: a clear sign that the turn
/// went wrong counts more than a doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TriageReason {
    /// A model that was asked as well says something else.
    Disputed,
    /// The user asked the same again in other words.
    AskedAgain,
    /// The answer was not understood, and the question was asked once more.
    NotUnderstood,
    /// The question that it ended with was not answered.
    Unanswered,
    /// A part in shadow would have decided otherwise.
    Shadow,
    /// Another route was nearly as likely.
    Unsure,
    /// It was taken for out of scope, and hardly.
    NearTheBorder,
}

impl TriageReason {
    /// In words for people.
    pub fn words(self) -> &'static str {
        match self {
            TriageReason::Disputed => "a model says something else",
            TriageReason::AskedAgain => "asked again in other words",
            TriageReason::NotUnderstood => "the answer was not understood",
            TriageReason::Unanswered => "the question was not answered",
            TriageReason::Shadow => "a part in shadow decides otherwise",
            TriageReason::Unsure => "unsure",
            TriageReason::NearTheBorder => "nearly in scope",
        }
    }
}

/// A turn that is worth a label.
#[derive(Debug, Clone, Serialize)]
pub struct Candidate {
    /// The decision.
    pub decision_id: String,
    /// The conversation, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The instant of the request.
    pub at: String,
    /// The text of the user.
    pub text: String,
    /// A BCP 47 tag.
    pub language: String,
    /// The outcome that was decided.
    pub decision: Outcome,
    /// The route.
    pub route: String,
    /// The tools, in order.
    pub tools: Vec<String>,
    /// The layer that decided.
    pub layer: LayerName,
    /// The calibrated probability.
    pub confidence: f64,
    /// The route and tools that a model says instead, if one disagrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// The worth of a label, from 0 to 1.
    pub score: f64,
    /// The reasons, the strongest first.
    pub why: Vec<TriageReason>,
    /// The number of turns that it stands for.
    pub count: u64,
    #[serde(skip)]
    signs: Vec<(TriageReason, f64)>,
}

/// Collects turns and what followed them.
#[derive(Debug, Default)]
pub struct Triage {
    turns: VecDeque<Candidate>,
    /// The number of turns that left at the front: the place of a turn is its number less this.
    gone: usize,
    by_decision: HashMap<String, usize>,
    /// The last turn of a conversation, and whether it ended with a question.
    last: HashMap<String, (usize, bool)>,
    /// The turn before each, for events that come after its successor.
    before: HashMap<String, usize>,
    labeled: HashSet<String>,
}

impl Triage {
    /// Takes in a record; records come oldest first.
    pub fn add(&mut self, record: &Record) {
        match &record.event {
            Event::RouterEvent(routed) => self.turn(record, routed),
            Event::ShadowEvent(shadowed)
                if shadowed.differs.iter().any(|name| name != "reason") =>
            {
                self.sign(&record.decision_id, TriageReason::Shadow, 0.6);
            }
            Event::ChoiceOutcome { taken: false, .. } => {
                let before = record.session_id.as_ref().and_then(|id| self.before.get(id)).copied();
                self.sign_at(before, TriageReason::Unanswered, 0.5);
            }
            _ => {}
        }
    }

    /// Takes in a label.
    pub fn label(&mut self, label: &Label) {
        if label.kind.is_gold() {
            self.labeled.insert(label.decision_id.clone());
            return;
        }
        let Verdict::Right { route, tools } = &label.verdict else { return };
        let Some(turn) = self.place(&label.decision_id) else { return };
        let Some(candidate) = self.turns.get_mut(turn) else { return };
        let other_tools = !tools.is_empty() && *tools != candidate.tools;
        if *route != candidate.route || other_tools {
            candidate.instead = Some(named(route, tools));
            candidate.signs.push((TriageReason::Disputed, 0.8));
        }
    }

    /// At most `limit` turns, the most useful first.
    pub fn list(mut self, limit: usize) -> Vec<Candidate> {
        let open: Vec<usize> =
            self.last.values().filter(|(_, asks)| *asks).map(|(turn, _)| *turn).collect();
        open.into_iter().for_each(|turn| self.sign_at(Some(turn), TriageReason::Unanswered, 0.5));
        let (labeled, rest): (Vec<Candidate>, Vec<Candidate>) =
            self.turns.into_iter().partition(|turn| self.labeled.contains(&turn.decision_id));
        let mut worth: Vec<Candidate> = rest
            .into_iter()
            .map(weighed)
            .filter(|candidate| candidate.score >= WORTH && !candidate.text.trim().is_empty())
            .collect();
        // Of two of a score the latest: it is nearest to what is asked today.
        worth.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.at.cmp(&a.at)));
        collapse(worth, &labeled, limit.min(MAX_LISTED))
    }

    fn turn(&mut self, record: &Record, routed: &Routed) {
        let number = self.gone + self.turns.len();
        let candidate = candidate(record, routed);
        if let Some(session) = &record.session_id {
            let asks = routed
                .decision
                .question
                .as_ref()
                .is_some_and(waypost_core::records::decision::Question::awaits);
            if let Some((before, _)) = self.last.insert(session.clone(), (number, asks)) {
                self.before.insert(session.clone(), before);
                self.follow(before, &candidate);
            }
        }
        self.by_decision.insert(record.decision_id.clone(), number);
        self.turns.push_back(candidate);
        if self.turns.len() > MAX_TURNS
            && let Some(oldest) = self.turns.pop_front()
        {
            self.gone += 1;
            self.by_decision.remove(&oldest.decision_id);
            if let Some(session) = &oldest.session_id
                && self.last.get(session).is_some_and(|(turn, _)| *turn < self.gone)
            {
                self.last.remove(session);
                self.before.remove(session);
            }
        }
    }

    /// Reads from a turn what it says of the one before it.
    fn follow(&mut self, before: usize, next: &Candidate) {
        let Some(turn) = before.checked_sub(self.gone).and_then(|at| self.turns.get(at)) else {
            return;
        };
        let again = pieces(&turn.text).share(&pieces(&next.text)) >= ASKED_AGAIN;
        if again {
            self.sign_at(Some(before), TriageReason::AskedAgain, 0.7);
        }
    }

    fn place(&self, decision_id: &str) -> Option<usize> {
        self.by_decision.get(decision_id)?.checked_sub(self.gone)
    }

    fn sign(&mut self, decision_id: &str, why: TriageReason, worth: f64) {
        let turn = self.by_decision.get(decision_id).copied();
        self.sign_at(turn, why, worth);
    }

    fn sign_at(&mut self, turn: Option<usize>, why: TriageReason, worth: f64) {
        let at = turn.and_then(|turn| turn.checked_sub(self.gone));
        if let Some(turn) = at.and_then(|at| self.turns.get_mut(at)) {
            turn.signs.push((why, worth));
        }
    }
}

/// A route with its tools.
fn named(route: &str, tools: &[String]) -> String {
    if tools.is_empty() { route.to_owned() } else { format!("{route} {}", tools.join(", ")) }
}

fn candidate(record: &Record, routed: &Routed) -> Candidate {
    let decision = &routed.decision;
    let mut signs = Vec::new();
    if routed.repeated || decision.decision == Outcome::Rephrase {
        signs.push((TriageReason::NotUnderstood, 0.6));
    }
    signs.extend(doubt(decision));
    Candidate {
        decision_id: record.decision_id.clone(),
        session_id: record.session_id.clone(),
        at: record.at.clone(),
        text: routed.text.clone(),
        language: decision.language.tag().to_owned(),
        decision: decision.decision,
        route: decision.route.clone(),
        tools: decision.calls.iter().map(|call| call.tool.clone()).collect(),
        layer: decision.layer,
        confidence: decision.confidence,
        instead: None,
        score: 0.0,
        why: Vec::new(),
        count: 1,
        signs,
    }
}

/// Returns how unsure a decision was, by its lead over what else was likely; rules and callers are
/// sure.
///
/// # Source
///
/// Settles 2009, "Active Learning Literature Survey", section 3.1, margin sampling.
fn doubt(decision: &Decision) -> Option<(TriageReason, f64)> {
    if matches!(decision.layer, LayerName::Rules | LayerName::Declared) {
        return None;
    }
    if decision.route == OUT_OF_SCOPE && decision.decision == Outcome::Refuse {
        let near = decision.confidence < BORDER;
        return near.then_some((TriageReason::NearTheBorder, 0.9 - 0.6 * decision.confidence));
    }
    let next = decision.alternatives.first().map_or(0.0, |other| other.confidence);
    let lead = decision.confidence - next;
    (lead < MARGIN).then_some((TriageReason::Unsure, 0.6 * (1.0 - lead.max(0.0))))
}

/// Combines the signs of a turn: each one leaves less doubt that a label is of use.
fn weighed(mut candidate: Candidate) -> Candidate {
    candidate.signs.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    candidate.signs.dedup_by_key(|(why, _)| *why);
    let rest: f64 = candidate.signs.iter().map(|(_, worth)| 1.0 - worth).product();
    candidate.score = waypost_core::records::decision::round(1.0 - rest);
    candidate.why = candidate.signs.iter().map(|(why, _)| *why).collect();
    candidate
}

/// Of turns that are nearly the same the first, with their count; none that is nearly the same as
/// one that has its label.
fn collapse(worth: Vec<Candidate>, labeled: &[Candidate], limit: usize) -> Vec<Candidate> {
    let known = Known::of(labeled.iter().map(|turn| turn.text.as_str()));
    let mut kept: Vec<(Candidate, Shingles)> = Vec::new();
    for candidate in worth {
        let pieces = pieces(&candidate.text);
        let same = |(other, of): &(Candidate, Shingles)| {
            other.route == candidate.route && of.share(&pieces) >= SAME
        };
        if let Some(at) = kept.iter().position(same) {
            kept[at].0.count += 1;
        } else if kept.len() < limit && !known.has(&candidate.text, &pieces, SAME) {
            kept.push((candidate, pieces));
        }
    }
    kept.into_iter().map(|(candidate, _)| candidate).collect()
}
