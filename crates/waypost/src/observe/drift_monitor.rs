//! Watches, turn by turn, whether traffic is still what the student in service has been seeing.

use std::sync::{Mutex, PoisonError};

use waypost_core::records::decision::{Decision, LayerName};
use waypost_core::records::event::{Drifted, Event};
use waypost_learning::drift::{Alarm, Drift, DriftOptions, Observation};
use waypost_learning::{Bundle, Scratch};

use crate::understand::Turn;

/// Watches the turns of a router.
#[derive(Debug)]
pub(crate) struct DriftMonitor {
    watch: DriftOptions,
    /// The student that is watched, by its id; another one begins anew.
    state: Mutex<Option<(String, Drift)>>,
}

impl DriftMonitor {
    pub(crate) fn new(watch: DriftOptions) -> Self {
        Self { watch, state: Mutex::default() }
    }

    /// Takes in a turn that was decided by what its words are like, and says so once when they are
    /// no longer what they were. What a caller declares or a rule decides says nothing of words.
    pub(crate) fn observe(
        &self,
        turn: &Turn<'_>,
        decision: &Decision,
        bundle: &Bundle,
    ) -> Option<Event> {
        if matches!(decision.layer, LayerName::Declared | LayerName::Rules) {
            return None;
        }
        // Without the encoder, for which the turn has waited once already.
        let scores = bundle.score(turn.said.input(), &mut Scratch::default());
        let (best, confidence) = scores.best()?;
        let seen = Observation {
            route: bundle.routes().get(best)?,
            confidence: f64::from(confidence),
            in_scope: f64::from(scores.in_scope),
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let same = state.take().filter(|(id, _)| id == bundle.id());
        let (id, mut drift) =
            same.unwrap_or_else(|| (bundle.id().to_owned(), Drift::new(self.watch.clone())));
        let alarm = drift.observe(&seen);
        *state = Some((id, drift));
        alarm.as_ref().map(event)
    }
}

fn event(alarm: &Alarm) -> Event {
    Event::DriftEvent(Drifted {
        signal: alarm.signal.name().to_owned(),
        deviation: alarm.deviation,
        threshold: alarm.threshold,
        before: alarm.before,
        now: alarm.now,
        after: alarm.after,
    })
}
