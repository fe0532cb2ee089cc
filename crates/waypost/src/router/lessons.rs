//! What people said of decisions, held in memory so that it counts from the next question on.
//!
//! It is for packs whose tools are chosen by what is written about them: a student learns from labels when it is trained.
//! A lesson speaks only for texts that say nearly the same, counts less than an example of the pack, and one session gives
//! only so many. It speaks to the key that gave it: to others only once several have said the same, or where the operator
//! did. What a tool may do is for the gates, whoever said that it is the right one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use waypost_core::error::Result;
use waypost_core::ports::store::Store;
use waypost_core::records::decision::round;
use waypost_core::records::era::Era;
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

/// So many keys say the same before it counts for all.
const SHARED: usize = 3;

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
    lessons: Vec<Lesson>,
    /// What speaks to each key that has said something, and to all others under none.
    examples: HashMap<Option<String>, Arc<Examples>>,
}

/// A label, and its text as a turn reads it: with the places of the tools that were right.
#[derive(Debug)]
struct Lesson {
    label: Label,
    tools: Vec<usize>,
    asked: Asked,
}

impl Lessons {
    /// Takes labels, oldest first; those of models teach nothing here.
    pub(super) fn take(&self, pack: &Pack, labels: &[Label]) {
        let mut said = labels.iter().filter(|label| label.kind.is_gold()).peekable();
        if pack.spec.selection != Selection::Catalog || said.peek().is_none() {
            return;
        }
        // Texts are read before anybody waits for it.
        let read: Vec<(&Label, Option<Lesson>)> =
            said.map(|label| (label, Lesson::read(pack, label))).collect();
        let mut held = self.held();
        read.into_iter().for_each(|(label, lesson)| held.take(label, lesson));
        held.learn();
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
        let era = store.era().await?;
        let mut from = Some(0);
        let mut labels = Vec::new();
        while let Some(start) = from {
            let page = store.labels(&pack.spec.name, start, PAGE).await?;
            let said = page.labels.into_iter().filter(|label| label.kind.is_gold());
            labels.extend(said.map(|label| Label { era, ..label }));
            let excess = labels.len().saturating_sub(MOST);
            labels.drain(..excess);
            from = page.next;
        }
        self.take(pack, &labels);
        Ok(())
    }

    /// Lets go of those whose conversations were forgotten since they were taken, by whatever process. A
    /// store that cannot be asked forgets nothing meanwhile.
    pub(super) async fn settle(&self, store: &dyn Store) {
        if self.held().lessons.is_empty() {
            return;
        }
        let Ok(now) = store.era().await else { return };
        let earlier = self.held().of_other_eras(now);
        let mut gone = BTreeMap::new();
        for (session, era) in earlier {
            if let Ok(is_gone) = store.was_forgotten(&session, Era::after(era)).await {
                gone.insert((session, era), is_gone);
            }
        }
        if !gone.is_empty() {
            self.held().let_go(&gone, now);
        }
    }

    /// What they say for the tools of a turn's pack, by name.
    pub(super) fn speak_for(&self, turn: &Turn<'_>) -> BTreeMap<String, f64> {
        let Some(examples) = self.held().for_owner(turn.request.owner.as_deref()) else {
            return BTreeMap::new();
        };
        let asked = Asked::read(&turn.wording(None), turn.language);
        let spoken = examples.speak_for(&asked).into_iter().filter(|(_, worth)| *worth > 0.0);
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
    fn take(&mut self, label: &Label, lesson: Option<Lesson>) {
        self.lessons.retain(|Lesson { label: other, .. }| {
            other.decision_id != label.decision_id || other.kind > label.kind
        });
        let Some(lesson) = lesson else { return };
        let of_session = |other: &Lesson| other.label.session_id == label.session_id;
        let own = self.lessons.iter().filter(|other| of_session(other)).count();
        if own >= Limits::default().per_session {
            let first = self.lessons.iter().position(of_session);
            first.map(|first| self.lessons.remove(first));
        }
        self.lessons.push(lesson);
        let excess = self.lessons.len().saturating_sub(MOST);
        self.lessons.drain(..excess);
    }

    /// The conversations of lessons of another era than `now`, each with its number.
    fn of_other_eras(&self, now: Era) -> BTreeSet<(String, u64)> {
        let of = self.lessons.iter().filter_map(Lesson::of);
        of.filter(|(_, era)| *era != now.forgotten()).collect()
    }

    /// Lets go of the lessons of conversations that are gone. Those that are not outlived all that was
    /// forgotten until `now`, and are not asked about again before more is.
    fn let_go(&mut self, gone: &BTreeMap<(String, u64), bool>, now: Era) {
        let before = self.lessons.len();
        self.lessons.retain_mut(|lesson| match lesson.of().and_then(|of| gone.get(&of)) {
            Some(true) => false,
            Some(false) => {
                lesson.label.era = now;
                true
            }
            None => true,
        });
        if self.lessons.len() < before {
            self.learn();
        }
    }

    /// Makes what speaks to each key.
    fn learn(&mut self) {
        let mut said: HashMap<(String, &[usize]), BTreeSet<Option<&str>>> = HashMap::new();
        for Lesson { label, tools, .. } in &self.lessons {
            let words = label.text.trim().to_lowercase();
            said.entry((words, tools)).or_default().insert(label.owner.as_deref());
        }
        let is_shared = |Lesson { label, tools, .. }: &Lesson| {
            let words = label.text.trim().to_lowercase();
            label.owner.is_none()
                || said.get(&(words, tools.as_slice())).is_some_and(|by| by.len() >= SHARED)
        };
        let owners: BTreeSet<Option<String>> =
            self.lessons.iter().map(|lesson| lesson.label.owner.clone()).chain([None]).collect();
        let shared: Vec<bool> = self.lessons.iter().map(is_shared).collect();
        let examples = owners.into_iter().map(|owner| {
            let own = self.lessons.iter().zip(&shared).filter(|(lesson, shared)| {
                **shared || owner.is_some() && lesson.label.owner == owner
            });
            let texts = own.flat_map(|(lesson, _)| {
                lesson.tools.iter().map(|tool| (*tool, lesson.asked.clone()))
            });
            let texts: Vec<(usize, Asked)> = texts.collect();
            (owner, Arc::new(Examples::read(&texts)))
        });
        let examples = examples.collect();
        self.examples = examples;
    }

    /// What speaks to a key; `None` where nothing was said yet.
    fn for_owner(&self, owner: Option<&str>) -> Option<Arc<Examples>> {
        if self.lessons.is_empty() {
            return None;
        }
        let own = self.examples.get(&owner.map(str::to_owned));
        own.or_else(|| self.examples.get(&None)).cloned()
    }
}

impl Lesson {
    /// Its conversation, and the number of its era.
    fn of(&self) -> Option<(String, u64)> {
        Some((self.label.session_id.clone()?, self.label.era.forgotten()))
    }

    /// Reads the text of a label; `None` where it says no tool, or cannot be read any more.
    fn read(pack: &Pack, label: &Label) -> Option<Self> {
        let Verdict::Right { tools, .. } = &label.verdict else { return None };
        let mut request = Request::new(label.text.as_str());
        request.language = Some(label.language.clone());
        request.now = Some(label.at.clone());
        let turn = ingest(pack, &request, Context::default()).ok()?;
        let asked = Asked::read(&turn.wording(None), turn.language);
        let place = |tool: &String| pack.tools.iter().position(|own| own.spec.name == *tool);
        let tools: Vec<usize> = tools.iter().filter_map(place).collect();
        (!tools.is_empty()).then(|| Self { label: label.clone(), tools, asked })
    }
}

#[cfg(test)]
mod tests {
    use waypost_core::records::label::LabelKind;

    use super::*;

    fn lesson(owner: Option<&str>, text: &str, tool: usize) -> Lesson {
        let label = Label {
            decision_id: format!("{owner:?} {text} {tool}"),
            session_id: owner.map(|owner| format!("@{owner}/s")),
            owner: owner.map(str::to_owned),
            pack: "p".to_owned(),
            at: "2025-11-06T09:00:00Z".to_owned(),
            kind: LabelKind::Correction,
            text: text.to_owned(),
            language: "en".to_owned(),
            era: Era::default(),
            verdict: Verdict::Wrong,
        };
        let asked = Asked::read(text, waypost_text::language::Language::En);
        Lesson { label, tools: vec![tool], asked }
    }

    /// The tools for which a text is spoken to each of some keys.
    fn spoken(lessons: Vec<Lesson>, owners: &[Option<&str>]) -> Vec<Vec<usize>> {
        let mut held = Held { lessons, ..Held::default() };
        held.learn();
        let asked = Asked::read("list all notes", waypost_text::language::Language::En);
        let to = |owner: &Option<&str>| {
            let examples = held.for_owner(*owner).unwrap();
            let worth = examples.speak_for(&asked).into_iter().filter(|(_, worth)| *worth > 1.0);
            worth.map(|(tool, _)| tool).collect()
        };
        owners.iter().map(to).collect()
    }

    #[test]
    fn what_one_key_says_counts_for_it_and_for_others_once_several_say_the_same() {
        let text = "list all notes";
        let one = || lesson(Some("a"), text, 1);
        let owners = [Some("a"), Some("b"), None];
        assert_eq!(spoken(vec![one()], &owners), [vec![1], vec![], vec![]]);
        // Another opinion is another's own.
        let two = vec![one(), lesson(Some("b"), text, 2)];
        assert_eq!(spoken(two, &owners), [vec![1], vec![2], vec![]]);
        let three =
            vec![one(), lesson(Some("b"), "List all notes ", 1), lesson(Some("c"), text, 1)];
        assert_eq!(spoken(three, &[Some("d"), None]), [vec![1], vec![1]]);
        // One key that says it three times is one key.
        let often = vec![one(), one(), one()];
        assert_eq!(spoken(often, &[Some("b")]), [Vec::<usize>::new()]);
        // The operator speaks to all.
        assert_eq!(spoken(vec![lesson(None, text, 1)], &owners), [[1], [1], [1]]);
    }
}
