//! The student that a pack trains itself: it came with the pack, or is kept in the home from one start to the next.

use std::path::Path;

use tracing::debug;
use waypost::learning::{Bundle, StaticTable};
use waypost::pack::Pack;
use waypost::ports::encoder::Encoder;
use waypost::student::reload::fits;
use waypost::{Error, Result};
use waypost_backends::students::{StudentCache, Training, TrainingInputs};

/// The version of this program and a hash of its code, from the build script.
const PROGRAM: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("WAYPOST_CODE"));

/// A pack's own student in the cache, there or not.
#[derive(Debug)]
pub(crate) struct OwnStudent<'a> {
    pack: &'a Pack,
    inputs: TrainingInputs,
    cache: StudentCache,
}

impl<'a> OwnStudent<'a> {
    /// The student that this program trains of a pack with this static table and encoder.
    pub(crate) fn new(
        pack: &'a Pack,
        table: Option<&StaticTable>,
        encoder: Option<&dyn Encoder>,
        home: &Path,
    ) -> Self {
        let inputs = TrainingInputs {
            program: PROGRAM.to_owned(),
            pack: pack.id.clone(),
            table: table.map(|table| table.id().to_owned()),
            encoder: encoder.map(|encoder| encoder.id().to_owned()),
            kernel: encoder.map(|encoder| encoder.kernel().to_owned()),
        };
        Self { pack, inputs, cache: StudentCache::open(home) }
    }

    /// Returns the student that came with the pack; `None` if none did, or if another table or encoder is
    /// configured than it was trained with.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for one that is damaged, or was trained on another pack or another version of this one.
    pub(crate) fn shipped(&self) -> Result<Option<Bundle>> {
        let usual = StaticTable::built_in().map(|table| table.id().to_owned());
        let Some(bytes) = &self.pack.student else { return Ok(None) };
        if self.inputs.encoder.is_some() || self.inputs.table != usual {
            return Ok(None);
        }
        let bundle = Bundle::from_bytes(bytes)?;
        fits(self.pack, &bundle)?;
        if bundle.origin().pack != self.pack.id {
            return Err(Error::invalid("it was trained on another version of the pack"));
        }
        Ok(Some(bundle))
    }

    /// Returns it as soon as another process has trained it, or the permission to train it here.
    pub(crate) fn wait(&self) -> Training {
        self.cache.wait(&self.inputs)
    }

    /// Returns it as an earlier start trained it; `None` where it has to be trained.
    pub(crate) fn kept(&self) -> Option<Bundle> {
        let bundle = self.cache.load(&self.inputs)?;
        let is_its_own = bundle.origin().pack == self.pack.id && fits(self.pack, &bundle).is_ok();
        is_its_own.then_some(bundle)
    }

    /// Notes that it was used, so that others are removed before it.
    pub(crate) fn mark_used(&self) {
        self.cache.mark_used(&self.inputs);
    }

    /// Keeps it for the next start. A home that cannot be written costs only that.
    pub(crate) fn keep(&self, bundle: &Bundle) {
        if let Err(error) = self.cache.keep(&self.inputs, bundle) {
            debug!("{}; the next start trains again", error.message());
        }
    }

    /// The cache that it is in, or would be.
    pub(crate) fn cache(&self) -> &StudentCache {
        &self.cache
    }
}
