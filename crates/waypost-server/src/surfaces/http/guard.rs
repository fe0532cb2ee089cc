//! Lets only this machine ask, and no web page of somebody else's.
//!
//! A server on a loopback address is still reached by every page that a browser shows, by its
//! address or by a name that is made to lead here. Such requests say so in `Host` or `Origin`.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use waypost::{Code, Error};

use super::problem::Problem;

/// Lets a request through that is meant for this machine and comes from it.
pub(super) async fn check(request: Request, next: Next) -> Response {
    let strange = strange(request.headers(), &HOST, true)
        .or_else(|| strange(request.headers(), &ORIGIN, false));
    match strange {
        None => next.run(request).await,
        Some(name) => {
            let message = format!("the header `{name}` names another place than this machine");
            let error = Error::new(Code::PermissionDenied, message)
                .with_hint("ask at `127.0.0.1` or `localhost`, from this machine");
            Problem::from(&error).into_response()
        }
    }
}

/// The header, if it names a place other than this machine.
fn strange(headers: &HeaderMap, name: &HeaderName, required: bool) -> Option<&'static str> {
    let shown = if *name == HOST { "Host" } else { "Origin" };
    let mut values = headers.get_all(name).into_iter();
    match (values.next(), values.next()) {
        (None, _) => required.then_some(shown),
        (Some(one), None) => (!one.to_str().is_ok_and(is_here)).then_some(shown),
        _ => Some(shown),
    }
}

/// Returns whether `host`, `host:port` or `http://host:port` is this machine.
fn is_here(place: &str) -> bool {
    let host = place.split_once("://").map_or(place, |(_, host)| host);
    let host = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_loopback = |address: IpAddr| address.is_loopback();
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_here() {
        for place in ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "[::1]:8080", "[::1]"] {
            assert!(is_here(place), "{place}");
            assert!(is_here(&format!("http://{place}")), "{place}");
        }
        for place in
            ["", "null", "localhost.example.com", "example.com:80", "192.168.0.1", "[::2]:1"]
        {
            assert!(!is_here(place), "{place}");
        }
    }
}
