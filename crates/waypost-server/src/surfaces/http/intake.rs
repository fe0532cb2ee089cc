//! Reads request records: bounded in their values, and a fault names its place in the body.

use std::sync::{Arc, LazyLock};

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, Request as HttpRequest, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};
use waypost::decide::fault_of;
use waypost::pack::{Pack, nearest, plain};
use waypost::records::request::{MAX_TEXT_BYTES, Request, zone};
use waypost::{Code, Error, schema};

use super::Served;
use super::bodies::{MAX_BODY_BYTES, too_large};
use super::client::Client;
use super::ignored::Ignored;
use super::problem::Problem;
use crate::surfaces::caller::Caller;
use crate::surfaces::json::{MAX_VALUES, values};

/// The longest body that is read on the threads of the sockets, in bytes; reading a longer one takes
/// long enough to hold up others.
const QUICK_BYTES: usize = 4 * 1024;

/// The fields of a request, as a JSON Schema; made once, not for each request.
pub(super) static REQUEST: LazyLock<Value> =
    LazyLock::new(|| schemars::schema_for!(Request).to_value());

/// The largest body that is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) bytes: usize,
    pub(super) values: usize,
}

/// The bounds of a request of Waypost's own.
const OWN: Bounds = Bounds { bytes: MAX_BODY_BYTES, values: MAX_VALUES };

/// A record that was read, and the fields beside it that nothing reads.
#[derive(Debug)]
pub(super) struct Received<T> {
    pub(super) record: T,
    pub(super) ignored: Ignored,
}

/// The body of a request as JSON; `schema` names its fields.
pub(super) async fn json<T: DeserializeOwned + Send + 'static>(
    served: &Served,
    client: &Client,
    caller: &Caller,
    headers: &HeaderMap,
    body: Body,
    schema: &'static Value,
) -> Result<Received<T>, Problem> {
    json_within(served, client, caller, headers, body, schema, OWN).await
}

/// The same within other bounds.
pub(super) async fn json_within<T: DeserializeOwned + Send + 'static>(
    served: &Served,
    client: &Client,
    caller: &Caller,
    headers: &HeaderMap,
    body: Body,
    schema: &'static Value,
    bounds: Bounds,
) -> Result<Received<T>, Problem> {
    is_json(headers)?;
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if announced.and_then(|length| length.parse().ok()).is_some_and(|n: usize| n > bounds.bytes) {
        return Err(too_large(bounds.bytes));
    }
    let whole = served.bodies.read(caller.key_id(), body, bounds.bytes).await?;
    client.note_heard();
    if whole.bytes.len() <= QUICK_BYTES {
        return read(&whole.bytes, schema, bounds.values);
    }
    let reading = served.turns.beside(async move { read(&whole.bytes, schema, bounds.values) });
    reading.await.unwrap_or_else(|error| Err(Problem::from(&Error::internal(error.to_string()))))
}

/// Checks that the body is JSON: a web page may send text to any address without asking first, but
/// not JSON.
fn is_json(headers: &HeaderMap) -> Result<(), Problem> {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let error = Error::invalid("the body is not declared as JSON")
        .with_hint("send the header `Content-Type: application/json`");
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, &error))
}

fn read<T: DeserializeOwned>(
    bytes: &[u8],
    schema: &Value,
    most: usize,
) -> Result<Received<T>, Problem> {
    let hint = "send {\"text\": \"…\"}";
    // serde takes a list for a record as well.
    if bytes.trim_ascii_start().first().is_some_and(|first| *first == b'[') {
        let error = Error::invalid("the body is a list, not an object").with_hint(hint);
        return Err(Problem::from(&error).at(Some(String::new())));
    }
    if values(bytes) > most {
        return Err(too_many(most));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let record = match serde_path_to_error::deserialize(&mut reader) {
        Ok(record) => record,
        Err(error) if error.inner().is_data() => {
            let pointer = pointer(error.path());
            let unfit = Problem::from(&unfit(&pointer, error.inner())).at(Some(pointer));
            return as_meant(bytes, schema).unwrap_or(Err(unfit));
        }
        Err(error) => return Err(Problem::from(&broken(error.inner()).with_hint(hint))),
    };
    reader.end().map_err(|error| Problem::from(&broken(&error).with_hint(hint)))?;
    // If the schema names no fields, none is looked for in what may be megabytes.
    let ignored = match schema.get("properties") {
        // That it is JSON has been seen.
        Some(_) => ignored(&serde_json::from_slice(bytes).unwrap_or_default(), schema)?,
        None => Ignored::default(),
    };
    Ok(Received { record, ignored })
}

/// A record that is read once `null` counts as not given where it fits nothing else; `None` if that changes nothing.
fn as_meant<T: DeserializeOwned>(
    bytes: &[u8],
    fields: &Value,
) -> Option<Result<Received<T>, Problem>> {
    let mut value = serde_json::from_slice(bytes).ok()?;
    schema::as_meant(fields, &mut value).then(|| of_value(value, fields))
}

/// The code of JSON-RPC for what is no JSON.
const PARSE_ERROR: i32 = -32700;

/// Reads a message of JSON-RPC within its bounds before somebody else does, who knows fewer of them.
pub(super) async fn read_first(
    State(served): State<Arc<Served>>,
    Extension(client): Extension<Arc<Client>>,
    Extension(caller): Extension<Caller>,
    request: HttpRequest,
    next: Next,
) -> Result<Response, Problem> {
    if request.method() != Method::POST {
        return Ok(next.run(request).await);
    }
    let (head, body) = request.into_parts();
    let whole = served.bodies.read(caller.key_id(), body, MAX_BODY_BYTES).await?;
    client.note_heard();
    if values(&whole.bytes) > MAX_VALUES {
        return Err(too_many(MAX_VALUES));
    }
    if let Err(fault) = serde_json::from_slice::<IgnoredAny>(&whole.bytes) {
        let code = json!({ "code": PARSE_ERROR, "message": broken(&fault).message() });
        let error = Json(json!({ "jsonrpc": "2.0", "id": null, "error": code }));
        return Ok((StatusCode::BAD_REQUEST, error).into_response());
    }
    let body = Body::from(whole.bytes.clone());
    // Its room is given back when it is answered.
    let response = next.run(HttpRequest::from_parts(head, body)).await;
    drop(whole);
    Ok(response)
}

fn too_many(most: usize) -> Problem {
    let error = Error::invalid(format!("the body has more than {most} values, the limit"));
    Problem::from(&error.with_hint("send a shorter text or less context"))
}

/// A record of a value that was read already; `fields` is the schema that names its fields. One that is `null` and may not be
/// is not given.
pub(super) fn of_value<T: DeserializeOwned>(
    mut value: Value,
    fields: &Value,
) -> Result<Received<T>, Problem> {
    schema::as_meant(fields, &mut value);
    let ignored = ignored(&value, fields);
    let record = serde_path_to_error::deserialize(value).map_err(|error| {
        let pointer = pointer(error.path());
        Problem::from(&unfit(&pointer, error.inner())).at(Some(pointer))
    })?;
    Ok(Received { record, ignored: ignored? })
}

/// The fields of a body that nothing reads.
///
/// # Errors
///
/// `INVALID_ARGUMENT` for one that is named almost as a field that is read, whose meaning would be lost.
fn ignored(body: &Value, schema: &Value) -> Result<Ignored, Problem> {
    let mut ignored = Ignored::default();
    match slip(schema, &schema["properties"], body, "", &mut ignored) {
        Some(Slip { pointer, word, known }) => {
            let error = Error::invalid(format!("`{pointer}`: unknown field `{word}`"))
                .with_hint(format!("did you mean `{known}`?"));
            Err(Problem::from(&error).at(Some(pointer)))
        }
        None => Ok(ignored),
    }
}

/// A field that is named almost as another.
struct Slip {
    pointer: String,
    word: String,
    /// The name that is meant.
    known: String,
}

fn slip(
    schema: &Value,
    known: &Value,
    body: &Value,
    at: &str,
    ignored: &mut Ignored,
) -> Option<Slip> {
    let known = known.as_object()?;
    for (name, value) in body.as_object()? {
        let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        let Some(field) = known.get(name) else {
            let others = known.keys().map(String::as_str).filter(|key| body.get(*key).is_none());
            if let Some(best) = nearest(name, others) {
                return Some(Slip { pointer, word: name.clone(), known: best.to_owned() });
            }
            ignored.add(&pointer);
            continue;
        };
        let target = field.get("$ref").and_then(Value::as_str);
        let target = target.and_then(|target| schema.pointer(target.trim_start_matches('#')));
        let node = target.unwrap_or(field);
        let found = slip(schema, &node["properties"], value, &pointer, ignored);
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The error of a body that ends too early or is no JSON.
fn broken(fault: &serde_json::Error) -> Error {
    let (line, column) = (fault.line(), fault.column());
    Error::invalid(format!("the body is not JSON: line {line}, column {column}"))
}

/// The error of a value of another kind than the record wants; the names of types are not for
/// clients.
fn unfit(pointer: &str, fault: &serde_json::Error) -> Error {
    let text = fault.to_string();
    let (what, advice) = plain(text.split(" at line ").next().unwrap_or_default());
    let place = if pointer.is_empty() { "the body" } else { pointer };
    let hint = advice.as_deref().unwrap_or("`GET /openapi.json` has the fields of every request");
    Error::invalid(format!("`{place}`: {what}")).with_hint(hint)
}

/// A path as a JSON pointer.
fn pointer(path: &serde_path_to_error::Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        let part = match segment {
            serde_path_to_error::Segment::Seq { index } => index.to_string(),
            serde_path_to_error::Segment::Map { key } => key.clone(),
            serde_path_to_error::Segment::Enum { .. } | serde_path_to_error::Segment::Unknown => {
                continue;
            }
        };
        pointer.push('/');
        pointer.push_str(&part.replace('~', "~0").replace('/', "~1"));
    }
    pointer
}

/// Returns the request as this surface hands it on: as far as its caller is believed, and with an instant.
pub(super) fn admitted(mut request: Request, caller: &Caller) -> Result<Request, Problem> {
    let says = request.choice.is_some() || request.call.is_some();
    if request.text.trim().is_empty() && !says {
        let error = Error::invalid("there is no `text`").with_hint("send {\"text\": \"…\"}");
        return Err(Problem::from(&error).at(Some("/text".to_owned())));
    }
    if let Some(excess) = request.excess() {
        return Err(Problem::from(&excess.error).at(Some(excess.pointer.to_owned())));
    }
    if request.now.is_none() {
        request.now = Some(jiff::Timestamp::now().to_string());
    }
    Ok(caller.admitted(request))
}

/// A fault of a request that was read, with the place of the field that is to blame.
pub(super) fn refused(error: &Error, request: &Request, pack: &Pack) -> Problem {
    Problem::from(error).at(blamed(error, request, pack))
}

fn blamed(error: &Error, request: &Request, pack: &Pack) -> Option<String> {
    if error.code() != Code::InvalidArgument {
        return None;
    }
    match blamed_field(request, pack) {
        Some(field) => Some(field.to_owned()),
        None if request.call.is_some() => {
            let own = fault_of(pack, request).filter(|(own, _)| own.message() == error.message());
            Some(own.map_or_else(|| "/call".to_owned(), |(_, pointer)| pointer))
        }
        None => None,
    }
}

/// The field that cannot be read, apart from the call.
fn blamed_field(request: &Request, pack: &Pack) -> Option<&'static str> {
    let is_no_route = |name: &String| pack.route(name).is_none();
    if request.text.len() > MAX_TEXT_BYTES {
        Some("/text")
    } else if request.tz.as_deref().is_some_and(|tz| zone(tz).is_err()) {
        Some("/tz")
    } else if request.instant(&pack.spec.tz).is_err() {
        Some("/now")
    } else if request.route.as_ref().is_some_and(is_no_route) {
        Some("/route")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(body: &str) -> Option<Value> {
        read::<Request>(body.as_bytes(), &REQUEST, MAX_VALUES).err().map(|problem| problem.record())
    }

    #[test]
    fn a_field_that_is_named_almost_as_another_is_told() {
        for (body, pointer, best) in [
            (r#"{"text": "a", "sesion": "s"}"#, "/sesion", "session"),
            (r#"{"text": "a", "lang": "en"}"#, "/lang", "language"),
            (r#"{"txt": "a"}"#, "/txt", "text"),
            (
                r#"{"text": "a", "context": {"activ_tool": "t"}}"#,
                "/context/activ_tool",
                "active_tool",
            ),
        ] {
            let problem = told(body).expect(body);
            assert_eq!(problem["pointer"], pointer, "{problem}");
            assert_eq!(problem["hint"], format!("did you mean `{best}`?"), "{problem}");
        }
    }

    #[test]
    fn a_body_of_many_small_values_is_refused_before_it_is_read() {
        let body = |count: usize| format!(r#"{{"text": "a", "x": [{}0]}}"#, "0,".repeat(count));
        assert_eq!(told(&body(10_000)), None);
        let problem = told(&body(30_000)).unwrap();
        assert_eq!(problem["detail"], "the body has more than 20000 values, the limit");
        // What stands in a text is no value.
        let text = format!(r#"{{"text": "\\\"{}"}}"#, "[,".repeat(30_000));
        assert_eq!(told(&text), None);
    }

    #[test]
    fn null_is_as_if_not_given_in_every_field() {
        let fields = ["pack", "session", "now", "tz", "language", "trusted", "context", "choice"];
        for field in fields {
            let body = format!(r#"{{"text": "a", "{field}": null}}"#);
            let read = read::<Request>(body.as_bytes(), &REQUEST, MAX_VALUES).unwrap();
            assert_eq!(read.record, Request::new("a"), "{field}");
        }
        let body = r#"{"text": "a", "context": {"flags": null, "history": null, "options": [{"label": "x", "value": null}],
            "last_calls": [{"tool": "t", "arguments": null}], "active_arguments": null},
            "call": {"tool": "t", "arguments": null, "approved": null}}"#;
        let record = read::<Request>(body.as_bytes(), &REQUEST, MAX_VALUES).unwrap().record;
        assert_eq!(record.context.options[0].value, Value::Null, "a choice may be null");
        assert!(record.context.last_calls[0].arguments.is_empty());
        assert!(record.call.is_some_and(|call| call.arguments.is_empty()));
        let problem =
            told(r#"{"text": null, "context": {"options": [{"label": null, "value": 1}]}}"#);
        assert_eq!(problem.unwrap()["pointer"], "/context/options/0", "its label is missing");
    }

    #[test]
    fn a_field_of_the_clients_own_is_passed_over() {
        let body = r#"{"text": "a", "metadata": {"user": 1}, "context": {"flags": {"txt": true}, "mine": 1}}"#;
        let received = read::<Request>(body.as_bytes(), &REQUEST, MAX_VALUES).unwrap();
        let response = (received.ignored, ()).into_response();
        assert_eq!(response.headers()["waypost-ignored"], "/metadata, /context/mine");
    }
}
