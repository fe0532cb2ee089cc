//! The clock of this machine: time since it was made, and waits on the runtime's timer.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use waypost_core::ports::clock::Clock;

/// The clock that a running program uses; tests bring their own.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that starts at zero now.
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn time_passes_while_it_sleeps() {
        let clock = SystemClock::new();
        let before = clock.elapsed();
        clock.sleep(Duration::from_millis(5)).await;
        assert!(clock.elapsed() >= before + Duration::from_millis(5));
    }
}
