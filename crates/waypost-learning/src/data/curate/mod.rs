//! Decides which labels a student may learn from: a person who says a thing once may be wrong or
//! mean harm, and a thing that was said a hundred times is still one thing.
//!
//! Labels become at most one statement a decision, then at most a few a session, then one text for
//! all that say the same; they count where others bear them out. Nothing is trained here, nothing
//! is random: the same labels give the same texts in the same order, and each label that does not
//! count is in the report with its reason. The cost is about N log N for N labels: a text is
//! compared with a bounded number of others, and with each route once.

mod others;
mod same;
mod statements;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use waypost_core::records::label::{Label, LabelKind};
use waypost_text::text::Text;

use crate::train::Labelled;
use others::Others;
use statements::{Statement, Who};

/// The limits on what anybody can teach. The defaults are those that `cargo xtask bench flywheel`
/// measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Decisions of one session that count, the earliest first.
    pub per_session: usize,
    /// The number of these that may be gold.
    pub gold_per_session: usize,
    /// Texts of which at least this share of the pieces is the same are one text.
    pub same: f64,
    /// The number of sessions that must say the same of one text before nobody else has to bear it
    /// out.
    pub agreeing: usize,
    /// The least similarity of a text to what others say of its route, as a share of its similarity
    /// to the nearest route.
    pub plausible: f64,
    /// Statements of people against everybody else count up to this share of the texts of a route:
    /// of the one that they take texts from, and of the one that they give them to.
    pub against: f64,
    /// Below this much agreement beyond chance with the examples and with each other, no weak label
    /// counts at all.
    pub agreement: f64,
    /// The weight of a text that only a model stands behind, beside an example, which counts 1: what the model's choices
    /// are worth, where that was measured.
    pub model: f32,
    /// The number of labels that are looked at: the latest.
    pub most: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            per_session: 10,
            gold_per_session: 3,
            same: 0.8,
            agreeing: 2,
            plausible: 0.8,
            against: 0.05,
            // "Moderate" begins at 0.41: Landis and Koch 1977, "The Measurement of Observer
            // Agreement for Categorical Data".
            agreement: 0.4,
            model: LabelKind::Teacher.weight(),
            most: 200_000,
        }
    }
}

/// A text that a student may learn from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Taught {
    /// As the user wrote it.
    pub text: String,
    /// A BCP 47 tag.
    pub language: String,
    /// Its route.
    pub route: String,
    /// Its tools by name, or by that of their family where the words do not tell it apart.
    pub tools: Vec<String>,
    /// Its weight beside an example, which counts 1.
    pub weight: f32,
    /// The sessions behind it, in order; labels without a session have none.
    pub sessions: Vec<String>,
}

/// The reason why a label does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// There are more labels than are looked at, and it is one of the oldest.
    TooOld,
    /// Its text is empty.
    Empty,
    /// A route that the pack has not, or that none of its examples teaches.
    UnknownRoute,
    /// A tool that the pack has not, or none where the route needs one.
    UnknownTool,
    /// A stronger label of the same decision says something else or the same.
    Overruled,
    /// Somebody said that the decision was wrong.
    TakenBack,
    /// Its session has said enough.
    SessionFull,
    /// Others said something else of the same text, and were more.
    Outvoted,
    /// Others said something else of the same text, and were as many.
    Tied,
    /// The pack has the same text as an example or a case.
    InPack,
    /// It stands for nothing that another label of the same route does not stand for.
    Repeated,
    /// Nobody else said anything like it of this route yet.
    Unsupported,
    /// A person says it against everybody else, and as much of that counts already as may.
    AgainstOthers,
    /// The labels that models gave agree so little that none of them counts.
    Distrusted,
}

/// The outcome of a curation: the labels that count and those that do not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CurationReport {
    /// Labels that were given.
    pub given: usize,
    /// Texts that count.
    pub kept: usize,
    /// The number of these that a person stands behind.
    pub gold: usize,
    /// The number of sessions behind them; a label without one counts as one.
    pub sessions: usize,
    /// Labels that do not count, by reason; each is counted once.
    pub dropped: BTreeMap<Reason, usize>,
    /// The agreement of the models' labels with the examples and with each other, beyond chance: 1
    /// is always, 0 no more than by chance. `None` where there is too little to tell.
    pub agreement: Option<f64>,
}

impl CurationReport {
    pub(crate) fn drop(&mut self, reason: Reason, labels: usize) {
        if labels > 0 {
            *self.dropped.entry(reason).or_default() += labels;
        }
    }
}

/// The texts that a student may learn from, and what became of the other labels.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Curated {
    /// The texts that count, in the order in which they were first said.
    pub kept: Vec<Taught>,
    /// The same texts and those that nobody bears out: what was said of the traffic, one row for
    /// all texts that say the same, without what people say against everybody else and what is
    /// distrusted.
    pub said: Vec<Taught>,
    /// The report, in which every label is accounted for.
    pub report: CurationReport,
}

/// Curates `labels` by themselves, without a pack to hold them against.
///
/// # Example
///
/// ```
/// use waypost_learning::data::curate::{Limits, Reason, curate};
///
/// let label = |id: &str, session: &str, route: &str| serde_json::from_value(serde_json::json!({
///     "decision_id": id, "session_id": session, "pack": "ocean", "at": "2025-11-06T09:00:00Z",
///     "kind": "teacher", "text": "how warm is the sea", "language": "en",
///     "verdict": "right", "route": route,
/// }));
/// let labels = [label("1", "a", "tool")?, label("2", "b", "tool")?, label("3", "c", "code")?];
/// let curated = curate(&labels, &Limits::default());
/// assert_eq!((curated.kept.len(), curated.kept[0].route.as_str()), (1, "tool"));
/// assert_eq!(curated.report.dropped[&Reason::Outvoted], 1);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn curate(labels: &[Label], limits: &Limits) -> Curated {
    curate_beside(&[], &[], labels, &|label| Text::new(&label.text).normalized().to_owned(), limits)
}

/// Curates `labels` beside the `examples` of their pack and the texts of its `cases`, which nothing may
/// teach; `seen` is a label's text as a student sees it, as the texts of both are.
pub fn curate_beside(
    examples: &[Labelled],
    cases: &[String],
    labels: &[Label],
    seen: &dyn Fn(&Label) -> String,
    limits: &Limits,
) -> Curated {
    let mut report = CurationReport { given: labels.len(), ..CurationReport::default() };
    let statements = statements::of(labels, seen, limits, &mut report);
    let known = examples.iter().map(|example| &example.text).chain(cases);
    let voted = same::vote(statements, known.map(String::as_str), &mut report);
    let groups = same::collapse(voted, limits);
    let (groups, said) = supported(groups, examples, limits, &mut report);
    let mut kept: Vec<Taught> = Vec::with_capacity(groups.len());
    let mut sessions = BTreeSet::new();
    for group in &groups {
        report.gold += usize::from(group.is_gold());
        kept.push(group.taught(limits));
        sessions.extend(group.backers.keys().copied());
    }
    report.kept = kept.len();
    report.sessions = sessions.len();
    Curated { kept, said, report }
}

/// Texts that say the same.
pub(crate) struct Group<'a> {
    /// The first of them.
    first: Statement<'a>,
    /// Those who say so, each with the strongest label.
    backers: BTreeMap<Who<'a>, LabelKind>,
    /// Labels behind it.
    labels: usize,
}

impl Group<'_> {
    /// Returns whether a person says so.
    fn is_gold(&self) -> bool {
        self.backers.values().any(|kind| kind.is_gold())
    }

    /// Returns whether a model says so, even if others do too.
    fn is_weak(&self) -> bool {
        self.backers.values().any(|kind| !kind.is_gold())
    }

    fn taught(&self, limits: &Limits) -> Taught {
        let label = self.first.label;
        let sessions = self.backers.keys().filter_map(|who| match who {
            Who::Session(session) => Some((*session).to_owned()),
            Who::Stranger => None,
        });
        Taught {
            text: label.text.clone(),
            language: label.language.clone(),
            route: self.first.aim.route.to_owned(),
            tools: self.first.aim.tools.iter().map(|tool| (*tool).to_owned()).collect(),
            weight: if self.is_gold() { 1.0 } else { limits.model },
            sessions: sessions.collect(),
        }
    }
}

/// Returns the groups that others bear out, in order, and the same with those that nobody bears
/// out.
fn supported<'a>(
    groups: Vec<Group<'a>>,
    examples: &[Labelled],
    limits: &Limits,
    report: &mut CurationReport,
) -> (Vec<Group<'a>>, Vec<Taught>) {
    let mut others = Others::new(&groups, examples);
    let views = others.views(&groups, limits.plausible);
    report.agreement = others::agreement(&groups, &views, limits.plausible);
    let distrusted = report.agreement.is_some_and(|agreement| agreement < limits.agreement);
    let mut room = others.room(&groups, &views, limits);
    // Those that more sessions stand behind take the room first, then the earlier ones.
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(groups[*at].backers.len()), *at));
    let mut verdicts: Vec<Option<Reason>> = vec![None; groups.len()];
    for at in order {
        let (group, view) = (&groups[at], &views[at]);
        let models = group.backers.values().filter(|kind| !kind.is_gold()).count();
        let plausible = group.is_weak() && view.share >= limits.plausible;
        verdicts[at] = if !distrusted && (plausible || models >= limits.agreeing) {
            None
        } else if group.is_gold() {
            let borne_out = view.share >= 1.0 || room.take(view);
            (!borne_out).then_some(Reason::AgainstOthers)
        } else if distrusted {
            Some(Reason::Distrusted)
        } else {
            Some(Reason::Unsupported)
        };
    }
    let (mut kept, mut said) = (Vec::with_capacity(groups.len()), Vec::new());
    for (group, verdict) in groups.into_iter().zip(verdicts) {
        if matches!(verdict, None | Some(Reason::Unsupported)) {
            said.push(group.taught(limits));
        }
        match verdict {
            Some(reason) => report.drop(reason, group.labels),
            None => {
                report.drop(Reason::Repeated, group.labels - 1);
                kept.push(group);
            }
        }
    }
    (kept, said)
}

#[cfg(test)]
mod teachers;
#[cfg(test)]
mod tests;
