//! The requests that wait for their replies on the streams of a child, where nothing but its number says what a reply answers.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, RequestId,
    ServerJsonRpcMessage,
};

use super::greeting;
use super::reply::Asked;

/// The most errors without a number that are kept.
const MOST_NAMELESS: usize = 16;

/// The requests that wait. Clones are of the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting(Arc<Mutex<Open>>);

#[derive(Debug, Default)]
struct Open {
    requests: BTreeSet<i64>,
    greeting: Option<RequestId>,
    nameless: Vec<Nameless>,
}

/// An error that does not say which request it answers.
#[derive(Debug)]
struct Nameless {
    error: ErrorData,
    /// The requests that waited when it came and have no reply yet.
    among: BTreeSet<i64>,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what is sent.
    pub(super) fn sent(&self, message: &ClientJsonRpcMessage) {
        match message {
            // What is listened to is answered when it ends.
            ClientJsonRpcMessage::Request(request)
                if !matches!(request.request, ClientRequest::SubscriptionsListenRequest(_)) =>
            {
                let mut open = self.lock();
                open.requests.extend(number(&request.id));
                open.greeting = greeting::asked_by(message).cloned().or(open.greeting.take());
            }
            ClientJsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(left) = &told.notification
                    && let Some(id) = left.params.request_id.as_ref().and_then(number)
                {
                    self.lock().requests.remove(&id);
                }
            }
            _ => {}
        }
    }

    /// Notes what was received; returns it with what else can be passed on now. An error without a number is that of the
    /// only request that is left when the others have their replies.
    pub(super) fn received(&self, message: ServerJsonRpcMessage) -> Vec<ServerJsonRpcMessage> {
        let mut open = self.lock();
        let message = greeting::read(message, open.greeting.as_ref());
        let mut passed = Vec::new();
        match message {
            ServerJsonRpcMessage::Error(error) if error.id.is_none() => open.keep(error.error),
            message => {
                open.answered(&message);
                passed.push(message);
            }
        }
        while let Some(settled) = open.settled() {
            open.answered(&settled);
            passed.push(settled);
        }
        passed
    }

    /// The request that a message without a number would answer.
    pub(super) fn asked(&self) -> Asked {
        let open = self.lock();
        match (open.requests.len(), open.requests.first()) {
            (1, Some(id)) => Asked::Likely(RequestId::Number(*id)),
            _ => Asked::Unknown,
        }
    }
}

impl Open {
    fn answered(&mut self, message: &ServerJsonRpcMessage) {
        let id = match message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id.and_then(number) {
            self.requests.remove(&id);
        }
    }

    fn keep(&mut self, error: ErrorData) {
        if self.nameless.len() == MOST_NAMELESS {
            self.nameless.remove(0);
        }
        self.nameless.push(Nameless { error, among: self.requests.clone() });
    }

    /// The oldest of the errors of which it is told now what they answer: there are as many of them as requests that they can
    /// answer, or one of them can answer one only.
    fn settled(&mut self) -> Option<ServerJsonRpcMessage> {
        for nameless in &mut self.nameless {
            nameless.among.retain(|id| self.requests.contains(id));
        }
        self.nameless.retain(|nameless| !nameless.among.is_empty());
        let all: BTreeSet<i64> =
            self.nameless.iter().flat_map(|nameless| nameless.among.iter().copied()).collect();
        let at = match all.len() <= self.nameless.len() {
            true => 0,
            false => self.nameless.iter().position(|nameless| nameless.among.len() == 1)?,
        };
        if self.nameless.is_empty() {
            return None;
        }
        let nameless = self.nameless.remove(at);
        let id = RequestId::Number(*nameless.among.first()?);
        Some(ServerJsonRpcMessage::error(nameless.error, Some(id)))
    }
}

/// The number of one of our requests.
fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ErrorCode, PingRequest};
    use serde_json::json;

    use super::*;

    fn waiting(ids: &[i64]) -> Waiting {
        let waiting = Waiting::default();
        for id in ids {
            let ping = ClientRequest::PingRequest(PingRequest::default());
            waiting.sent(&ClientJsonRpcMessage::request(ping, RequestId::Number(*id)));
        }
        waiting
    }

    /// The numbers and words of what is passed on when a message is received.
    fn passed(waiting: &Waiting, message: serde_json::Value) -> Vec<(i64, String)> {
        let message = serde_json::from_value(message).unwrap();
        let passed = waiting.received(message).into_iter();
        let told = passed.map(|message| {
            let message = serde_json::to_value(message).unwrap();
            let words = message["error"]["message"].as_str().unwrap_or("fine").to_owned();
            (message["id"].as_i64().unwrap(), words)
        });
        told.collect()
    }

    fn error(words: &str) -> serde_json::Value {
        json!({ "jsonrpc": "2.0", "error": { "code": ErrorCode::INTERNAL_ERROR, "message": words } })
    }

    fn fine(id: i64) -> serde_json::Value {
        json!({ "jsonrpc": "2.0", "id": id, "result": {} })
    }

    fn told(id: i64, words: &str) -> (i64, String) {
        (id, words.to_owned())
    }

    #[test]
    fn an_error_without_a_number_is_that_of_the_only_request_that_waits() {
        assert_eq!(passed(&waiting(&[4]), error("no boats")), [told(4, "no boats")]);
        assert_eq!(passed(&waiting(&[]), error("no boats")), []);
    }

    #[test]
    fn an_error_without_a_number_waits_until_the_others_have_their_replies() {
        let waiting = waiting(&[4, 5, 6]);
        assert_eq!(passed(&waiting, error("no boats")), []);
        assert_eq!(passed(&waiting, fine(5)), [told(5, "fine")]);
        let ping = ClientRequest::PingRequest(PingRequest::default());
        waiting.sent(&ClientJsonRpcMessage::request(ping, RequestId::Number(7)));
        assert_eq!(passed(&waiting, fine(4)), [told(4, "fine"), told(6, "no boats")]);
        assert_eq!(passed(&waiting, fine(7)), [told(7, "fine")]);
    }

    #[test]
    fn as_many_errors_as_requests_are_theirs_in_their_order() {
        let waiting = waiting(&[4, 5]);
        assert_eq!(passed(&waiting, error("first")), []);
        assert_eq!(passed(&waiting, error("second")), [told(4, "first"), told(5, "second")]);
    }

    #[test]
    fn errors_without_a_number_are_bounded() {
        let waiting = waiting(&(0..100).collect::<Vec<_>>());
        (0..50).for_each(|_| assert_eq!(passed(&waiting, error("no boats")), []));
        assert_eq!(waiting.lock().nameless.len(), MOST_NAMELESS);
    }
}
