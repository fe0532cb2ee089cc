//! A collector of OpenTelemetry is told of the work, and of nothing that people wrote.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::json;

use crate::serve::Serving;
use crate::support::{Home, NOW, WAYPOST, server};

const WITHIN: Duration = Duration::from_secs(30);

#[test]
fn a_collector_gets_traces_of_the_work_and_none_of_the_words() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (told, heard) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let told = told.clone();
            std::thread::spawn(move || {
                let mut stream = stream.unwrap();
                while let Some((path, body)) = request(&mut stream) {
                    let _ = told.send((path, body));
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
                }
            });
        }
    });
    let config = server(&[WAYPOST, "demo", "ocean", "--now", NOW]);
    let home = Home::with_config(&format!("[telemetry]\notlp = \"http://{address}\"\n{config}"));
    let serving = Serving::start(&home, &[]);
    let asked = json!({ "text": "tides at Keelung tomorrow, dear Marmaduke", "now": NOW });
    let answer = serving.site.json("POST", "/v1/answer", &asked);
    let id = answer["id"].as_str().unwrap();
    let traces = loop {
        let (path, body) = heard.recv_timeout(WITHIN).expect("a batch");
        if path == "/v1/traces" {
            break body;
        }
    };
    // Names and attributes of protobuf are written as they are.
    let text = String::from_utf8_lossy(&traces);
    for words in [
        "invoke_agent ocean",
        "execute_tool tide.forecast",
        "gen_ai.operation.name",
        "service.name",
        id,
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    assert!(!text.contains("Marmaduke") && !text.contains("Keelung"), "{text}");
}

/// The path and the body of a request.
fn request(stream: &mut impl Read) -> Option<(String, Vec<u8>)> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        (stream.read(&mut byte).ok()? > 0).then_some(())?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse().ok())?
    });
    let mut body = vec![0; length?];
    stream.read_exact(&mut body).ok()?;
    Some((head.split(' ').nth(1)?.to_owned(), body))
}
