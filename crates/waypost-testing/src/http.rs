//! Speaks as much HTTP as a client of chat completions needs, over one connection a request.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::script::Answer;

/// The number of characters that a streamed event carries: few, so that words are split.
const PIECE: usize = 3;
/// The number of bytes that are written at once: few, so that characters are split too.
const PACKET: usize = 7;
/// The tokens of every prompt, and how many of them were cached.
const PROMPT_TOKENS: (usize, usize) = (10, 4);

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) key: Option<String>,
    pub(crate) body: Value,
}

pub(crate) fn read_request(stream: &TcpStream) -> io::Result<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let method = line.split(' ').next().unwrap_or_default().to_owned();
    let mut length = 0;
    let mut key = None;
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().map_err(io::Error::other)?,
            "authorization" => key = value.trim().strip_prefix("Bearer ").map(str::to_owned),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Request { method, key, body })
}

/// The form in which a client wants its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Whole,
    Pieces,
    /// In pieces, and behind them the count of the tokens.
    CountedPieces,
}

/// Answers a request; an error means that the client has gone, which is its right.
pub(crate) fn write_answer(stream: &mut TcpStream, answer: &Answer, form: Form) -> io::Result<()> {
    let streamed = form != Form::Whole;
    let counted = form == Form::CountedPieces;
    match answer {
        Answer::Status(status, body) => whole(stream, *status, body, body.len()),
        Answer::Endless => endless(stream),
        Answer::Reply(words) if streamed => {
            events(stream, words, Some("stop"))?;
            done(stream, counted.then_some(words.as_str()))
        }
        Answer::Truncated(words) if streamed => {
            events(stream, words, Some("length"))?;
            done(stream, counted.then_some(words.as_str()))
        }
        Answer::Dropped(words) if streamed => events(stream, words, None),
        Answer::NeverDone(words) => {
            events(stream, words, Some("stop"))?;
            // Until the client has gone, or no longer than it would ever wait.
            stream.read(&mut [0]).map(drop)
        }
        Answer::Reply(words) => completion(stream, words, "stop"),
        Answer::Truncated(words) => completion(stream, words, "length"),
        Answer::Dropped(_) => whole(stream, 200, r#"{"choices":[{"mess"#, 500),
    }
}

/// The list of models, for clients that look before they ask.
pub(crate) fn write_models(stream: &mut TcpStream) -> io::Result<()> {
    let body = json!({ "object": "list", "data": [{ "id": "scripted" }] }).to_string();
    whole(stream, 200, &body, body.len())
}

/// Sends words until the client has gone, at most for a gigabyte.
fn endless(stream: &mut TcpStream) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 200 Scripted\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"
    )?;
    write!(stream, r#"{{"choices":[{{"message":{{"content":""#)?;
    let words = "word ".repeat(16 * 1024);
    (0..1_000_000_000 / words.len()).try_for_each(|_| stream.write_all(words.as_bytes()))
}

fn completion(stream: &mut TcpStream, words: &str, reason: &str) -> io::Result<()> {
    let body = json!({
        "object": "chat.completion",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": words },
            "finish_reason": reason,
        }],
        "usage": usage(words),
    })
    .to_string();
    whole(stream, 200, &body, body.len())
}

/// The count of the tokens of a reply: one a character.
fn usage(words: &str) -> Value {
    let (prompt, cached) = PROMPT_TOKENS;
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": words.chars().count(),
        "prompt_tokens_details": { "cached_tokens": cached },
    })
}

fn whole(stream: &mut TcpStream, status: u16, body: &str, length: usize) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

fn events(stream: &mut TcpStream, words: &str, reason: Option<&str>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    write!(
        stream,
        "HTTP/1.1 200 Scripted\r\ncontent-type: text/event-stream\r\n\
         transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    )?;
    let characters: Vec<char> = words.chars().collect();
    for piece in characters.chunks(PIECE) {
        event(stream, &delta(&piece.iter().collect::<String>(), None).to_string())?;
    }
    let Some(reason) = reason else { return Ok(()) };
    event(stream, &delta("", Some(reason)).to_string())
}

/// Ends a stream, with the tokens of `counted` first.
fn done(stream: &mut TcpStream, counted: Option<&str>) -> io::Result<()> {
    if let Some(words) = counted {
        let last = json!({ "choices": [], "usage": usage(words) });
        event(stream, &last.to_string())?;
    }
    event(stream, "[DONE]")?;
    stream.write_all(b"0\r\n\r\n")
}

fn delta(words: &str, reason: Option<&str>) -> Value {
    json!({
        "object": "chat.completion.chunk",
        "choices": [{ "index": 0, "delta": { "content": words }, "finish_reason": reason }],
    })
}

fn event(stream: &mut TcpStream, data: &str) -> io::Result<()> {
    for packet in format!("data: {data}\n\n").as_bytes().chunks(PACKET) {
        write!(stream, "{:x}\r\n", packet.len())?;
        stream.write_all(packet)?;
        stream.write_all(b"\r\n")?;
        stream.flush()?;
    }
    Ok(())
}
