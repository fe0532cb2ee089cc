//! The student in service: the one that decides now, and how another takes its place while requests
//! run.

use std::sync::{Arc, PoisonError, RwLock};

use waypost_core::error::Result;
use waypost_learning::Bundle;

use crate::pack::Pack;
use crate::student::reload;

/// Holds the student that decides.
///
/// A request takes one [`snapshot`](InService::snapshot) when it begins and uses nothing else, so
/// that no request is decided by two students. Clones share what they hold.
#[derive(Debug, Clone)]
pub struct InService {
    current: Arc<RwLock<Arc<Bundle>>>,
}

impl From<Arc<Bundle>> for InService {
    fn from(bundle: Arc<Bundle>) -> Self {
        Self { current: Arc::new(RwLock::new(bundle)) }
    }
}

impl InService {
    /// The student that decides now. A swap does not touch those who hold it.
    pub fn snapshot(&self) -> Arc<Bundle> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts another student of the pack in service, and returns the one that it took the place of.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a student of another pack, or with other routes or tools than the pack
    /// has; the one in service stays.
    pub fn swap(&self, pack: &Pack, bundle: Arc<Bundle>) -> Result<Arc<Bundle>> {
        reload::fits(pack, &bundle)?;
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::replace(&mut current, bundle))
    }
}
