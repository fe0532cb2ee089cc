//! The examples of docs/HTTP.md are asked of a server, and it sends what they show.

use std::fs;
use std::path::PathBuf;

use serde_json::Value as Json;

use crate::serve::{Serving, Site};
use crate::support::{Home, NOW, WAYPOST, server};

/// Stands for what the document leaves out.
const LEFT_OUT: &str = "…";

#[test]
fn every_example_of_the_document_is_what_is_sent() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/HTTP.md");
    let document = fs::read_to_string(path).unwrap();
    let home = Home::with_config(&server(&[WAYPOST, "demo", "ocean", "--now", NOW]));
    let serving = Serving::start(&home, &[]);
    let (mut wrong, mut count) = (Vec::new(), 0);
    for block in document.split("```console\n").skip(1) {
        let session = block.split("```").next().unwrap();
        for example in session.split("$ curl ").skip(1) {
            let (command, shown) = example.split_once('\n').unwrap();
            let sent = curl(serving.site, command);
            count += 1;
            if !is_shown(shown.trim_end(), sent.trim_end()) {
                wrong.push(format!("$ curl {command}\n{sent}\nHTTP.md:\n{shown}"));
            }
        }
    }
    assert!(count >= 8, "it shows only {count} examples");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Does what a `curl` of the document does, and a `grep` behind it.
fn curl(site: Site, command: &str) -> String {
    let (command, filter) = match command.split_once(" | grep ^") {
        Some((command, filter)) => (command, Some(filter)),
        None => (command, None),
    };
    let (mut method, mut path, mut body) = ("GET", String::new(), String::new());
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut words = words(command).into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-s" | "-sN" => {}
            "-H" => {
                let header = words.next().unwrap();
                let (name, value) = header.split_once(": ").unwrap();
                headers.push((name.to_lowercase(), value.to_owned()));
            }
            "--json" => {
                (method, body) = ("POST", words.next().unwrap());
                headers.push(("content-type".to_owned(), "application/json".to_owned()));
            }
            url => path = url.strip_prefix("http://127.0.0.1:8080").expect(url).to_owned(),
        }
    }
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let (_, reply) = site.ask(method, &path, &headers, &body);
    match filter {
        None => reply,
        Some(start) => {
            reply.lines().filter(|line| line.starts_with(start)).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Splits a command as a shell does; the document uses single quotes alone.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in command.split('\'').enumerate() {
        match index % 2 {
            1 => words.push(part.to_owned()),
            _ => words.extend(part.split_whitespace().map(str::to_owned)),
        }
    }
    words
}

fn is_shown(shown: &str, sent: &str) -> bool {
    match (json(shown), json(sent)) {
        (Some(shown), Some(sent)) => fits(&shown, &sent),
        _ => {
            let (shown, sent): (Vec<&str>, Vec<&str>) =
                (shown.lines().collect(), sent.lines().collect());
            shown.len() == sent.len()
                && shown.iter().zip(&sent).all(|(shown, sent)| is_line(shown, sent))
        }
    }
}

/// A line of text, or of an event's data.
fn is_line(shown: &str, sent: &str) -> bool {
    match (shown.strip_prefix("data: "), sent.strip_prefix("data: ")) {
        (Some(shown), Some(sent)) => fits(&json(shown).expect(shown), &json(sent).expect(sent)),
        _ => shown == sent,
    }
}

fn json(text: &str) -> Option<Json> {
    serde_json::from_str(text).ok()
}

/// Returns whether what is shown is what is sent, except for what is left out.
fn fits(shown: &Json, sent: &Json) -> bool {
    match (shown, sent) {
        (Json::String(text), _) if text == LEFT_OUT => true,
        (Json::Object(shown), Json::Object(sent)) => {
            let whole = !shown.contains_key(LEFT_OUT);
            let mut named = shown.iter().filter(|(name, _)| *name != LEFT_OUT);
            (!whole || shown.len() == sent.len())
                && named.all(|(name, value)| sent.get(name).is_some_and(|sent| fits(value, sent)))
        }
        (Json::Array(shown), Json::Array(sent)) => {
            shown.len() == sent.len()
                && shown.iter().zip(sent).all(|(shown, sent)| fits(shown, sent))
        }
        _ => shown == sent,
    }
}
