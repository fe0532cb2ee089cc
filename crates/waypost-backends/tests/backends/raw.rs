//! A server that says byte for byte what a test tells it to, for what no well-behaved server would say.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;

/// The longest time that a request may take to come in; a test's client is on the same machine.
const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// The time after which a silent connection looks whether the test is over.
const LOOK: Duration = Duration::from_millis(20);
/// Bytes of a chunk: few, so that characters are cut in two.
const CHUNK: usize = 7;

/// One thing that is done with a connection.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Writes bytes.
    Write(Vec<u8>),
    /// Writes bytes one by one, each after so long.
    Trickle(Vec<u8>, Duration),
    /// Says nothing until the client has gone.
    Hold,
}

/// Everything that is done with one connection once its request has come; then it is closed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Play {
    acts: Vec<Act>,
    /// True if the request is left unread: closing the connection then resets it.
    unread: bool,
}

impl Play {
    pub(crate) fn of(acts: Vec<Act>) -> Self {
        Self { acts, unread: false }
    }

    pub(crate) fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(vec![Act::Write(bytes.into())])
    }

    pub(crate) fn reset(acts: Vec<Act>) -> Self {
        Self { acts, unread: true }
    }

    /// Returns whether only a client's own time limit ends it.
    pub(crate) fn is_slow(&self) -> bool {
        self.acts.iter().any(|act| matches!(act, Act::Hold | Act::Trickle(..)))
    }
}

/// The head of an answer.
pub(crate) fn head(status: u16, headers: &[(&str, &str)]) -> String {
    let lines: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status} Raw\r\nconnection: close\r\n{lines}\r\n")
}

/// A whole answer with its length.
pub(crate) fn whole(status: u16, content_type: &str, body: &str) -> String {
    let length = body.len().to_string();
    head(status, &[("content-type", content_type), ("content-length", &length)]) + body
}

/// A body in small chunks.
pub(crate) fn chunked(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in body.chunks(CHUNK) {
        bytes.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}

/// A server that plays one play a connection, in their order.
#[derive(Debug)]
pub(crate) struct RawServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    plays: Mutex<VecDeque<Play>>,
    requests: Mutex<Vec<Value>>,
    stopping: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RawServer {
    pub(crate) fn start(plays: Vec<Play>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared { plays: Mutex::new(plays.into()), ..Shared::default() });
        let playing = Arc::clone(&shared);
        let listener = thread::spawn(move || listen(&listener, &playing));
        Self { address, shared, listener: Some(listener) }
    }

    /// The address of its API.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Stops the server and returns the bodies of all requests, in the order in which they came; `null` for one that was
    /// left unread.
    pub(crate) fn finish(mut self) -> Vec<Value> {
        self.stop();
        std::mem::take(&mut *lock(&self.shared.requests))
    }

    fn stop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        if let Some(listener) = self.listener.take() {
            // The listener looks at the flag when a connection wakes it.
            if TcpStream::connect(self.address).is_ok() {
                let _ = listener.join();
            }
        }
    }
}

impl Drop for RawServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        // An error means that the client has gone, which is its right.
        thread::spawn(move || serve(stream, &shared));
    }
}

fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    stream.set_nodelay(true)?;
    if stream.peek(&mut [0])? == 0 {
        return Ok(());
    }
    // A request too many gets no answer; the test sees it among the requests.
    let play = lock(&shared.plays).pop_front().unwrap_or_default();
    let request = if play.unread { Value::Null } else { read_request(&stream)? };
    lock(&shared.requests).push(request);
    play.acts.iter().try_for_each(|act| perform(act, &mut stream, shared))
}

/// Reads a request to its end and returns its body.
fn read_request(stream: &TcpStream) -> io::Result<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body).unwrap_or(Value::Null))
}

fn perform(act: &Act, stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    match act {
        Act::Write(bytes) => stream.write_all(bytes),
        Act::Trickle(bytes, gap) => bytes.iter().try_for_each(|byte| {
            if shared.stopping.load(Ordering::SeqCst) {
                return Err(io::Error::other("the test is over"));
            }
            thread::sleep(*gap);
            stream.write_all(&[*byte])
        }),
        Act::Hold => hold(stream, shared),
    }
}

/// Waits until the client has gone or the test is over.
fn hold(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(LOOK))?;
    while !shared.stopping.load(Ordering::SeqCst) {
        match stream.read(&mut [0; 64]) {
            Ok(0) => return Ok(()),
            Err(error) if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Err(error);
            }
            _ => {}
        }
    }
    Ok(())
}
