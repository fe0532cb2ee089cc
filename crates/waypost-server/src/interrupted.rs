//! The writes that an earlier process began and did not live to see the end of. Those of a conversation
//! are told at its next turn; the others have nobody to be told but whoever runs this.

use tracing::warn;
use waypost::ports::store::Store;
use waypost::records::write::Untold;

/// The most that are told at one start.
const MOST: usize = 20;

/// Tells the interrupted writes that belong to no conversation, once.
pub(crate) async fn tell(store: &dyn Store) {
    // A store that cannot say it now says it at the next start.
    let abandoned = store.abandoned(MOST).await.unwrap_or_default();
    if abandoned.is_empty() {
        return;
    }
    for Untold { write, .. } in &abandoned {
        warn!(
            "`{}` was begun at {} (decision {}), and may have been done; check before repeating it",
            write.tool, write.at, write.decision_id
        );
    }
    let tokens: Vec<String> = abandoned.into_iter().map(|untold| untold.write.token).collect();
    // A write that cannot be noted is told once more.
    let _ = store.told(&tokens).await;
}
