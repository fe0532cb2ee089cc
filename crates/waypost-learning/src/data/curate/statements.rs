//! Makes labels into one statement a decision, and a bounded number a session.

use std::collections::BTreeMap;

use waypost_core::records::label::{Label, LabelKind, Verdict};

use super::{CurationReport, Limits, Reason};

/// The route and tools that a label says are right.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Aim<'a> {
    pub(super) route: &'a str,
    /// The tools in order, each once.
    pub(super) tools: Vec<&'a str>,
}

impl<'a> Aim<'a> {
    pub(super) fn new(route: &'a str, tools: &'a [String]) -> Self {
        let mut tools: Vec<&str> = tools.iter().map(String::as_str).collect();
        tools.sort_unstable();
        tools.dedup();
        Self { route, tools }
    }
}

/// The source of a statement: a session, or somebody without one. Strangers are one voice together:
/// nobody can tell whether they are one person or many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Who<'a> {
    Session(&'a str),
    Stranger,
}

/// The statement that one decision's labels make.
#[derive(Debug, Clone)]
pub(super) struct Statement<'a> {
    pub(super) label: &'a Label,
    pub(super) aim: Aim<'a>,
    pub(super) who: Who<'a>,
    /// The text as a student sees it, trimmed.
    pub(super) seen: String,
}

/// The statements of `labels`, the earliest first.
pub(super) fn of<'a>(
    labels: &'a [Label],
    seen: &dyn Fn(&Label) -> String,
    limits: &Limits,
    report: &mut CurationReport,
) -> Vec<Statement<'a>> {
    let mut sorted: Vec<&Label> = labels.iter().collect();
    sorted.sort_by(|a, b| (&a.at, &a.decision_id, a.kind).cmp(&(&b.at, &b.decision_id, b.kind)));
    let old = sorted.len().saturating_sub(limits.most);
    report.drop(Reason::TooOld, old);
    let mut decisions: BTreeMap<&str, Vec<&Label>> = BTreeMap::new();
    for label in &sorted[old..] {
        decisions.entry(&label.decision_id).or_default().push(label);
    }
    let settled = decisions.into_values().filter_map(|labels| settle(&labels, report));
    let mut settled: Vec<(&Label, Aim<'_>)> = settled.collect();
    settled.sort_by(|(a, _), (b, _)| (&a.at, &a.decision_id).cmp(&(&b.at, &b.decision_id)));
    let settled = capped(settled, limits, report);
    let mut statements = Vec::with_capacity(settled.len());
    for (label, aim) in settled {
        let who = label.session_id.as_deref().map_or(Who::Stranger, Who::Session);
        let seen = seen(label).trim().to_owned();
        if seen.is_empty() {
            report.drop(Reason::Empty, 1);
        } else {
            statements.push(Statement { label, aim, who, seen });
        }
    }
    statements
}

/// Returns the label of one decision that holds: the strongest, of equals the latest.
fn settle<'a>(labels: &[&'a Label], report: &mut CurationReport) -> Option<(&'a Label, Aim<'a>)> {
    let wrong = labels.iter().filter(|l| l.verdict == Verdict::Wrong).map(|l| l.kind).max();
    // A correction says that the decision was wrong as well.
    let is_taken_back = |label: &Label| {
        label.kind != LabelKind::Correction && wrong.is_some_and(|kind| label.kind < kind)
    };
    let mut strongest: Option<(&Label, Aim<'_>)> = None;
    for label in labels {
        match &label.verdict {
            Verdict::Wrong => report.drop(Reason::TakenBack, 1),
            Verdict::Right { .. } if is_taken_back(label) => report.drop(Reason::TakenBack, 1),
            Verdict::Right { route, tools } => {
                let weaker = strongest.as_ref().is_some_and(|(held, _)| held.kind > label.kind);
                let gone = weaker || strongest.is_some();
                report.drop(Reason::Overruled, usize::from(gone));
                if !weaker {
                    strongest = Some((label, Aim::new(route, tools)));
                }
            }
        }
    }
    strongest
}

/// Returns the statements that the sessions have room for.
fn capped<'a>(
    statements: Vec<(&'a Label, Aim<'a>)>,
    limits: &Limits,
    report: &mut CurationReport,
) -> Vec<(&'a Label, Aim<'a>)> {
    let mut said: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut within = Vec::with_capacity(statements.len());
    for (label, aim) in statements {
        if let Some(session) = label.session_id.as_deref() {
            let (all, gold) = said.entry(session).or_default();
            let is_gold = label.kind.is_gold();
            if *all >= limits.per_session || (is_gold && *gold >= limits.gold_per_session) {
                report.drop(Reason::SessionFull, 1);
                continue;
            }
            *all += 1;
            *gold += usize::from(is_gold);
        }
        within.push((label, aim));
    }
    within
}
