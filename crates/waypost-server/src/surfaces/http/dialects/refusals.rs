//! Says why a request was not served in the words of its protocol, wherever it was refused.

use axum::Json;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::super::problem::Problem;
use super::of_path;

/// Writes a problem anew where the path is one of another protocol.
pub(in super::super) async fn shaped(request: Request, next: Next) -> Response {
    let dialect = of_path(request.uri().path());
    let response = next.run(request).await;
    let problem = response.extensions().get::<Problem>().cloned();
    let (Some(dialect), Some(problem)) = (dialect, problem) else { return response };
    let (mut head, _) = response.into_parts();
    head.headers.remove(CONTENT_LENGTH);
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    (head, Json(dialect.refusal(&problem))).into_response()
}
