//! `grpc.reflection.v1`, and `v1alpha` for clients that know only that: which services and messages there are, for clients that
//! have no `.proto`. Source: "GRPC Server Reflection Protocol".
//!
//! A client keeps such a call open while it asks; it ends after the time that a body may take.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router as App;
use axum::body::Body;
use axum::extract::{Request as HttpRequest, State};
use axum::response::Response;
use axum::routing::post;
use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;
use tonic::codegen::Service;
use tonic_reflection::server::Builder;

use super::super::Served;
use super::super::problem::Problem;
use super::declared;

/// The paths of both versions.
pub(super) const V1: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
pub(super) const V1_ALPHA: &str = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

/// The services of `proto/`, as `cargo xtask proto` writes them.
const DESCRIPTORS: &[u8] = include_bytes!("../../../../../../proto/waypost/v1/assistant.bin");
/// The longest question, in bytes: the name of a symbol or of a file.
const MAX_BYTES: usize = 4096;

/// Adds the paths. Descriptors that cannot be read, which a test would show, leave them out.
pub(super) fn routes(mut app: App<Arc<Served>>) -> App<Arc<Served>> {
    let builder = || Builder::configure().register_encoded_file_descriptor_set(DESCRIPTORS);
    if let Ok(service) = builder().build_v1() {
        app = with(app, V1, service.max_decoding_message_size(MAX_BYTES));
    }
    if let Ok(service) = builder().build_v1alpha() {
        app = with(app, V1_ALPHA, service.max_decoding_message_size(MAX_BYTES));
    }
    app
}

fn with<S>(app: App<Arc<Served>>, path: &str, service: S) -> App<Arc<Served>>
where
    S: Service<HttpRequest, Response = Response<tonic::body::Body>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
{
    let serve = |State(served): State<Arc<Served>>, request: HttpRequest| async move {
        let (head, body) = request.into_parts();
        declared(&head)?;
        let end = until(served.limits.body, served.stop.clone());
        let body = Body::from_stream(body.into_data_stream().take_until(Box::pin(end)));
        let Ok(response) = service.clone().call(HttpRequest::from_parts(head, body)).await;
        Ok::<_, Problem>(response.map(Body::new))
    };
    app.route(path, post(serve))
}

/// Waits for so long, or until the server stops.
async fn until(patience: Duration, stop: CancellationToken) {
    tokio::select! {
        () = tokio::time::sleep(patience) => {}
        () = stop.cancelled() => {}
    }
}
