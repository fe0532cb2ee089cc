//! Counts how often the list of a server's tools may have changed: told by the server, or started anew.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::model::{ProtocolVersion, ServerNotification, SubscriptionFilter};
use rmcp::service::{Peer, RoleClient};
use tokio::task::AbortHandle;

/// A count that a server and its connections share. It only grows.
#[derive(Debug, Clone, Default)]
pub(super) struct Changes(Arc<AtomicU64>);

impl Changes {
    /// Notes that the list may have changed.
    pub(super) fn note(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how often it may have changed so far.
    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The wish to be told of changes; dropping it takes the wish back.
#[derive(Debug)]
pub(super) struct Listening(AbortHandle);

impl Listening {
    /// Asks a server for word of changes where its revision of the protocol wants to be asked, and it says
    /// that it can tell. In older revisions the word comes unasked.
    pub(super) fn begin(peer: &Peer<RoleClient>, changes: &Changes) -> Option<Self> {
        let info = peer.peer_info()?;
        let tells = info.capabilities.tools.as_ref().and_then(|tools| tools.list_changed);
        if info.protocol_version < ProtocolVersion::V_2026_07_28 || tells != Some(true) {
            return None;
        }
        let (peer, changes) = (peer.clone(), changes.clone());
        let task = tokio::spawn(async move {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            // A server that cannot be listened to is listed by those who call it, as ever.
            let Ok(mut told) = peer.listen(filter).await else { return };
            while let Ok(Some(word)) = told.next().await {
                if matches!(word, ServerNotification::ToolListChangedNotification(_)) {
                    changes.note();
                }
            }
        });
        Some(Self(task.abort_handle()))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}
