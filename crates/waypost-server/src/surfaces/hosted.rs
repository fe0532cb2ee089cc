//! The packs of a process: each with its router, chosen by name. What one knows of a conversation no other sees.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use async_trait::async_trait;
use waypost::pack::did_you_mean;
use waypost::records::request::shorten;
use waypost::records::session;
use waypost::router::Router;
use waypost::{Code, Error, Result};
use waypost_backends::students::Registry;

use super::caller::Caller;
use super::http::Versions;

/// Tool servers that did not answer when the pack was made that names them.
#[async_trait]
pub(crate) trait Absent: Send + Sync + std::fmt::Debug {
    /// Tries them again, unless that was done a moment ago, and puts their tools in service if they answer at once.
    async fn met(self: Arc<Self>);
}

/// The packs of a server, in the order in which they were named; the first is asked where none is named.
#[derive(Debug)]
pub(crate) struct Hosted(Vec<PackSlot>);

/// A pack as it was named at the start. It serves from then on, or from when its faults are mended.
#[derive(Debug)]
pub(crate) struct PackSlot {
    name: String,
    pack: OnceLock<HostedPack>,
    /// The faults that it has now: because of them it does not serve, or serves as it was before.
    fault: RwLock<Option<Error>>,
}

impl PackSlot {
    /// The slot of a pack that cannot be served because of this fault.
    pub(crate) fn faulty(name: String, fault: Error) -> Self {
        Self { name, pack: OnceLock::new(), fault: RwLock::new(Some(fault)) }
    }

    /// The name by which it is asked, or will be asked.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The pack, if it serves.
    pub(crate) fn pack(&self) -> Option<&HostedPack> {
        self.pack.get()
    }

    /// The fault because of which it does not serve; `None` if it does.
    pub(crate) fn fault(&self) -> Option<Error> {
        let fault = self.fault.read().unwrap_or_else(PoisonError::into_inner).clone();
        fault.filter(|_| self.pack().is_none())
    }

    /// Notes the fault of the pack as it was read last, and returns whether it is another one than before.
    pub(crate) fn note(&self, fault: Option<&Error>) -> bool {
        let mut known = self.fault.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = known.as_ref().map(Error::message) != fault.map(Error::message);
        *known = fault.cloned();
        is_new
    }

    /// The error for a caller who asks it while it does not serve.
    fn away(&self) -> Error {
        let name = shorten(&self.name, 60);
        let message = format!("the pack `{name}` has faults and is not in service");
        Error::unavailable(message).with_hint("name another pack; `GET /v1/catalog` lists them")
    }
}

impl From<HostedPack> for PackSlot {
    fn from(pack: HostedPack) -> Self {
        Self { name: pack.name.clone(), pack: pack.into(), fault: RwLock::default() }
    }
}

/// A pack that is served.
#[derive(Debug)]
pub(crate) struct HostedPack {
    name: String,
    router: RwLock<Arc<Router>>,
    /// The versions of its student, where they are kept.
    versions: Option<Versions>,
    /// Its servers that did not answer so far.
    absent: RwLock<Option<Arc<dyn Absent>>>,
}

impl HostedPack {
    /// A pack with its router.
    pub(crate) fn new(router: Arc<Router>, versions: Option<Registry>) -> Self {
        let name = router.pack().spec.name.clone();
        let versions = versions.map(Versions::new);
        Self { name, router: RwLock::new(router), versions, absent: RwLock::default() }
    }

    /// The name by which it is asked.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The router that serves it now; requests end with the one that they began with.
    pub(crate) fn router(&self) -> Arc<Router> {
        Arc::clone(&self.router.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The router for a turn, which may want a tool whose server did not answer so far.
    pub(crate) async fn router_for_turn(&self) -> Arc<Router> {
        let absent = self.absent.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(absent) = absent {
            absent.met().await;
        }
        self.router()
    }

    /// Notes its servers that did not answer when it was made.
    pub(crate) fn misses(&self, absent: Option<Arc<dyn Absent>>) {
        *self.absent.write().unwrap_or_else(PoisonError::into_inner) = absent;
    }

    /// Puts another router in service, with the tools of servers that were absent, and notes those that still are. The pack may
    /// have been made anew since; then nothing is done, and false is returned.
    pub(crate) fn rejoin(
        &self,
        before: &dyn Absent,
        router: Arc<Router>,
        absent: Option<Arc<dyn Absent>>,
    ) -> bool {
        let mut held = self.absent.write().unwrap_or_else(PoisonError::into_inner);
        let is_held = held.as_deref().is_some_and(|held| std::ptr::addr_eq(held, before));
        if is_held {
            self.replace(router);
            *held = absent;
        }
        is_held
    }

    /// Puts another router in service.
    pub(crate) fn replace(&self, router: Arc<Router>) {
        *self.router.write().unwrap_or_else(PoisonError::into_inner) = router;
    }

    /// The versions of its student.
    pub(crate) fn versions(&self) -> Option<&Versions> {
        self.versions.as_ref()
    }
}

impl Hosted {
    /// These packs, all of which serve.
    ///
    /// # Errors
    ///
    /// As [`Hosted::of`].
    #[cfg(test)]
    pub(crate) fn new(packs: Vec<HostedPack>) -> Result<Self> {
        Self::of(packs.into_iter().map(PackSlot::from).collect())
    }

    /// These packs, at least one of which serves.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` if none serves, and if two of the same name do.
    pub(crate) fn of(slots: Vec<PackSlot>) -> Result<Self> {
        let hosted = Self(slots);
        let names: Vec<&str> = hosted.all().map(HostedPack::name).collect();
        if names.is_empty() {
            return Err(Error::invalid("there is no pack to serve"));
        }
        match (1..names.len()).find(|at| names[..*at].contains(&names[*at])) {
            Some(at) => Err(two_of_a_name(names[at])),
            None => Ok(hosted),
        }
    }

    /// Those that serve.
    pub(crate) fn all(&self) -> impl Iterator<Item = &HostedPack> {
        self.0.iter().filter_map(PackSlot::pack)
    }

    /// All that were named, whether or not they serve.
    pub(crate) fn slots(&self) -> &[PackSlot] {
        &self.0
    }

    /// Those that serve and that a caller may ask.
    pub(crate) fn seen_by<'a>(&'a self, caller: &Caller) -> impl Iterator<Item = &'a HostedPack> {
        self.all().filter(|pack| caller.may_ask(&pack.name))
    }

    /// Those that do not serve and that a caller may know of, each with its fault.
    pub(crate) fn faulty_seen_by<'a>(
        &'a self,
        caller: &Caller,
    ) -> impl Iterator<Item = (&'a str, Error)> {
        let seen = self.0.iter().filter(|slot| caller.may_ask(&slot.name));
        seen.filter_map(|slot| Some((slot.name(), slot.fault()?)))
    }

    /// Puts a pack in service that had faults until now.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` if another pack of its name serves already.
    pub(crate) fn fill(&self, slot: &PackSlot, pack: HostedPack) -> Result<()> {
        if self.all().any(|other| other.name == pack.name) {
            return Err(two_of_a_name(&pack.name));
        }
        // Packs are read again one at a time, so it is still empty.
        let _ = slot.pack.set(pack);
        Ok(())
    }

    /// The pack of a name, or the first that the caller may ask. If that one has faults no other takes its place, because it
    /// would do something else for the same words.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND` for one that is not there, or not there for this caller; nobody learns which. `UNAVAILABLE` for one that
    /// has faults.
    pub(crate) fn choose(&self, name: Option<&str>, caller: &Caller) -> Result<&HostedPack> {
        let mut slots = self.0.iter().filter(|slot| caller.may_ask(&slot.name));
        let Some(name) = name else {
            let first = slots.next().ok_or_else(|| {
                Error::new(Code::PermissionDenied, "this key may ask none of the packs here")
                    .with_hint("use a key that may ask one of them")
            })?;
            return first.pack().ok_or_else(|| first.away());
        };
        if let Some(pack) = self.seen_by(caller).find(|pack| pack.name == name) {
            return Ok(pack);
        }
        Err(slots.find(|slot| slot.name == name).map_or_else(
            || {
                let hint = did_you_mean(name, self.seen_by(caller).map(HostedPack::name));
                let message = format!("there is no pack `{}`", shorten(name, 60));
                Error::new(Code::NotFound, message).with_hint(hint)
            },
            PackSlot::away,
        ))
    }

    /// The name under which a conversation is kept: apart for each key. The packs share it, whatever other packs are served,
    /// because the memory itself has a part for each.
    pub(crate) fn session(caller: &Caller, name: &str) -> String {
        match caller.key_id() {
            Some(key) => session::of_key(key, name),
            None => name.to_owned(),
        }
    }
}

fn two_of_a_name(name: &str) -> Error {
    let message = format!("two packs have the name `{name}`");
    Error::invalid(message).with_hint("give each its own `name` in its pack.yaml")
}
