//! Bodies that are no JSON, or none that anybody means: every path that takes one refuses them in
//! its own words.

use serde_json::Value as Json;

use super::{JSON, Reply, others_are_served, request, send, start};
use crate::support::{Home, safe};

/// The kind of a refusal by a path of Waypost's own; the protocols of others have their own.
const PROBLEM: &str = "application/problem+json";

/// Bodies by their names.
fn bodies() -> Vec<(&'static str, Vec<u8>)> {
    let text = |inner: &[u8]| [&b"{\"text\": "[..], inner, b"}"].concat();
    let nested = |count: usize| b"[".repeat(count);
    let utf16 = "\u{feff}{\"text\": \"hello\"}".encode_utf16().flat_map(u16::to_le_bytes);
    vec![
        ("nothing", Vec::new()),
        ("a bracket", b"{".to_vec()),
        ("null", b"null".to_vec()),
        ("a text alone", b"\"hello\"".to_vec()),
        ("two objects", b"{\"text\": \"a\"} {\"text\": \"b\"}".to_vec()),
        ("one key twice", b"{\"text\": \"a\", \"text\": \"b\"}".to_vec()),
        ("a hundred thousand brackets", nested(100_000)),
        ("a hundred thousand brackets in an object", text(&nested(100_000))),
        // As many values as may be, so that they are read.
        ("ten thousand brackets in an object", text(&nested(10_000))),
        ("a number of 400 kB", text(&b"1".repeat(400_000))),
        ("a number of a megabyte", text(&b"1".repeat(1_000_000))),
        ("a number without an end of its exponent", text(b"1e999999999999")),
        ("half a surrogate", text(b"\"\\ud800\"")),
        ("surrogates in the wrong order", text(b"\"\\udc00\\ud800\"")),
        ("a byte order mark", b"\xef\xbb\xbf{\"text\": \"hello\"}".to_vec()),
        ("NUL bytes", vec![0; 64]),
        ("a NUL byte in a text", text(b"\"a\0b\"")),
        ("bytes that are no UTF-8", text(b"\"\xff\xfe\"")),
        ("UTF-16", utf16.collect()),
    ]
}

#[test]
fn a_body_that_is_no_json_is_refused_by_every_path_in_its_own_words() {
    let home = Home::untrained();
    let serving = start(&home, &[]);
    let site = serving.site;
    let (status, described) = site.ask("GET", "/openapi.json", &[], "");
    assert_eq!(status, 200, "{described}");
    let described: Json = serde_json::from_str(&described).unwrap();
    let paths = described["paths"].as_object().unwrap().iter();
    let posted = paths.filter_map(|(path, methods)| {
        let refusal = methods.pointer("/post/responses/default/content")?.as_object()?;
        Some((path.as_str(), refusal.keys().next()?.as_str()))
    });
    let posted: Vec<(&str, &str)> = posted.collect();
    assert!(posted.len() >= 7, "{posted:?}");
    for (name, body) in bodies() {
        for (path, kind) in &posted {
            let reply = send(site, &request("POST", path, &[JSON], &body));
            is_refusal(&reply, kind, &format!("{name} at {path}"));
        }
        others_are_served(site, &[], name);
    }
}

#[test]
fn a_message_of_mcp_that_is_no_json_is_told_in_the_words_of_json_rpc() {
    let home = Home::untrained();
    let serving = start(&home, &[]);
    let site = serving.site;
    let headers = [JSON, ("accept", "application/json, text/event-stream")];
    let whole = |name: &str| !["null", "a text alone", "one key twice"].contains(&name);
    for (name, body) in bodies().into_iter().filter(|(name, _)| whole(name)) {
        let reply = send(site, &request("POST", "/mcp", &headers, &body));
        assert!((400..500).contains(&reply.status), "{name}: {reply:?}");
        safe(&reply.body);
    }
    let reply = send(site, &request("POST", "/mcp", &headers, b"{"));
    let told: Json = serde_json::from_str(&reply.body).expect(&reply.body);
    assert_eq!((reply.status, &told["error"]["code"]), (400, &(-32700).into()), "{told}");
    others_are_served(site, &[], "them");
}

/// Fails the test unless an answer is a refusal of a kind, and tells nothing of the program's
/// inside.
#[track_caller]
fn is_refusal(reply: &Reply, kind: &str, what: &str) {
    assert!((400..500).contains(&reply.status), "{what}: {reply:?}");
    let head = reply.head.to_lowercase();
    assert!(head.contains(&format!("content-type: {kind}")), "{what}: {reply:?}");
    let told: Json = serde_json::from_str(&reply.body).expect(what);
    let is_shaped = match kind {
        PROBLEM => told["code"].is_string() && told["status"] == reply.status,
        _ => told["error"].is_object(),
    };
    assert!(is_shaped, "{what}: {told}");
    safe(&reply.body);
}
