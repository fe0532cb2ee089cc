//! The part of an HTTP client that these tests need: it shows what is on the wire.

use std::net::SocketAddr;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection that is kept.
#[derive(Debug)]
pub(super) struct Client {
    stream: TcpStream,
    address: SocketAddr,
    /// The bytes that were read and not used yet.
    rest: Vec<u8>,
}

/// The reply of the server.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// A server-sent event.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) name: String,
    pub(super) id: String,
    pub(super) data: Json,
}

impl Client {
    pub(super) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, address, rest: Vec::new() }
    }

    pub(super) async fn post(&mut self, path: &str, body: &Json) -> Reply {
        self.send("POST", path, &[], body.to_string().as_bytes()).await
    }

    pub(super) async fn stream(&mut self, path: &str, body: &Json) -> Reply {
        self.begin_as(path, body, "text/event-stream").await;
        self.reply().await
    }

    /// Sends a question and does not wait.
    pub(super) async fn begin(&mut self, path: &str, body: &Json) {
        self.begin_as(path, body, "*/*").await;
    }

    pub(super) async fn begin_as(&mut self, path: &str, body: &Json, accept: &str) {
        self.request("POST", path, &[("accept", accept)], body.to_string().as_bytes()).await;
    }

    pub(super) async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        self.request(method, path, headers, body).await;
        self.reply().await
    }

    /// Sends a request and does not wait.
    pub(super) async fn request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) {
        let host = self.address.to_string();
        let mut head = format!("{method} {path} HTTP/1.1\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in [("host", host.as_str()), ("content-type", "application/json")] {
            if !headers.iter().any(|(given, _)| *given == name) {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        self.write(head.as_bytes()).await;
        // A server that refuses by the head alone may have closed already; its reply is there.
        let _ = self.stream.write_all(body).await;
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// Sends as much as the other side takes before it closes.
    pub(super) async fn try_write(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
    }

    /// Ends this side of the connection, and goes on listening.
    pub(super) async fn end_sending(&mut self) {
        self.stream.shutdown().await.unwrap();
    }

    /// The next reply on this connection that is not an interim one.
    pub(super) async fn reply(&mut self) -> Reply {
        loop {
            let reply = self.any_reply().await;
            if reply.status != 100 {
                return reply;
            }
        }
    }

    async fn any_reply(&mut self) -> Reply {
        let head = String::from_utf8(self.until(b"\r\n\r\n").await).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(": ")?;
            Some((name.to_lowercase(), value.to_owned()))
        };
        let mut reply =
            Reply { status, headers: lines.filter_map(header).collect(), body: Vec::new() };
        match reply.header("content-length") {
            _ if reply.status == 100 => {}
            Some(length) => reply.body = self.exactly(length.parse().unwrap()).await,
            None => reply.body = self.chunks().await,
        }
        reply
    }

    async fn chunks(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let line = String::from_utf8(self.until(b"\r\n").await).unwrap();
            let length = usize::from_str_radix(line.trim(), 16).unwrap();
            let chunk = self.exactly(length + 2).await;
            if length == 0 {
                return body;
            }
            body.extend(&chunk[..length]);
        }
    }

    pub(super) async fn until(&mut self, mark: &[u8]) -> Vec<u8> {
        loop {
            if let Some(at) = self.rest.windows(mark.len()).position(|window| window == mark) {
                return self.rest.drain(..at + mark.len()).collect();
            }
            self.more().await;
        }
    }

    async fn exactly(&mut self, length: usize) -> Vec<u8> {
        while self.rest.len() < length {
            self.more().await;
        }
        self.rest.drain(..length).collect()
    }

    async fn more(&mut self) {
        let mut bytes = [0; 4096];
        let read = self.stream.read(&mut bytes).await.unwrap();
        assert_ne!(read, 0, "it was closed after {}", String::from_utf8_lossy(&self.rest));
        self.rest.extend(&bytes[..read]);
    }

    /// Says the same again and again until the other side has had enough.
    pub(super) async fn writes_until_closed(&mut self, bytes: &[u8]) {
        while self.stream.write_all(bytes).await.is_ok() {}
    }

    /// Reads until these words have come.
    pub(super) async fn reads_until(&mut self, words: &str) {
        self.until(words.as_bytes()).await;
        self.until(b"\n\n").await;
    }

    /// Waits until the other side closes; what it says before does not matter.
    pub(super) async fn closed(&mut self) {
        let mut bytes = [0; 4096];
        while self.stream.read(&mut bytes).await.is_ok_and(|read| read > 0) {}
    }
}

impl Reply {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(super) fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The problem that it is, with everything that each has and nothing of the program's inside.
    #[track_caller]
    pub(super) fn problem(&self, status: u16) -> Json {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let problem = self.json();
        assert_eq!((&problem["status"], &problem["type"]), (&json!(status), &json!("about:blank")));
        for field in ["title", "detail", "code"] {
            assert!(problem[field].is_string(), "{field}: {problem}");
        }
        for word in ["struct ", "serde", "hyper", ".rs", "Error {"] {
            assert!(!self.text().contains(word), "`{word}` leaks: {problem}");
        }
        problem
    }
}

/// The events of a stream.
pub(super) fn events(body: &[u8]) -> Vec<Event> {
    let text = String::from_utf8(body.to_vec()).unwrap();
    let blocks = text.split("\n\n").filter(|block| !block.is_empty());
    let event = |block: &str| {
        let field = |name: &str| {
            let mut lines = block.lines();
            let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            value.unwrap_or_else(|| panic!("no `{name}` in {block}")).to_owned()
        };
        Event {
            name: field("event"),
            id: field("id"),
            data: serde_json::from_str(&field("data")).unwrap(),
        }
    };
    blocks.map(event).collect()
}
