//! Stands between the program and its model, and keeps what they say: one HTTP exchange a connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// The longest wait for a model.
const LIMIT: Duration = Duration::from_secs(120);

/// Who answers: the words of a reply, or a whole answer of a server.
pub(super) trait Answers: Send + Sync {
    /// The answer to the body of a request.
    fn answer(&self, asked: &Value) -> Result<Value>;
}

/// What was asked and answered once.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) asked: Value,
    pub(super) answer: Value,
    pub(super) took: Duration,
}

/// A server on a port of its own, until the process ends.
pub(super) struct Relay {
    pub(super) port: u16,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
}

impl Relay {
    pub(super) fn start(answers: Arc<dyn Answers>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let exchanges = Arc::default();
        let kept = Arc::clone(&exchanges);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, kept) = (Arc::clone(&answers), Arc::clone(&kept));
                std::thread::spawn(move || serve(stream, &*answers, &kept));
            }
        });
        Ok(Self { port, exchanges })
    }

    /// What was said since the last call.
    pub(super) fn taken(&self) -> Vec<Exchange> {
        std::mem::take(&mut *self.exchanges.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn serve(mut stream: TcpStream, answers: &dyn Answers, kept: &Mutex<Vec<Exchange>>) {
    let started = Instant::now();
    let asked = body(&stream);
    let asked_for_stream = asked.as_ref().is_ok_and(|asked| asked["stream"] == true);
    let answered = asked.and_then(|asked| Ok((answers.answer(&asked)?, asked)));
    let (status, answer) = match answered {
        Ok((answer, asked)) => {
            let exchange = Exchange { asked, answer: answer.clone(), took: started.elapsed() };
            kept.lock().unwrap_or_else(PoisonError::into_inner).push(exchange);
            ("200 OK", answer)
        }
        Err(error) => ("502 Bad Gateway", json!({ "error": format!("{error:#}") })),
    };
    let (kind, body) = match (&asked_for_stream, status) {
        (true, "200 OK") => ("text/event-stream", streamed(&answer)),
        _ => ("application/json", answer.to_string()),
    };
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
}

/// A whole answer as the stream that was asked for: one piece of words, and what it took.
fn streamed(answer: &Value) -> String {
    let words = &answer["choices"][0]["message"]["content"];
    let piece = json!({ "choices": [{ "index": 0, "delta": { "content": words } }] });
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let usage = json!({ "choices": [], "usage": answer["usage"] });
    format!("data: {piece}\n\ndata: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
}

/// The JSON of a request; `null` where it has none.
fn body(stream: &TcpStream) -> Result<Value> {
    stream.set_read_timeout(Some(LIMIT))?;
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    if body.is_empty() { Ok(Value::Null) } else { Ok(serde_json::from_slice(&body)?) }
}

/// A server of chat completions at a port of this machine.
pub(super) struct Upstream(pub(super) u16);

impl Answers for Upstream {
    fn answer(&self, asked: &Value) -> Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.0))?;
        stream.set_read_timeout(Some(LIMIT))?;
        // It is asked for the whole at once; who wants a stream gets one from the relay.
        let mut asked = asked.clone();
        if let Some(asked) = asked.as_object_mut() {
            asked.remove("stream");
            asked.remove("stream_options");
        }
        let body = asked.to_string();
        write!(
            stream,
            "POST /v1/chat/completions HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (_, body) = answer.split_once("\r\n\r\n").context("the server answers no HTTP")?;
        serde_json::from_str(body).with_context(|| format!("the server answers {body:.200}"))
    }
}

/// The answer of a server that says these words.
pub(super) fn saying(words: &str) -> Value {
    json!({
        "choices": [{
            "index": 0, "finish_reason": "stop",
            "message": { "role": "assistant", "content": words },
        }],
    })
}
