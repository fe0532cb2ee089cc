//! The packs of a process: each with its router, chosen by name. What one knows of a conversation no other sees.

use std::sync::{Arc, PoisonError, RwLock};

use waypost::pack::did_you_mean;
use waypost::router::Router;
use waypost::{Code, Error, Result};
use waypost_backends::students::Registry;

use super::caller::Caller;
use super::http::Versions;

/// The packs that are served, in the order in which they were named; the first is asked where none is named.
#[derive(Debug)]
pub(crate) struct Hosted(Vec<HostedPack>);

/// A pack that is served.
#[derive(Debug)]
pub(crate) struct HostedPack {
    name: String,
    router: RwLock<Arc<Router>>,
    /// The versions of its student, where they are kept.
    versions: Option<Versions>,
}

impl HostedPack {
    /// A pack with its router.
    pub(crate) fn new(router: Arc<Router>, versions: Option<Registry>) -> Self {
        let name = router.pack().spec.name.clone();
        Self { name, router: RwLock::new(router), versions: versions.map(Versions::new) }
    }

    /// The name by which it is asked.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The router that serves it now; requests end with the one that they began with.
    pub(crate) fn router(&self) -> Arc<Router> {
        Arc::clone(&self.router.read().unwrap_or_else(PoisonError::into_inner))
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
    /// These packs, at least one.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for none, and for two of the same name.
    pub(crate) fn new(packs: Vec<HostedPack>) -> Result<Self> {
        if packs.is_empty() {
            return Err(Error::invalid("there is no pack to serve"));
        }
        for (at, pack) in packs.iter().enumerate() {
            if packs[..at].iter().any(|other| other.name == pack.name) {
                let message = format!("two packs have the name `{}`", pack.name);
                return Err(
                    Error::invalid(message).with_hint("give each its own `name` in its pack.yaml")
                );
            }
        }
        Ok(Self(packs))
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[HostedPack] {
        &self.0
    }

    /// Those that a caller may ask.
    pub(crate) fn seen_by<'a>(&'a self, caller: &Caller) -> impl Iterator<Item = &'a HostedPack> {
        self.0.iter().filter(|pack| caller.may_ask(&pack.name))
    }

    /// The pack of a name, or the first that the caller may ask.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND` for one that is not there, or not there for this caller; nobody learns which.
    pub(crate) fn choose(&self, name: Option<&str>, caller: &Caller) -> Result<&HostedPack> {
        let mut seen = self.seen_by(caller);
        let Some(name) = name else {
            return seen.next().ok_or_else(|| {
                Error::new(Code::PermissionDenied, "this key may ask none of the packs here")
            });
        };
        seen.find(|pack| pack.name == name).ok_or_else(|| {
            let hint = did_you_mean(name, self.seen_by(caller).map(HostedPack::name));
            let shown = waypost::records::request::shorten(name, 60);
            Error::new(Code::NotFound, format!("there is no pack `{shown}`")).with_hint(hint)
        })
    }

    /// The name under which a conversation is kept: apart for each key, and for each pack where there are several.
    pub(crate) fn session(&self, pack: &HostedPack, caller: &Caller, name: &str) -> String {
        let mut kept = String::new();
        if let Some(key) = caller.key_id() {
            kept = format!("@{key}/");
        }
        if self.0.len() > 1 {
            kept += &pack.name;
            kept.push('/');
        }
        kept + name
    }
}
