//! What people said of decisions, held in memory so that it counts from the next question on.
//!
//! It is for packs whose tools are chosen by what is written about them: a student learns from labels when it is trained.
//! A lesson speaks only for texts that say nearly the same, counts less than an example of the pack, and one session gives
//! only so many. What a tool may do is for the gates, whoever said that it is the right one.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use waypost_core::error::Result;
use waypost_core::ports::store::Store;
use waypost_core::records::decision::round;
use waypost_core::records::label::{Label, Verdict};
use waypost_core::records::request::{Context, Request};
use waypost_learning::data::curate::Limits;

use crate::catalog::Asked;
use crate::catalog::examples::Examples;
use crate::pack::Pack;
use crate::pack::spec::Selection;
use crate::turn::{Turn, ingest};

/// The most lessons that are held, the latest: all are read again when one is added.
const MOST: usize = 1_000;

/// The worth of a lesson beside an example of the pack that is as like.
const WORTH: f32 = 0.75;

/// The labels of a page of the store.
const PAGE: usize = 1_000;

/// Which tools people said were right for which texts.
#[derive(Debug, Default)]
pub(super) struct Lessons {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Oldest first.
    labels: Vec<Label>,
    examples: Examples,
}

impl Lessons {
    /// Takes labels, oldest first; those of models teach nothing here.
    pub(super) fn take(&self, pack: &Pack, labels: &[Label]) {
        let mut said = labels.iter().filter(|label| label.kind.is_gold()).peekable();
        if pack.spec.selection != Selection::Catalog || said.peek().is_none() {
            return;
        }
        let mut held = self.held();
        said.for_each(|label| held.take(label));
        held.examples = examples(pack, &held.labels);
    }

    /// Takes what people said before, as a store has kept it.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub(super) async fn read(&self, pack: &Pack, store: &dyn Store) -> Result<()> {
        if pack.spec.selection != Selection::Catalog {
            return Ok(());
        }
        let mut from = Some(0);
        let mut labels = Vec::new();
        while let Some(start) = from {
            let page = store.labels(&pack.spec.name, start, PAGE).await?;
            labels.extend(page.labels.into_iter().filter(|label| label.kind.is_gold()));
            let excess = labels.len().saturating_sub(MOST);
            labels.drain(..excess);
            from = page.next;
        }
        self.take(pack, &labels);
        Ok(())
    }

    /// Forgets those of a session.
    pub(super) fn forget(&self, pack: &Pack, session: &str) {
        let mut held = self.held();
        held.labels.retain(|label| label.session_id.as_deref() != Some(session));
        held.examples = examples(pack, &held.labels);
    }

    /// What they say for the tools of a turn's pack, by name.
    pub(super) fn speak_for(&self, turn: &Turn<'_>) -> BTreeMap<String, f64> {
        let held = self.held();
        if held.labels.is_empty() {
            return BTreeMap::new();
        }
        let asked = Asked::read(&turn.wording(None), turn.language);
        let spoken = held.examples.speak_for(&asked).into_iter().filter(|(_, worth)| *worth > 0.0);
        let named = spoken.filter_map(|(tool, worth)| {
            let name = &turn.pack.tools.get(tool)?.spec.name;
            Some((name.clone(), round(f64::from(WORTH * worth))))
        });
        named.collect()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Holds one more label. What is said of a decision takes the place of what was said of it before.
    fn take(&mut self, label: &Label) {
        self.labels
            .retain(|other| other.decision_id != label.decision_id || other.kind > label.kind);
        if !matches!(&label.verdict, Verdict::Right { tools, .. } if !tools.is_empty()) {
            return;
        }
        let of_session = |other: &&Label| other.session_id == label.session_id;
        if self.labels.iter().filter(of_session).count() >= Limits::default().per_session {
            let first = self.labels.iter().position(|other| of_session(&other));
            first.map(|first| self.labels.remove(first));
        }
        self.labels.push(label.clone());
        let excess = self.labels.len().saturating_sub(MOST);
        self.labels.drain(..excess);
    }
}

/// The texts of labels, read as a turn reads them.
fn examples(pack: &Pack, labels: &[Label]) -> Examples {
    let mut texts = Vec::new();
    for label in labels {
        let Verdict::Right { tools, .. } = &label.verdict else { continue };
        let mut request = Request::new(label.text.as_str());
        request.language = Some(label.language.clone());
        request.now = Some(label.at.clone());
        // A text that cannot be read any more teaches nothing.
        let Ok(turn) = ingest(pack, &request, Context::default()) else { continue };
        let asked = Asked::read(&turn.wording(None), turn.language);
        for tool in tools {
            if let Some(place) = pack.tools.iter().position(|own| own.spec.name == *tool) {
                texts.push((place, asked.clone()));
            }
        }
    }
    Examples::read(&texts)
}
