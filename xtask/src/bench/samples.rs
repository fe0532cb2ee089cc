//! The samples that speed is measured on: questions of 12 and 20 words, a pack of 150 routes, the
//! pack `ocean`, and a router over either.

use std::collections::BTreeMap;
use std::fs;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use async_trait::async_trait;
use serde_json::json;
use waypost::language::Language;
use waypost::learning::Bundle;
use waypost::pack::{Files, Pack};
use waypost::ports::clock::Clock;
use waypost::ports::encoder::Encoder;
use waypost::ports::retrieval::{Passage, Retriever};
use waypost::ports::store::{Filter, Forgotten, LabelPage, Page, Store};
use waypost::ports::turns::{TurnPermit, Turns};
use waypost::records::event::Record;
use waypost::records::label::Label;
use waypost::records::rollout::Rollout;
use waypost::records::session::Session;
use waypost::router::{Parts, Router};

use crate::root;

/// Questions about the sea, of 12 and of 20 words: with a place and a time each.
pub(crate) const QUESTIONS: [(Language, [&str; 2]); 3] = [
    (
        Language::En,
        [
            "what was the average sea surface temperature around eastern Taiwan last week",
            "could you please show me the daily mean sea surface temperature near 121.5E 24N from \
             November 1 to November 5",
        ],
    ),
    (
        Language::ZhHant,
        [
            "請問上週台灣東部外海的平均海表溫度大概是多少",
            "請幫我查一下東經121.5度北緯24度從11月1日到11月5日每天的平均海溫",
        ],
    ),
    (
        Language::Es,
        [
            "cuál fue la temperatura media del mar cerca de Taiwán esta semana",
            "quiero ver la temperatura media diaria de la superficie del mar en 121.5E 24N del 1 al \
             5 de noviembre",
        ],
    ),
];

/// The numbers of words in [`QUESTIONS`].
pub(crate) const WORDS: [usize; 2] = [12, 20];

/// Twelve words for a pack of [`ROUTES`].
pub(crate) const MONEY: &str = "could you please tell me how much money is left this month";

/// As many as CLINC150 has.
pub(crate) const ROUTES: usize = 150;

const EXAMPLES_OF_A_ROUTE: usize = 10;

/// The files of the pack `ocean`.
pub(crate) fn ocean_files() -> Result<Files> {
    pack_files("ocean")
}

/// The files of a pack of this repository.
pub(crate) fn pack_files(name: &str) -> Result<Files> {
    folder_files(&root().join("packs").join(name))
}

/// The files of a pack in a folder.
pub(crate) fn folder_files(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    collect(folder, folder, &mut files)?;
    Ok(files)
}

fn collect(pack: &Path, folder: &Path, files: &mut Files) -> Result<()> {
    let entries = fs::read_dir(folder)
        .with_context(|| format!("the folder `{}` cannot be read", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(pack, &path, files)?;
            continue;
        }
        if path.extension().is_some_and(|extension| extension == "bin") {
            // Its student: what is measured here trains.
            continue;
        }
        let name = path.strip_prefix(pack)?.to_string_lossy().replace('\\', "/");
        files.insert(name, fs::read_to_string(&path)?);
    }
    Ok(())
}

/// The pack of these files.
pub(crate) fn load(files: &Files) -> Result<Pack> {
    Pack::load(files).map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        anyhow::anyhow!("the pack has faults:\n{}", faults.join("\n"))
    })
}

/// The files of a pack of [`ROUTES`] routes with the places of the ocean.
pub(crate) fn many_routes(places: &str) -> Files {
    let name = |route: usize| format!("route_{route}");
    let route =
        |route: usize| json!({ "name": name(route), "handler": "code", "summary": "A route." });
    let pack = json!({
        "name": "many",
        "summary": "Many routes.",
        "format": 1,
        "languages": ["en", "zh-TW", "es"],
        "tz": "Asia/Taipei",
        "routes": (0..ROUTES).map(route).collect::<Vec<_>>(),
        "fallback": name(0),
        "gazetteers": [{ "name": "place", "file": "places.yaml" }],
    });
    let common: Vec<&str> = MONEY.split(' ').collect();
    let mut examples = String::new();
    for route in 0..ROUTES {
        for i in 0..EXAMPLES_OF_A_ROUTE {
            let own = [word(route * 7 + i % 5), word(route * 5 + i % 3)];
            let shared = [common[(route + i) % 12], common[(route * 3 + i) % 12]];
            let text = format!("{} {} {} {} {i}", shared[0], own[0], shared[1], own[1]);
            let line = json!({ "text": text, "lang": "en", "route": name(route) });
            examples.push_str(&format!("{line}\n"));
        }
    }
    // JSON is YAML.
    BTreeMap::from([
        ("pack.yaml".to_owned(), pack.to_string()),
        ("examples.jsonl".to_owned(), examples),
        ("places.yaml".to_owned(), places.to_owned()),
    ])
}

/// A word that nobody says, the same for the same number.
pub(super) fn word(number: usize) -> String {
    let syllables = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu", "cha", "pre"];
    let parts = [number % 12, number / 12 % 12, number / 144 % 12];
    parts.iter().map(|part| syllables[*part]).collect()
}

/// A router that decides with the cheap layers; it has nothing to run with.
pub(crate) fn router(pack: Pack, bundle: Bundle) -> Router {
    router_with(pack, bundle, None)
}

/// The same with an encoder.
pub(crate) fn router_with(pack: Pack, bundle: Bundle, encoder: Option<Arc<dyn Encoder>>) -> Router {
    Router::new(Parts {
        pack: Arc::new(pack),
        bundle: Arc::new(bundle).into(),
        models: BTreeMap::new(),
        servers: BTreeMap::new(),
        encoder,
        retriever: Arc::new(Absent),
        store: Arc::new(Absent),
        clock: Arc::new(Absent),
        rollout: Rollout::default(),
        recall: None,
    })
}

/// Returns the result of `future` at once; deciding without a model never waits.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> Result<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Ok(value),
        Poll::Pending => bail!("a decision without a model waited for something"),
    }
}

/// The parts of a router that deciding does not touch.
#[derive(Debug)]
struct Absent;

#[async_trait]
impl Store for Absent {
    async fn turn(&self, session: &str) -> waypost::Result<TurnPermit> {
        Turns::default().take(session).await
    }

    async fn session(&self, _: &str) -> waypost::Result<Session> {
        Ok(Session::default())
    }

    async fn save_session(&self, _: &str, _: &Session) -> waypost::Result<()> {
        Ok(())
    }

    fn append(&self, _: Vec<Record>) {}

    async fn flush(&self) -> waypost::Result<()> {
        Ok(())
    }

    async fn events(&self, _: &Filter, _: usize) -> waypost::Result<Vec<Record>> {
        Ok(Vec::new())
    }

    async fn page(&self, _: &Filter, _: u64, _: usize) -> waypost::Result<Page> {
        Ok(Page { records: Vec::new(), next: None, unreadable: 0 })
    }

    async fn save_labels(&self, _: &[Label]) -> waypost::Result<()> {
        Ok(())
    }

    async fn labels(&self, _: &str, _: u64, _: usize) -> waypost::Result<LabelPage> {
        Ok(LabelPage { labels: Vec::new(), next: None, unreadable: 0 })
    }

    async fn forget(&self, _: &str) -> waypost::Result<Forgotten> {
        Ok(Forgotten::default())
    }
}

#[async_trait]
impl Retriever for Absent {
    async fn search(&self, _: &str, _: Language, _: usize) -> waypost::Result<Vec<Passage>> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Clock for Absent {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    async fn sleep(&self, _: Duration) {}
}

/// Sentences with a value of most kinds, as texts that are longer than a question hold them.
pub(crate) const VALUES: &str = "The crew met last Friday at half past seven in the evening and \
    counted 1,250 nets, 35% more than on March 3rd, for about 300 dollars; the next visit is in two \
    weeks, between 9 and 11 am, some 12 km north of the harbour. ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_questions_have_as_many_words_as_they_say() {
        let spaced = QUESTIONS.iter().filter(|(language, _)| !language.is_chinese());
        for (_, texts) in spaced {
            let words = texts.map(|text| text.split_whitespace().count());
            assert_eq!(words, WORDS, "{texts:?}");
        }
        assert_eq!(MONEY.split_whitespace().count(), WORDS[0]);
    }

    #[test]
    fn the_pack_of_many_routes_loads() {
        let files = ocean_files().unwrap();
        let pack = load(&many_routes(&files["places.yaml"])).unwrap();
        assert_eq!(pack.spec.routes.len(), ROUTES);
    }
}
