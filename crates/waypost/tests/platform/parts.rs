//! The parts of the router in these tests: the pack as it lies in the repository, and models and a
//! retriever that write what happens into one journal.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream;
use tokio::sync::mpsc::channel;
use tokio_util::sync::CancellationToken;
use waypost::language::Language;
use waypost::learning::Bundle;
use waypost::pack::{Files, Pack};
use waypost::ports::model::{Model, Piece, Pieces, Prompt, Reply, Slot};
use waypost::ports::retrieval::{Passage, Retriever};
use waypost::records::answer::{Answer, Part};
use waypost::records::request::Request;
use waypost::records::rollout::Rollout;
use waypost::router::{AnswerOptions, Parts, Router};
use waypost::student::heads::train_student;
use waypost::{Code, Error, Result};
use waypost_testing::{OneSession, StillClock};

/// The events of a test, in order.
pub(crate) type Journal = Arc<Mutex<Vec<String>>>;

pub(crate) fn note(journal: &Journal, line: impl Into<String>) {
    journal.lock().unwrap_or_else(PoisonError::into_inner).push(line.into());
}

pub(crate) fn taken(journal: &Journal) -> Vec<String> {
    std::mem::take(&mut journal.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The pack with its student: trained once, used by every test.
fn trained() -> (Arc<Pack>, Arc<Bundle>) {
    static TRAINED: OnceLock<(Arc<Pack>, Arc<Bundle>)> = OnceLock::new();
    let made = TRAINED.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../packs/platform");
        let read =
            |name: &str| (name.to_owned(), std::fs::read_to_string(folder.join(name)).unwrap());
        let files: Files =
            ["pack.yaml", "commands.yaml", "examples.jsonl"].map(read).into_iter().collect();
        let pack = Pack::load(&files).unwrap();
        let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
        (Arc::new(pack), Arc::new(bundle))
    });
    made.clone()
}

/// A model that writes down that it was asked.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) name: &'static str,
    pub(crate) journal: Journal,
    pub(crate) fails: bool,
    pub(crate) prompts: Mutex<Vec<Prompt>>,
}

impl Writer {
    pub(crate) fn new(name: &'static str, journal: &Journal, fails: bool) -> Arc<Self> {
        let prompts = Mutex::default();
        Arc::new(Self { name, journal: Arc::clone(journal), fails, prompts })
    }

    fn asked(&self, how: &str, prompt: &Prompt) -> Result<()> {
        note(&self.journal, format!("{how} {}", self.name));
        self.prompts.lock().unwrap_or_else(PoisonError::into_inner).push(prompt.clone());
        if self.fails { Err(Error::unavailable("it sleeps")) } else { Ok(()) }
    }

    /// The words of the last prompt.
    pub(crate) fn last(&self) -> String {
        let prompts = self.prompts.lock().unwrap_or_else(PoisonError::into_inner);
        let messages = prompts.last().unwrap().messages.iter();
        messages.map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
    }
}

#[async_trait]
impl Model for Writer {
    fn name(&self) -> &str {
        self.name
    }

    async fn complete(&self, prompt: &Prompt, _: &CancellationToken) -> Result<Reply> {
        self.asked("complete", prompt)?;
        Ok(Reply { text: "ok".to_owned(), usage: None, truncated: false })
    }

    async fn stream(&self, prompt: &Prompt, _: &CancellationToken) -> Result<Pieces> {
        self.asked("stream", prompt)?;
        Ok(stream::iter([Ok(Piece::from("some ")), Ok(Piece::from("words"))]).boxed())
    }
}

/// Finds one documented example, or fails.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) journal: Journal,
    pub(crate) fault: Option<Code>,
}

#[async_trait]
impl Retriever for Shelf {
    async fn search(&self, _: &str, language: Language, _: usize) -> Result<Vec<Passage>> {
        note(&self.journal, "search");
        if let Some(code) = self.fault {
            return Err(Error::new(code, "the shelf is empty"));
        }
        Ok(vec![Passage {
            document: "docs/loops.en.md".to_owned(),
            headings: vec!["Loops".to_owned()],
            language,
            text: "A loop repeats.\n\n```avap\nstartLoop(i, 1, 3)\n```".to_owned(),
            score: 1.0,
        }])
    }
}

/// A router over the pack, and its journal.
pub(crate) struct World {
    pub(crate) router: Router,
    pub(crate) journal: Journal,
}

pub(crate) struct Setup {
    pub(crate) models: Vec<(Slot, Arc<dyn Model>)>,
    pub(crate) fault: Option<Code>,
    pub(crate) journal: Journal,
    pub(crate) rollout: Rollout,
}

impl Setup {
    pub(crate) fn new() -> Self {
        let (journal, rollout) = (Journal::default(), Rollout::default());
        Self { models: Vec::new(), fault: None, journal, rollout }
    }

    pub(crate) fn model(mut self, slot: Slot, model: Arc<dyn Model>) -> Self {
        self.models.push((slot, model));
        self
    }

    pub(crate) fn build(self) -> World {
        let (pack, bundle) = trained();
        let retriever = Shelf { journal: Arc::clone(&self.journal), fault: self.fault };
        let router = Router::new(Parts {
            pack,
            bundle: bundle.into(),
            models: self.models.into_iter().collect::<BTreeMap<_, _>>(),
            servers: BTreeMap::new(),
            encoder: None,
            retriever: Arc::new(retriever),
            store: Arc::new(OneSession::default()),
            clock: Arc::new(StillClock),
            rollout: self.rollout,
            recall: None,
        });
        World { router, journal: self.journal }
    }
}

/// A question with an instant.
pub(crate) fn question(text: &str) -> Request {
    Request { now: Some("2025-11-06T09:00:00Z".to_owned()), ..Request::new(text) }
}

impl World {
    /// The answer; the parts that were sent on the way are in the journal.
    pub(crate) async fn answer(&self, request: &Request) -> Result<Answer> {
        let (out, mut parts) = channel(16);
        let journal = Arc::clone(&self.journal);
        let listener = tokio::spawn(async move {
            while let Some(part) = parts.recv().await {
                note(
                    &journal,
                    match part {
                        Part::Decided(decision) => format!("decided {}", decision.route),
                        Part::Prepared { passages } => format!("prepared {passages}"),
                        Part::Token(_) => "token".to_owned(),
                        other => format!("{other:?}"),
                    },
                );
            }
        });
        let cancel = CancellationToken::new();
        let answer = self.router.answer(request, AnswerOptions::default(), &out, &cancel).await;
        drop(out);
        listener.await.unwrap();
        answer
    }

    pub(crate) async fn text(&self, request: &Request) -> String {
        self.answer(request).await.unwrap().text
    }
}
