//! A client of HTTP/1.1 that keeps its connection and takes any status.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

/// A time longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection, opened when it is needed.
#[derive(Debug)]
pub(super) struct Client {
    address: SocketAddr,
    stream: Option<BufReader<TcpStream>>,
}

impl Client {
    pub(super) fn new(address: SocketAddr) -> Self {
        Self { address, stream: None }
    }

    /// Posts JSON, and returns the status and the body.
    ///
    /// # Errors
    ///
    /// If the connection breaks; the next request opens another.
    pub(super) fn post(&mut self, path: &str, body: &Value) -> Result<(u16, Value)> {
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        let answered = self.exchange(request.as_bytes());
        if answered.is_err() {
            self.stream = None;
        }
        let (status, body) = answered?;
        Ok((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
    }

    fn exchange(&mut self, request: &[u8]) -> Result<(u16, Vec<u8>)> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => {
                let stream = TcpStream::connect(self.address)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                none.insert(BufReader::new(stream))
            }
        };
        stream.get_mut().write_all(request)?;
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).context("no answer")?.parse()?;
        let mut length = 0;
        loop {
            line.clear();
            stream.read_line(&mut line)?;
            let Some((name, value)) = line.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        Ok((status, body))
    }
}
