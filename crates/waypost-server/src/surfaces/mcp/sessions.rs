//! The sessions of clients over HTTP that begin with `initialize`: so many at most, and a new one takes the place of the one
//! that was used longest ago by whoever has the most. Each belongs to the caller who began it: its id is no secret, and
//! nobody else reads, answers or ends it.

use std::collections::{HashMap, HashSet};
use std::future::ready;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{Stream, StreamExt, stream};
use rmcp::model::{ClientJsonRpcMessage, ProtocolVersion, ServerJsonRpcMessage, ServerResult};
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId};

use crate::surfaces::shares::fullest;

/// The most sessions: each has a task and some kilobytes.
const MAX_SESSIONS: usize = 1_000;
/// The time after which a session that is not used ends; a client that comes back begins a new one.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// The time after which a client that lost its stream may come back.
const RETRY: Duration = Duration::from_secs(3);

/// The sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    kept: LocalSessionManager,
    used: Mutex<Used>,
    most: usize,
}

/// The order in which sessions were used, whose each is, and what its client knows.
#[derive(Debug, Default)]
struct Used {
    last: HashMap<SessionId, u64>,
    owners: HashMap<SessionId, String>,
    /// The sessions whose clients know events without data, by which a stream begins so that it can be resumed.
    resumable: HashSet<SessionId>,
    count: u64,
}

impl Used {
    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    fn forget(&mut self, id: &SessionId) {
        self.last.remove(id);
        self.owners.remove(id);
        self.resumable.remove(id);
    }
}

impl Default for Sessions {
    fn default() -> Self {
        Self::at_most(MAX_SESSIONS)
    }
}

impl Sessions {
    fn at_most(most: usize) -> Self {
        let mut kept = LocalSessionManager::default();
        kept.session_config.keep_alive = Some(IDLE);
        Self { kept, used: Mutex::default(), most }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the client of a session knows events without data.
    fn is_resumable(&self, id: &SessionId) -> bool {
        self.used().resumable.contains(id)
    }

    /// The events of a stream that the client of a session understands: earlier ones read every event as a message.
    fn understood<S>(
        &self,
        id: &SessionId,
        events: S,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<S>
    where
        S: Stream<Item = ServerSseMessage> + Send + Sync,
    {
        let takes_empty = self.is_resumable(id);
        events.filter(move |event| ready(takes_empty || event.message.is_some()))
    }

    /// Gives a session that has just begun to its caller.
    pub(super) fn give(&self, id: &str, owner: &str) {
        let mut used = self.used();
        if used.last.contains_key(id) {
            used.owners.insert(id.into(), owner.to_owned());
        }
    }

    /// Returns whether a session is there and another caller's.
    pub(super) fn is_of_another(&self, id: &str, caller: &str) -> bool {
        let used = self.used();
        used.last.contains_key(id) && used.owners.get(id).is_none_or(|owner| owner != caller)
    }

    /// Notes that a session is used, if it is there.
    fn note(&self, id: &SessionId) {
        let mut used = self.used();
        let now = used.next();
        if let Some(last) = used.last.get_mut(id) {
            *last = now;
        }
    }

    /// Notes that a session begins.
    fn begin(&self, id: &SessionId) {
        let mut used = self.used();
        let now = used.next();
        used.last.insert(id.clone(), now);
    }

    /// Makes room for a new session, and returns the one that has to end for it.
    fn make_room(&self) -> Option<SessionId> {
        let mut used = self.used();
        if used.last.len() < self.most {
            return None;
        }
        let owner = |id: &SessionId| used.owners.get(id).map_or("", String::as_str);
        let most = fullest(used.last.keys().map(owner))?;
        let own = used.last.iter().filter(|(id, _)| owner(id) == most);
        let oldest = own.min_by_key(|(_, last)| **last)?.0.clone();
        used.forget(&oldest);
        Some(oldest)
    }
}

impl SessionManager for Sessions {
    type Error = <LocalSessionManager as SessionManager>::Error;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        if let Some(oldest) = self.make_room() {
            self.kept.close_session(&oldest).await?;
        }
        let (id, transport) = self.kept.create_session().await?;
        self.begin(&id);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        let reply = self.kept.initialize_session(id, message).await?;
        if let ServerJsonRpcMessage::Response(response) = &reply
            && let ServerResult::InitializeResult(result) = &response.result
            && result.protocol_version >= ProtocolVersion::V_2025_11_25
        {
            self.used().resumable.insert(id.clone());
        }
        Ok(reply)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.note(id);
        self.kept.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.used().forget(id);
        self.kept.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.understood(id, self.kept.create_stream(id, message).await?))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.kept.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let first = self.is_resumable(id).then(|| ServerSseMessage::priming("0", RETRY));
        let all = self.kept.create_standalone_stream(id).await?;
        Ok(stream::iter(first).chain(self.understood(id, all)))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.understood(id, self.kept.resume(id, last_event_id).await?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_new_session_takes_the_place_of_the_one_that_was_used_longest_ago() {
        let sessions = Sessions::at_most(2);
        let (first, _one) = sessions.create_session().await.unwrap();
        let (second, _two) = sessions.create_session().await.unwrap();
        assert!(sessions.has_session(&first).await.unwrap());
        let (third, _three) = sessions.create_session().await.unwrap();
        assert!(!sessions.has_session(&second).await.unwrap());
        assert!(sessions.has_session(&first).await.unwrap());
        assert!(sessions.has_session(&third).await.unwrap());
        sessions.close_session(&first).await.unwrap();
        let (_, _four) = sessions.create_session().await.unwrap();
        assert!(sessions.has_session(&third).await.unwrap(), "there was room");
    }

    #[tokio::test]
    async fn the_sessions_of_one_caller_push_out_none_of_another() {
        let sessions = Sessions::at_most(3);
        let (own, _transport) = sessions.create_session().await.unwrap();
        sessions.give(&own, "ana");
        let mut transports = Vec::new();
        for _ in 0..5 {
            let (id, transport) = sessions.create_session().await.unwrap();
            sessions.give(&id, "bo");
            transports.push(transport);
        }
        assert!(sessions.has_session(&own).await.unwrap(), "the oldest of all is still there");
        assert_eq!(sessions.used().last.len(), 3);
    }

    #[tokio::test]
    async fn a_session_is_of_the_caller_who_began_it_and_of_nobody_until_it_is_given() {
        let sessions = Sessions::at_most(2);
        let (id, _transport) = sessions.create_session().await.unwrap();
        assert!(sessions.is_of_another(&id, "ana"));
        sessions.give(&id, "ana");
        assert!(!sessions.is_of_another(&id, "ana") && sessions.is_of_another(&id, "bo"));
        sessions.close_session(&id).await.unwrap();
        assert!(!sessions.is_of_another(&id, "bo"), "it is nobody's any more");
        sessions.give("unknown", "bo");
        assert!(sessions.used().owners.is_empty());
    }
}
