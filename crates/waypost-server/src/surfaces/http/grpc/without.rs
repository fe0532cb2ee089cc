//! A program without the feature `grpc`: a call of gRPC ends with a status that says so.

use std::sync::Arc;

use axum::Router as App;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Served;
use crate::features::GRPC;

/// There are no methods.
pub(super) const PATHS: &[(&str, &str)] = &[];
/// The path that would need no key.
pub(super) const HEALTH: &str = "/grpc.health.v1.Health/Check";
/// The status `UNIMPLEMENTED`.
const UNIMPLEMENTED: HeaderValue = HeaderValue::from_static("12");

pub(super) fn routes(app: App<Arc<Served>>) -> App<Arc<Served>> {
    app
}

/// Refuses calls of gRPC, and lets everything else through. The answer is all head, as gRPC allows for a call that fails at once.
pub(super) async fn shaped(request: Request, next: Next) -> Response {
    let kind = request.headers().get(CONTENT_TYPE);
    if !kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc")) {
        return next.run(request).await;
    }
    let error = GRPC.missing();
    let mut response = ().into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert("grpc-status", UNIMPLEMENTED);
    for (name, text) in
        [("grpc-message", error.message()), ("waypost-hint", error.hint().unwrap_or_default())]
    {
        if let Ok(text) = HeaderValue::from_str(text) {
            headers.insert(name, text);
        }
    }
    response
}
