//! The protocols of other people's clients: OpenAI's chat completions and responses, and Anthropic's messages. A request for
//! `waypost/PACK` is answered here; one for a configured model is passed on with only the tools that its conversation needs.
//!
//! A protocol is one file and one line in [`DIALECTS`].

mod chat;
mod count;
mod messages;
mod meter;
mod models;
mod proxy;
mod refusals;
mod responses;
mod threads;
mod writer;

use std::fmt::Debug;
use std::sync::{Arc, LazyLock};

use axum::Json;
use axum::Router as App;
use axum::extract::{Extension, Request as HttpRequest, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use waypost::pack::did_you_mean;
use waypost::records::answer::{Answer, Cut};
use waypost::records::request::{Request, shorten};
use waypost::tokens;
use waypost::{Code, Error};

use super::endpoints::{Asking, begin, streamed};
use super::intake::{Bounds, Received};
use super::problem::Problem;
use super::{Served, idempotency, intake, sse};
use crate::keys::Scope;
use crate::surfaces::caller::Caller;
use crate::surfaces::numbered;

pub(super) use proxy::Upstreams;
pub(super) use refusals::shaped;
pub(super) use threads::Threads;
use threads::{Point, Thread};

/// The beginning of the models' names that are packs.
const OWN: &str = "waypost";
/// The bounds of a body: a long conversation with hundreds of tools.
const BOUNDS: Bounds = Bounds { bytes: 8 * 1024 * 1024, values: 400_000 };
/// The most messages of a conversation that are read.
const MAX_MESSAGES: usize = 10_000;

/// A request of a dialect, as far as every dialect has it.
#[derive(Debug, Clone, PartialEq)]
struct Asked {
    /// The words of the user: those of the last message.
    text: String,
    /// The roles and words of the messages before it.
    before: Vec<(String, String)>,
    /// The answer that the request says it goes on from.
    previous: Option<String>,
    /// True if the answer is wanted as it comes.
    streams: bool,
    /// True if a stream is to end with a count of tokens.
    counts: bool,
    /// The tokens of the whole request, estimated.
    tokens: usize,
}

/// A piece of a stream.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    /// An event with a name.
    Named(&'static str, Value),
    /// An event without one.
    Plain(Value),
    /// The mark of the end.
    Done,
}

impl Piece {
    fn event(self) -> Event {
        match self {
            Piece::Named(name, data) => Event::default().event(name).data(data.to_string()),
            Piece::Plain(data) => Event::default().data(data.to_string()),
            Piece::Done => Event::default().data("[DONE]"),
        }
    }
}

/// The fields of an answer beside its words.
#[derive(Debug, Clone, PartialEq)]
struct Head {
    /// A number that nobody can guess, in hexadecimal.
    id: String,
    /// Seconds since 1970.
    created: i64,
    model: String,
    /// The tokens of what was asked, estimated.
    asked_tokens: usize,
    counts: bool,
    /// The answer that it goes on from, by its id.
    previous: Option<String>,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
struct Said {
    /// The words, with the choices of a question as numbered lines.
    content: String,
    /// The reason why they end before the model was done, if they do.
    cut: Option<Cut>,
    answer: Answer,
}

impl Said {
    fn of(answer: Answer) -> Self {
        Self { content: numbered::text(&answer), cut: answer.cut(), answer }
    }

    /// Its tokens, estimated.
    fn tokens(&self) -> usize {
        tokens::count(&self.content)
    }
}

/// A protocol in which models are asked.
trait Dialect: Debug + Send + Sync {
    /// The path at which it is asked, after `/v1`.
    fn path(&self) -> &'static str;
    /// Reads a request.
    fn read(&self, body: &Value) -> Result<Asked, Problem>;
    /// The request in the form of chat completions, as far as it says which tools are needed.
    fn as_chat(&self, body: &Value) -> Value;
    /// The name of a tool of a request.
    fn tool_name<'a>(&self, tool: &'a Value) -> Option<&'a str>;
    /// An answer in one piece.
    fn whole(&self, head: &Head, said: &Said) -> Value;
    /// The events with which a stream begins.
    fn begin(&self, head: &Head) -> Vec<Piece>;
    /// The event of some more words.
    fn words(&self, head: &Head, words: &str) -> Vec<Piece>;
    /// The last events of a stream.
    fn end(&self, head: &Head, said: &Said) -> Vec<Piece>;
    /// A request that was not served.
    fn refusal(&self, problem: &Problem) -> Value;
    /// The events with which a stream breaks off.
    fn broken(&self, problem: &Problem) -> Vec<Piece> {
        vec![Piece::Named("error", self.refusal(problem))]
    }
    /// The field in which the events of a stream are numbered, from 0.
    fn number(&self) -> Option<&'static str> {
        None
    }
    /// The header in which its clients look for the name of a request, beside `x-request-id`.
    fn request_id(&self) -> Option<&'static str> {
        None
    }
}

/// All protocols.
const DIALECTS: &[&dyn Dialect] = &[&chat::Chat, &responses::Responses, &messages::Messages];

/// The paths, with their methods.
pub(super) const PATHS: &[(&str, &str)] = &[
    ("/v1/chat/completions", "POST"),
    ("/v1/responses", "POST"),
    ("/v1/messages", "POST"),
    (count::PATH, "POST"),
    ("/v1/models", "GET"),
];

/// Adds the paths of all protocols.
pub(super) fn routes(app: App<Arc<Served>>) -> App<Arc<Served>> {
    let app =
        app.route("/v1/models", get(models::list)).route("/v1/models/{*name}", get(models::one));
    let app = app.route(count::PATH, post(count::count));
    DIALECTS.iter().fold(app, |app, dialect| {
        let handler =
            move |state, client, caller, request| ask(*dialect, state, client, caller, request);
        app.route(&format!("/v1{}", dialect.path()), post(handler))
    })
}

/// Returns whether a path is one of another protocol.
pub(super) fn is_one(path: &str) -> bool {
    of_path(path).is_some()
}

/// The header in which clients of a path look for the name of a request, beside `x-request-id`.
pub(super) fn request_id(path: &str) -> Option<&'static str> {
    of_path(path)?.request_id()
}

/// The protocol of a path.
fn of_path(path: &str) -> Option<&'static dyn Dialect> {
    let path = path.strip_prefix("/v1")?;
    let own = |dialect: &&&dyn Dialect| {
        path.strip_prefix(dialect.path())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let dialect = DIALECTS.iter().find(own).copied();
    dialect.or_else(|| path.starts_with("/models").then_some(&chat::Chat as &dyn Dialect))
}

async fn ask(
    dialect: &'static dyn Dialect,
    State(served): State<Arc<Served>>,
    Extension(client): Asking,
    Extension(caller): Extension<Caller>,
    request: HttpRequest,
) -> Result<Response, Problem> {
    let (headers, body) = received(&served, &client, &caller, request).await?;
    let model = model(&body)?;
    match own(model) {
        Some(pack) => {
            let asked = dialect.read(&body)?;
            let Received { record: request, ignored } = request_of(&body, &asked.text, pack)?;
            let name = idempotency::name(&headers)?;
            let once = name.map(|name| idempotency::spent_by(&caller, name));
            let asked = (asked, Request { once, ..request });
            let answer = answer(dialect, &served, client, &caller, model, asked).await?;
            Ok((ignored.within("/waypost"), answer).into_response())
        }
        None => proxy::pass_on(dialect, &served, client, &caller, &headers, body).await,
    }
}

/// A request of any protocol in the form of chat completions, with the answer to it as its last messages.
pub(crate) fn answered_chat(mut body: Value, answer: &Value) -> Value {
    let is_chat = |tool: &Value| tool["function"].is_object();
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let (dialect, field, said): (&dyn Dialect, _, _) = if !body["input"].is_null() {
        (&responses::Responses, "input", answer["output"].as_array().cloned().unwrap_or_default())
    } else if tools.iter().any(is_chat) {
        (&chat::Chat, "messages", vec![answer["choices"][0]["message"].clone()])
    } else {
        let said = json!({ "role": "assistant", "content": answer["content"] });
        (&messages::Messages, "messages", vec![said])
    };
    if let Some(text) = body[field].as_str() {
        body[field] = json!([{ "role": "user", "content": text }]);
    }
    if let Some(messages) = body.get_mut(field).and_then(Value::as_array_mut) {
        messages.extend(said.into_iter().filter(Value::is_object));
    }
    dialect.as_chat(&body)
}

/// The headers and the body of a request of a caller.
async fn received(
    served: &Served,
    client: &super::client::Client,
    caller: &Caller,
    request: HttpRequest,
) -> Result<(HeaderMap, Value), Problem> {
    static ANY: LazyLock<Value> = LazyLock::new(|| json!({}));
    caller.needs(Scope::Ask).map_err(|error| Problem::from(&error))?;
    let (head, body) = request.into_parts();
    let body: Received<Value> =
        intake::json_within(served, client, caller, &head.headers, body, &ANY, BOUNDS).await?;
    Ok((head.headers, body.record))
}

/// The name of the model that a body asks.
fn model(body: &Value) -> Result<&str, Problem> {
    body["model"].as_str().ok_or_else(|| {
        let hint = "send {\"model\": \"waypost/PACK\", …}; GET /v1/models lists them";
        at("/model", &Error::invalid("there is no `model`").with_hint(hint))
    })
}

/// The pack that a model's name means, if it means one: `waypost` is the first, `waypost/ocean` is that one.
fn own(model: &str) -> Option<Option<&str>> {
    match model.strip_prefix(OWN)? {
        "" => Some(None),
        rest => rest.strip_prefix('/').map(Some),
    }
}

/// The request that the words are, with what the client adds in `waypost`: the fields of a request of `/v1/answer`.
fn request_of(body: &Value, text: &str, pack: Option<&str>) -> Result<Received<Request>, Problem> {
    let own = &body["waypost"];
    let mut fields = match own {
        Value::Null => serde_json::Map::new(),
        Value::Object(fields) => fields.clone(),
        _ => {
            let error = Error::invalid("`waypost` is not an object")
                .with_hint("send the fields of a request of `/v1/answer` there, or leave it out");
            return Err(at("/waypost", &error));
        }
    };
    for (name, stands) in [("text", "the last message"), ("pack", "the model")] {
        if fields.contains_key(name) {
            let error = Error::invalid(format!("`waypost.{name}` is not read: {stands} says it"))
                .with_hint(format!("leave `waypost.{name}` out"));
            return Err(at(&format!("/waypost/{name}"), &error));
        }
    }
    fields.insert("text".to_owned(), json!(text));
    if let Some(pack) = pack {
        fields.insert("pack".to_owned(), json!(pack));
    }
    intake::of_value(Value::Object(fields), &intake::REQUEST)
        .map_err(|problem| problem.within("/waypost"))
}

/// Answers as the pack that was named.
async fn answer(
    dialect: &'static dyn Dialect,
    served: &Arc<Served>,
    client: Arc<super::client::Client>,
    caller: &Caller,
    model: &str,
    (asked, mut request): (Asked, Request),
) -> Result<Response, Problem> {
    let of_pack = request.pack.clone().unwrap_or_default();
    let of = (caller.key_id().unwrap_or_default().to_owned(), of_pack);
    let begins = served.threads.known(&of, &asked);
    if let (Some(id), None) = (&asked.previous, &begins) {
        let error =
            Error::new(Code::NotFound, format!("there is no response `{}`", shorten(id, 60)));
        let error = error.with_hint("responses are known until the server ends, the latest 10000; send the whole conversation");
        return Err(Problem::new(StatusCode::BAD_REQUEST, &error)
            .at(Some("/previous_response_id".to_owned())));
    }
    let salt = served.salts.next();
    let thread = match (request.session.take(), &begins) {
        (Some(named), _) => Thread::Named(named),
        (None, Some(point)) => point.thread.clone(),
        (None, None) => Thread::Own(format!("chat-{salt:016x}")),
    };
    request.session = Some(thread.name().to_owned());
    // An answer of another conversation than the one that is named is no point of this one.
    request.after = begins.filter(|point| point.thread == thread).map(|point| point.decision);
    if let Some((_, last)) = asked.before.iter().rev().find(|(role, _)| role == "assistant") {
        request.context.answer.get_or_insert_with(|| shorten(last, 4_000));
    }
    let admitted = served.for_caller(request, caller).await;
    let (mut request, router) = admitted.map_err(moved)?;
    request.salt = Some(salt);
    let head = Head {
        id: format!("{salt:016x}"),
        created: jiff::Timestamp::now().as_second(),
        model: model.to_owned(),
        asked_tokens: asked.tokens,
        counts: asked.counts,
        previous: asked.previous.clone(),
    };
    let request = Arc::new(request);
    let (turn, pieces) = begin(served, client, &router, &request)?;
    let problem = move |error: &Error| moved(intake::refused(error, &request, router.pack()));
    let threads = Arc::clone(&served.threads);
    let remember = move |head: &Head, asked: &Asked, said: &Said| {
        let point = Point { thread: thread.clone(), decision: said.answer.id.clone() };
        threads.keep(&of, asked, &head.id, &said.content, &point);
    };
    if asked.streams {
        let ended = move |head: &Head, said: &Said| remember(head, &asked, said);
        let writer = writer::Writer::new(dialect, head, ended, problem);
        return Ok(streamed(sse::events(turn, pieces, writer)));
    }
    drop(pieces);
    let said = Said::of(turn.end().await.map_err(|error| problem(&error))?);
    remember(&head, &asked, &said);
    Ok(Json(dialect.whole(&head, &said)).into_response())
}

/// A request in the form of chat completions: its messages, its tools, and the tool that it has to use.
fn chat(messages: &Value, tool: fn(&Value) -> Value, body: &Value) -> Value {
    let tools: Value = body["tools"].as_array().into_iter().flatten().map(tool).collect();
    let mut chat = json!({ "messages": messages, "tools": tools });
    if let Some(name) = body["tool_choice"]["name"].as_str() {
        chat["tool_choice"] = json!({ "type": "function", "function": { "name": name } });
    }
    chat
}

/// The problem of a request with the place that its field has here.
fn moved(problem: Problem) -> Problem {
    match problem.place() {
        Some("/pack") => problem.at(Some("/model".to_owned())),
        Some("/text") | None => problem,
        Some(_) => problem.within("/waypost"),
    }
}

/// Returns whether a field is true; one that is not there is not.
fn is_set(body: &Value, field: &str) -> Result<bool, Problem> {
    match &body[field] {
        Value::Null => Ok(false),
        Value::Bool(is_set) => Ok(*is_set),
        _ => Err(at(
            &format!("/{field}"),
            &Error::invalid(format!("`{field}` is neither true nor false"))
                .with_hint(format!("send `{field}` as true or false, or leave it out")),
        )),
    }
}

/// The problem of a field.
fn at(pointer: &str, error: &Error) -> Problem {
    Problem::from(error).at(Some(pointer.to_owned()))
}

/// The problem of a model that is not there.
fn no_model(model: &str, known: &[String]) -> Problem {
    let model = shorten(model, 80);
    let hint = did_you_mean(&model, known.iter().map(String::as_str));
    at(
        "/model",
        &Error::new(Code::NotFound, format!("there is no model `{model}`")).with_hint(hint),
    )
}

/// The words of a message: a text, or the texts of its parts.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// The roles and words of messages under `field`; the last one must be the user's.
fn conversation(
    messages: &[Value],
    field: &str,
) -> Result<(Vec<(String, String)>, String), Problem> {
    if messages.len() > MAX_MESSAGES {
        let message = format!("`{field}` has more than {MAX_MESSAGES} entries, the limit");
        let error = Error::invalid(message).with_hint("send the latest ones, or begin anew");
        return Err(at(&format!("/{field}"), &error));
    }
    let mut said: Vec<(String, String)> = messages
        .iter()
        .map(|message| {
            let role = message["role"].as_str().unwrap_or_default().to_owned();
            (role, words(&message["content"]))
        })
        .collect();
    let last = messages.len().saturating_sub(1);
    match said.pop() {
        Some((role, text)) if role == "user" && !text.trim().is_empty() => Ok((said, text)),
        Some((role, _)) if role == "user" => {
            let error = Error::invalid("the last message has no text")
                .with_hint("a pack reads words alone");
            Err(at(&format!("/{field}/{last}/content"), &error))
        }
        Some(_) => {
            let error = Error::invalid("the last message is not the user's")
                .with_hint("end with {\"role\": \"user\", \"content\": \"…\"}");
            Err(at(&format!("/{field}/{last}/role"), &error))
        }
        None => {
            let error = Error::invalid(format!("`{field}` is empty"))
                .with_hint("send [{\"role\": \"user\", \"content\": \"…\"}]");
            Err(at(&format!("/{field}"), &error))
        }
    }
}

/// The list under a field.
fn list<'a>(body: &'a Value, field: &str) -> Result<&'a [Value], Problem> {
    body[field].as_array().map(Vec::as_slice).ok_or_else(|| {
        let error = Error::invalid(format!("`{field}` is not a list"));
        at(
            &format!("/{field}"),
            &error.with_hint("send [{\"role\": \"user\", \"content\": \"…\"}]"),
        )
    })
}

/// A sentence with its hint, for protocols that have no place for one.
fn sentence(problem: &Problem) -> String {
    let record = problem.record();
    let text = |field: &str| record[field].as_str().unwrap_or_default().to_owned();
    match text("hint") {
        hint if hint.is_empty() => text("detail"),
        hint => format!("{} (hint: {hint})", text("detail")),
    }
}
