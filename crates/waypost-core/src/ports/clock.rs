//! Time that passes, as a value: durations and waits. The instant of a question is never read
//! here; it comes with the request.

use std::time::Duration;

use async_trait::async_trait;

/// Measures and waits.
#[async_trait]
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Time since some fixed moment; never goes back.
    fn elapsed(&self) -> Duration;

    /// Returns after `duration`.
    async fn sleep(&self, duration: Duration);
}
