//! Puts packs in service, and puts them in service anew when their files or the configuration change. One that has faults
//! changes nothing: the pack of before goes on. At the start there is none of before, so the other packs serve without it
//! until it is mended.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tracing::{info, warn};
use waypost::Error;
use waypost::bootstrap::Naming;
use waypost::pack::Pack;
use waypost::pack::spec::ServerSpec;
use waypost::ports::store::Store;
use waypost::respond::execution::Servers;
use waypost::router::Router;
use waypost_backends::students::Registry;

use crate::assemble::{self, AssemblyOptions};
use crate::cli::SourceArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::learning::following::{self, Followed};
use crate::output::{self, Shown};
use crate::sources::{self, Sourced};
use crate::surfaces::http::{Metrics, Reload, Reloaded};
use crate::surfaces::{Hosted, HostedPack, PackSlot};
use crate::{mcp_servers, packs};
use returning::Returning;

mod returning;

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

/// A pack that was made of a source.
#[derive(Debug)]
struct Made {
    router: Arc<Router>,
    /// The servers of the command line that did not answer.
    absent: Vec<ServerSpec>,
    /// Those that run.
    live: Servers,
}

/// The servers of a pack that did not answer, and those that run.
type Missed = (Vec<ServerSpec>, Servers);

impl Origin {
    fn options(&self) -> AssemblyOptions {
        AssemblyOptions {
            remember: true,
            bundle: self.student.clone(),
            ..AssemblyOptions::default()
        }
    }

    /// A router of a pack; its student is followed from now on. It may train, which takes seconds.
    async fn router(&self, source: &SourceArgs, config: &Config) -> Result<Made, Failure> {
        let options = self.options();
        let config = &configured(source, config);
        let sourced = sources::load(source, config, &options).await?;
        self.made(sourced, config, options).await
    }

    /// A router of what those servers of a source list that run. The tools of the pack before keep their names.
    async fn rejoined(
        &self,
        source: &SourceArgs,
        config: &Config,
        live: Servers,
        before: &Pack,
    ) -> Result<Made, Failure> {
        let config = &configured(source, config);
        let specs = mcp_servers::specs(&source.mcp, &source.env).map_err(Failure::usage)?;
        let naming = Naming::of(&specs).keeping(before);
        let (there, absent): (Vec<_>, Vec<_>) =
            specs.into_iter().partition(|spec| live.contains_key(&spec.name));
        let options = AssemblyOptions { live, ..self.options() };
        let mut sourced = sources::listed(&there, naming, config, &options).await?;
        sourced.absent.extend(absent);
        self.made(sourced, config, options).await
    }

    async fn made(
        &self,
        sourced: Sourced,
        config: &Config,
        options: AssemblyOptions,
    ) -> Result<Made, Failure> {
        let Sourced { pack, live, absent, .. } = sourced;
        let options = AssemblyOptions { live: live.clone(), ..options };
        let followed = Followed::new(&pack, config, &options);
        let store = Arc::clone(&self.store);
        let router = Arc::new(assemble::router_over(pack, config, &options, store).await?);
        assemble::warm(&router, config);
        let metrics = Arc::clone(&self.metrics);
        following::start(&router, followed, move || metrics.swapped());
        assemble::audit(&router);
        Ok(Made { router, absent, live })
    }

    /// A pack in service, and its servers that did not answer, beside those that run.
    async fn pack(
        &self,
        source: &SourceArgs,
        config: &Config,
    ) -> Result<(HostedPack, Missed), Failure> {
        let Made { router, absent, live } = self.router(source, config).await?;
        let versions = Registry::open(&config.home, &router.pack().spec.name).ok();
        Ok((HostedPack::new(router, versions), (absent, live)))
    }

    /// All packs. Those that have no faults are in service, and the faults of the others are told.
    ///
    /// # Errors
    ///
    /// The fault of the first pack if all have faults. That of the servers of the command line. The fault of two packs
    /// that have one name.
    pub(crate) async fn hosted(&self, config: &Config) -> Result<Arc<Hosted>, Failure> {
        let (mut slots, mut faults, mut missed) = (Vec::new(), Vec::new(), Vec::new());
        for (at, source) in self.sources.iter().enumerate() {
            match self.pack(source, config).await {
                Ok((pack, own)) => {
                    slots.push(PackSlot::from(pack));
                    missed.push((at, own));
                }
                // Its name is not known before a server answers.
                Err(failure) if !source.mcp.is_empty() => return Err(failure),
                Err(failure) => {
                    let name = packs::name(&source.pack.pack);
                    slots.push(PackSlot::faulty(name.clone(), failure.error().clone()));
                    faults.push((name, failure));
                }
            }
        }
        if slots.iter().all(|slot| slot.pack().is_none()) && !faults.is_empty() {
            return Err(faults.swap_remove(0).1);
        }
        let hosted = Arc::new(Hosted::of(slots).map_err(Failure::usage)?);
        for (name, failure) in faults {
            output::note(Shown::text(&format!("the pack `{name}` is not in service\n{failure}")));
        }
        for (at, own) in missed {
            Returning::start(self, at, (config, &hosted), own);
        }
        Ok(hosted)
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

/// The configuration for a source. It does not replace servers of the command line.
fn configured<'a>(source: &SourceArgs, config: &'a Config) -> Cow<'a, Config> {
    if source.mcp.is_empty() {
        return Cow::Borrowed(config);
    }
    let mut own = config.clone();
    own.servers.clear();
    Cow::Owned(own)
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
        let slot = &self.hosted.slots()[at];
        let before = slot.pack().map(|pack| pack.router().pack().id.clone());
        let named = &self.origin.sources[at];
        let same = |known: Pack| Some(&known.id) == before.as_ref();
        let unchanged = || named.mcp.is_empty() && packs::load(&named.pack.pack).is_ok_and(same);
        if !new && unchanged() {
            return Reloaded::now(slot, None);
        }
        let refused = self.anew(at, named, config).await.err();
        // A fault that is still there is told once.
        if let (true, Some(error)) = (slot.note(refused.as_ref()), &refused) {
            let state = if before.is_some() { "of before goes on" } else { "is not in service" };
            warn!("the pack `{}` {state}: {}", slot.name(), error.message());
        }
        Reloaded { before, ..Reloaded::now(slot, refused) }
    }

    /// Puts the pack of a slot in service as it is now.
    async fn anew(&self, at: usize, named: &SourceArgs, config: &Config) -> Result<(), Error> {
        let slot = &self.hosted.slots()[at];
        let name = slot.name();
        let pack = self.origin.pack(named, config).await;
        let (pack, missed) = pack.map_err(|failure| failure.error().clone())?;
        if pack.name() != name {
            let message = format!("the pack `{name}` calls itself `{}` now", pack.name());
            return Err(Error::invalid(message).with_hint("start the server anew to rename a pack"));
        }
        let router = pack.router();
        match slot.pack() {
            Some(served) => {
                let before = served.router().pack().id.clone();
                info!("the pack `{name}` serves as {}, before as {before}", router.pack().id);
                // A try to reach its absent servers that is under way is one of before now.
                served.misses(None);
                served.replace(router);
            }
            None => {
                self.hosted.fill(slot, pack)?;
                info!("the pack `{name}` serves as {}", router.pack().id);
            }
        }
        Returning::start(&self.origin, at, (config, &self.hosted), missed);
        Ok(())
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
        let config = config.map_err(|failure| failure.error().clone())?;
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
            let refused = |slot: &PackSlot| Reloaded::now(slot, Some(error.clone()));
            self.hosted.slots().iter().map(refused).collect()
        });
        for one in &done {
            self.origin.metrics.reloaded(one.refused.is_none());
        }
        done
    }
}
