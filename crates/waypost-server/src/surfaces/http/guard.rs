//! Lets only those ask who mean this machine, and no web page of somebody else's.
//!
//! A server on a loopback address is still reached by every page that a browser shows, by its
//! address or by a name that is made to lead here. Such requests say so in `Host` or `Origin`.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use waypost::{Code, Error};

use super::Served;
use super::problem::Problem;

/// Lets a request through that is meant for this machine, and comes from no page of another place.
pub(super) async fn check(
    State(served): State<Arc<Served>>,
    request: Request,
    next: Next,
) -> Response {
    // A target may name a host, too, and is then what counts (RFC 9112, 3.2.2).
    let elsewhere = |host: &Authority| !is_here(host.as_str(), &served.hosts);
    let strange = strange(request.headers(), &HOST, &served.hosts, true)
        .or_else(|| strange(request.headers(), &ORIGIN, &served.hosts, false))
        .map(|name| format!("the header `{name}`"))
        .or_else(|| {
            let target = request.uri().authority().is_some_and(elsewhere);
            target.then(|| "the address that is asked".to_owned())
        });
    match strange {
        None => next.run(request).await,
        Some(name) => {
            let message = format!("{name} names another place than this machine");
            let error = Error::new(Code::PermissionDenied, message).with_hint(
                "ask at `127.0.0.1` or `localhost`, or name the host with `serve --host`",
            );
            Problem::from(&error).into_response()
        }
    }
}

/// The header, if it names a place other than this machine.
fn strange(
    headers: &HeaderMap,
    name: &HeaderName,
    hosts: &[String],
    required: bool,
) -> Option<&'static str> {
    let shown = if *name == HOST { "Host" } else { "Origin" };
    let mut values = headers.get_all(name).into_iter();
    match (values.next(), values.next()) {
        (None, _) => required.then_some(shown),
        (Some(one), None) => {
            (!one.to_str().is_ok_and(|place| is_here(place, hosts))).then_some(shown)
        }
        _ => Some(shown),
    }
}

/// Returns whether `host`, `host:port` or `http://host:port` is this machine, by its own names or one of `hosts`.
fn is_here(place: &str, hosts: &[String]) -> bool {
    let host = place.split_once("://").map_or(place, |(_, host)| host);
    // Before an `@` stands a user, whose name may look like a host.
    if host.contains('@') {
        return false;
    }
    let (host, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some(parts) => parts,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port =
        |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    if !port.is_empty() && !port.strip_prefix(':').is_some_and(is_port) {
        return false;
    }
    let is_loopback = |address: IpAddr| address.is_loopback();
    host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(is_loopback)
        || hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_here() {
        for place in ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "[::1]:8080", "[::1]"] {
            assert!(is_here(place, &[]), "{place}");
            assert!(is_here(&format!("http://{place}"), &[]), "{place}");
        }
        for place in
            ["", "null", "localhost.example.com", "example.com:80", "192.168.0.1", "[::2]:1"]
        {
            assert!(!is_here(place, &[]), "{place}");
        }
        for place in
            ["[::1].example.com", "[::1]80", "localhost:x", "localhost:+1", "localhost:99999"]
        {
            assert!(!is_here(place, &[]), "{place}");
        }
        assert!(!is_here("localhost:1@example.com", &[]) && !is_here("[::1]@example.com", &[]));
        let hosts = ["way.example.com".to_owned()];
        assert!(is_here("Way.example.com:443", &hosts) && !is_here("example.com", &hosts));
    }
}
