//! Trains by itself while a process serves: after a set number of new sessions, on a thread of its
//! own. It promotes only where the configuration says so.
//!
//! Turns are never waited for and never wait: a training takes what they leave of the processor. A
//! fault is an event, and the next look tries again.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::oneshot;
use tracing::{info, warn};
use waypost::pack::Pack;
use waypost::ports::store::Store;
use waypost::records::label::Label;
use waypost::router;
use waypost::student::examination::Heard;
use waypost::{Code, Error, Result};
use waypost_backends::students::{By, Registry};

use crate::audit_log::{self, Entry};
use crate::config::Config;
use crate::learning::promotion;
use crate::learning::training::{self, Material};
use crate::packs;

/// The time between two looks for enough new sessions: the cost of a look is to read the labels.
const LOOK_EVERY: Duration = Duration::from_secs(300);
/// The steps by which its thread stands behind those that serve. Each step counts 1.25 times: where
/// the processor is wanted by both, ten leave it a tenth of what one of them gets. Source:
/// sched(7).
#[cfg(target_os = "linux")]
const NICER: i32 = 10;
/// The name that the records give to who promotes.
const WHO: &str = "automatic";

/// Starts to look, where the configuration wants it; ends with the process.
pub(crate) fn start(pack: &str, config: &Config, store: Arc<dyn Store>) {
    if !config.learning.automatic {
        return;
    }
    let (pack, config) = (pack.to_owned(), config.clone());
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(LOOK_EVERY);
        let mut looks = Looks::default();
        loop {
            ticks.tick().await;
            look(&pack, &config, &store, &mut looks).await;
        }
    });
}

/// The results of earlier looks.
#[derive(Debug, Default)]
struct Looks {
    /// The newest label of the last try that came to an end.
    tried: Option<String>,
    /// The words on the pack at the last look, so that they are said once.
    said: Option<String>,
}

impl Looks {
    /// Returns what there is to say of the pack, unless it was said at the last look.
    fn news(&mut self, fault: Option<String>) -> Option<String> {
        let news = fault.clone().filter(|_| fault != self.said);
        self.said = fault;
        news
    }
}

/// Trains if enough sessions are new.
async fn look(name: &str, config: &Config, store: &Arc<dyn Store>, looks: &mut Looks) {
    // Read anew, so that a pack that was mended is what is trained.
    let pack = match packs::load(name) {
        Ok(pack) => Arc::new(pack),
        Err(failure) => {
            if let Some(news) = looks.news(Some(failure.error().message().to_owned())) {
                warn!("nothing is learned until the pack loads: {news}");
                router::report(store.as_ref(), name, &now(), "learning", failure.error());
            }
            return;
        }
    };
    if let Some(news) = looks.news(fault_of_cases(name)) {
        warn!("a new student is compared on fewer cases: {news}");
        let error = Error::new(Code::FailedPrecondition, news);
        router::report(store.as_ref(), &pack.spec.name, &now(), "learning", &error);
    }
    match try_to_learn(name, &pack, config, store, &mut looks.tried).await {
        Ok(None) => {}
        Ok(Some(line)) => info!("{line}"),
        Err(error) => {
            warn!("nothing was learned: {}", error.message());
            router::report(store.as_ref(), &pack.spec.name, &now(), "learning", &error);
        }
    }
}

/// Returns what is wrong with the cases of a pack, if anything is.
fn fault_of_cases(name: &str) -> Option<String> {
    match packs::cases(name) {
        Ok(cases) => training::unreadable_cases(&cases),
        Err(failure) => Some(failure.error().message().to_owned()),
    }
}

async fn try_to_learn(
    name: &str,
    pack: &Arc<Pack>,
    config: &Config,
    store: &Arc<dyn Store>,
    tried: &mut Option<String>,
) -> Result<Option<String>> {
    let registry = Registry::open(&config.home, &pack.spec.name)?;
    let labels = training::labels(store.as_ref(), pack).await?;
    let versions = registry.list()?.versions;
    let learned = versions.iter().rev().find(|version| !version.card.trained.labels.is_empty());
    let learned = learned.and_then(|version| version.card.trained.newest.as_deref());
    if new_sessions(&labels, &[learned, tried.as_deref()]) < config.learning.every_sessions {
        return Ok(None);
    }
    match registry.training() {
        Ok(free) => drop(free),
        // Another process trains already: what it makes is known at the next look.
        Err(error) if error.code() == Code::FailedPrecondition => return Ok(None),
        Err(error) => return Err(error),
    }
    let newest = labels.last().map(|label| label.decision_id.clone());
    let cases = packs::cases(name).unwrap_or_default();
    let heard = training::heard(store.as_ref(), pack, config).await?;
    let job = Job { pack: Arc::clone(pack), cases, labels, heard };
    let config = config.clone();
    let (done, outcome) = oneshot::channel();
    // Not one of the runtime's threads: the process does not wait for this one when it ends, and
    // what breaks off leaves nothing half-written.
    let thread = std::thread::Builder::new().name("learning".to_owned());
    let begun = thread.spawn(move || {
        give_way();
        done.send(learn(&job, &config))
    });
    begun.map_err(|error| Error::internal(error.to_string()))?;
    let outcome =
        outcome.await.map_err(|_| Error::internal("the training ended without a word"))?;
    // Labels that teach nothing teach nothing at the next look either; a full disk may have room then.
    if outcome.as_ref().err().is_none_or(|error| error.code() == Code::FailedPrecondition) {
        *tried = newest;
    }
    outcome.map(Some)
}

/// Lets other threads go before this one and those that it starts. On other systems than Linux,
/// only the priority of the whole process can be set safely, so that it stays as it is.
fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICER) {
        warn!(%error, "a training goes on at the priority of turns");
    }
}

struct Job {
    pack: Arc<Pack>,
    cases: String,
    labels: Vec<Label>,
    heard: Vec<Heard>,
}

/// Trains, and promotes where that is wanted and allowed; says what was done.
fn learn(job: &Job, config: &Config) -> Result<String> {
    let at = now();
    let cases = training::questions(&job.cases);
    let pack = job.pack.as_ref();
    let labels = Some(job.labels.as_slice());
    let material = Material { pack, cases: &cases, labels, heard: &job.heard, seed: 0, at: &at };
    let kept = training::challenge(material, config, &mut |_| {})?;
    let number = kept.version.number;
    if !config.learning.promote {
        return Ok(format!("version {number} of `{}` was trained", pack.spec.name));
    }
    let registry = Registry::open(&config.home, &pack.spec.name)?;
    let by = By { who: WHO.to_owned(), at, because: None, forced: false };
    Ok(match promotion::promote(&registry, pack, number, &by) {
        Ok(_) => {
            let details = json!({ "pack": pack.spec.name, "version": number, "forced": false });
            let entry = Entry::of("student_promoted", WHO, details);
            if let Err(failure) = audit_log::append(&config.home, &entry) {
                warn!("a promotion is missing in the audit log: {}", failure.error().message());
            }
            format!("version {number} of `{}` was trained and promoted", pack.spec.name)
        }
        Err(error) if error.code() == Code::FailedPrecondition => {
            format!("version {number} of `{}` was trained: {}", pack.spec.name, error.message())
        }
        Err(error) => return Err(error),
    })
}

/// Counts the sessions with labels that are newer than the labels of these decisions. The order of
/// labels counts and not instants, since clocks jump; where none of these labels is left, all
/// sessions are new.
fn new_sessions(labels: &[Label], known: &[Option<&str>]) -> u64 {
    let after = |id: &str| labels.iter().rposition(|label| label.decision_id == id);
    let known = known.iter().flatten().filter_map(|id| after(id)).max();
    let new = &labels[known.map_or(0, |at| at + 1)..];
    let sessions: BTreeSet<&str> =
        new.iter().filter_map(|label| label.session_id.as_deref()).collect();
    sessions.len() as u64
}

fn now() -> String {
    jiff::Timestamp::now().to_string()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;
    use waypost_backends::stores::MemoryStore;

    use super::*;
    use crate::tiny;

    /// A process that serves the small pack, with labels of as many sessions as it takes.
    struct Learner {
        home: TempDir,
        config: Config,
        store: Arc<dyn Store>,
        tried: Option<String>,
    }

    impl Learner {
        async fn new(route: &str) -> Self {
            const SESSIONS: u64 = 20;
            let label = |n: u64| -> Label {
                serde_json::from_value(serde_json::json!({
                    "decision_id": format!("d{n}"), "session_id": format!("s{n}"), "pack": "desk",
                    "kind": "teacher", "at": "2025-11-06T09:00:00Z", "language": "en",
                    "text": "help me with a map", "verdict": "right", "route": route,
                }))
                .unwrap()
            };
            let store = MemoryStore::new();
            let labels: Vec<Label> = (0..SESSIONS).map(label).collect();
            store.save_labels(&labels).await.unwrap();
            let home = TempDir::new().unwrap();
            let mut config = tiny::config(home.path());
            config.learning.every_sessions = SESSIONS;
            Self { home, config, store: Arc::new(store), tried: None }
        }

        async fn look(&mut self) -> Result<Option<String>> {
            let pack = &tiny::students().0;
            try_to_learn("desk", pack, &self.config, &self.store, &mut self.tried).await
        }
    }

    #[tokio::test]
    async fn what_could_not_be_kept_is_trained_again_at_the_next_look() {
        let mut learner = Learner::new("help").await;
        let in_the_way = learner.home.path().join("students/desk/1.bundle");
        fs::create_dir_all(&in_the_way).unwrap();
        assert_eq!(learner.look().await.unwrap_err().code(), Code::Unavailable);
        fs::remove_dir(&in_the_way).unwrap();
        let trained = learner.look().await.unwrap();
        assert_eq!(trained.as_deref(), Some("version 1 of `desk` was trained"));
        assert_eq!(learner.look().await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_pack_that_does_not_load_is_told_once_and_again_when_it_changes() {
        let learner = Learner::new("help").await;
        let pack = learner.home.path().join("pack");
        fs::create_dir(&pack).unwrap();
        let name = pack.display().to_string();
        let mut looks = Looks::default();
        let told = async |looks: &mut Looks| {
            look(&name, &learner.config, &learner.store, looks).await;
            let kind = Some("degraded".to_owned());
            let filter = waypost::ports::store::Filter { kind, ..Default::default() };
            learner.store.events(&filter, 10).await.unwrap().len()
        };
        fs::write(pack.join("pack.yaml"), "name: [").unwrap();
        assert_eq!(told(&mut looks).await, 1);
        assert_eq!(told(&mut looks).await, 1);
        fs::write(pack.join("pack.yaml"), "name: desk\n").unwrap();
        assert_eq!(told(&mut looks).await, 2);
    }

    #[tokio::test]
    async fn what_teaches_nothing_is_tried_once() {
        let mut learner = Learner::new("spaceship").await;
        assert_eq!(learner.look().await.unwrap_err().code(), Code::FailedPrecondition);
        assert_eq!(learner.look().await.unwrap(), None);
    }

    #[tokio::test]
    async fn that_nothing_can_be_locked_is_told_and_that_another_trains_is_not() {
        let mut learner = Learner::new("help").await;
        let registry = Registry::open(learner.home.path(), "desk").unwrap();
        let held = registry.training().unwrap();
        assert_eq!(learner.look().await.unwrap(), None);
        drop(held);
        let students = learner.home.path().join("students");
        fs::remove_dir_all(&students).unwrap();
        fs::write(&students, "").unwrap();
        assert_eq!(learner.look().await.unwrap_err().code(), Code::Unavailable);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_training_gives_way_and_what_serves_does_not() {
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let before = nice();
        let training = std::thread::spawn(move || {
            give_way();
            (nice(), std::thread::spawn(nice).join().unwrap())
        });
        let (own, helper) = training.join().unwrap();
        assert_eq!((own, helper), ((before + NICER).min(19), own));
        assert_eq!(nice(), before);
    }

    #[test]
    fn s4_29_sessions_are_new_after_the_newest_label_that_is_known() {
        let label = |id: &str, session: &str| -> Label {
            serde_json::from_value(serde_json::json!({
                "decision_id": id, "session_id": session, "pack": "p", "kind": "teacher",
                "at": "1999-01-01T00:00:00Z", "text": "x", "language": "en", "verdict": "wrong",
            }))
            .unwrap()
        };
        let labels = [label("1", "a"), label("2", "b"), label("3", "b"), label("4", "c")];
        assert_eq!(new_sessions(&labels, &[None, None]), 3);
        assert_eq!(new_sessions(&labels, &[Some("2"), None]), 2);
        assert_eq!(new_sessions(&labels, &[Some("2"), Some("3")]), 1);
        assert_eq!(new_sessions(&labels, &[Some("4"), None]), 0);
        // One that was forgotten, and none at all.
        assert_eq!(new_sessions(&labels, &[Some("gone"), None]), 3);
        assert_eq!(new_sessions(&[], &[Some("gone"), None]), 0);
    }
}
