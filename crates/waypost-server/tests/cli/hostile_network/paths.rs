//! Paths that lead out, stand twice or are written in other ways: none is served with what lies at
//! another path.

use serde_json::Value as Json;

use super::{JSON, others_are_served, question, request, send, start};
use crate::support::Home;

/// A host that is this machine, and one that is not.
const HERE: &str = "localhost";
const AWAY: &str = "evil.example";

/// A request that asks for something at a strange place.
struct Strange {
    method: &'static str,
    target: &'static str,
    host: &'static str,
    /// The statuses of which it is owed one.
    owed: &'static [u16],
}

const fn posted(target: &'static str) -> Strange {
    Strange { method: "POST", target, host: HERE, owed: &[404] }
}

const fn got(target: &'static str, owed: &'static [u16]) -> Strange {
    Strange { method: "GET", target, host: HERE, owed }
}

/// Requests for the place that stands in their target, and for no other.
const STRANGE: &[Strange] = &[
    posted("/v1/../../etc/passwd"),
    posted("/../../../../etc/passwd"),
    posted("//v1/route"),
    posted("/v1//route"),
    posted("/v1/route/"),
    posted("/v1/./route"),
    posted("/v1/x/../route"),
    posted("/V1/ROUTE"),
    posted("/%2e%2e/"),
    posted("/%2e%2e/%2e%2e/etc/passwd"),
    posted("/%76%31/route"),
    posted("/v1/route%00"),
    posted("/v1/route%2f"),
    posted("/v1/route;a=b"),
    posted("/mcp/../v1/route"),
    posted("/mcp/%2e%2e"),
    posted("/mcp/%2e%2e/v1/route"),
    got("/healthz/../metrics", &[404]),
    got("/v1\\students", &[400, 404]),
    got("/v1/models/../../healthz", &[404]),
    got("/v1/models/%2e%2e%2f%2e%2e%2fetc%2fpasswd", &[404]),
    got("/v1/models/%00", &[404]),
    got("/v1/models/%ff", &[400]),
    got("/v1/students?pack=%ff", &[404]),
    got("/v1/students?pack=a&pack=b", &[400]),
    got("/\u{e9}", &[400, 404]),
    got("/health z", &[400]),
    got("/healthz\0", &[400]),
    got("healthz", &[400, 403, 404]),
    got("*", &[400, 404]),
    got("http:///healthz", &[400]),
    Strange { method: "OPTIONS", target: "*", host: HERE, owed: &[400, 404, 405] },
    Strange { method: "GET", target: "http://evil.example/healthz", host: AWAY, owed: &[403] },
    Strange { method: "CONNECT", target: "evil.example:443", host: AWAY, owed: &[403] },
    Strange {
        method: "CONNECT",
        target: "evil.example:443",
        host: HERE,
        owed: &[400, 403, 404, 405],
    },
];

#[test]
fn a_strange_path_is_never_served_with_what_lies_at_another() {
    let home = Home::untrained();
    let serving = start(&home, &[]);
    let site = serving.site;
    let asked = question();
    for Strange { method, target, host, owed } in STRANGE {
        let body = if *method == "POST" { asked.as_bytes() } else { b"" };
        let reply = send(site, &request(method, target, &[("host", *host), JSON], body));
        assert!(owed.contains(&reply.status), "{method} {target:?} of {host}: {reply:?}");
        others_are_served(site, &[], target);
    }
}

#[test]
fn a_target_with_the_name_of_another_machine_counts_whatever_the_header_says() {
    let home = Home::untrained();
    let serving = start(&home, &[]);
    let site = serving.site;
    // RFC 9112, 3.2.2: the header is passed over then. Else the check of it would be, too.
    for (target, owed) in [
        ("http://localhost/healthz", &[200][..]),
        ("http://evil.example/healthz", &[400, 403]),
        ("http://localhost@evil.example/healthz", &[400, 403]),
    ] {
        let reply = send(site, &request("GET", target, &[("host", HERE)], b""));
        assert!(owed.contains(&reply.status), "{target}: {reply:?}");
    }
    others_are_served(site, &[], "them");
}

#[test]
fn a_name_or_a_query_that_cannot_be_read_is_a_problem() {
    let home = Home::untrained();
    let serving = start(&home, &[]);
    let site = serving.site;
    for (target, says) in [
        ("/v1/students?pack=a&pack=b", "duplicate field `pack`"),
        ("/v1/events?type=a&type=b", "the query of the address"),
        ("/v1/models/%ff", "no UTF-8"),
    ] {
        let reply = send(site, &request("GET", target, &[], b""));
        assert_eq!(reply.status, 400, "{target}: {reply:?}");
        let told: Json = serde_json::from_str(&reply.body).expect(target);
        assert!(told.to_string().contains(says), "{target}: {told}");
    }
}

#[test]
fn a_long_path_is_refused_and_not_repeated() {
    let home = Home::untrained();
    let serving = start(&home, &[]);
    let site = serving.site;
    // Within the bound of a head, and far beyond it.
    for (path, owed) in [
        (format!("/{}", "a/".repeat(10_000)), &[404][..]),
        (format!("/v1/models/{}", "a".repeat(20_000)), &[404]),
        (format!("/{}", "a".repeat(100_000)), &[414, 431]),
        (format!("/healthz?{}", "a".repeat(100_000)), &[414, 431]),
    ] {
        let reply = send(site, &request("GET", &path, &[], b""));
        assert!(owed.contains(&reply.status), "{reply:?}");
        assert!(reply.body.len() < 1_000, "{reply:?}");
        others_are_served(site, &[], "a long path");
    }
}
