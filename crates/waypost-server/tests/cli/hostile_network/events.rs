//! `GET /v1/events` for clients that say they saw an event that nobody sent.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::Value as Json;

use super::{JSON, connect, others_are_served, question, request, start};
use crate::serve::Site;
use crate::support::Home;

/// A client that listens, and the status that it got.
struct Listener {
    lines: BufReader<TcpStream>,
    status: u16,
}

impl Listener {
    /// Listens from behind the event of this id.
    fn open(site: Site, key: &str, last: Option<&str>) -> Self {
        let mut headers = vec![("authorization", key)];
        headers.extend(last.map(|last| ("last-event-id", last)));
        let mut stream = connect(site);
        // A head that is too long is not taken to its end.
        let _ = stream.write_all(&request("GET", "/v1/events", &headers, b""));
        let mut lines = BufReader::new(stream);
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        let status = first.split(' ').nth(1).expect("an answer").parse().unwrap();
        Self { lines, status }
    }

    /// Returns the next line that is wanted.
    fn hears(&mut self, is_wanted: impl Fn(&str) -> bool) -> String {
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the stream has ended");
            if is_wanted(&line) {
                return line.trim_end().to_owned();
            }
        }
    }
}

/// Asks something, and returns the id of the decision, which its events have.
fn asked(site: Site, key: &str) -> String {
    let headers = [JSON, ("authorization", key)];
    let (status, answer) = site.ask("POST", "/v1/answer", &headers, &question());
    assert_eq!(status, 200, "{answer}");
    let answer: Json = serde_json::from_str(&answer).unwrap();
    answer["id"].as_str().unwrap().to_owned()
}

#[test]
fn an_event_that_nobody_sent_is_no_place_to_go_on_from_and_the_next_ones_come() {
    let home = Home::untrained();
    let run = home.run(&["keys", "add", "admin", "--scope", "ask", "--scope", "admin"]);
    let key = format!("Bearer {}", run.ended(0).stdout.trim());
    let serving = start(&home, &[]);
    let site = serving.site;
    let mut first = Listener::open(site, &key, None);
    asked(site, &key);
    let id = first.hears(|line| line.starts_with("id: "));
    let (process, _) = id["id: ".len()..].split_once('-').expect("a process and a number");
    let (yet, much) = (format!("{process}-18446744073709551615"), "9".repeat(1024 * 1024));
    let rows: [(&str, &str, u16); 12] = [
        ("nothing", "", 200),
        ("words", "garbage", 200),
        ("a number alone", "7", 200),
        ("a number below zero alone", "-5", 200),
        ("a number below zero", "1--5", 200),
        ("the number 2^64", "1-18446744073709551616", 200),
        ("a process 2^64", "18446744073709551616-1", 200),
        ("an event of a process that is yet to come", "9223372036854775807-1", 200),
        ("an event that is yet to come", &yet, 200),
        ("signs beyond ASCII", "\u{82b1}-1", 200),
        ("a NUL byte", "1-\0", 400),
        ("a megabyte", &much, 431),
    ];
    let mut listeners = Vec::new();
    for (name, last, owed) in rows {
        let listener = Listener::open(site, &key, Some(last));
        assert_eq!(listener.status, owed, "{name}");
        if owed == 200 {
            listeners.push(listener);
        }
        others_are_served(site, &[("authorization", key.as_str())], name);
    }
    let decision = asked(site, &key);
    for listener in &mut listeners {
        listener.hears(|line| line.contains(&decision));
    }
}
