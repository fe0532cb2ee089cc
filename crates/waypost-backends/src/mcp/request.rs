//! One request to a server: its answer as JSON, what it reports on the way, and the word to the server
//! that nobody waits any more.
//!
//! The protocol's library reads only answers that are exactly as they should be. Here an answer is
//! taken as JSON, so that what a server says beside the protocol is not lost.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::ClientHandler;
use rmcp::model::{
    CancelledNotificationParam, ClientConfig, ClientRequest, ProgressNotificationParam,
    ProgressToken, RequestId, ServerResult,
};
use rmcp::service::{NotificationContext, Peer, PeerRequestOptions, RoleClient, ServiceError};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use waypost_core::ports::tools::{Progress, ProgressSink};

use super::changes::Changes;
use super::line;

/// The most reports of a call that wait to be passed on; more are dropped, since the next one says
/// more.
const REPORTS: usize = 16;
/// The longest words of a report, in characters: one line of a terminal.
const MAX_WORDS: usize = 120;

type Listeners = Arc<Mutex<HashMap<ProgressToken, mpsc::Sender<Progress>>>>;

/// Our side of the conversation: passes reports on to the calls that they are about.
#[derive(Debug, Clone)]
pub(super) struct Client {
    config: ClientConfig,
    listeners: Listeners,
    changes: Changes,
}

impl Client {
    /// Us, with the count of changes that word of them is added to.
    pub(super) fn new(config: ClientConfig, changes: Changes) -> Self {
        Self { config, listeners: Listeners::default(), changes }
    }

    fn listeners(&self) -> MutexGuard<'_, HashMap<ProgressToken, mpsc::Sender<Progress>>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a request and returns its answer as JSON; `sink` is told of what is reported.
    /// Dropping the future tells the server that nobody waits any more.
    pub(super) async fn ask(
        &self,
        peer: &Peer<RoleClient>,
        request: ClientRequest,
        sink: Option<&dyn ProgressSink>,
    ) -> Result<Value, ServiceError> {
        let handle =
            peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?;
        let (reports, mut heard) = mpsc::channel(REPORTS);
        let token = handle.progress_token.clone();
        self.listeners().insert(token.clone(), reports);
        let mut waiting = Waiting { peer, client: self, token, id: Some(handle.id.clone()) };
        let mut answer = std::pin::pin!(handle.await_response());
        let answer = loop {
            tokio::select! {
                biased;
                Some(progress) = heard.recv() => {
                    if let Some(sink) = sink {
                        sink.report(progress);
                    }
                }
                answer = &mut answer => break answer,
            }
        };
        waiting.id = None;
        match answer? {
            ServerResult::CustomResult(result) => Ok(result.0),
            result => serde_json::to_value(result).map_err(|_| ServiceError::UnexpectedResponse),
        }
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changes.note();
    }

    async fn on_progress(
        &self,
        report: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let progress = Progress {
            done: report.progress,
            total: report.total.filter(|total| total.is_finite() && *total > 0.0),
            message: line(&report.message.unwrap_or_default(), MAX_WORDS),
        };
        if let Some(listener) = self.listeners().get(&report.progress_token) {
            let _ = listener.try_send(progress);
        }
    }
}

/// A request under way; dropped before its answer came, it tells the server.
struct Waiting<'a> {
    peer: &'a Peer<RoleClient>,
    client: &'a Client,
    token: ProgressToken,
    id: Option<RequestId>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.client.listeners().remove(&self.token);
        let (Some(id), Ok(runtime)) = (self.id.take(), Handle::try_current()) else { return };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let why = "nobody waits for the answer any more".to_owned();
            let left = CancelledNotificationParam::new(Some(id), Some(why));
            // A server that has gone need not know.
            let _ = peer.notify_cancelled(left).await;
        });
    }
}
