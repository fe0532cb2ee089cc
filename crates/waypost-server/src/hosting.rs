//! Puts packs in service, and puts them in service anew when their files or the configuration change. One that has faults
//! changes nothing: the pack of before goes on.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tracing::{info, warn};
use waypost::Error;
use waypost::pack::Pack;
use waypost::ports::store::Store;
use waypost::router::Router;
use waypost_backends::students::Registry;

use crate::assemble::{self, AssemblyOptions};
use crate::cli::SourceArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::learning::following::{self, Followed};
use crate::packs;
use crate::sources::{self, Sourced};
use crate::surfaces::http::{Metrics, Reload, Reloaded};
use crate::surfaces::{Hosted, HostedPack};

/// The time between two looks at the files.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The most files of a folder whose changes are seen.
const MAX_FILES: usize = 2_000;

/// The sources of a server's packs, and all that these share.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) sources: Vec<SourceArgs>,
    /// The stored student that was named, for one pack.
    pub(crate) student: Option<PathBuf>,
    /// The configuration that was named.
    pub(crate) config: Option<PathBuf>,
    /// The file of the configuration, whether or not it is there.
    pub(crate) file: PathBuf,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) metrics: Arc<Metrics>,
}

impl Origin {
    /// A router of a pack; its student is followed from now on. It may train, which takes seconds.
    async fn router(&self, source: &SourceArgs, config: &Config) -> Result<Arc<Router>, Failure> {
        let options = AssemblyOptions {
            remember: true,
            bundle: self.student.clone(),
            ..AssemblyOptions::default()
        };
        let Sourced { pack, live, .. } = sources::load(source, config, &options).await?;
        let options = AssemblyOptions { live, ..options };
        let followed = Followed::new(&pack, config, &options);
        let store = Arc::clone(&self.store);
        let router = Arc::new(assemble::router_over(pack, config, &options, store).await?);
        assemble::warm(&router, config);
        let metrics = Arc::clone(&self.metrics);
        following::start(&router, followed, move || metrics.swapped());
        assemble::audit(&router);
        Ok(router)
    }

    /// All packs, in service.
    pub(crate) async fn hosted(&self, config: &Config) -> Result<Hosted, Failure> {
        let mut packs = Vec::new();
        for source in &self.sources {
            let router = self.router(source, config).await?;
            let versions = Registry::open(&config.home, &router.pack().spec.name).ok();
            packs.push(HostedPack::new(router, versions));
        }
        Hosted::new(packs).map_err(Failure::usage)
    }

    /// The files whose changes count, with when each was changed and how long it is.
    fn stamp(&self) -> Vec<Stamp> {
        let mut stamps: Vec<Stamp> = stamp(&self.file).into_iter().collect();
        for source in self.sources.iter().filter(|source| source.mcp.is_empty()) {
            let folder = Path::new(&source.pack.pack);
            if folder.join("pack.yaml").is_file() {
                add(folder, &mut stamps);
                add(&folder.join("docs"), &mut stamps);
            }
        }
        stamps.sort();
        stamps
    }
}

type Stamp = (PathBuf, Option<SystemTime>, u64);

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    metadata.is_file().then(|| (path.to_owned(), metadata.modified().ok(), metadata.len()))
}

fn add(folder: &Path, stamps: &mut Vec<Stamp>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    stamps.extend(entries.filter_map(|entry| stamp(&entry.path())).take(MAX_FILES));
}

/// Puts packs in service anew, one change at a time.
#[derive(Debug)]
pub(crate) struct Reloader {
    origin: Origin,
    hosted: Arc<Hosted>,
    /// The threads of turns, on which packs live.
    threads: Handle,
    /// The files as they were when they were read last.
    read: Mutex<Vec<Stamp>>,
}

impl Reloader {
    /// Watches the files of packs that are in service.
    pub(crate) fn start(origin: Origin, hosted: Arc<Hosted>) -> Arc<Self> {
        let read = Mutex::new(origin.stamp());
        let reloader = Arc::new(Self { origin, hosted, threads: Handle::current(), read });
        let watching = Arc::downgrade(&reloader);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOOK_EVERY).await;
                let Some(reloader) = watching.upgrade() else { return };
                let now = reloader.origin.stamp();
                if *reloader.read.lock().await != now {
                    // A file that is being written is whole a moment later.
                    tokio::time::sleep(LOOK_EVERY / 4).await;
                    reloader.reload().await;
                }
            }
        });
        reloader
    }

    /// Reads one pack again. One whose files are as they were goes on, unless the configuration is `new`.
    async fn one(&self, at: usize, config: &Config, new: bool) -> Reloaded {
        let pack = &self.hosted.all()[at];
        let told = |before: String, refused: Option<Error>| Reloaded {
            pack: pack.name().to_owned(),
            before,
            refused,
        };
        let before = pack.router().pack().id.clone();
        let named = &self.origin.sources[at];
        let same = |known: Pack| known.id == before;
        if !new && named.mcp.is_empty() && packs::load(&named.pack.pack).is_ok_and(same) {
            return told(before, None);
        }
        match self.origin.router(&self.origin.sources[at], config).await {
            Ok(router) if router.pack().spec.name != pack.name() => {
                let message = format!(
                    "the pack `{}` calls itself `{}` now",
                    pack.name(),
                    router.pack().spec.name
                );
                told(
                    before,
                    Some(
                        Error::invalid(message).with_hint("start the server anew to rename a pack"),
                    ),
                )
            }
            Ok(router) => {
                info!(
                    "the pack `{}` serves as {}, before as {before}",
                    pack.name(),
                    router.pack().id
                );
                pack.replace(router);
                told(before, None)
            }
            Err(failure) => {
                let error = failure.error().clone();
                warn!("the pack `{}` of before goes on: {}", pack.name(), error.message());
                told(before, Some(error))
            }
        }
    }

    async fn all(&self) -> Result<Vec<Reloaded>, Error> {
        let mut read = self.read.lock().await;
        // Read first: what changes from here on is seen at the next look, and a file with faults is told once.
        let now = self.origin.stamp();
        let of =
            |stamps: &[Stamp]| stamps.iter().find(|stamp| stamp.0 == self.origin.file).cloned();
        let new = of(&read) != of(&now);
        *read = now;
        let config = Config::load(self.origin.config.as_deref());
        let mut config = config.map_err(|failure| failure.error().clone())?;
        if self.origin.sources.iter().any(|source| !source.mcp.is_empty()) {
            // The configuration does not replace servers of the command line.
            config.servers.clear();
        }
        let mut done = Vec::new();
        for at in 0..self.origin.sources.len() {
            done.push(self.one(at, &config, new).await);
        }
        Ok(done)
    }
}

#[async_trait]
impl Reload for Reloader {
    async fn reload(self: Arc<Self>) -> Vec<Reloaded> {
        // A pack may train, for which turns do not wait.
        let (own, threads) = (Arc::clone(&self), self.threads.clone());
        let work = self.threads.spawn_blocking(move || threads.block_on(own.all()));
        let done = work.await.unwrap_or_else(|error| Err(Error::internal(error.to_string())));
        let done = done.unwrap_or_else(|error| {
            warn!("the configuration of before counts: {}", error.message());
            let refused = |pack: &HostedPack| Reloaded {
                pack: pack.name().to_owned(),
                before: pack.router().pack().id.clone(),
                refused: Some(error.clone()),
            };
            self.hosted.all().iter().map(refused).collect()
        });
        for one in &done {
            self.origin.metrics.reloaded(one.refused.is_none());
        }
        done
    }
}
