//! A client of HTTP/1.1 that does no more than a measurement needs, as it runs on the cores of the
//! server that it measures: it writes bytes that are ready and reads as many as are announced.

use std::net::SocketAddr;
use std::ops::Range;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// More than an answer has, so that it is read at once.
const RECEIVED_BYTES: usize = 32 * 1024;

/// A request as it is sent, and the body that must come back.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) sent: Vec<u8>,
    pub(super) wanted: Wanted,
}

/// The body that must come back, as far as it is known.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    /// The bytes that it begins with.
    start: Vec<u8>,
    /// The number of its bytes, where that is known.
    length: Option<usize>,
}

impl Wanted {
    /// This body and no other.
    pub(super) fn exactly(body: impl Into<Vec<u8>>) -> Self {
        let start: Vec<u8> = body.into();
        Self { length: Some(start.len()), start }
    }

    /// A body that begins so, of `length` bytes where that is known. The rest differs from one
    /// reply to the next.
    pub(super) fn beginning(start: impl Into<Vec<u8>>, length: Option<usize>) -> Self {
        Self { start: start.into(), length }
    }

    fn fits(&self, body: &[u8]) -> bool {
        body.starts_with(&self.start) && self.length.is_none_or(|length| body.len() == length)
    }
}

/// A connection that is kept for the next request.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    pub(super) async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await.context("the server takes no connection")?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::with_capacity(RECEIVED_BYTES) })
    }

    /// Asks, and insists on the answer.
    pub(super) async fn exchange(&mut self, exchange: &Exchange) -> Result<()> {
        let body = self.ask(&exchange.sent).await?;
        if !exchange.wanted.fits(body) {
            bail!("the answer is not the one that is wanted: {}", String::from_utf8_lossy(body));
        }
        Ok(())
    }

    /// The body at a path.
    pub(super) async fn get(&mut self, path: &str) -> Result<String> {
        let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        let body = self.ask(head.as_bytes()).await?;
        String::from_utf8(body.to_vec()).context("the answer is no text")
    }

    async fn ask(&mut self, sent: &[u8]) -> Result<&[u8]> {
        self.stream.write_all(sent).await?;
        self.received.clear();
        loop {
            if self.stream.read_buf(&mut self.received).await? == 0 {
                bail!("the server closed the connection before it answered");
            }
            if let Some(body) = body(&self.received)? {
                return Ok(&self.received[body]);
            }
        }
    }
}

/// A request with a JSON body, and with these headers beside those that it needs.
pub(super) fn post(path: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let (length, headers) = (body.len(), headers.iter());
    let headers: String = headers.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         {headers}content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// Finds the body of an answer of status 200; `None` while more of it is to come.
fn body(received: &[u8]) -> Result<Option<Range<usize>>> {
    let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(&received[..end]).context("the answer's head is no text")?;
    let length: usize = header(head, "content-length")
        .and_then(|value| value.parse().ok())
        .with_context(|| format!("the answer has no length: {head}"))?;
    let body = end + 4..end + 4 + length;
    if received.len() < body.end {
        return Ok(None);
    }
    if !head.starts_with("HTTP/1.1 200 ") {
        bail!("the request failed: {}", String::from_utf8_lossy(received));
    }
    if received.len() > body.end {
        bail!("the answer is longer than the {length} bytes that it announced");
    }
    Ok(Some(body))
}

fn header<'a>(head: &'a str, wanted: &str) -> Option<&'a str> {
    let fields = head.lines().filter_map(|line| line.split_once(':'));
    fields.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, v)| v.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\ndate: now\r\n\r\nok";

    #[test]
    fn an_answer_is_whole_when_all_that_it_announces_has_come() {
        for cut in 0..ANSWER.len() {
            assert!(body(&ANSWER.as_bytes()[..cut]).unwrap().is_none(), "{cut}");
        }
        let found = body(ANSWER.as_bytes()).unwrap().unwrap();
        assert_eq!(&ANSWER[found], "ok");
    }

    #[test]
    fn a_body_is_known_whole_or_by_its_beginning() {
        for (wanted, fitting, other) in [
            (Wanted::exactly("[1]"), &["[1]"][..], &["[1] ", "[1", "[2]"][..]),
            (Wanted::beginning("[1", Some(5)), &["[1,2]", "[1,3]"], &["[1]", "[2,1]", "[1,22]"]),
            (Wanted::beginning("[1", None), &["[1", "[1,22]"], &["", "[2]"]),
        ] {
            assert!(fitting.iter().all(|body| wanted.fits(body.as_bytes())), "{wanted:?}");
            assert!(!other.iter().any(|body| wanted.fits(body.as_bytes())), "{wanted:?}");
        }
    }

    #[test]
    fn a_request_has_the_headers_that_are_asked_for() {
        let sent = String::from_utf8(post("/a", &[("b", "1"), ("c", "2")], "{}")).unwrap();
        assert!(sent.ends_with("json\r\nb: 1\r\nc: 2\r\ncontent-length: 2\r\n\r\n{}"), "{sent}");
        let bare = String::from_utf8(post("/a", &[], "{}")).unwrap();
        assert!(bare.ends_with("json\r\ncontent-length: 2\r\n\r\n{}"), "{bare}");
    }

    #[test]
    fn what_is_no_good_answer_is_a_fault() {
        for (answer, why) in [
            (format!("{ANSWER}!"), "longer than the 2 bytes"),
            (ANSWER.replace("200 OK", "503 Service Unavailable"), "the request failed"),
            (ANSWER.replace("Content-Length: 2", "connection: close"), "no length"),
        ] {
            let fault = body(answer.as_bytes()).unwrap_err().to_string();
            assert!(fault.contains(why), "{fault}");
        }
    }
}
