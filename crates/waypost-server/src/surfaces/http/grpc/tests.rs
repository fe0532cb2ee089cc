//! The surface without sockets: what a call comes to, how it is refused, and when its turn is stopped. What is generated agrees
//! with the file of the protocol.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router as App;
use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, Request as HttpRequest, Version};
use axum::response::Response;
use prost::Message;
use prost_types::{FileDescriptorProto, FileDescriptorSet};
use serde_json::{Value as Json, json};
use tonic::codegen::Service;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};
use waypost::router::Router;
use waypost_backends::stores::MemoryStore;

use super::super::client::Client;
use super::super::places::Places;
use super::super::tests::parts::{Behavior, NOW, Told, parts};
use super::super::{Limits, Metrics, Served, app};
use super::generated::answer_event::Data;
use super::generated::assistant_server::SERVICE_NAME;
use super::generated::{Answer, AnswerEvent, Decision, Request};
use super::{PATHS, reflection, values};
use crate::keys::Keys;
use crate::surfaces::{Hosted, HostedPack};

const MINUTE: Duration = Duration::from_secs(60);
const LIMITS: Limits = Limits {
    turns: 4,
    connections: 4,
    body_bytes: 4 * 1024 * 1024,
    head: MINUTE,
    body: MINUTE,
    write: MINUTE,
    grace: MINUTE,
    last_words: Duration::from_millis(80),
    silence: Duration::from_millis(20),
};

/// A server without sockets, and a client of it.
struct Wired {
    app: App,
    client: Arc<Client>,
    model: Arc<Told>,
}

/// What came back of a call.
#[derive(Debug)]
struct Reply {
    /// The headers and the trailers.
    fields: HeaderMap,
    messages: Vec<Vec<u8>>,
}

async fn wired(behavior: Behavior) -> Wired {
    let (parts, model) = parts(behavior, Arc::new(MemoryStore::new()));
    let store = Arc::clone(&parts.store);
    let router = Arc::new(Router::new(parts));
    let hosted = Arc::new(Hosted::new(vec![HostedPack::new(router, None)]).unwrap());
    let served = Served::new(hosted, store, Keys::none(), Arc::new(Metrics::default()), LIMITS);
    let client = Client::new(Places::new(1).take().await);
    Wired { app: app(&Arc::new(served)), client, model }
}

/// A message with its prefix.
fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[0][..], &length[..], message].concat()
}

impl Wired {
    async fn send(&self, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Response {
        let mut request = HttpRequest::post(path).version(Version::HTTP_2);
        request = request.header("host", "localhost").header("te", "trailers");
        if !headers.iter().any(|(name, _)| *name == "content-type") {
            request = request.header("content-type", "application/grpc");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::from(body)).unwrap();
        request.extensions_mut().insert(Arc::clone(&self.client));
        self.app.clone().call(request).await.unwrap()
    }

    async fn call(&self, method: &str, headers: &[(&str, &str)], message: &impl Message) -> Reply {
        let path = format!("/{SERVICE_NAME}/{method}");
        read(self.send(&path, headers, framed(&message.encode_to_vec())).await).await
    }
}

async fn read(response: Response) -> Reply {
    let (head, mut body) = response.into_parts();
    let (mut fields, mut bytes) = (head.headers, Vec::new());
    while let Some(frame) = std::future::poll_fn(|it| Pin::new(&mut body).poll_frame(it)).await {
        match frame.unwrap().into_data() {
            Ok(data) => bytes.extend_from_slice(&data),
            Err(frame) => fields.extend(frame.into_trailers().unwrap()),
        }
    }
    let (mut messages, mut rest) = (Vec::new(), bytes.as_slice());
    while let Some((prefix, after)) = rest.split_at_checked(5) {
        let length = u32::from_be_bytes(prefix[1..].try_into().unwrap());
        let (message, after) = after.split_at(usize::try_from(length).unwrap());
        messages.push(message.to_vec());
        rest = after;
    }
    Reply { fields, messages }
}

impl Reply {
    fn code(&self) -> &str {
        self.fields["grpc-status"].to_str().unwrap()
    }

    fn one<M: Message + Default>(&self) -> M {
        assert_eq!((self.code(), self.messages.len()), ("0", 1), "{self:?}");
        M::decode(self.messages[0].as_slice()).unwrap()
    }
}

fn question(text: &str) -> Request {
    Request { text: text.to_owned(), now: NOW.to_owned(), ..Request::default() }
}

#[tokio::test]
async fn s4_30_a_route_that_is_declared_passes_every_layer() {
    let wired = wired(Behavior::Talks).await;
    let decided = wired.call("Route", &[], &question("help me with addVar")).await;
    let decision: Decision = decided.one();
    assert_eq!((decision.route.as_str(), decision.layer.as_str()), ("help", "linear"));
    let record = values::into_object(decision.record.unwrap()).unwrap();
    assert_eq!((&record["route"], &record["id"]), (&json!("help"), &json!(decision.id)));
    let declared = Request { query_type: "chat".to_owned(), ..question("help me with addVar") };
    let decision: Decision = wired.call("Route", &[], &declared).await.one();
    assert_eq!((decision.route.as_str(), decision.layer.as_str()), ("chat", "declared"));
    // Clients were made from this number.
    let proto = include_str!("../../../../../../proto/waypost/v1/assistant.proto");
    assert!(proto.contains("string query_type = 7;"));
}

#[tokio::test]
async fn an_answer_comes_whole() {
    let wired = wired(Behavior::Talks).await;
    let answer: Answer = wired.call("Answer", &[], &question("help me with addVar")).await.one();
    assert_eq!(answer.mode, "help");
    assert!(answer.text.starts_with("some words"), "{}", answer.text);
    let decision = answer.decision.unwrap();
    assert_eq!((decision.decision.as_str(), &decision.id), ("run", &answer.id));
    let record = Json::Object(values::into_object(answer.record.unwrap()).unwrap());
    assert_eq!(record["raw"]["plan"]["route"], "help");
}

#[tokio::test]
async fn s2_24_a_stream_of_messages_tells_the_phases_in_order_and_ends_with_done() {
    let wired = wired(Behavior::Talks).await;
    let reply = wired.call("AnswerStream", &[], &question("help me with addVar")).await;
    assert_eq!(reply.code(), "0", "{reply:?}");
    let events: Vec<AnswerEvent> = reply
        .messages
        .iter()
        .map(|message| AnswerEvent::decode(message.as_slice()).unwrap())
        .collect();
    let names: Vec<&str> = events.iter().map(|event| event.r#type.as_str()).collect();
    assert_eq!(names, ["reasoning", "reasoning", "reasoning", "token", "token", "answer", "done"]);
    assert!((1..).zip(&events).all(|(seq, event)| event.seq == seq), "{events:?}");
    assert_eq!(events[3].data, Some(Data::Token("some ".to_owned())));
    let Some(Data::Answer(answer)) = &events[5].data else { panic!("{:?}", events[5]) };
    assert_eq!(answer.mode, "help");
}

#[tokio::test]
async fn a_request_that_cannot_be_served_ends_with_a_status_and_a_hint() {
    let wired = wired(Behavior::Talks).await;
    let nan = prost_types::value::Kind::NumberValue(f64::NAN);
    let nan = prost_types::Value { kind: Some(nan) };
    let context = json!({ "activ_tool": "t" });
    let context = values::of_object(context.as_object().unwrap());
    for (request, says, hint) in [
        (Request { query_type: "hlep".to_owned(), ..question("x") }, "`hlep`", "`help`"),
        (question(""), "no `text`", "send"),
        (Request { now: "soon".to_owned(), ..question("x") }, "`soon`", "RFC 3339"),
        (Request { choice: Some(nan), ..question("x") }, "JSON has not", "finite"),
        (Request { context: Some(context), ..question("x") }, "activ_tool", "`active_tool`"),
    ] {
        for method in ["Route", "Answer"] {
            let reply = wired.call(method, &[], &request).await;
            assert_eq!((reply.code(), reply.messages.len()), ("3", 0), "{reply:?}");
            let told = |field: &str| reply.fields[field].to_str().unwrap().to_owned();
            let told_hint = told("waypost-hint");
            assert!(told_hint.contains(hint), "{told_hint}");
            // Its signs are percent-encoded, `%60` for a grave accent.
            let sentence = told("grpc-message").replace("%20", " ").replace("%60", "`");
            assert!(sentence.contains(says), "{sentence}");
            assert!(reply.fields.contains_key("grpc-status-details-bin"), "{reply:?}");
        }
    }
    // A stream has begun by then, and says it as well.
    let request = Request { query_type: "hlep".to_owned(), ..question("x") };
    let reply = wired.call("AnswerStream", &[], &request).await;
    assert_eq!(reply.code(), "3", "{reply:?}");
    let last = AnswerEvent::decode(reply.messages.last().unwrap().as_slice()).unwrap();
    let Some(Data::Error(fault)) = last.data else { panic!("it ends without a fault") };
    assert_eq!((fault.code.as_str(), fault.pointer.as_str()), ("INVALID_ARGUMENT", "/query_type"));
}

#[tokio::test]
async fn what_is_no_call_of_grpc_is_refused() {
    let wired = wired(Behavior::Talks).await;
    let path = format!("/{SERVICE_NAME}/Route");
    let message = question("help me with addVar").encode_to_vec();
    let two = [framed(&message), framed(&message)].concat();
    let many = json!({ "flags": vec![1; 30_000] });
    let many =
        Request { context: Some(values::of_object(many.as_object().unwrap())), ..question("x") };
    for body in [Vec::new(), message.clone(), two, framed(&many.encode_to_vec())] {
        let reply = read(wired.send(&path, &[], body).await).await;
        assert_eq!(reply.code(), "3", "{reply:?}");
    }
    let unknown = read(wired.send("/waypost.v1.Assistant/Rout", &[], framed(&message)).await).await;
    assert_eq!(unknown.code(), "12", "{unknown:?}");
    let form = [("content-type", "text/plain")];
    assert_eq!(wired.send(&path, &form, framed(&message)).await.status(), 415);
}

#[tokio::test]
async fn a_call_ends_when_its_deadline_has_passed() {
    let wired = wired(Behavior::Waits).await;
    for method in ["Answer", "AnswerStream", "Route"] {
        let reply = wired.call(method, &[("grpc-timeout", "20m")], &question("help")).await;
        assert_eq!(reply.code(), "4", "{method}: {reply:?}");
    }
}

#[tokio::test]
async fn a_call_that_its_client_gives_up_stops_its_turn() {
    let wired = wired(Behavior::Waits).await;
    let asked = question("help");
    tokio::select! {
        reply = wired.call("Answer", &[], &asked) => panic!("{reply:?}"),
        () = wired.model.entered.notified() => {}
    }
    wired.model.cancelled.notified().await;
    let path = format!("/{SERVICE_NAME}/AnswerStream");
    let response = wired.send(&path, &[], framed(&asked.encode_to_vec())).await;
    wired.model.entered.notified().await;
    drop(response);
    wired.model.cancelled.notified().await;
}

#[tokio::test]
async fn the_health_of_the_server_is_told() {
    let wired = wired(Behavior::Talks).await;
    let check = |service: &str| {
        let name = [&[0x0a, u8::try_from(service.len()).unwrap()][..], service.as_bytes()].concat();
        framed(if service.is_empty() { &[] } else { name.as_slice() })
    };
    for service in ["", SERVICE_NAME] {
        let reply = read(wired.send(super::HEALTH, &[], check(service)).await).await;
        assert_eq!((reply.code(), reply.messages[0].as_slice()), ("0", &[8, 1][..]), "{reply:?}");
    }
    let reply = read(wired.send(super::HEALTH, &[], check("x.Other")).await).await;
    assert_eq!(reply.code(), "5", "{reply:?}");
}

/// The file of the protocol, and what `cargo xtask proto` makes of it.
const PROTO: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../proto/waypost/v1/assistant.proto"));
const DESCRIPTORS: &[u8] =
    include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../proto/waypost/v1/assistant.bin"));
const RUST: &str = include_str!("generated.rs");

#[test]
fn what_is_generated_agrees_with_the_file_of_the_protocol() {
    let set = FileDescriptorSet::decode(DESCRIPTORS).unwrap();
    let file = set.file.iter().find(|file| file.package() == "waypost.v1").unwrap();
    let mut count = 0;
    for message in &file.message_type {
        let head = format!("pub struct {} {{", message.name());
        let (_, body) = RUST.split_once(&head).unwrap();
        let (body, _) = body.split_once("\n}").unwrap();
        for field in &message.field {
            count += 1;
            let (name, number) = (field.name(), field.number());
            assert!(PROTO.contains(&format!(" {name} = {number};")), "{head} {name}");
            let name = if name == "type" { "r#type" } else { name };
            let typed = format!("tag = \"{number}\")]\n    pub {name}:");
            assert!(field.oneof_index.is_some() || body.contains(&typed), "{head} {name}");
        }
    }
    let is_field = |line: &&str| {
        let number = line.strip_suffix(';').and_then(|line| line.rsplit_once(" = "));
        number.is_some_and(|(_, number)| number.parse::<u32>().is_ok())
    };
    assert_eq!(PROTO.lines().filter(is_field).count(), count, "run `cargo xtask proto`");
    let service = &file.service[0];
    assert_eq!(format!("{}.{}", file.package(), service.name()), SERVICE_NAME);
    for method in &service.method {
        let path = format!("/{SERVICE_NAME}/{}", method.name());
        assert!(PATHS.iter().any(|(known, _)| *known == path), "{path}");
        assert!(RUST.contains(&format!("\"{path}\"")), "{path}");
    }
}

#[tokio::test]
async fn a_client_without_the_file_of_the_protocol_is_told_what_there_is() {
    let wired = wired(Behavior::Talks).await;
    let asked =
        |question| ServerReflectionRequest { host: String::new(), message_request: Some(question) };
    let services = asked(MessageRequest::ListServices(String::new()));
    let file = asked(MessageRequest::FileContainingSymbol("waypost.v1.Decision".to_owned()));
    let both = [services, file].map(|question| framed(&question.encode_to_vec())).concat();
    for path in [reflection::V1, reflection::V1_ALPHA] {
        let reply = read(wired.send(path, &[], both.clone()).await).await;
        assert_eq!((reply.code(), reply.messages.len()), ("0", 2), "{reply:?}");
        let answers = reply.messages.iter().map(|message| {
            let response = ServerReflectionResponse::decode(message.as_slice()).unwrap();
            response.message_response.unwrap()
        });
        let answers: Vec<MessageResponse> = answers.collect();
        let MessageResponse::ListServicesResponse(list) = &answers[0] else {
            panic!("{:?}", answers[0])
        };
        assert!(list.service.iter().any(|service| service.name == SERVICE_NAME), "{list:?}");
        let MessageResponse::FileDescriptorResponse(files) = &answers[1] else {
            panic!("{:?}", answers[1])
        };
        let file = FileDescriptorProto::decode(files.file_descriptor_proto[0].as_slice()).unwrap();
        assert_eq!(file.service[0].method.len(), 3);
    }
    // A name that is longer than any ends the call.
    let asked = asked(MessageRequest::FileContainingSymbol("x".repeat(5_000)));
    let long = [framed(&asked.encode_to_vec()), both].concat();
    let reply = read(wired.send(reflection::V1, &[], long).await).await;
    assert!(reply.messages.is_empty(), "{reply:?}");
}
