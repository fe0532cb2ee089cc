//! Finds out who asks: by the key that comes with a request, where keys are needed.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::warn;
use waypost::{Code, Error};

use super::client::holding;
use super::problem::Problem;
use super::{Served, paths};
use crate::keys::{Refused, Secret};
use crate::surfaces::caller::Caller;

/// The paths that tell nothing of anybody: whether the server is there, and how it is asked.
const OPEN: &[&str] = &["/", "/healthz", "/readyz", "/openapi.json", super::grpc::HEALTH];
/// The header by which clients of Anthropic's API send their key.
const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Lets a request through with its [`Caller`].
pub(super) async fn authenticate(
    State(served): State<Arc<Served>>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_open = || !served.keys.are_needed() && served.tokens.is_none();
    if OPEN.contains(&request.uri().path()) || is_open() {
        request.extensions_mut().insert(Caller::local());
        return next.run(request).await;
    }
    let sent = sent(request.headers());
    let admitted = match (&served.tokens, sent) {
        // A token is three parts with dots between; a key has none.
        (Some(tokens), Some(token)) if token.contains('.') => tokens.admit(token),
        _ => served.keys.admit(sent),
    };
    match admitted {
        Ok(key) => {
            // Whatever a request takes its time with, one key leaves connections for others.
            let Some(share) = served.requests.take(Some(&key.id)) else {
                return Problem::from(&served.requests.refusal("requests")).into_response();
            };
            request.extensions_mut().insert(Caller::with_key(key));
            holding(next.run(request).await, share)
        }
        Err(refused) => {
            warn_of(&served, refused, sent, request.uri().path());
            response(refused)
        }
    }
}

/// Logs that a request was refused because of its key, of which the log has the id and the name alone.
fn warn_of(served: &Served, refused: Refused, sent: Option<&str>, path: &str) {
    let key = sent.and_then(Secret::parse);
    let key = key.as_ref().map(Secret::id);
    let key_name = key.and_then(|id| served.keys.name_of(id));
    // Any other path may have the key in it.
    let path = paths().map(|(known, _)| known).find(|known| *known == path);
    let why = match refused {
        Refused::Missing => "no key",
        Refused::Unknown => "a key that is not known, or does not count any more",
        Refused::TooMuch(_) => "a key that asked as often as it may",
    };
    warn!(key, key_name, path, "a request was refused: {why}");
}

/// The key that a request brings: of `Authorization: Bearer`, or of `x-api-key`.
fn sent(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer.and_then(|value| {
        let (scheme, key) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(key)
    });
    bearer.or_else(|| headers.get(X_API_KEY)?.to_str().ok())
}

fn response(refused: Refused) -> Response {
    let unknown = |message: &str| {
        let error = Error::new(Code::PermissionDenied, message)
            .with_hint("send `Authorization: Bearer KEY`; `waypost keys add NAME` makes one, where the server runs");
        let mut response = Problem::new(StatusCode::UNAUTHORIZED, &error).into_response();
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        response
    };
    match refused {
        Refused::Missing => unknown("there is no key with the request"),
        Refused::Unknown => unknown("the key is not known, or does not count any more"),
        Refused::TooMuch(wait) => {
            let error = Error::new(Code::ResourceExhausted, "this key asked as often as it may")
                .with_hint("ask again after the time that `Retry-After` says");
            Problem::from(&error).after(wait).into_response()
        }
    }
}
