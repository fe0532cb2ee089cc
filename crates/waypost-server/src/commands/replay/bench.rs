//! The bench that decides again: a pack, its students and the encoder that is configured.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use waypost::decide::cascade::Teaching;
use waypost::feedback::replay::ReplayDependencies;
use waypost::learning::Bundle;
use waypost::pack::Pack;
use waypost::pack::messages::Messages;
use waypost::ports::encoder::Encoder;
use waypost::student::reload::reload;
use waypost::{Error, Result};
use waypost_backends::students::Registry;

use crate::assemble::{self, AssemblyOptions};
use crate::config::Config;
use crate::failure::Failure;
use crate::{encoders, packs};

/// A student that was looked for: `None` where there is none, or the reason why it cannot be read.
type Sought = std::result::Result<Option<Arc<Bundle>>, String>;

/// A pack with its students.
pub(super) struct Bench {
    pub(super) pack: Pack,
    /// The student that serves it, or the one that was named.
    pub(super) bundle: Arc<Bundle>,
    encoder: Option<Arc<dyn Encoder>>,
    messages: Messages,
    teaching: Teaching,
    /// Students that were looked for, by their ids.
    others: BTreeMap<String, Sought>,
}

impl Bench {
    /// The pack of this name or folder with the student that serves it.
    pub(super) fn open(pack: &str, config: &Config) -> std::result::Result<Self, Failure> {
        Self::of(packs::load(pack)?, None, config)
    }

    /// A pack with the student in a file, or with the one that serves it.
    pub(super) fn of(
        pack: Pack,
        file: Option<&Path>,
        config: &Config,
    ) -> std::result::Result<Self, Failure> {
        let encoder = encoders::configured(config)?;
        let options =
            AssemblyOptions { bundle: file.map(Path::to_owned), ..AssemblyOptions::default() };
        let bundle = assemble::student(&pack, encoder.as_deref(), config, &options)?;
        Ok(Self {
            pack,
            bundle,
            encoder,
            messages: Messages::default(),
            teaching: Teaching::default(),
            others: BTreeMap::new(),
        })
    }

    /// A pack with a stored version of its student.
    pub(super) fn version(
        pack: &str,
        number: u64,
        config: &Config,
    ) -> std::result::Result<Self, Failure> {
        let pack = packs::load(pack)?;
        let registry = Registry::open(&config.home, &pack.spec.name)?;
        let version = registry.version(number).map_err(Failure::usage)?;
        let bundle =
            reload(&pack, None, &registry.bytes(&version)?).map_err(Failure::usage)?.bundle;
        let encoder = encoders::configured(config)?;
        Ok(Self {
            pack,
            bundle,
            encoder,
            messages: Messages::default(),
            teaching: Teaching::default(),
            others: BTreeMap::new(),
        })
    }

    /// The student of this id: the one that serves, a stored version, or the one that the pack
    /// itself trains; `None` where none of them is it. One that cannot be read costs the decisions
    /// that it made, and no others.
    pub(super) fn student(&mut self, id: &str, config: &Config) -> Sought {
        if self.bundle.id() == id {
            return Ok(Some(Arc::clone(&self.bundle)));
        }
        if let Some(known) = self.others.get(id) {
            return known.clone();
        }
        let stored = self.stored(id, config).map_err(|error: Error| error.message().to_owned());
        let found = match stored {
            Ok(None) => self.own(config).map(|own| own.filter(|own| own.id() == id)),
            other => other,
        };
        self.others.insert(id.to_owned(), found.clone());
        found
    }

    fn stored(&self, id: &str, config: &Config) -> Result<Option<Arc<Bundle>>> {
        let registry = Registry::open(&config.home, &self.pack.spec.name)?;
        let versions = registry.list()?.versions;
        let Some(version) = versions.iter().find(|version| version.card.bundle == id) else {
            return Ok(None);
        };
        reload(&self.pack, None, &registry.bytes(version)?).map(|reloaded| Some(reloaded.bundle))
    }

    /// The student that the pack itself trains, where another one serves.
    fn own(&mut self, config: &Config) -> Sought {
        /// The id under which it is remembered: no real one is empty.
        const OWN: &str = "";
        if let Some(own) = self.others.get(OWN) {
            return own.clone();
        }
        let options = AssemblyOptions { look_only: true, ..AssemblyOptions::default() };
        let own = assemble::trained(&self.pack, self.encoder.as_deref(), config, &options);
        let own = own.map(Some).map_err(|error| error.message().to_owned());
        self.others.insert(OWN.to_owned(), own.clone());
        own
    }

    /// Returns what a replay with this student depends on.
    pub(super) fn place<'a>(&'a self, bundle: &'a Bundle) -> ReplayDependencies<'a> {
        let encoder = self.encoder.as_deref();
        ReplayDependencies {
            pack: &self.pack,
            bundle,
            encoder,
            messages: &self.messages,
            teaching: &self.teaching,
            layers: &[],
            matchers: &[],
        }
    }
}
