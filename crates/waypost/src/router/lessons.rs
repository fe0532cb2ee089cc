//! What people said of decisions, held in memory so that it counts from the next question on.
//!
//! It is for packs whose tools are chosen by what is written about them: a student learns from labels when it is trained.
//! A lesson speaks only for texts that say nearly the same, counts less than an example of the pack, and one session gives
//! only so many in passing. It speaks to the key that gave it: to others only once several have said the same, or where the
//! operator did. What a tool may do is for the gates, whoever said that it is the right one.
//!
//! What speaks to each key is made aside and then put in place, so that no turn waits for it; of a key that said nothing new
//! it stays as it is. When there are too many lessons, whoever has the most loses its oldest.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use waypost_core::error::Result;
use waypost_core::ports::store::Store;
use waypost_core::records::decision::round;
use waypost_core::records::era::Era;
use waypost_core::records::label::{Label, LabelKind, Verdict};
use waypost_core::records::request::{Context, Request};
use waypost_learning::data::curate::Limits;

use crate::catalog::Asked;
use crate::catalog::examples::{Examples, OUTSIDE};
use crate::pack::spec::Selection;
use crate::pack::{OUT_OF_SCOPE, Pack};
use crate::understand::{Turn, ingest};

/// The most lessons that are held: those of a key are weighed again when it adds one.
const MOST: usize = 1_000;

/// The longest text of a lesson, in bytes: no other text says nearly the same as a long one.
const MAX_BYTES: usize = 4 * 1024;

/// The worth of a lesson beside an example of the pack that is as like.
const WORTH: f32 = 0.75;

/// So many keys say the same before it counts for all.
const SHARED: usize = 3;

/// The labels of a page of the store.
const PAGE: usize = 1_000;

/// Which tools people said were right for which texts, and for which texts none is.
#[derive(Debug, Default)]
pub(super) struct Lessons {
    /// Oldest first; held while what comes of them is made.
    held: Mutex<Held>,
    /// What comes of them; held for a moment only.
    spoken: Mutex<Arc<Spoken>>,
    /// The era in which none of them was forgotten; none where some were added since.
    settled: Settled,
}

/// The number of an era, [`u64::MAX`] for none.
#[derive(Debug)]
struct Settled(AtomicU64);

impl Default for Settled {
    fn default() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }
}

#[derive(Debug, Default)]
struct Held {
    lessons: Vec<Lesson>,
    /// The number of lessons that there have been.
    count: u64,
}

/// What speaks to each key that has said something, and to all others under none, with the numbers of its lessons.
type Spoken = HashMap<Option<String>, (Vec<u64>, Arc<Examples>)>;

/// A label, and its text as a turn reads it: with the places of the tools that were right, or [`OUTSIDE`].
#[derive(Debug)]
struct Lesson {
    /// Tells it from all others.
    number: u64,
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
        self.settled.0.store(u64::MAX, Ordering::SeqCst);
        self.learn(&held);
    }

    /// Puts what comes of lessons in place.
    fn learn(&self, held: &Held) {
        let spoken = held.learn(&self.spoken());
        *self.spoken.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(spoken);
    }

    fn spoken(&self) -> Arc<Spoken> {
        Arc::clone(&self.spoken.lock().unwrap_or_else(PoisonError::into_inner))
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
            make_room(&mut labels, |label| label.owner.as_deref());
            from = page.next;
        }
        self.take(pack, &labels);
        Ok(())
    }

    /// Lets go of those whose conversations were forgotten since they were taken, by whatever process. A
    /// store that cannot be asked forgets nothing meanwhile.
    pub(super) async fn settle(&self, store: &dyn Store) {
        if self.spoken().is_empty() {
            return;
        }
        let Ok(now) = store.era().await else { return };
        // Turns do not wait for lessons that are being learned, unless something was forgotten.
        if self.settled.0.swap(now.forgotten(), Ordering::SeqCst) == now.forgotten() {
            return;
        }
        let earlier = self.held().of_other_eras(now);
        let mut gone = BTreeMap::new();
        for (session, era) in earlier {
            match store.was_forgotten(&session, Era::after(era)).await {
                Ok(is_gone) => drop(gone.insert((session, era), is_gone)),
                Err(_) => self.settled.0.store(u64::MAX, Ordering::SeqCst),
            }
        }
        let mut held = self.held();
        if held.let_go(&gone, now) {
            self.learn(&held);
        }
    }

    /// What they say for the tools of a turn's pack, by name, and under [`OUT_OF_SCOPE`] that it is about none of them.
    pub(super) fn speak_for(&self, turn: &Turn<'_>) -> BTreeMap<String, f64> {
        let Some(examples) = for_owner(&self.spoken(), turn.request.owner.as_deref()) else {
            return BTreeMap::new();
        };
        let spoken = examples.speak_for(&asked(turn)).into_iter().filter(|(_, worth)| *worth > 0.0);
        let named = spoken.filter_map(|(place, worth)| {
            let tool = turn.pack.tools.get(place).map(|tool| tool.spec.name.as_str());
            let name = tool.or_else(|| (place == OUTSIDE).then_some(OUT_OF_SCOPE))?;
            Some((name.to_owned(), round(f64::from(WORTH * worth))))
        });
        named.collect()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Holds one more label. What is said of a decision, or by the same key of the same words, takes the place of what was
    /// said before.
    fn take(&mut self, label: &Label, lesson: Option<Lesson>) {
        let is_same = |other: &Lesson| {
            let says = |own: &Lesson| own.asked.said == other.asked.said;
            other.label.decision_id == label.decision_id
                || other.label.owner == label.owner && lesson.as_ref().is_some_and(says)
        };
        self.lessons.retain(|other| !is_same(other) || other.label.kind > label.kind);
        let is_overruled = self.lessons.iter().any(is_same);
        let Some(lesson) = lesson.filter(|_| !is_overruled) else { return };
        self.count += 1;
        let lesson = Lesson { number: self.count, ..lesson };
        // An express statement is always meant, and callers without a session may be many.
        let is_passing = |label: &Label| label.kind != LabelKind::Feedback;
        let of_session = |Lesson { label: other, .. }: &Lesson| {
            is_passing(label)
                && is_passing(other)
                && label.session_id.is_some()
                && other.session_id == label.session_id
        };
        let own = self.lessons.iter().filter(|other| of_session(other)).count();
        if own >= Limits::default().per_session {
            let first = self.lessons.iter().position(of_session);
            first.map(|first| self.lessons.remove(first));
        }
        self.lessons.push(lesson);
        make_room(&mut self.lessons, |lesson| lesson.label.owner.as_deref());
    }

    /// The conversations of lessons of another era than `now`, each with its number.
    fn of_other_eras(&self, now: Era) -> BTreeSet<(String, u64)> {
        let of = self.lessons.iter().filter_map(Lesson::of);
        of.filter(|(_, era)| *era != now.forgotten()).collect()
    }

    /// Lets go of the lessons of conversations that are gone, and returns whether there were any. Those that are not
    /// outlived all that was forgotten until `now`, and are not asked about again before more is.
    fn let_go(&mut self, gone: &BTreeMap<(String, u64), bool>, now: Era) -> bool {
        let before = self.lessons.len();
        self.lessons.retain_mut(|lesson| match lesson.of().and_then(|of| gone.get(&of)) {
            Some(true) => false,
            Some(false) => {
                lesson.label.era = now;
                true
            }
            None => true,
        });
        self.lessons.len() < before
    }

    /// Makes what speaks to each key; of those of `before` what is the same.
    fn learn(&self, before: &Spoken) -> Spoken {
        let mut said: HashMap<(&str, &[usize]), BTreeSet<Option<&str>>> = HashMap::new();
        for Lesson { label, tools, asked, .. } in &self.lessons {
            said.entry((&asked.said, tools)).or_default().insert(label.owner.as_deref());
        }
        let is_shared = |Lesson { label, tools, asked, .. }: &Lesson| {
            let by = said.get(&(asked.said.as_str(), tools.as_slice()));
            label.owner.is_none() || by.is_some_and(|by| by.len() >= SHARED)
        };
        let owners: BTreeSet<Option<String>> =
            self.lessons.iter().map(|lesson| lesson.label.owner.clone()).chain([None]).collect();
        let shared: Vec<bool> = self.lessons.iter().map(is_shared).collect();
        let examples = owners.into_iter().map(|owner| {
            let own = self.lessons.iter().zip(&shared).filter(|(lesson, shared)| {
                **shared || owner.is_some() && lesson.label.owner == owner
            });
            let own: Vec<&Lesson> = own.map(|(lesson, _)| lesson).collect();
            let numbers: Vec<u64> = own.iter().map(|lesson| lesson.number).collect();
            let same = before.get(&owner).filter(|(before, _)| *before == numbers);
            let made = || {
                let texts = own.iter().flat_map(|lesson| {
                    lesson.tools.iter().map(|tool| (*tool, lesson.asked.clone()))
                });
                let texts: Vec<(usize, Asked)> = texts.collect();
                Arc::new(Examples::read(&texts))
            };
            let examples = same.map_or_else(made, |(_, examples)| Arc::clone(examples));
            (owner, (numbers, examples))
        });
        examples.collect()
    }
}

/// What speaks to a key; `None` where nothing was said yet.
fn for_owner(spoken: &Spoken, owner: Option<&str>) -> Option<Arc<Examples>> {
    let own = spoken.get(&owner.map(str::to_owned)).or_else(|| spoken.get(&None));
    own.map(|(_, examples)| Arc::clone(examples))
}

/// Leaves at most [`MOST`]: of whoever has the most the oldest go, so that nobody pushes out what others said.
fn make_room<T>(all: &mut Vec<T>, owner: impl Fn(&T) -> Option<&str>) {
    let excess = all.len().saturating_sub(MOST);
    if excess == 0 {
        return;
    }
    let mut counts: BTreeMap<Option<String>, usize> = BTreeMap::new();
    for one in all.iter() {
        *counts.entry(owner(one).map(str::to_owned)).or_default() += 1;
    }
    let mut going: BTreeMap<Option<String>, usize> = BTreeMap::new();
    for _ in 0..excess {
        let Some((owner, count)) = counts.iter_mut().max_by_key(|(_, count)| **count) else {
            return;
        };
        *count -= 1;
        *going.entry(owner.clone()).or_default() += 1;
    }
    all.retain(|one| match going.get_mut(&owner(one).map(str::to_owned)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    });
}

impl Lesson {
    /// Its conversation, and the number of its era.
    fn of(&self) -> Option<(String, u64)> {
        Some((self.label.session_id.clone()?, self.label.era.forgotten()))
    }

    /// Reads the text of a label; `None` where it says neither a tool nor that none fits, or cannot be read any more.
    fn read(pack: &Pack, label: &Label) -> Option<Self> {
        let Verdict::Right { route, tools } = &label.verdict else { return None };
        if label.text.len() > MAX_BYTES {
            return None;
        }
        let mut request = Request::new(label.text.as_str());
        request.language = Some(label.language.clone());
        request.now = Some(label.at.clone());
        let turn = ingest(pack, &request, Context::default()).ok()?;
        let place = |tool: &String| pack.tools.iter().position(|own| own.spec.name == *tool);
        let mut tools: Vec<usize> = tools.iter().filter_map(place).collect();
        tools.extend((route == OUT_OF_SCOPE).then_some(OUTSIDE));
        if tools.is_empty() {
            return None;
        }
        Some(Self { number: 0, label: label.clone(), tools, asked: asked(&turn) })
    }
}

/// The words of a turn, as lessons are compared.
fn asked(turn: &Turn<'_>) -> Asked {
    let asked = Asked::read(&turn.said.wording(None), turn.said.language);
    asked.said(turn.said.text.original())
}

#[cfg(test)]
mod tests {
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
        Lesson { number: 0, label, tools: vec![tool], asked }
    }

    /// The tools for which a text is spoken to each of some keys.
    fn spoken(lessons: Vec<Lesson>, owners: &[Option<&str>]) -> Vec<Vec<usize>> {
        let held = Held { lessons, ..Held::default() };
        let spoken = held.learn(&Spoken::default());
        let asked = Asked::read("list all notes", waypost_text::language::Language::En);
        let to = |owner: &Option<&str>| {
            let examples = for_owner(&spoken, *owner).unwrap();
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

    /// Holds a lesson of each of these texts, each of a session of its own.
    fn said(held: &mut Held, owner: &str, texts: std::ops::Range<usize>) {
        for n in texts {
            let mut lesson = lesson(Some(owner), &format!("list {n}"), 1);
            lesson.label.session_id = Some(format!("@{owner}/{n}"));
            held.take(&lesson.label.clone(), Some(lesson));
        }
    }

    #[test]
    fn the_lessons_of_one_key_push_out_none_of_another() {
        let mut held = Held::default();
        let count = |held: &Held, owner: &str| {
            held.lessons
                .iter()
                .filter(|lesson| lesson.label.owner.as_deref() == Some(owner))
                .count()
        };
        said(&mut held, "a", 0..3);
        said(&mut held, "b", 0..MOST + 50);
        assert_eq!((count(&held, "a"), count(&held, "b")), (3, MOST - 3));
        assert_eq!(held.lessons.last().unwrap().label.text, format!("list {}", MOST + 49));
        // The same when they are read from the store, page by page.
        let mut labels: Vec<Label> = held.lessons.iter().map(|one| one.label.clone()).collect();
        labels.extend((0..MOST).map(|n| lesson(Some("b"), &format!("{n}"), 1).label));
        make_room(&mut labels, |label| label.owner.as_deref());
        let of_a = labels.iter().filter(|label| label.owner.as_deref() == Some("a")).count();
        assert_eq!((labels.len(), of_a), (MOST, 3));
    }

    #[test]
    fn only_what_a_conversation_says_in_passing_is_counted() {
        let held = |kind: LabelKind, session: Option<&str>| {
            let mut held = Held::default();
            for n in 0..50 {
                let mut lesson = lesson(None, &format!("list {n}"), 1);
                lesson.label.kind = kind;
                lesson.label.session_id = session.map(str::to_owned);
                held.take(&lesson.label.clone(), Some(lesson));
            }
            held.lessons.len()
        };
        assert_eq!(held(LabelKind::Choice, Some("s")), 10);
        assert_eq!(held(LabelKind::Choice, None), 50);
        assert_eq!(held(LabelKind::Feedback, Some("s")), 50);
    }

    #[test]
    fn what_a_key_says_of_the_same_words_later_takes_the_place_of_what_it_said_before() {
        let mut held = Held::default();
        for (owner, text, tool) in
            [("a", "list all notes", 1), ("b", "list all notes", 1), ("a", "List all notes ", 2)]
        {
            let lesson = lesson(Some(owner), text, tool);
            held.take(&lesson.label.clone(), Some(lesson));
        }
        let tools: Vec<&[usize]> = held.lessons.iter().map(|lesson| &lesson.tools[..]).collect();
        assert_eq!(tools, [[1], [2]]);
    }

    #[test]
    fn what_one_key_says_makes_nothing_of_another_anew_and_no_turn_waits_for_it() {
        let lessons = Lessons::default();
        let mut held = lessons.held();
        said(&mut held, "a", 0..2);
        lessons.learn(&held);
        let before = for_owner(&lessons.spoken(), Some("a")).unwrap();
        said(&mut held, "b", 0..1);
        lessons.learn(&held);
        // The lessons are still locked here.
        let after = for_owner(&lessons.spoken(), Some("a")).unwrap();
        assert!(Arc::ptr_eq(&before, &after));
        assert!(for_owner(&lessons.spoken(), Some("b")).is_some());
        said(&mut held, "a", 2..3);
        lessons.learn(&held);
        assert!(!Arc::ptr_eq(&before, &for_owner(&lessons.spoken(), Some("a")).unwrap()));
    }
}
