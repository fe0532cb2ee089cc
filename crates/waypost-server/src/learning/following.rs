//! Follows which version of a pack's student is to serve, for programs that run: a promotion or a
//! rollback by another process takes effect without a restart.
//!
//! The student that is to serve is compared with the one in service and not with what was seen
//! before, since it may change any number of times between two looks, and within one.

use std::sync::Arc;
use std::time::Duration;

use tracing::{info, warn};
use waypost::learning::Bundle;
use waypost::pack::Pack;
use waypost::router::Router;
use waypost::{Error, Result};
use waypost_backends::students::Registry;

use crate::assemble::{self, AssemblyOptions};
use crate::config::Config;
use crate::encoders;
use crate::learning::student_file;

/// The time between two looks for a change: each reads a small file.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// The pause after a fault: reading what is broken five times a second helps nobody.
const PAUSE: Duration = Duration::from_secs(1);

/// The versions that are followed, and what is known of them already.
#[derive(Debug)]
pub(crate) struct Followed {
    registry: Registry,
    config: Config,
    /// The generation of the versions at the last look.
    generation: u64,
    /// The bundle of the pack's own student, once it is known.
    own: Option<String>,
}

impl Followed {
    /// Follows the versions of a pack, as they are when this is called: before the student is put in
    /// service, so that no change is missed. Nothing is followed where a student is named.
    pub(crate) fn new(pack: &Pack, config: &Config, options: &AssemblyOptions) -> Option<Self> {
        if options.bundle.is_some() || config.student.bundle.is_some() {
            return None;
        }
        let registry = Registry::open(&config.home, &pack.spec.name).ok()?;
        let generation = registry.generation().unwrap_or_default();
        Some(Self { registry, config: config.clone(), generation, own: None })
    }

    /// Takes note of the student that was put in service at the start. Where no version serves and
    /// nothing has changed meanwhile, it is the pack's own.
    fn begun(&mut self, running: &Bundle) {
        let none = self.registry.champion().is_ok_and(|champion| champion.is_none());
        // Read last, so that it is the same throughout.
        let same = self.registry.generation().is_ok_and(|now| now == self.generation);
        self.own = (none && same).then(|| running.id().to_owned());
    }

    /// The student that is to serve, if it is another than `running`, the one in service. It may
    /// block, and trains where a rollback leads back to the pack's own.
    fn changed(&mut self, pack: &Pack, running: &Bundle) -> Result<Option<Arc<Bundle>>> {
        // Read first: what changes from here on is seen at the next look.
        let generation = self.registry.generation()?;
        if generation == self.generation {
            return Ok(None);
        }
        let bundle = match self.registry.champion()? {
            Some(version) if version.card.bundle == running.id() => None,
            Some(version) => Some(student_file::stored(pack, &self.registry, &version)?.bundle),
            None if self.own.as_deref() == Some(running.id()) => None,
            None => Some(self.own(pack)?),
        };
        self.generation = generation;
        Ok(bundle)
    }

    /// Puts the student that is to serve in service; returns whether it is another one.
    fn take_up(&mut self, router: &Router) -> Result<bool> {
        let Some(bundle) = self.changed(router.pack(), &router.bundle())? else { return Ok(false) };
        let now = bundle.id().to_owned();
        let before = router.swap(bundle)?;
        let is_other = before.id() != now;
        if is_other {
            info!("the student `{now}` serves in place of `{}`", before.id());
        }
        Ok(is_other)
    }

    /// The student that the pack trains itself.
    fn own(&mut self, pack: &Pack) -> Result<Arc<Bundle>> {
        let encoder = encoders::configured(&self.config)?;
        let options = AssemblyOptions::default();
        let own = assemble::trained(pack, encoder.as_deref(), &self.config, &options)?;
        self.own = Some(own.id().to_owned());
        Ok(own)
    }
}

/// Follows until the router is dropped by everybody else, and calls `swapped` each time that
/// another student was put in service. A fault is logged once; the student in service stays.
pub(crate) fn start(
    router: &Arc<Router>,
    followed: Option<Followed>,
    swapped: impl Fn() + Send + 'static,
) {
    let Some(mut followed) = followed else { return };
    followed.begun(&router.bundle());
    let router = Arc::downgrade(router);
    tokio::spawn(async move {
        let mut told: Option<Error> = None;
        loop {
            let wait = if told.is_some() { PAUSE } else { LOOK_EVERY };
            tokio::time::sleep(wait).await;
            let Some(router) = router.upgrade() else { return };
            let looking = tokio::task::spawn_blocking(move || {
                let taken = followed.take_up(&router);
                (followed, taken)
            });
            let taken;
            (followed, taken) = match looking.await {
                Ok(looked) => looked,
                Err(error) => return warn!("nobody looks for other students any more: {error}"),
            };
            match taken {
                Ok(is_other) => {
                    told = None;
                    if is_other {
                        swapped();
                    }
                }
                Err(error) if told.as_ref() == Some(&error) => {}
                Err(error) => {
                    warn!("the student in service stays: {}", error.message());
                    told = Some(error);
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;
    use waypost_backends::students::By;

    use super::*;
    use crate::tiny;

    /// A home with both students as versions, and what follows it.
    fn followed(promoted: bool) -> (TempDir, Registry, Followed) {
        let home = TempDir::new().unwrap();
        let (pack, bundles) = tiny::students();
        let registry = Registry::open(home.path(), &pack.spec.name).unwrap();
        bundles.iter().for_each(|bundle| tiny::keep(&registry, bundle));
        if promoted {
            promote(&registry, 1);
        }
        let config = tiny::config(home.path());
        let followed = Followed::new(pack, &config, &AssemblyOptions::default()).unwrap();
        (home, registry, followed)
    }

    fn promote(registry: &Registry, number: u64) {
        registry.promote(number, &By::default(), |_, _, _| Ok(())).unwrap();
    }

    /// The look that found version 1 to serve took version 2, which was promoted meanwhile.
    #[test]
    fn a_rollback_between_two_looks_puts_back_what_the_index_names() {
        let (pack, [first, second]) = tiny::students();
        let (_home, registry, mut followed) = followed(true);
        followed.begun(first);
        promote(&registry, 2);
        registry.rollback(&By::default()).unwrap();
        let next = followed.changed(pack, second).unwrap();
        assert_eq!(next.unwrap().id(), first.id());
        assert_eq!(followed.changed(pack, first).unwrap(), None);
        tiny::keep(&registry, second);
        assert_eq!(followed.changed(pack, first).unwrap(), None);
    }

    #[test]
    fn a_fault_changes_nothing_and_what_was_promoted_is_taken_up_after_it() {
        let (pack, [first, second]) = tiny::students();
        let (home, registry, mut followed) = followed(true);
        followed.begun(first);
        promote(&registry, 2);
        let (card, aside) = (home.path().join("students/desk/2.json"), home.path().join("aside"));
        std::fs::rename(&card, &aside).unwrap();
        for _ in 0..2 {
            assert!(followed.changed(pack, first).is_err());
        }
        std::fs::rename(&aside, &card).unwrap();
        assert_eq!(followed.changed(pack, first).unwrap().unwrap().id(), second.id());
    }

    /// The start took version 2, which was promoted when nothing had served yet.
    #[test]
    fn a_rollback_after_a_promotion_during_the_start_puts_back_the_packs_own() {
        let (pack, [_, second]) = tiny::students();
        let (_home, registry, mut followed) = followed(false);
        promote(&registry, 2);
        followed.begun(second);
        registry.rollback(&By::default()).unwrap();
        let own = followed.changed(pack, second).unwrap().unwrap();
        assert_ne!(own.id(), second.id());
        // A student that is known to be the pack's own is not trained again.
        promote(&registry, 2);
        registry.rollback(&By::default()).unwrap();
        assert_eq!(followed.changed(pack, &own).unwrap(), None);
    }
}
