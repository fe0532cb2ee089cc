//! A model hub on a port of this machine: a list of files, and each file in the ranges that are
//! asked for. It can break off, lie and refuse.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// The revision that every list is of.
const REVISION: &str = "0123abcd";

/// The content of a hub, before it runs.
#[derive(Debug, Clone, Default)]
pub struct ModelHub {
    model: String,
    files: Vec<Entry>,
    break_after: Option<usize>,
}

#[derive(Debug, Clone)]
struct Entry {
    name: String,
    bytes: Vec<u8>,
    sha256: Option<String>,
}

/// A hub that runs until it is dropped.
#[derive(Debug)]
pub struct RunningHub {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    hub: ModelHub,
    requests: Mutex<Vec<String>>,
    stopping: AtomicBool,
}

impl Shared {
    fn requests(&self) -> MutexGuard<'_, Vec<String>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ModelHub {
    /// A hub with one model, such as `owner/name`, that has no files yet.
    pub fn new(model: &str) -> Self {
        Self { model: model.to_owned(), ..Self::default() }
    }

    /// Adds this file; the list says its size, and its checksum where one is given.
    #[must_use]
    pub fn file(mut self, name: &str, bytes: &[u8], sha256: Option<&str>) -> Self {
        let sha256 = sha256.map(str::to_owned);
        self.files.push(Entry { name: name.to_owned(), bytes: bytes.to_owned(), sha256 });
        self
    }

    /// Ends every answer with a file after this many bytes, whatever was promised.
    #[must_use]
    pub fn breaking_after(mut self, bytes: usize) -> Self {
        self.break_after = Some(bytes);
        self
    }

    /// Starts it on a free port.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub fn start(self) -> RunningHub {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = Mutex::default();
        let shared = Arc::new(Shared { hub: self, requests, stopping: AtomicBool::new(false) });
        let serving = Arc::clone(&shared);
        let listener = thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.stopping.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                // A client may go at any time.
                let _ = serve(stream, &serving);
            }
        });
        RunningHub { address, shared, listener: Some(listener) }
    }
}

impl RunningHub {
    /// Its base address.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests in order: the path, and the range after a space if there was one.
    pub fn requests(&self) -> Vec<String> {
        self.shared.requests().clone()
    }
}

impl Drop for RunningHub {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        if let Some(listener) = self.listener.take() {
            // The listener looks at the flag when a connection wakes it.
            if TcpStream::connect(self.address).is_ok() {
                let _ = listener.join();
            }
        }
    }
}

fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    let (path, from) = request(&stream)?;
    let range = from.map(|from| format!(" {from}-")).unwrap_or_default();
    shared.requests().push(format!("{path}{range}"));
    let hub = &shared.hub;
    if path == format!("/api/models/{}?blobs=true", hub.model) {
        let files: Vec<Value> = hub.files.iter().map(listed).collect();
        let body = json!({ "id": hub.model, "sha": REVISION, "siblings": files }).to_string();
        return head(&mut stream, "200 OK", body.len(), "")
            .and_then(|()| stream.write_all(body.as_bytes()));
    }
    let prefix = format!("/{}/resolve/{REVISION}/", hub.model);
    let name = path.strip_prefix(&prefix);
    let Some(file) = hub.files.iter().find(|file| Some(file.name.as_str()) == name) else {
        return head(&mut stream, "404 Not Found", 0, "");
    };
    let whole = file.bytes.len();
    let start = from.unwrap_or_default();
    let Some(rest) = file.bytes.get(start..).filter(|rest| !rest.is_empty()) else {
        return head(&mut stream, "416 Range Not Satisfiable", 0, "");
    };
    let (status, range) = match from {
        None => ("200 OK", String::new()),
        Some(_) => (
            "206 Partial Content",
            format!("content-range: bytes {start}-{}/{whole}\r\n", whole - 1),
        ),
    };
    head(&mut stream, status, rest.len(), &range)?;
    stream.write_all(&rest[..rest.len().min(hub.break_after.unwrap_or(usize::MAX))])
}

/// A file as the list has it: large ones have a checksum.
fn listed(file: &Entry) -> Value {
    let mut listed = json!({ "rfilename": file.name, "size": file.bytes.len() });
    if let Some(sum) = &file.sha256 {
        listed["lfs"] = json!({ "sha256": sum, "size": file.bytes.len() });
    }
    listed
}

/// The path, and the beginning of the range that was asked for.
fn request(stream: &TcpStream) -> io::Result<(String, Option<usize>)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut from = None;
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            return Ok((path, from));
        }
        let lower = line.to_ascii_lowercase();
        if let Some(range) = lower.trim().strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse().ok();
        }
    }
}

fn head(stream: &mut TcpStream, status: &str, length: usize, more: &str) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{more}connection: close\r\n\r\n"
    )
}
