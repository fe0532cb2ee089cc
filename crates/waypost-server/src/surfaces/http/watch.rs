//! Puts another student in service when there is one, while requests run.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::{info, warn};
use waypost::learning::Bundle;
use waypost::{Error, Result};

use super::Served;
use super::metrics::SWAPS;

/// How often it is looked whether there is another student.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How long nobody looks after a fault: to read what is broken five times a second helps nobody.
const PAUSE: Duration = Duration::from_secs(1);

/// Where another student may come from.
pub(crate) trait Champions: Send + 'static {
    /// The student that is to serve, if it is another one than the time before. It may block.
    ///
    /// # Errors
    ///
    /// If it cannot be read; the one in service stays, and it is asked for again.
    fn changed(&mut self) -> Result<Option<Arc<Bundle>>>;
}

/// Looks until `stop`. A fault is told once.
pub(super) async fn watch(
    served: Arc<Served>,
    champions: Box<dyn Champions>,
    stop: CancellationToken,
) {
    let mut champions = champions;
    let mut told: Option<Error> = None;
    loop {
        let wait = if told.is_some() { PAUSE } else { LOOK_EVERY };
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
        let looking = tokio::task::spawn_blocking(move || {
            let changed = champions.changed();
            (champions, changed)
        });
        let changed;
        (champions, changed) = match looking.await {
            Ok(looked) => looked,
            Err(error) => {
                warn!("nobody looks for other students any more: {error}");
                return;
            }
        };
        match changed.and_then(|bundle| bundle.map_or(Ok(()), |bundle| swap(&served, bundle))) {
            Ok(()) => told = None,
            Err(error) if told.as_ref() == Some(&error) => {}
            Err(error) => {
                warn!("the student in service stays: {}", error.message());
                told = Some(error);
            }
        }
    }
}

/// Puts a student in service.
pub(super) fn swap(served: &Served, bundle: Arc<Bundle>) -> Result<()> {
    let id = bundle.id().to_owned();
    let before = served.router.swap(bundle)?;
    if before.id() != id {
        served.metrics.add(SWAPS, &[]);
        info!("the student `{id}` serves in place of `{}`", before.id());
    }
    Ok(())
}
