//! Gives each request a name: the client's own, or a new one. The answer and the log have it.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use super::dialects;
use crate::surfaces::salt::Salts;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The longest name that is taken from a client, in bytes.
const MAX_BYTES: usize = 128;

/// Names a request, and its answer by the same name.
pub(super) async fn named(request: Request, next: Next) -> Response {
    static SALTS: std::sync::LazyLock<Salts> = std::sync::LazyLock::new(Salts::default);
    let own = request.headers().get(&X_REQUEST_ID).filter(|name| is_plain(name)).cloned();
    let name = own.or_else(|| HeaderValue::from_str(&format!("{:016x}", SALTS.next())).ok());
    let Some(name) = name else { return next.run(request).await };
    let also = dialects::request_id(request.uri().path());
    // Of the highest level: a span below the level of the log is in no line of it.
    let span = tracing::error_span!("request", id = name.to_str().unwrap_or_default());
    let mut response = next.run(request).instrument(span).await;
    if let Some(also) = also {
        response.headers_mut().insert(also, name.clone());
    }
    response.headers_mut().insert(X_REQUEST_ID, name);
    response
}

/// Returns whether a name may stand in a log: of letters, digits and a few signs.
fn is_plain(name: &HeaderValue) -> bool {
    let bytes = name.as_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(byte);
    !bytes.is_empty() && bytes.len() <= MAX_BYTES && bytes.iter().all(plain)
}
