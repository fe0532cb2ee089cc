//! Follows which version of a pack's student is to serve, for programs that run: a promotion or a
//! rollback by another process takes effect without a restart.

use std::sync::Arc;
use std::time::Duration;

use tracing::{info, warn};
use waypost::Result;
use waypost::learning::Bundle;
use waypost::pack::Pack;
use waypost::router::Router;
use waypost::student::train_student_with;
use waypost_backends::models::Registry;

use crate::assemble::{self, Wish};
use crate::config::Config;
use crate::{bundles, encoders};

/// How often is looked whether something changed: a small file is read.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// What is to serve, and what of it is known already.
#[derive(Debug)]
pub(crate) struct Followed {
    registry: Registry,
    config: Config,
    /// Of the versions when it was looked last.
    generation: u64,
    /// The version that was to serve then; none for the student that the pack trains.
    champion: Option<u64>,
}

impl Followed {
    /// Follows the versions of a pack, as they are when this is called: before the student is put in
    /// service, so that no change is missed. Nothing is followed where a student is named.
    pub(crate) fn new(pack: &Pack, config: &Config, wish: &Wish) -> Option<Self> {
        if wish.bundle.is_some() || config.student.bundle.is_some() {
            return None;
        }
        let registry = Registry::open(&config.home, &pack.spec.name).ok()?;
        let generation = registry.generation().unwrap_or_default();
        let champion = registry.champion().ok().flatten().map(|version| version.number);
        Some(Self { registry, config: config.clone(), generation, champion })
    }

    /// The student that is to serve, if it is another than before. It may block, and trains where a
    /// rollback leads back to the pack's own.
    pub(crate) fn changed(&mut self, pack: &Pack) -> Result<Option<Arc<Bundle>>> {
        let generation = self.registry.generation()?;
        if generation == self.generation {
            return Ok(None);
        }
        let champion = self.registry.champion()?.map(|version| version.number);
        let bundle = match champion {
            _ if champion == self.champion => None,
            Some(_) => {
                let serving = bundles::serving(pack, &self.config.home, None)?;
                serving.map(|(_, reloaded)| reloaded.bundle)
            }
            None => {
                let encoder = encoders::configured(&self.config)?;
                let table = assemble::table(&self.config)?;
                let own = train_student_with(pack, table, encoder.as_deref(), &mut |_| {})?;
                Some(Arc::new(own))
            }
        };
        (self.generation, self.champion) = (generation, champion);
        Ok(bundle)
    }
}

/// Follows until the router is dropped by everybody else. A fault is told once; the student in service
/// stays.
pub(crate) fn start(router: &Arc<Router>, followed: Option<Followed>) {
    let Some(mut followed) = followed else { return };
    let router = Arc::downgrade(router);
    tokio::spawn(async move {
        let mut told = None;
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let Some(router) = router.upgrade() else { return };
            let looking = tokio::task::spawn_blocking(move || {
                let changed = followed.changed(router.pack());
                let swapped = changed.and_then(|bundle| bundle.map(|b| router.swap(b)).transpose());
                (followed, swapped.map(|before| before.map(|_| router.bundle())))
            });
            let Ok((next, outcome)) = looking.await else { return };
            followed = next;
            match outcome {
                Ok(None) => told = None,
                Ok(Some(bundle)) => info!("the student `{}` serves now", bundle.id()),
                Err(error) if told.as_ref() == Some(&error) => {}
                Err(error) => {
                    warn!("the student in service stays: {}", error.message());
                    told = Some(error);
                }
            }
        }
    });
}
