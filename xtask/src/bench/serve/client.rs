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
    pub(super) wanted: Vec<u8>,
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
        if body != exchange.wanted {
            bail!("the answer is not what is decided here: {}", String::from_utf8_lossy(body));
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

/// A request with a JSON body, and with one more header.
pub(super) fn post(path: &str, (name, value): (&str, &str), body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         {name}: {value}\r\ncontent-length: {length}\r\n\r\n{body}"
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
