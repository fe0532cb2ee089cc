//! Clients on the network that mean no good, against the program as it is built: each gets what it
//! is owed, and others are served beside it.
//!
//! Slow and broken clients of HTTP/1.1 are data in `waypost_testing::clients` and are played
//! without a process; they are not repeated here. Nothing here sleeps: who waits, waits for the
//! server to close a connection.

mod bodies;
#[cfg(unix)]
mod connections;
mod events;
#[cfg(feature = "grpc")]
mod grpc;
mod http2;
#[cfg(unix)]
mod keys;
mod paths;
mod tls;

use std::io::{Error, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use crate::serve::{Serving, Site, small_pack};
use crate::support::{Home, NOW};

/// A time longer than anything here takes.
const DEADLINE: Duration = Duration::from_secs(90);
/// The configuration of a server that has a second of patience with those who say nothing.
const IMPATIENT: &str = "[limits]\nhead_seconds = 1\n";
/// A time shorter than the patience of a server without that configuration (30 s): within it, the
/// configured one has ended.
const SOON: Duration = Duration::from_secs(25);

/// The header of a body of JSON.
const JSON: (&str, &str) = ("content-type", "application/json");

/// Starts a server of a pack that is read in no time.
fn start(home: &Home, args: &[&str]) -> Serving {
    let pack = small_pack(home);
    Serving::start(home, &[&["--pack", pack.as_str()][..], args].concat())
}

/// A question that the pack can decide.
fn question() -> String {
    json!({ "text": "please explain what an endpoint is", "now": NOW }).to_string()
}

/// Fails the test unless others are served beside a client: one who asks how the server is, and one
/// who asks it something, with these headers.
#[track_caller]
fn others_are_served(site: Site, headers: &[(&str, &str)], beside: &str) {
    let (status, _) = site.ask("GET", "/healthz", &[], "");
    assert_eq!(status, 200, "beside {beside}");
    let headers = [&[JSON][..], headers].concat();
    let (status, body) = site.ask("POST", "/v1/route", &headers, &question());
    assert_eq!(status, 200, "beside {beside}: {body}");
}

fn connect(site: Site) -> TcpStream {
    let stream = TcpStream::connect(site.address()).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream
}

/// The bytes of a request of HTTP/1.1, the last one of its connection. Its host is this machine,
/// unless a header says another.
fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let mut head =
        format!("{method} {target} HTTP/1.1\r\nconnection: close\r\ncontent-length: {length}\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        head.push_str("host: localhost\r\n");
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    [head.as_bytes(), b"\r\n", body].concat()
}

/// An answer of HTTP/1.1, to the end of its connection.
#[derive(Debug)]
struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    #[track_caller]
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }
}

/// Sends bytes on a connection of their own, and returns the answer.
#[track_caller]
fn send(site: Site, bytes: &[u8]) -> Reply {
    let mut stream = connect(site);
    // A server that has heard enough answers, closes, and takes nothing more.
    let _ = stream.write_all(bytes);
    Reply::of(&heard(&mut stream, "a request"))
}

/// Returns what the server says until it closes the connection of `who`; fails the test if it does
/// not close it.
#[track_caller]
fn heard(stream: &mut TcpStream, who: &str) -> Vec<u8> {
    let mut said = Vec::new();
    if let Err(error) = stream.read_to_end(&mut said) {
        assert!(is_end(&error), "the connection of {who} is not closed: {error}");
    }
    said
}

/// Returns whether an error means that a connection has ended: where something was not read at its
/// other end, the system says it in this way.
fn is_end(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
    )
}
