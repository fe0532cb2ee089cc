//! Puts a router together from a pack and the configuration: the one place that knows both what
//! the library wants and what the backends offer.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::{info, warn};
use waypost::decide::cascade::Recall;
use waypost::learning::drift::DriftOptions;
use waypost::learning::{Bundle, StaticTable};
use waypost::pack::Pack;
use waypost::pack::spec::ServerSpec;
use waypost::ports::encoder::Encoder;
use waypost::ports::model::{Model, Slot};
use waypost::ports::retrieval::Retriever;
use waypost::ports::store::Store;
use waypost::records::rollout::{Key, Rollout, Setting};
use waypost::respond::execution::Servers;
use waypost::router::{Parts, Router};
use waypost::student::heads::train_student_with;
use waypost::{Error, Result};
use waypost_backends::clock::SystemClock;
use waypost_backends::encoder::KeptVectors;
use waypost_backends::llm::{OpenAiModel, Redacted};
use waypost_backends::mcp::McpServer;
use waypost_backends::retrieval::{Bm25Index, Fused, VectorIndex};
use waypost_backends::stores::{Behind, MemoryStore, Opening, Recovering, Redacting, SqliteStore};
use waypost_backends::students::Training;

use self::priced::Priced;
use crate::config::{Config, ModelFile};
use crate::encoders;
use crate::interrupted;
use crate::known_models::{self, Measured};
use crate::learning::contradictions::{Contradictions, HINT};
use crate::learning::own_student::OwnStudent;
use crate::learning::student_file;
use crate::progress;
use crate::quarantine;

mod priced;
#[cfg_attr(not(feature = "elasticsearch"), path = "assemble/search_server/without.rs")]
mod search_server;
mod tool_servers;

/// The options of a command for its router.
#[derive(Debug, Clone, Default)]
pub(crate) struct AssemblyOptions {
    /// The instant that sample servers are given, so that a replay sees the same data.
    pub(crate) now: Option<String>,
    /// True if sessions and events are kept.
    pub(crate) remember: bool,
    /// True if the tool servers' own logs are shown.
    pub(crate) show_server_log: bool,
    /// A stored student instead of a training.
    pub(crate) bundle: Option<PathBuf>,
    /// True if the home is only looked at: a student that had to be trained is not kept then.
    pub(crate) look_only: bool,
    /// Servers that run already, by their names in the pack.
    pub(crate) live: Servers,
    /// What the model that decides is worth, where it is not what was measured; it decides then, whatever was found.
    pub(crate) measured: Option<Measured>,
}

/// A router for a pack.
pub(crate) async fn router(
    pack: Pack,
    config: &Config,
    options: &AssemblyOptions,
) -> Result<Router> {
    let store = if options.remember { store(config).await } else { Arc::new(MemoryStore::new()) };
    router_over(pack, config, options, store).await
}

/// A router that remembers in `store`, which the caller keeps too.
pub(crate) async fn router_over(
    pack: Pack,
    config: &Config,
    options: &AssemblyOptions,
    store: Arc<dyn Store>,
) -> Result<Router> {
    let known = known(&pack, config);
    let doubted = options.measured.is_none() && known.is_some_and(|known| !known.helps());
    let measured = options.measured.or(known);
    let rollout = Rollout::new(&pack.spec.rollout, &settings(&pack, config, doubted))?;
    let recall = options.remember.then(|| Arc::new(Recall::of(&pack.spec.policy)));
    config.misnamed_servers(&pack).iter().for_each(|said| warn!("{said}"));
    let servers = servers(&pack, config, options)?;
    if options.remember {
        quarantine::watch(&pack, &servers);
    }
    let encoder = encoders::configured(config)?;
    understand(&pack, encoder.as_deref(), config, options);
    let bundle = student(&pack, encoder.as_deref(), config, options)?;
    let retriever = retriever(&pack, config, encoder.as_ref()).await?;
    let models = models(config)?;
    let router = Router::new(Parts {
        pack: Arc::new(pack),
        bundle: bundle.into(),
        models,
        servers,
        encoder,
        retriever,
        store,
        clock: Arc::new(SystemClock::new()),
        rollout,
        recall,
    });
    if options.remember
        && let Err(error) = router.read_lessons().await
    {
        warn!("what people said of decisions before does not count until the next start: {error}");
    }
    let router = router.believing(measured.map(|measured| measured.belief()).unwrap_or_default());
    let router = match config.learning.audit {
        Some(share) => router.auditing(share),
        None => router,
    };
    Ok(if config.learning.drift { router.watching(DriftOptions::default()) } else { router })
}

/// Has the encoder read the tools of a pack whose tools are chosen by what is written about them. Without it the words choose.
fn understand(
    pack: &Pack,
    encoder: Option<&dyn Encoder>,
    config: &Config,
    options: &AssemblyOptions,
) {
    let Some(encoder) = encoder else { return };
    let kept = KeptVectors::new(encoder, &config.home);
    let reader: &dyn Encoder = if options.look_only { encoder } else { &kept };
    if let Err(error) = pack.understand(reader) {
        warn!("the encoder does not take part in the choice of tools: {error}");
    }
}

/// What was found of the model that decides, on this pack.
pub(crate) fn known(pack: &Pack, config: &Config) -> Option<Measured> {
    let file = config.models.get(&Slot::Main)?;
    known_models::measured(&config.home, file, &pack.spec.name)
}

/// The settings of the rollout. A model with which the pack was no better served is in shadow, unless somebody said otherwise.
fn settings(pack: &Pack, config: &Config, doubted: bool) -> BTreeMap<Key, Setting> {
    let mut settings = config.rollout();
    let Some(key) = Key::find("layer.llm").filter(|_| doubted) else { return settings };
    if !pack.spec.rollout.contains_key(key.name()) && !settings.contains_key(&key) {
        info!("the model that decides was measured and does not help this pack: it is in shadow");
        settings.insert(key, Setting::Shadow);
    }
    settings
}

/// The cosine similarity from which a passage is taken to be about the question, for vectors of a
/// sentence encoder. A passage below it that shares no word with the question is there by chance.
const NEAR: f32 = 0.4;

/// Builds the retriever: it searches the pack's own documents by their words, with an encoder by
/// their meaning too, and asks a search server before them where one is configured.
async fn retriever(
    pack: &Pack,
    config: &Config,
    encoder: Option<&Arc<dyn Encoder>>,
) -> Result<Arc<dyn Retriever>> {
    let mut members: Vec<(String, Arc<dyn Retriever>)> = Vec::new();
    if let Some(file) = &config.retrieval {
        let server = search_server::open(&file.client(), encoder.cloned())?;
        members.push(("server".to_owned(), server));
    }
    let words = Bm25Index::open(pack.documents.clone()).await?;
    members.push(("bm25".to_owned(), Arc::new(words)));
    if let Some(encoder) = encoder {
        let near = VectorIndex::new(&pack.documents, Arc::clone(encoder), NEAR);
        members.push(("vectors".to_owned(), Arc::new(near)));
    }
    match members.len() {
        1 => Ok(members.remove(0).1),
        _ => Ok(Arc::new(Fused::new(members))),
    }
}

/// The models of the slots; slots that are configured alike share one.
fn models(config: &Config) -> Result<BTreeMap<Slot, Arc<dyn Model>>> {
    let mut models: BTreeMap<Slot, Arc<dyn Model>> = BTreeMap::new();
    for (slot, file) in &config.models {
        let twin = config.models.iter().find(|(_, other)| *other == file).map(|(twin, _)| twin);
        let known = twin.and_then(|twin| models.get(twin)).cloned();
        let model = match known {
            Some(model) => model,
            None => {
                let inner = opened(config, file)?;
                let price = config.price(*slot, file.model_name());
                let priced = Priced { inner, price };
                match config.store.redact {
                    true => Arc::new(Redacted(priced)) as Arc<dyn Model>,
                    false => Arc::new(priced),
                }
            }
        };
        models.insert(*slot, model);
    }
    Ok(models)
}

/// A model that asks for JSON in the form that its server took before.
pub(crate) fn opened(config: &Config, file: &ModelFile) -> Result<OpenAiModel> {
    let (home, own) = (config.home.clone(), file.clone());
    let keep = move |format| {
        if let Err(failure) = known_models::keep_format(&home, &own, Some(format)) {
            warn!("the form of replies that the model takes is not kept: {}", failure.error());
        }
    };
    let model = OpenAiModel::open(&file.client())?;
    Ok(model.remembering(known_models::format(&config.home, file), Arc::new(keep)))
}

/// Wakes the models in the background, for a process that serves; one that does not wake is logged,
/// and asked again with the first question.
pub(crate) fn warm(router: &Arc<Router>, config: &Config) {
    let reader = Arc::clone(router);
    tokio::task::spawn_blocking(move || reader.read_examples());
    if config.warm == Some(false) {
        return;
    }
    let work = router.warm(CancellationToken::new());
    tokio::spawn(async move {
        for (slot, error) in work.await {
            info!("the model of the slot `{}` did not wake: {}", slot.name(), error.message());
        }
    });
}

/// Has a model check a share of the student's decisions, beside the turns, until the program ends.
pub(crate) fn audit(router: &Arc<Router>) {
    let router = Arc::clone(router);
    tokio::spawn(async move { router.audit(&CancellationToken::new()).await });
}

/// The student of a pack: the stored one that was named, else the version that was promoted, else the
/// one that it trains itself.
pub(crate) fn student(
    pack: &Pack,
    encoder: Option<&dyn Encoder>,
    config: &Config,
    options: &AssemblyOptions,
) -> Result<Arc<Bundle>> {
    match options.bundle.as_ref().or(config.student.bundle.as_ref()) {
        Some(path) => student_file::load(pack, path),
        None => match student_file::champion(pack, &config.home) {
            Some(bundle) => Ok(bundle),
            None => trained(pack, encoder, config, options),
        },
    }
}

/// The student that a pack trains itself: the one that came with it, else the one that an earlier start of this program
/// trained, else one that is trained now, and kept for the next start.
pub(crate) fn trained(
    pack: &Pack,
    encoder: Option<&dyn Encoder>,
    config: &Config,
    options: &AssemblyOptions,
) -> Result<Arc<Bundle>> {
    let table = table(config)?;
    let own = OwnStudent::new(pack, table.as_deref(), encoder, &config.home);
    let shipped = own.shipped();
    if let Ok(Some(bundle)) = shipped {
        return Ok(Arc::new(bundle));
    }
    if let Some(bundle) = own.kept() {
        if !options.look_only {
            own.mark_used();
        }
        return Ok(Arc::new(bundle));
    }
    if let Err(error) = shipped {
        let name = &pack.spec.name;
        warn!(
            "the student that came with the pack `{name}` is not used: {} (hint: train it again: `waypost train --pack \
             FOLDER --out FOLDER/student.bin`)",
            error.message()
        );
    }
    // Held until the student is kept.
    let _training = match options.look_only {
        true => None,
        false => match own.wait() {
            Training::Elsewhere(bundle) => return Ok(Arc::from(bundle)),
            Training::Here(lock) => lock,
        },
    };
    let bar = progress::bar("learning from the pack's examples, this once", 0);
    let bundle = train_student_with(pack, table, encoder, &mut |done| progress::show(&bar, done));
    bar.finish_and_clear();
    let bundle = bundle?;
    if !options.look_only {
        own.keep(&bundle);
        let contradictions = Contradictions::of_pack(pack)?;
        if !contradictions.is_empty() {
            warn!("{} (hint: {HINT})", contradictions.sentence());
        }
    }
    Ok(Arc::new(bundle))
}

/// The file of the store.
pub(crate) fn store_path(config: &Config) -> PathBuf {
    config.home.join("waypost.db")
}

/// The static table of students: the one that the configuration names, else the one inside.
pub(crate) fn table(config: &Config) -> Result<Option<Arc<StaticTable>>> {
    match &config.student.table {
        Some(path) => student_file::table(path).map(Some),
        None => Ok(StaticTable::built_in()),
    }
}

/// The store in the home; while it cannot be opened the program goes on, and nothing is kept.
pub(crate) async fn store(config: &Config) -> Arc<dyn Store> {
    let (path, retention) = (store_path(config), config.store.retention());
    let open = move || -> Opening {
        let path = path.clone();
        Box::pin(async move {
            let store = SqliteStore::open_with(Some(&path), retention).await?;
            interrupted::tell(&store).await;
            Ok(Arc::new(store) as Arc<dyn Store>)
        })
    };
    let (store, fault) = Recovering::open(open).await;
    if let Some(error) = fault {
        let hint = hint(&error);
        warn!("{}; nothing will be remembered until it can be used{hint}", error.message());
    }
    redacting(Arc::new(store), config)
}

/// Opens the store in the home as it is, for commands that are about it; `None` where nothing was
/// ever kept.
pub(crate) async fn kept(config: &Config) -> Result<Option<SqliteStore>> {
    let path = store_path(config);
    if !path.exists() {
        return Ok(None);
    }
    SqliteStore::open_with(Some(&path), config.store.retention()).await.map(Some)
}

/// Wraps the store so that it redacts personal data before it keeps anything, where the
/// configuration wants that.
pub(crate) fn redacting(store: Arc<dyn Store>, config: &Config) -> Arc<dyn Store> {
    match config.store.redact {
        true => Arc::new(Behind::new(Redacting, store)),
        false => store,
    }
}

fn hint(error: &Error) -> String {
    error.hint().map(|hint| format!(" (hint: {hint})")).unwrap_or_default()
}

fn servers(pack: &Pack, config: &Config, options: &AssemblyOptions) -> Result<Servers> {
    let mut servers = Servers::new();
    for spec in &pack.spec.servers {
        if let Some(live) = options.live.get(&spec.name) {
            servers.insert(spec.name.clone(), Arc::clone(live));
            continue;
        }
        // No tool is given up before its own limit.
        let tools = pack.tools.iter().filter(|tool| tool.spec.server == spec.name);
        let longest = tools.map(|tool| Duration::from_millis(tool.spec.timeout_ms)).max();
        let reach = tool_servers::reach(spec, config, options)?;
        let server = McpServer::new(reach.waiting(longest.unwrap_or_default()));
        servers.insert(spec.name.clone(), Arc::new(server));
    }
    Ok(servers)
}

/// A tool server, not started yet: as the configuration says, or else the pack.
pub(crate) fn server(
    spec: &ServerSpec,
    config: &Config,
    options: &AssemblyOptions,
) -> Result<McpServer> {
    tool_servers::reach(spec, config, options).map(McpServer::new)
}
