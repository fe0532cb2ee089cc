//! The parts of the router in these tests: models that are anchored on history, a retriever that
//! counts, and a store that keeps every event.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures_util::StreamExt;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use waypost::decide::cascade::Recall;
use waypost::language::Language;
use waypost::learning::Bundle;
use waypost::pack::Pack;
use waypost::ports::model::{Model, Piece, Pieces, Prompt, Reply, Slot};
use waypost::ports::retrieval::{Passage, Retriever};
use waypost::ports::store::{Filter, Forgotten, LabelPage, Page, Store};
use waypost::ports::tombstones::Tombstones;
use waypost::ports::turns::{TurnPermit, Turns};
use waypost::records::era::Era;
use waypost::records::event::{Event, Record};
use waypost::records::label::Label;
use waypost::records::rollout::{Key, Rollout, Setting};
use waypost::records::session::Session;
use waypost::router::{Parts, Router};
use waypost::student::heads::train_student;
use waypost::{Error, Result};
use waypost_testing::StillClock;

/// The layers that these tests switch on and off.
pub(crate) const LAYERS: [&str; 4] = ["rules", "recall", "linear", "llm"];

/// A pack with its student: trained once, used by every router.
#[derive(Clone)]
pub(crate) struct Trained {
    pub(crate) pack: Arc<Pack>,
    pub(crate) bundle: Arc<Bundle>,
}

/// Loads the help desk, its `pack.yaml` edited, and trains its student.
pub(crate) fn trained(edits: &[(&str, &str)]) -> Trained {
    let files = [
        ("pack.yaml", include_str!("helpdesk/pack.yaml")),
        ("examples.jsonl", include_str!("helpdesk/examples.jsonl")),
    ];
    trained_from(&files, edits)
}

/// The same with the pack that is shipped.
pub(crate) fn platform(edits: &[(&str, &str)]) -> Trained {
    let files = [
        ("pack.yaml", include_str!("../../../../packs/platform/pack.yaml")),
        ("commands.yaml", include_str!("../../../../packs/platform/commands.yaml")),
        ("examples.jsonl", include_str!("../../../../packs/platform/examples.jsonl")),
    ];
    trained_from(&files, edits)
}

fn trained_from(files: &[(&str, &str)], edits: &[(&str, &str)]) -> Trained {
    let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let mut files: BTreeMap<String, String> = files.iter().map(owned).collect();
    let text = files.get_mut("pack.yaml").unwrap();
    for (from, to) in edits {
        assert!(text.contains(from), "pack.yaml has no `{from}`");
        *text = text.replace(from, to);
    }
    let pack = Pack::load(&files).unwrap();
    let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
    Trained { pack: Arc::new(pack), bundle: Arc::new(bundle) }
}

/// A router, with the parts that show what it did.
pub(crate) struct World {
    pub(crate) router: Router,
    pub(crate) main: Arc<Anchored>,
    pub(crate) light: Arc<Anchored>,
    pub(crate) retriever: Arc<Counting>,
    pub(crate) store: Arc<Kept>,
    pub(crate) recall: Arc<Recall>,
}

/// A router whose cascade has these layers, beside the declared route.
pub(crate) fn world(trained: &Trained, layers: &[&str]) -> World {
    let recall = Arc::new(Recall::of(&trained.pack.spec.policy));
    world_over(trained, layers, &recall)
}

/// The same over earlier decisions.
pub(crate) fn world_over(trained: &Trained, layers: &[&str], recall: &Arc<Recall>) -> World {
    world_of(trained, layers, &[Slot::Main, Slot::Light], recall)
}

/// The same with models in these slots alone.
pub(crate) fn world_of(
    trained: &Trained,
    layers: &[&str],
    slots: &[Slot],
    recall: &Arc<Recall>,
) -> World {
    let off = LAYERS.iter().filter(|layer| !layers.contains(layer));
    let off = off.map(|layer| (Key::find(&format!("layer.{layer}")).unwrap(), Setting::Off));
    let rollout = Rollout::new(&BTreeMap::new(), &off.collect()).unwrap();
    let (main, light) = (Arc::new(Anchored::default()), Arc::new(Anchored::default()));
    let (retriever, store) = (Arc::new(Counting::default()), Arc::new(Kept::default()));
    let models: [(Slot, Arc<dyn Model>); 2] = [
        (Slot::Main, Arc::<Anchored>::clone(&main)),
        (Slot::Light, Arc::<Anchored>::clone(&light)),
    ];
    let router = Router::new(Parts {
        pack: Arc::clone(&trained.pack),
        bundle: Arc::clone(&trained.bundle).into(),
        models: models.into_iter().filter(|(slot, _)| slots.contains(slot)).collect(),
        servers: BTreeMap::new(),
        encoder: None,
        retriever: Arc::<Counting>::clone(&retriever),
        store: Arc::<Kept>::clone(&store),
        clock: Arc::new(StillClock),
        rollout,
        recall: Some(Arc::clone(recall)),
    });
    World { router, main, light, retriever, store, recall: Arc::clone(recall) }
}

/// Every set of layers but the empty one.
pub(crate) fn combinations() -> Vec<Vec<&'static str>> {
    let sets = 1..1_usize << LAYERS.len();
    let of = |set: usize| (0..LAYERS.len()).filter(move |at| set & (1 << at) != 0);
    sets.map(|set| of(set).map(|at| LAYERS[at]).collect()).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A model that takes every question for one of the route most asked before, as a small one does;
/// without a history it takes everything for a question about the language.
#[derive(Debug, Default)]
pub(crate) struct Anchored {
    /// The prompts that asked it to decide.
    pub(crate) decides: Mutex<Vec<Prompt>>,
    /// The prompts that asked it to answer.
    pub(crate) answers: Mutex<Vec<Prompt>>,
    /// The pieces of its answers, where they are not "an answer".
    says: Mutex<Vec<String>>,
    /// A store, and the session that somebody has it forget while this thinks.
    pub(crate) meanwhile: Mutex<Option<(Arc<Kept>, &'static str)>>,
}

impl Anchored {
    /// Takes the prompts that asked it to decide, and to answer, since the last time.
    pub(crate) fn take(&self) -> (Vec<Prompt>, Vec<Prompt>) {
        (std::mem::take(&mut lock(&self.decides)), std::mem::take(&mut lock(&self.answers)))
    }

    /// Sets the pieces of its answers.
    pub(crate) fn say(&self, pieces: &[&str]) {
        *lock(&self.says) = pieces.iter().map(|piece| (*piece).to_owned()).collect();
    }
}

/// The lines of history in a prompt, which stand before the words of the user.
pub(crate) fn history(prompt: &Prompt) -> Vec<String> {
    let last = prompt.messages.last().map_or("", |message| message.content.as_str());
    let is_line = |line: &&str| line.starts_with('[') && line.ends_with('"');
    last.lines().take_while(is_line).map(str::to_owned).collect()
}

#[async_trait]
impl Model for Anchored {
    fn name(&self) -> &'static str {
        "anchored"
    }

    async fn complete(&self, prompt: &Prompt, _: &CancellationToken) -> Result<Reply> {
        lock(&self.decides).push(prompt.clone());
        if let Some((store, session)) = lock(&self.meanwhile).take() {
            store.forget_of(session);
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for line in history(prompt) {
            let route = line.trim_start_matches('[').split(']').next().unwrap_or_default();
            *counts.entry(route.to_lowercase()).or_default() += 1;
        }
        let dominant = counts.into_iter().max_by_key(|(_, count)| *count);
        let route = dominant.map_or_else(|| "retrieval".to_owned(), |(route, _)| route);
        let reply = json!({ "decision": route, "confidence": 0.99, "rationale": "as before" });
        Ok(Reply { text: reply.to_string(), usage: None, truncated: false })
    }

    async fn stream(&self, prompt: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        lock(&self.answers).push(prompt.clone());
        let mut pieces = lock(&self.says).clone();
        if pieces.is_empty() {
            pieces.push("an answer".to_owned());
        }
        Ok(futures_util::stream::iter(pieces.into_iter().map(|said| Ok(Piece::Words(said))))
            .boxed())
    }
}

/// Finds the same for every question, and counts how often it was asked.
#[derive(Debug)]
pub(crate) struct Counting {
    searches: Mutex<usize>,
    shelf: Mutex<Vec<Passage>>,
}

impl Default for Counting {
    fn default() -> Self {
        Self { searches: Mutex::default(), shelf: Mutex::new(passages(&["Variables"])) }
    }
}

impl Counting {
    /// The searches since the last time.
    pub(crate) fn take(&self) -> usize {
        std::mem::take(&mut lock(&self.searches))
    }

    /// Sets what is found: a passage under each of these headings.
    pub(crate) fn find(&self, headings: &[&str]) {
        *lock(&self.shelf) = passages(headings);
    }
}

fn passages(headings: &[&str]) -> Vec<Passage> {
    let passage = |heading: &&str| Passage {
        document: format!("docs/{}.en.md", heading.to_lowercase()),
        headings: vec![(*heading).to_owned()],
        language: Language::En,
        text: format!("This is all about {heading}."),
        score: 1.0,
    };
    headings.iter().map(passage).collect()
}

#[async_trait]
impl Retriever for Counting {
    async fn search(&self, _: &str, _: Language, _: usize) -> Result<Vec<Passage>> {
        *lock(&self.searches) += 1;
        Ok(lock(&self.shelf).clone())
    }
}

/// Remembers no session, and every event and label.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    records: Mutex<Vec<Record>>,
    events: Mutex<Vec<Event>>,
    labels: Mutex<Vec<Label>>,
    tombstones: Mutex<Tombstones>,
}

impl Kept {
    /// The events since the last time; they are kept still.
    pub(crate) fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *lock(&self.events))
    }

    /// The labels since the last time.
    pub(crate) fn take_labels(&self) -> Vec<Label> {
        std::mem::take(&mut *lock(&self.labels))
    }

    /// Forgets what a session said.
    pub(crate) fn forget_of(&self, session: &str) {
        lock(&self.tombstones).add(session);
        lock(&self.records).retain(|record| record.session_id.as_deref() != Some(session));
    }
}

#[async_trait]
impl Store for Kept {
    async fn turn(&self, session: &str) -> Result<TurnPermit> {
        Turns::default().take(session).await
    }

    async fn session(&self, _: &str) -> Result<Session> {
        Ok(Session { era: self.era().await?, ..Session::default() })
    }

    async fn save_session(&self, _: &str, _: &Session) -> Result<()> {
        Ok(())
    }

    fn append(&self, records: Vec<Record>) {
        lock(&self.events).extend(records.iter().map(|record| record.event.clone()));
        lock(&self.records).extend(records);
    }

    async fn flush(&self) -> Result<()> {
        Ok(())
    }

    async fn save_labels(&self, labels: &[Label]) -> Result<()> {
        lock(&self.labels).extend_from_slice(labels);
        Ok(())
    }

    async fn labels(&self, _: &str, _: u64, _: usize) -> Result<LabelPage> {
        Ok(LabelPage { labels: lock(&self.labels).clone(), next: None, unreadable: 0 })
    }

    async fn page(&self, _: &Filter, _: u64, _: usize) -> Result<Page> {
        Err(Error::unavailable("nobody reads here"))
    }

    async fn events(&self, filter: &Filter, limit: usize) -> Result<Vec<Record>> {
        let records = lock(&self.records);
        Ok(records.iter().filter(|record| filter.takes(record)).take(limit).cloned().collect())
    }

    async fn forget(&self, session: &str) -> Result<Forgotten> {
        self.forget_of(session);
        Ok(Forgotten::default())
    }

    async fn era(&self) -> Result<Era> {
        Ok(lock(&self.tombstones).era())
    }

    async fn was_forgotten(&self, session: &str, era: Era) -> Result<bool> {
        Ok(lock(&self.tombstones).cover(Some(session), era))
    }
}
