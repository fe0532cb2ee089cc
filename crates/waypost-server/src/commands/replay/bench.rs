//! What decides again: a pack, a student and the encoder that is configured.

use std::path::Path;
use std::sync::Arc;

use waypost::encoder::Encoder;
use waypost::learning::Bundle;
use waypost::messages::Messages;
use waypost::pack::Pack;
use waypost::replay::Place;

use crate::assemble::{self, Wish};
use crate::config::Config;
use crate::failure::Failure;
use crate::{encoders, packs};

/// A pack with a student.
pub(super) struct Bench {
    pub(super) pack: Pack,
    pub(super) bundle: Arc<Bundle>,
    encoder: Option<Arc<dyn Encoder>>,
    messages: Messages,
}

impl Bench {
    /// The pack of this name or folder with the student that serves it.
    pub(super) fn open(pack: &str, config: &Config) -> Result<Self, Failure> {
        Self::of(packs::load(pack)?, None, config)
    }

    /// A pack with the student in a file, or with the one that serves it.
    pub(super) fn of(pack: Pack, file: Option<&Path>, config: &Config) -> Result<Self, Failure> {
        let encoder = encoders::configured(config)?;
        let wish = Wish { bundle: file.map(Path::to_owned), ..Wish::default() };
        let bundle = assemble::student(&pack, encoder.as_deref(), config, &wish)?;
        Ok(Self { pack, bundle, encoder, messages: Messages::default() })
    }

    pub(super) fn place(&self) -> Place<'_> {
        Place {
            pack: &self.pack,
            bundle: &self.bundle,
            encoder: self.encoder.as_deref(),
            messages: &self.messages,
        }
    }
}
