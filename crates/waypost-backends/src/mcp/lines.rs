//! Messages as lines on the streams of a child. Lines that are almost messages are repaired.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::de::IgnoredAny;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use super::reply::{self, Asked};
use super::wire::Guard;

/// The two streams of a child.
#[derive(Debug)]
pub(super) struct Lines<R, W> {
    read: BufReader<Guard<R>>,
    /// The beginning of a line. It is kept here because a read may be given up halfway; its guard bounds it.
    line: Vec<u8>,
    /// The messages of the latest line that were not taken yet.
    read_already: VecDeque<ServerJsonRpcMessage>,
    write: Arc<tokio::sync::Mutex<Option<W>>>,
    waiting: Waiting,
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    pub(super) fn new(read: Guard<R>, write: W) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            read_already: VecDeque::new(),
            write: Arc::new(tokio::sync::Mutex::new(Some(write))),
            waiting: Waiting::default(),
        }
    }

    /// Reads up to the end of a line; `None` at the end of the stream. The last line may lack its end; half a message is none.
    async fn whole_line(&mut self) -> Option<Vec<u8>> {
        loop {
            let there = self.read.fill_buf().await.unwrap_or_default();
            if there.is_empty() {
                let line = std::mem::take(&mut self.line);
                return serde_json::from_slice::<IgnoredAny>(&line).is_ok().then_some(line);
            }
            let end = there.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(there.len(), |end| end + 1);
            self.line.extend_from_slice(&there[..taken]);
            self.read.consume(taken);
            if end.is_some() {
                return Some(std::mem::take(&mut self.line));
            }
        }
    }
}

impl<R, W> Transport<RoleClient> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.waiting.sent(&message);
        let write = Arc::clone(&self.write);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut write = write.lock().await;
            let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            write.write_all(&line).await?;
            write.flush().await
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.read_already.pop_front() {
                self.waiting.received(&message);
                return Some(message);
            }
            let line = self.whole_line().await?;
            self.read_already = reply::messages(&line, &self.waiting.asked()).into();
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.write.lock().await.take());
        Ok(())
    }
}

/// The requests that wait for their replies.
#[derive(Debug, Clone, Default)]
struct Waiting(Arc<Mutex<BTreeSet<i64>>>);

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sent(&self, message: &ClientJsonRpcMessage) {
        match message {
            // What is listened to is answered when it ends.
            ClientJsonRpcMessage::Request(request)
                if !matches!(request.request, ClientRequest::SubscriptionsListenRequest(_)) =>
            {
                self.lock().extend(number(&request.id));
            }
            ClientJsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(left) = &told.notification
                    && let Some(id) = left.params.request_id.as_ref().and_then(number)
                {
                    self.lock().remove(&id);
                }
            }
            _ => {}
        }
    }

    fn received(&self, message: &ServerJsonRpcMessage) {
        let id = match message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id.and_then(number) {
            self.lock().remove(&id);
        }
    }

    /// The request that a message without a number would answer.
    fn asked(&self) -> Asked {
        let waiting = self.lock();
        match (waiting.len(), waiting.first()) {
            (1, Some(id)) => Asked::Likely(RequestId::Number(*id)),
            _ => Asked::Unknown,
        }
    }
}

/// The number of one of our requests.
fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(_) => None,
    }
}
