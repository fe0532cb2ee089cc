//! Puts a small share of what was decided without a model before one, in the background. How often
//! the two agree says how right the student is where nobody complains, and what the model says is a
//! label.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use waypost_core::error::Result;
use waypost_core::ports::model::Model;
use waypost_core::records::belief::Belief;
use waypost_core::records::decision::{LayerName, Outcome, Reason};
use waypost_core::records::event::{Audited, Event, Outline, Record};
use waypost_core::records::label::{Label, LabelKind, Verdict};
use waypost_core::records::rollout::{Enabled, Share};
use waypost_core::records::session::Bearing;

use crate::decide::cascade::DecisionDependencies;
use crate::decide::{Matchers, decide};
use crate::feedback::labels::bearing;
use crate::feedback::replay::{ReplayDependencies, recorded};
use crate::understand::ingest;

/// The most turns that may wait for a model; turns that come while so many wait are not audited.
pub const MAX_WAITING: usize = 64;

/// The layers that are off in an audit, so that the model alone decides.
const OTHERS: [&str; 4] = ["layer.declared", "layer.rules", "layer.recall", "layer.linear"];

/// The turns that wait to be audited.
#[derive(Debug)]
pub struct Audits {
    share: Share,
    waiting: Mutex<VecDeque<Record>>,
    arrived: Notify,
    passed: AtomicU64,
}

impl Audits {
    /// Audits this share of what the student decides.
    pub fn new(share: Share) -> Self {
        Self { share, waiting: Mutex::default(), arrived: Notify::new(), passed: AtomicU64::new(0) }
    }

    /// The number of turns that belonged to the share but could not wait, because too many did.
    pub fn passed(&self) -> u64 {
        self.passed.load(Ordering::Relaxed)
    }

    /// Returns whether a turn belongs to the share; its id decides that.
    pub(crate) fn takes(&self, record: &Record) -> bool {
        is_due(record) && self.share.takes("audit", &record.decision_id)
    }

    /// Takes a turn that is of the share, once its record is in the store.
    pub(crate) fn offer(&self, record: Record) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= MAX_WAITING {
            self.passed.fetch_add(1, Ordering::Relaxed);
            return;
        }
        waiting.push_back(record);
        drop(waiting);
        self.arrived.notify_one();
    }

    /// The next turn, when there is one.
    pub(crate) async fn next(&self) -> Record {
        loop {
            // A permit is kept for a turn that arrives between the look and the wait.
            if let Some(record) =
                self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
            {
                return record;
            }
            self.arrived.notified().await;
        }
    }
}

/// Returns whether the student was sure of the turn, with no model asked, now or before.
fn is_due(record: &Record) -> bool {
    let Event::RouterEvent(routed) = &record.event else { return false };
    let sure = matches!(routed.action, Outcome::Run | Outcome::Refuse);
    sure && routed.layer == LayerName::Linear && routed.llm_calls == 0 && routed.request.is_some()
}

/// Asks a model about a turn that the student decided. Returns the event, and a label if the model
/// decided it as a whole and the words of the turn stand alone. Nothing of it runs.
///
/// # Errors
///
/// Those of a decision.
pub(crate) async fn audit(
    record: &Record,
    with: &ReplayDependencies<'_>,
    model: &dyn Model,
    cancel: &CancellationToken,
) -> Result<(Option<Event>, Option<Label>)> {
    let (routed, asked) = recorded(record)?;
    let request = asked.request(&routed.text, &record.at, record.session_id.as_deref());
    let mut turn = ingest(with.pack, &request, request.context.clone())?;
    turn.permits.enabled = Enabled::without(asked.off.iter().map(String::as_str).chain(OTHERS));
    turn.matchers = with.matchers;
    let dependencies = DecisionDependencies {
        bundle: with.bundle,
        arguments: &Matchers,
        encoder: None,
        model: Some(model),
        teaching: with.teaching,
        belief: Belief::default(),
        recall: None,
        recalled: None,
        layers: with.layers,
        cancel,
    };
    let decided = decide(&turn, &dependencies, with.messages).await?.decision;
    if decided.layer != LayerName::Llm || !decided.degraded.is_empty() {
        return Ok((None, None));
    }
    let (standing, teacher) = (Outline::of(&routed.decision), Outline::of(&decided));
    let agrees = standing.route == teacher.route && standing.tools() == teacher.tools();
    let tools = teacher.tools().into_iter().map(str::to_owned).collect();
    let event = Event::AuditEvent(Box::new(Audited {
        text: routed.text.clone(),
        standing,
        teacher,
        agrees,
        model: Some(model.name().to_owned()),
    }));
    let out = decided.reason == Some(Reason::OutOfScope);
    let whole = decided.decision == Outcome::Run || decided.decision == Outcome::Refuse && out;
    let teaches = whole && bearing(&turn, &decided) == Bearing::Alone;
    let label = teaches.then(|| Label {
        decision_id: record.decision_id.clone(),
        session_id: record.session_id.clone(),
        owner: None,
        pack: record.pack.clone(),
        at: record.at.clone(),
        kind: LabelKind::Audit,
        text: routed.text.clone(),
        language: decided.language.tag().to_owned(),
        era: record.era,
        verdict: Verdict::Right { route: decided.route.clone(), tools },
    });
    Ok((Some(event), label))
}
