//! gRPC: the decisions and answers of HTTP on the same port, with the messages of `proto/waypost/v1/assistant.proto`.
//!
//! A message is read as the JSON record that it stands for, and a record is written as the message that stands for it, so that
//! both surfaces check, bound and blame alike. A call that its client gives up, or whose deadline has passed, stops its
//! turn: nothing here outlives the call.

mod bounds;
mod deadline;
mod events;
#[allow(
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes_without_reason,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "it is generated"
)]
mod generated;
mod health;
mod records;
mod reflection;
mod status;
#[cfg(test)]
mod tests;
mod values;

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use async_trait::async_trait;
use axum::Router as App;
use axum::body::Body;
use axum::extract::{Request as HttpRequest, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Version};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::post;
use prost::Message;
use serde_json::json;
use tokio::sync::mpsc::Receiver;
use tonic::Status;
use tonic::codegen::Service;
use waypost::records::answer::{Answer, Part};
use waypost::records::decision::Decision;
use waypost::records::request::Request;
use waypost::router::Router;
use waypost::{Code, Error};

use super::bodies::MAX_BODY_BYTES;
use super::client::Client;
use super::endpoints::begin;
use super::problem::Problem;
use super::{Begun, Served, intake};
use crate::keys::Scope;
use crate::surfaces::caller::Caller;
use crate::surfaces::json::MAX_VALUES;
use deadline::Deadline;
use events::Events;
use generated::assistant_server::{Assistant, AssistantServer};

/// The paths of the methods, each asked with `POST`.
pub(super) const PATHS: &[(&str, &str)] = &[
    ("/waypost.v1.Assistant/Answer", "POST"),
    ("/waypost.v1.Assistant/AnswerStream", "POST"),
    ("/waypost.v1.Assistant/Route", "POST"),
    (HEALTH, "POST"),
    (reflection::V1, "POST"),
    (reflection::V1_ALPHA, "POST"),
];
/// The beginning of the paths of the assistant.
const ASSISTANT: &str = "/waypost.v1.Assistant/";
/// The path that needs no key.
pub(super) const HEALTH: &str = "/grpc.health.v1.Health/Check";

/// The bytes before a message: one says whether it is compressed, four how long it is.
const PREFIX_BYTES: usize = 5;

/// The headers of a record.
static JSON: LazyLock<HeaderMap> = LazyLock::new(|| {
    HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))])
});

/// Adds the paths of all methods.
pub(super) fn routes(app: App<Arc<Served>>) -> App<Arc<Served>> {
    let own = PATHS.iter().filter(|(path, _)| path.starts_with(ASSISTANT));
    let app = own.fold(app, |app, (path, _)| app.route(path, post(call)));
    reflection::routes(app.route(HEALTH, post(health::check)))
}

/// Says in the words of gRPC why a call was not served, wherever it was refused.
pub(super) async fn shaped(request: HttpRequest, next: Next) -> Response {
    let asks = is_grpc(request.headers());
    let known = PATHS.iter().any(|(path, _)| *path == request.uri().path());
    let response = next.run(request).await;
    let status = match response.extensions().get::<Problem>() {
        Some(problem) if asks && !known && problem.status() == StatusCode::NOT_FOUND => {
            status::no_method(problem)
        }
        Some(problem) if asks => status::of(problem),
        _ => return response,
    };
    let mut shaped = status.into_http::<Body>();
    for (name, value) in response.headers() {
        if *name != CONTENT_LENGTH && !shaped.headers().contains_key(name) {
            shaped.headers_mut().append(name.clone(), value.clone());
        }
    }
    shaped
}

fn is_grpc(headers: &HeaderMap) -> bool {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split([';', '+']).next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/grpc")
}

/// Serves a call of the assistant.
async fn call(
    State(served): State<Arc<Served>>,
    request: HttpRequest,
) -> Result<Response, Problem> {
    let (mut head, bytes) = whole(&served, request, MAX_BODY_BYTES).await?;
    if is_compressed(&bytes, &head.headers) {
        let error = Error::new(Code::Unimplemented, "no compressed message is read here");
        return Err(Problem::from(&error.with_hint("send messages as they are")));
    }
    let values = bounds::values(&bytes[PREFIX_BYTES..]).ok_or_else(broken)?;
    if values > MAX_VALUES {
        let error =
            Error::invalid(format!("the request has more than {MAX_VALUES} values, the limit"));
        return Err(Problem::from(&error.with_hint("send a shorter text or less context")));
    }
    // The service would blame itself for a message that cannot be read.
    generated::Request::decode(&bytes[PREFIX_BYTES..]).map_err(|_| broken())?;
    head.extensions.insert(Deadline::of(&head.headers));
    let request = HttpRequest::from_parts(head, Body::from(bytes));
    let service = AssistantServer::new(Assistants(served));
    let Ok(response) = service.max_decoding_message_size(MAX_BODY_BYTES).call(request).await;
    Ok(response.map(Body::new))
}

/// Reads a call whole: the one message of at most `most` bytes that most methods take, with its prefix.
async fn whole(
    served: &Served,
    request: HttpRequest,
    most: usize,
) -> Result<(Parts, Vec<u8>), Problem> {
    let (head, body) = request.into_parts();
    declared(&head)?;
    let owner = head.extensions.get::<Caller>().and_then(Caller::key_id);
    let bytes = served.bodies.read(owner, body, PREFIX_BYTES + most).await?.bytes;
    // What came after the first message would be read without being counted.
    let length = bytes.get(1..PREFIX_BYTES).and_then(|length| <[u8; 4]>::try_from(length).ok());
    let length = length.and_then(|length| usize::try_from(u32::from_be_bytes(length)).ok());
    match length {
        Some(length) if length == bytes.len() - PREFIX_BYTES => Ok((head, bytes)),
        _ => Err(broken()),
    }
}

/// Returns whether a message is compressed, by its prefix and the kind of compression that is declared. The one without
/// the other is a fault that the service tells.
fn is_compressed(bytes: &[u8], headers: &HeaderMap) -> bool {
    let kind = headers.get("grpc-encoding");
    bytes.first() == Some(&1) && kind.is_some_and(|kind| kind != "identity")
}

/// Checks that a call is declared as one of gRPC.
///
/// A web page may send a form or a text to any address without asking first, but no `application/grpc`.
fn declared(head: &Parts) -> Result<(), Problem> {
    if !is_grpc(&head.headers) {
        let error = Error::invalid("the body is not declared as gRPC")
            .with_hint("ask with a client of gRPC, or over HTTP as docs/HTTP.md says");
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, &error));
    }
    if head.version < Version::HTTP_2 {
        let error = Error::new(Code::Unimplemented, "gRPC is served over HTTP/2 alone")
            .with_hint("ask with a client of gRPC, or over HTTP/1.1 as docs/HTTP.md says");
        return Err(Problem::new(StatusCode::HTTP_VERSION_NOT_SUPPORTED, &error));
    }
    Ok(())
}

fn broken() -> Problem {
    let error = Error::invalid("the body is not one message of gRPC")
        .with_hint("ask with a client that is made from assistant.proto");
    Problem::from(&error)
}

/// The problem with the place that its field has in the message.
fn in_message(problem: Problem) -> Problem {
    if problem.place() == Some("/route") {
        problem.at(Some("/query_type".to_owned()))
    } else {
        problem
    }
}

/// The service over the parts of a server.
#[derive(Debug)]
struct Assistants(Arc<Served>);

/// A request as it counts, and what serves it.
struct Asked {
    request: Request,
    router: Arc<Router>,
    client: Arc<Client>,
    deadline: Deadline,
}

/// A turn under way, and what it tells.
struct Turn {
    begun: Begun<Answer>,
    pieces: Receiver<Part>,
    deadline: Deadline,
    request: Arc<Request>,
    router: Arc<Router>,
}

impl Assistants {
    async fn asked(&self, request: tonic::Request<generated::Request>) -> Result<Asked, Problem> {
        let (_, extensions, message) = request.into_parts();
        let unknown = || Problem::from(&Error::internal("a call has no client or no caller"));
        let client = extensions.get::<Arc<Client>>().cloned().ok_or_else(unknown)?;
        let caller = extensions.get::<Caller>().cloned().ok_or_else(unknown)?;
        let deadline = extensions.get::<Deadline>().copied().unwrap_or_default();
        caller.needs(Scope::Ask).map_err(|error| Problem::from(&error))?;
        let record = records::request(message).map_err(|error| Problem::from(&error))?;
        let body = Body::from(record.to_string());
        let read = intake::json(&self.0, &client, &caller, &JSON, body, &intake::REQUEST).await;
        let record = read.map_err(in_message)?.record;
        let (request, router) = self.0.for_caller(record, &caller).await?;
        Ok(Asked { request, router, client, deadline })
    }

    async fn decided(
        &self,
        request: tonic::Request<generated::Request>,
    ) -> Result<Decision, Problem> {
        let Asked { request, router, client, deadline } = self.asked(request).await?;
        let request = Arc::new(request);
        let asked = Arc::clone(&request);
        let owner = request.owner.as_deref();
        let turn =
            self.0.begin(client, owner, Arc::clone(&router), |router, cancel| async move {
                let started = Instant::now();
                Ok((router.route(&asked, &cancel).await?, started.elapsed()))
            })?;
        let decided = deadline.within(turn.end()).await?;
        let (decision, took) = decided
            .map_err(|error| in_message(intake::refused(&error, &request, router.pack())))?;
        self.0.metrics.decided(decision.layer, decision.decision, decision.llm_calls);
        self.0.metrics.decided_within(took);
        Ok(decision)
    }

    async fn begun(&self, request: tonic::Request<generated::Request>) -> Result<Turn, Problem> {
        let Asked { mut request, router, client, deadline } = self.asked(request).await?;
        // It is kept, and whoever knows its id may speak of it.
        request.salt = Some(self.0.salts.next());
        let request = Arc::new(request);
        let (begun, pieces) = begin(&self.0, client, &router, &request)?;
        Ok(Turn { begun, pieces, deadline, request, router })
    }

    async fn answered(
        &self,
        request: tonic::Request<generated::Request>,
    ) -> Result<Answer, Problem> {
        let Turn { begun, pieces, deadline, request, router } = self.begun(request).await?;
        // A receiver that has gone stops nothing.
        drop(pieces);
        let answer = deadline.within(begun.end()).await?;
        answer.map_err(|error| in_message(intake::refused(&error, &request, router.pack())))
    }
}

#[async_trait]
impl Assistant for Assistants {
    type AnswerStreamStream = Events;

    async fn answer(
        &self,
        request: tonic::Request<generated::Request>,
    ) -> Result<tonic::Response<generated::Answer>, Status> {
        let answer = self.answered(request).await.map_err(|problem| status::of(&problem))?;
        Ok(tonic::Response::new(records::answer(json!(answer))))
    }

    async fn answer_stream(
        &self,
        request: tonic::Request<generated::Request>,
    ) -> Result<tonic::Response<Events>, Status> {
        let turn = self.begun(request).await.map_err(|problem| status::of(&problem))?;
        Ok(tonic::Response::new(events::events(turn)))
    }

    async fn route(
        &self,
        request: tonic::Request<generated::Request>,
    ) -> Result<tonic::Response<generated::Decision>, Status> {
        let decision = self.decided(request).await.map_err(|problem| status::of(&problem))?;
        Ok(tonic::Response::new(records::decision(&json!(decision))))
    }
}
