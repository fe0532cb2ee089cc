//! Callers with keys that open nothing: each is told so, and no part of what it sent comes back or
//! is logged.

use super::{JSON, Reply, others_are_served, question, request, send, start};
use crate::support::{Home, safe};

/// The bytes of a key that may not be seen together.
const PART: usize = 12;

/// A caller that is not let in.
struct Stranger {
    name: &'static str,
    target: String,
    headers: Vec<(&'static str, String)>,
    owed: u16,
}

impl Stranger {
    /// Returns what it sent of a secret, in parts. The id of a key is none, and is shorter than a
    /// part.
    fn parts(&self) -> impl Iterator<Item = &str> {
        let sent = self.headers.iter().map(|(_, value)| value.as_str()).chain([&*self.target]);
        let sent = sent.flat_map(|value| value.split([' ', '?', '=', '/', '_']));
        sent.flat_map(|word| (0..word.len() / PART).map(move |at| part(word, at)))
    }
}

/// A part of a word, which is ASCII.
fn part(word: &str, at: usize) -> &str {
    &word[at * PART..(at + 1) * PART]
}

/// Makes a key.
fn added(home: &Home, args: &[&str]) -> String {
    let run = home.run(&[&["keys", "add"][..], args].concat());
    run.ended(0).stdout.trim().to_owned()
}

/// The id of a key, which is no secret.
fn id(key: &str) -> &str {
    key.split('_').nth(1).unwrap()
}

/// All of them, where `good` is a key that counts.
fn strangers(home: &Home, good: &str) -> Vec<Stranger> {
    let expired = added(home, &["expired", "--expires", "0s"]);
    let revoked = added(home, &["revoked"]);
    home.run(&["keys", "revoke", id(&revoked)]).ended(0);
    let label = added(home, &["label", "--scope", "label"]);
    let secret = "A".repeat(43);
    let bearer = |name: &'static str, key: &str, owed: u16| Stranger {
        name,
        target: "/v1/route".to_owned(),
        headers: vec![("authorization", format!("Bearer {key}"))],
        owed,
    };
    let other = |name: &'static str, header: &'static str, value: &str| Stranger {
        headers: vec![(header, value.to_owned())],
        ..bearer(name, "", 401)
    };
    let mut behind = bearer("a key that counts behind one that does not", "x", 401);
    behind.headers.push(("x-api-key", good.to_owned()));
    vec![
        Stranger { headers: Vec::new(), ..bearer("no key", "", 401) },
        other("an empty header", "authorization", ""),
        other("the word alone", "authorization", "Bearer"),
        other("another scheme", "authorization", "Basic d2F5cG9zdDp3YXlwb3N0"),
        other("a key without the word", "authorization", good),
        other("an empty header of Anthropic's", "x-api-key", ""),
        other("a key with a quote", "x-api-key", &format!("\"{good}\"")),
        Stranger {
            target: format!("/v1/route?key={good}"),
            headers: Vec::new(),
            ..bearer("a key in the address", "", 401)
        },
        bearer("an empty key", "", 401),
        bearer("a word", "x", 401),
        bearer("a key that nobody made", &format!("wp_00000000_{secret}"), 401),
        bearer("a key with the secret of another", &format!("wp_{}_{secret}", id(good)), 401),
        bearer("a key without its last letter", &good[..good.len() - 1], 401),
        bearer("a key with a letter more", &format!("{good}A"), 401),
        bearer("a token", "eyJhbGciOiJub25lIn0.eyJzY29wZSI6ImFkbWluIn0.", 401),
        bearer("signs beyond ASCII", "wp_\u{82b1}", 401),
        bearer("a key of 20 kB", &"A".repeat(20_000), 401),
        bearer("a key of 100 kB", &"A".repeat(100_000), 431),
        bearer("a key that has expired", &expired, 401),
        bearer("a key that was revoked", &revoked, 401),
        bearer("a key of another scope", &label, 403),
        behind,
    ]
}

#[test]
fn a_key_that_opens_nothing_is_told_so_and_seen_nowhere() {
    let home = Home::untrained();
    let good = added(&home, &["good"]);
    let strangers = strangers(&home, &good);
    let bearer = format!("Bearer {good}");
    // As much as it logs at all for those who look for a fault.
    let home = home.set("RUST_LOG", "debug");
    let serving = start(&home, &[]);
    let site = serving.site;
    for stranger in &strangers {
        let headers = stranger.headers.iter().map(|(name, value)| (*name, value.as_str()));
        let headers: Vec<(&str, &str)> = headers.chain([JSON]).collect();
        let asked = request("POST", &stranger.target, &headers, question().as_bytes());
        is_turned_away(stranger, &send(site, &asked));
        others_are_served(site, &[("authorization", bearer.as_str())], stranger.name);
    }
    let (status, log) = serving.signal("-TERM");
    assert_eq!(status, 0);
    let log = log.join("\n");
    let secret = good.splitn(3, '_').nth(2).unwrap();
    assert!(!log.contains(part(secret, 0)) && !log.contains(part(secret, 1)), "{log}");
    for stranger in &strangers {
        let seen = stranger.parts().find(|part| log.contains(part));
        assert_eq!(seen, None, "the log has of {}: {log}", stranger.name);
    }
}

#[track_caller]
fn is_turned_away(stranger: &Stranger, reply: &Reply) {
    let Stranger { name, owed, .. } = stranger;
    assert_eq!(reply.status, *owed, "{name}: {reply:?}");
    if *owed != 431 {
        assert!(reply.body.contains("\"code\":\"PERMISSION_DENIED\""), "{name}: {reply:?}");
    }
    let asks = reply.head.to_lowercase().contains("www-authenticate: bearer");
    assert_eq!(asks, *owed == 401, "{name}: {reply:?}");
    safe(&reply.body);
    for part in stranger.parts() {
        assert!(!reply.head.contains(part) && !reply.body.contains(part), "{name}: {reply:?}");
    }
}
