//! Notes in the store which writes were told, a moment after their answer was handed over: a program
//! that ends before the answer has reached anybody then tells them once more.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::SqlitePool;
use waypost_core::records::write::Untold;

use super::queue::Turns as Writers;
use super::writes;

/// The time that an answer may take to reach its reader.
const HANDED_OVER: Duration = Duration::from_millis(200);

/// The writes that were told and of which the store does not know it yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Told(Arc<Mutex<BTreeSet<String>>>);

impl Told {
    fn tokens(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes writes that were told, to be noted soon.
    pub(super) fn take(&self, tokens: &[String], pool: &SqlitePool, writers: &Writers) {
        self.tokens().extend(tokens.iter().cloned());
        let (told, pool, writers) = (self.clone(), pool.clone(), Arc::clone(writers));
        tokio::spawn(async move {
            tokio::time::sleep(HANDED_OVER).await;
            // A write that cannot be noted is told once more.
            let _ = told.note(&pool, &writers).await;
        });
    }

    /// Notes those that wait for it now.
    pub(super) async fn note(&self, pool: &SqlitePool, writers: &Writers) -> sqlx::Result<()> {
        let tokens: Vec<String> = self.tokens().iter().cloned().collect();
        if tokens.is_empty() {
            return Ok(());
        }
        let _writing = writers.lock().await;
        writes::told(pool, &tokens).await?;
        self.tokens().retain(|token| !tokens.contains(token));
        Ok(())
    }

    /// Those that were not told.
    pub(super) fn not_among(&self, mut untold: Vec<Untold>) -> Vec<Untold> {
        let tokens = self.tokens();
        untold.retain(|untold| !tokens.contains(&untold.write.token));
        untold
    }
}
