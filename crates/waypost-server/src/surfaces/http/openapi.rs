//! `GET /openapi.json`: every path, from the types that are read and written; and a page to try them.

use std::sync::LazyLock;

use axum::Json;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use waypost::Code;
use waypost::records::answer::Answer;
use waypost::records::decision::Decision;
use waypost::records::request::Request;

use super::feedback::Word;

/// A path of the description.
struct Endpoint {
    path: &'static str,
    method: &'static str,
    /// Its purpose, in a sentence.
    says: &'static str,
    /// The name of the body's schema, where it takes one.
    takes: Option<&'static str>,
    /// The kind and the schema's name of what it gives.
    gives: (&'static str, Option<&'static str>),
    /// The parameters of its query.
    query: &'static [&'static str],
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/route",
        method: "post",
        says: "Decides only: nothing runs, and nothing is remembered.",
        takes: Some("Request"),
        gives: (JSON, Some("Decision")),
        query: &[],
    },
    Endpoint {
        path: "/v1/answer",
        method: "post",
        says: "Decides, runs and answers; as server-sent events with `Accept: text/event-stream`.",
        takes: Some("Request"),
        gives: (JSON, Some("Answer")),
        query: &[],
    },
    Endpoint {
        path: "/v1/feedback",
        method: "post",
        says: "Says whether a decision was right.",
        takes: Some("Feedback"),
        gives: (JSON, None),
        query: &[],
    },
    Endpoint {
        path: "/v1/catalog",
        method: "get",
        says: "The packs that may be asked, with their routes and tools.",
        takes: None,
        gives: (JSON, None),
        query: &["pack"],
    },
    Endpoint {
        path: "/v1/students",
        method: "get",
        says: "The student in service, and the versions that there are.",
        takes: None,
        gives: (JSON, None),
        query: &["pack"],
    },
    Endpoint {
        path: "/v1/events",
        method: "get",
        says: "The events of all turns as they happen. Needs a key with the scope `admin`.",
        takes: None,
        gives: (EVENTS, None),
        query: &["pack", "session", "decision", "type"],
    },
    Endpoint {
        path: "/v1/reload",
        method: "post",
        says: "Reads packs and configuration again. Needs a key with the scope `admin`.",
        takes: None,
        gives: (JSON, None),
        query: &[],
    },
    Endpoint {
        path: "/v1/models",
        method: "get",
        says: "What can be asked as a model, in OpenAI's shape.",
        takes: None,
        gives: (JSON, None),
        query: &[],
    },
    Endpoint {
        path: "/v1/models/{name}",
        method: "get",
        says: "One of them, by its name.",
        takes: None,
        gives: (JSON, None),
        query: &[],
    },
    Endpoint {
        path: "/v1/chat/completions",
        method: "post",
        says: "OpenAI's chat completions: of a pack (`waypost/PACK`), or passed on to a configured model.",
        takes: Some("Chat"),
        gives: (JSON, None),
        query: &[],
    },
    Endpoint {
        path: "/v1/responses",
        method: "post",
        says: "OpenAI's responses, in the same way.",
        takes: Some("Responses"),
        gives: (JSON, None),
        query: &[],
    },
    Endpoint {
        path: "/v1/messages",
        method: "post",
        says: "Anthropic's messages, in the same way.",
        takes: Some("Chat"),
        gives: (JSON, None),
        query: &[],
    },
    Endpoint {
        path: "/v1/messages/count_tokens",
        method: "post",
        says: "How many tokens such a request has, estimated.",
        takes: Some("Chat"),
        gives: (JSON, None),
        query: &[],
    },
    Endpoint {
        path: "/healthz",
        method: "get",
        says: "Whether the process works.",
        takes: None,
        gives: ("text/plain", None),
        query: &[],
    },
    Endpoint {
        path: "/readyz",
        method: "get",
        says: "Whether it takes requests and can keep what it acknowledges.",
        takes: None,
        gives: ("text/plain", None),
        query: &[],
    },
    Endpoint {
        path: "/metrics",
        method: "get",
        says: "Figures for Prometheus.",
        takes: None,
        gives: ("text/plain", None),
        query: &[],
    },
];

/// `GET /openapi.json`
pub(super) async fn description() -> Json<Value> {
    static DESCRIPTION: LazyLock<Value> = LazyLock::new(described);
    Json(DESCRIPTION.clone())
}

fn described() -> Value {
    let settings = SchemaSettings::draft2020_12();
    let settings = settings.with(|own| own.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for endpoint in ENDPOINTS {
        paths.insert(endpoint.path.to_owned(), json!({ endpoint.method: operation(endpoint) }));
    }
    add::<Request>(&mut generator);
    add::<Decision>(&mut generator);
    add::<Answer>(&mut generator);
    add::<Word>(&mut generator);
    let mut schemas = generator.take_definitions(true);
    if let Some(request) = schemas.get_mut("Request") {
        // Something has to be said, in one way or another.
        let ways = ["text", "choice", "call", "resume"];
        request["anyOf"] = ways.iter().map(|way| json!({ "required": [way] })).collect();
        request["properties"]["text"]["minLength"] = json!(1);
    }
    schemas.insert("Problem".to_owned(), problem());
    schemas.insert("Chat".to_owned(), chat());
    schemas.insert("Responses".to_owned(), responses());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Waypost",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Decides what should happen with what a user wrote, and does it.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "key": {
                "type": "http",
                "scheme": "bearer",
                "description": "A key of `waypost keys add`; needed once there is one.",
            } },
        },
        "security": [{}, { "key": [] }],
    })
}

fn add<T: JsonSchema>(generator: &mut SchemaGenerator) {
    let _ = generator.subschema_for::<T>();
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn operation(endpoint: &Endpoint) -> Value {
    let (kind, schema) = endpoint.gives;
    let schema = schema.map_or_else(
        || if kind == JSON { json!({ "type": "object" }) } else { json!({ "type": "string" }) },
        reference,
    );
    let mut content = json!({ kind: { "schema": schema } });
    if endpoint.takes.is_some() && endpoint.path != "/v1/route" && endpoint.path != "/v1/feedback" {
        content[EVENTS] = json!({});
    }
    let mut responses = json!({ "200": { "description": "As it was asked.", "content": content } });
    let own = !super::dialects::is_one(endpoint.path);
    let refusal = match own {
        true => json!({ "application/problem+json": { "schema": reference("Problem") } }),
        false => json!({ JSON: { "schema": { "type": "object", "required": ["error"] } } }),
    };
    responses["default"] = json!({ "description": "Why it was not served.", "content": refusal });
    let query = endpoint.query.iter();
    let mut parameters: Vec<Value> = query
        .map(|name| json!({ "name": name, "in": "query", "schema": { "type": "string" } }))
        .collect();
    if endpoint.path.ends_with("{name}") {
        let name = json!({ "name": "name", "in": "path", "required": true, "schema": { "type": "string" } });
        parameters.push(name);
    }
    let mut operation = json!({
        "summary": endpoint.says,
        "operationId": endpoint.path.trim_matches('/').replace(['/', '.', '{', '}'], "_"),
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(takes) = endpoint.takes {
        operation["requestBody"] =
            json!({ "required": true, "content": { JSON: { "schema": reference(takes) } } });
    }
    operation
}

fn problem() -> Value {
    let codes: Vec<&str> = Code::all().map(Code::name).collect();
    json!({
        "type": "object",
        "required": ["type", "title", "status", "detail", "code"],
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string", "description": "A sentence for people." },
            "code": { "type": "string", "enum": codes },
            "hint": { "type": "string", "description": "What to do about it." },
            "pointer": { "type": "string", "description": "The place of the fault in the body, as RFC 6901 has it." },
        },
    })
}

fn messages() -> Value {
    json!({
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "required": ["role", "content"],
            "properties": { "role": { "type": "string" }, "content": { "type": ["string", "array", "null"] } },
        },
    })
}

fn chat() -> Value {
    json!({
        "type": "object",
        "required": ["model", "messages"],
        "properties": {
            "model": { "type": "string", "description": "`waypost/PACK`, or the name of a configured model." },
            "messages": messages(),
            "stream": { "type": "boolean" },
            "tools": { "type": "array", "items": { "type": "object" } },
            "waypost": { "type": "object", "description": "The fields of a request of /v1/answer: session, tz, now, …" },
        },
    })
}

fn responses() -> Value {
    json!({
        "type": "object",
        "required": ["model", "input"],
        "properties": {
            "model": { "type": "string" },
            "input": { "oneOf": [{ "type": "string", "minLength": 1 }, messages()] },
            "previous_response_id": { "type": ["string", "null"] },
            "stream": { "type": "boolean" },
            "tools": { "type": "array", "items": { "type": "object" } },
            "waypost": { "type": "object" },
        },
    })
}

/// `GET /`: a page to try it.
pub(super) async fn page() -> Response {
    const PAGE: &str = include_str!("page.html");
    static POLICY: LazyLock<Option<HeaderValue>> = LazyLock::new(|| {
        let hash = |tag: &str| {
            let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
            let inside = PAGE.split_once(&open).and_then(|(_, rest)| rest.split_once(&close));
            STANDARD.encode(Sha256::digest(inside.map(|(inside, _)| inside).unwrap_or_default()))
        };
        HeaderValue::from_str(&format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            hash("script"),
            hash("style"),
        ))
        .ok()
    });
    let mut response = (StatusCode::OK, PAGE).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    if let Some(policy) = POLICY.clone() {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_described_and_every_reference_leads_somewhere() {
        let description = described();
        // gRPC is described by its own file.
        let own = super::super::paths()
            .filter(|(path, _)| !path.contains('.') || path.ends_with(".json"));
        for (path, method) in own {
            let open = ["/", "/openapi.json", "/mcp"];
            let known = description["paths"][path][method.to_lowercase()].is_object();
            assert!(known || open.contains(&path), "{method} {path}");
        }
        let text = description.to_string();
        for (_, after) in text
            .match_indices("\"$ref\":\"#/components/schemas/")
            .map(|(at, found)| (at, &text[at + found.len()..]))
        {
            let name = after.split('"').next().unwrap();
            assert!(description["components"]["schemas"][name].is_object(), "{name}");
        }
    }
}
