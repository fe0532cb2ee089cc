//! Messages as lines on the streams of a child. Lines that are almost messages are repaired.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde::de::IgnoredAny;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use super::reply;
use super::waiting::Waiting;
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
                return Some(message);
            }
            let line = self.whole_line().await?;
            for message in reply::messages(&line, &self.waiting.asked()) {
                self.read_already.extend(self.waiting.received(message));
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.write.lock().await.take());
        Ok(())
    }
}
