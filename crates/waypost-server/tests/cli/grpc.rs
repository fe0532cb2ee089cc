//! A client of gRPC that does no more than a test needs: one call over a connection of its own.

use std::net::SocketAddr;

use axum::body::Bytes;
use axum::http::{HeaderMap, Request as HttpRequest};
use prost::Message;
use prost_types::value::Kind;
use prost_types::{Struct, Value};
use serde_json::{Value as Json, json};
use tokio::net::TcpStream;

/// The fields of a request that are set here.
#[derive(Clone, PartialEq, Message)]
struct Request {
    #[prost(string, tag = "1")]
    text: String,
    #[prost(string, tag = "3")]
    pack: String,
    #[prost(string, tag = "4")]
    tz: String,
    #[prost(string, tag = "5")]
    now: String,
}

/// The one field of a decision that is read here.
#[derive(Clone, PartialEq, Message)]
struct Decision {
    #[prost(message, optional, tag = "15")]
    record: Option<Struct>,
}

/// The record that `Route` decides for a request.
pub(crate) fn route(address: SocketAddr, request: &Json) -> Json {
    let field = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
    let request =
        Request { text: field("text"), pack: field("pack"), tz: field("tz"), now: field("now") };
    let decision: Decision = call(address, "/waypost.v1.Assistant/Route", &request);
    object(decision.record.expect("the record"))
}

/// The one message that a method answers with.
pub(crate) fn call<A: Message + Default>(
    address: SocketAddr,
    path: &str,
    message: &impl Message,
) -> A {
    let request = HttpRequest::post(format!("http://{address}{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(())
        .unwrap();
    let body = framed(0, &message.encode_to_vec());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let Ended { fields, body } = runtime.block_on(exchange(address, request, body));
    assert!(fields.get("grpc-status").is_some_and(|status| status == "0"), "{fields:?}");
    let (prefix, message) = body.split_at_checked(PREFIX_BYTES).expect("a message");
    assert_eq!(prefix[0], 0, "it is not compressed");
    A::decode(message).unwrap()
}

/// The bytes before a message.
const PREFIX_BYTES: usize = 5;

/// A message with its prefix.
pub(crate) fn framed(flag: u8, message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[flag][..], &length[..], message].concat()
}

/// The end of a call.
pub(crate) struct Ended {
    /// The headers and the trailers.
    pub(crate) fields: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// Makes a call on a connection of its own, whatever it sends.
pub(crate) async fn exchange(
    address: SocketAddr,
    request: HttpRequest<()>,
    body: Vec<u8>,
) -> Ended {
    let stream = TcpStream::connect(address).await.unwrap();
    let (client, connection) = h2::client::handshake(stream).await.unwrap();
    // It ends with the runtime.
    tokio::spawn(connection);
    let mut client = client.ready().await.unwrap();
    let (response, mut sending) = client.send_request(request, false).unwrap();
    // A call that is refused by its head may have ended by now.
    let _ = sending.send_data(Bytes::from(body), true);
    let (head, mut receiving) = response.await.unwrap().into_parts();
    let (mut fields, mut body) = (head.headers, Vec::new());
    // A refusal is all head. What was not read of its call is given up, which is no fault.
    if !fields.contains_key("grpc-status") {
        while let Some(data) = receiving.data().await {
            let data = data.unwrap();
            receiving.flow_control().release_capacity(data.len()).unwrap();
            body.extend_from_slice(&data);
        }
        fields.extend(receiving.trailers().await.unwrap().expect("trailers"));
    }
    Ended { fields, body }
}

fn object(fields: Struct) -> Json {
    let fields = fields.fields.into_iter().map(|(name, value)| (name, json_of(value)));
    Json::Object(fields.collect())
}

fn json_of(value: Value) -> Json {
    match value.kind {
        None | Some(Kind::NullValue(_)) => Json::Null,
        Some(Kind::BoolValue(is)) => json!(is),
        Some(Kind::NumberValue(number)) => json!(number),
        Some(Kind::StringValue(text)) => json!(text),
        Some(Kind::ListValue(list)) => list.values.into_iter().map(json_of).collect(),
        Some(Kind::StructValue(fields)) => object(fields),
    }
}
