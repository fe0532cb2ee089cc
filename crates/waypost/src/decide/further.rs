//! Decides on a call that a model asks for while a turn is under way: the same gates hold for it as for any other, and each of
//! its values needs a receipt.
//!
//! A receipt is what the user said, an earlier call, the default, or a result of this turn. A value without one is left out, and
//! where the tool requires it, the call is refused. The model is told why, and nobody is asked: a question to the user is no
//! model's to bring about.

use serde_json::{Map, Value as Json};
use waypost_core::records::decision::{By, Call, Evidence, Source};
use waypost_core::records::request::shorten;

use super::gates::{self, Approved, Check};
use super::slots::{self, DraftCall};
use crate::pack::Tool;
use crate::pack::messages::Messages;
use crate::pack::spec::{RouteSpec, ValueWord};
use crate::understand::Turn;

/// The longest part of a value that a refusal names, in characters.
const SHOWN: usize = 40;
/// The levels of a result in which a value is looked for.
const LEVELS: usize = 8;

/// A call that a model asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wish {
    /// The tool, as the model names it.
    pub(crate) tool: String,
    /// The arguments that it proposes.
    pub(crate) arguments: Map<String, Json>,
}

/// A result of this turn, by the tool that gave it.
pub(crate) type Found<'a> = (&'a str, &'a Json);

/// A call that passed, and the arguments that were left out of it.
#[derive(Debug)]
pub(crate) struct Further {
    /// The call.
    pub(crate) approved: Approved,
    /// Arguments without a receipt, or that the tool does not have.
    pub(crate) left_out: Vec<String>,
}

/// The reason why a call may not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The pack has no such tool, or the model was not shown it.
    UnknownTool,
    /// The tool requires a value that nothing bears out.
    Ungrounded,
    /// The arguments do not fit the tool's schema.
    Invalid,
    /// A gate is closed.
    Gate(&'static str),
}

impl Refused {
    /// The name in records.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Refused::UnknownTool => "unknown_tool",
            Refused::Ungrounded => "ungrounded",
            Refused::Invalid => "invalid",
            Refused::Gate(gate) => gate,
        }
    }
}

/// Asks the gates about a call. `shown` are the tools that the model may ask for, `sure` is the confidence of the turn's
/// decision: a call that serves it is as sure.
///
/// # Errors
///
/// The reason, with words for the model.
pub(crate) fn further(
    turn: &Turn<'_>,
    (route, sure): (&RouteSpec, f64),
    shown: &[&Tool],
    wish: &Wish,
    found: &[Found<'_>],
    messages: &Messages,
) -> Result<Further, (Refused, String)> {
    let Some(tool) = shown.iter().find(|tool| tool.spec.name == wish.tool) else {
        let why = format!("there is no tool `{}`", shorten(&wish.tool, SHOWN));
        return Err((Refused::UnknownTool, why));
    };
    let (call, left_out) = grounded(turn, tool, wish, found)?;
    if let Some(fault) = tool.faults(&Json::Object(call.arguments.clone())).first() {
        return Err((Refused::Invalid, shorten(&fault.detail, 200)));
    }
    let calls = [call];
    // The model finds what the plan lacks on its way.
    let check = Check { confidence: sure, ..Check::settled(turn, route, &calls, messages) };
    match gates::check(&check) {
        Ok(approved) => Ok(Further { approved, left_out }),
        Err(closed) => {
            let gate = gates::of_reason(&closed.reason).unwrap_or("gates");
            Err((Refused::Gate(gate), format!("not without the user: {gate}")))
        }
    }
}

/// The call with the values that have receipts, and the names of those that have none.
fn grounded(
    turn: &Turn<'_>,
    tool: &Tool,
    wish: &Wish,
    found: &[Found<'_>],
) -> Result<(Call, Vec<String>), (Refused, String)> {
    let mut call =
        Call { tool: tool.spec.name.clone(), arguments: Map::new(), evidence: Default::default() };
    let mut left_out = Vec::new();
    for (name, value) in &wish.arguments {
        let known = tool.property(name).map(|_| tool.canonical(name, value));
        let receipt = known.as_ref().and_then(|value| receipt(turn, tool, name, value, found));
        match known.zip(receipt) {
            Some((value, receipt)) => {
                call.arguments.insert(name.clone(), value);
                call.evidence.insert(name.clone(), receipt);
            }
            None if tool.requires(name) => {
                let value = shorten(&value.to_string(), SHOWN);
                let why = format!(
                    "`{name}` {value} stands neither in the request nor in a result of the server `{}`",
                    tool.spec.server
                );
                return Err((Refused::Ungrounded, why));
            }
            None => left_out.push(name.clone()),
        }
    }
    for name in tool.arguments().filter(|name| tool.requires(name)) {
        if call.arguments.contains_key(name) {
            continue;
        }
        let default = tool.annotation(name).and_then(|note| note.default.as_ref());
        let default = default.map(|value| ValueWord::meant(value, &turn.now));
        let Some(default) = default.filter(|value| tool.accepts(name, value)) else {
            return Err((Refused::Invalid, format!("`{name}` is missing")));
        };
        call.arguments.insert(name.to_owned(), default);
        call.evidence.insert(name.to_owned(), Evidence::new(Source::Default, By::Default));
    }
    Ok((call, left_out))
}

/// What bears a value out: the words, an earlier call or the default as for any proposal of a model, or a result of this turn
/// that holds the same value. What one server said goes to no other: the user gave it to that one alone, and whoever
/// wrote it may want it elsewhere.
fn receipt(
    turn: &Turn<'_>,
    tool: &Tool,
    name: &str,
    value: &Json,
    found: &[Found<'_>],
) -> Option<Evidence> {
    let draft = DraftCall { tool: tool.spec.name.clone(), exact: true, ..DraftCall::default() };
    slots::receipt(turn, &draft, tool, name, value).or_else(|| {
        let is_of_server = |source: &str| {
            turn.pack.tool(source).is_some_and(|own| own.spec.server == tool.spec.server)
        };
        let mut own = found.iter().filter(|(source, _)| is_of_server(source));
        let (source, _) = own.find(|(_, result)| holds(result, value, LEVELS))?;
        Some(Evidence::new(Source::Memory, By::Result((*source).to_owned())))
    })
}

/// Returns whether a result holds a value: a text or a number as it is, every item of a list. A yes or no is held by anything,
/// and so by nothing.
fn holds(result: &Json, value: &Json, levels: usize) -> bool {
    if levels == 0 {
        return false;
    }
    if let Json::Array(items) = value {
        return !items.is_empty() && items.iter().all(|item| holds(result, item, levels));
    }
    match result {
        Json::Array(items) => items.iter().any(|item| holds(item, value, levels - 1)),
        Json::Object(fields) => fields.values().any(|item| holds(item, value, levels - 1)),
        Json::String(own) => value.as_str().is_some_and(|text| own == text && !text.is_empty()),
        Json::Number(own) => {
            value.as_f64().zip(own.as_f64()).is_some_and(|(a, b)| (a - b).abs() < f64::EPSILON)
        }
        Json::Bool(_) | Json::Null => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pack::{Files, Pack};
    use crate::understand::ingest;
    use waypost_core::records::request::{Context, Request};

    const YAML: &str = "\
name: p
summary: A test.
format: 1
languages: [en]
tz: UTC
fallback: tool
routes:
  - { name: tool, handler: tool, summary: The user wants something done. }
servers:
  - { name: mail, command: [mail] }
  - { name: web, command: [web] }
tools:
  - { name: read_mail, server: mail, summary: Reads the mail., schema: { type: object, properties: {} } }
  - name: open_link
    server: mail
    summary: Opens a link of a mail.
    schema: { type: object, required: [url], properties: { url: { type: string } } }
  - name: fetch_page
    server: web
    summary: Fetches a page.
    schema: { type: object, required: [url], properties: { url: { type: string } } }
";

    #[test]
    fn what_one_server_said_goes_to_no_other() {
        let files = [
            ("pack.yaml", YAML),
            (
                "examples.jsonl",
                "{\"text\": \"read my mail\", \"lang\": \"en\", \"route\": \"tool\"}\n",
            ),
        ];
        let files: Files = files.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        let pack = Pack::load(&files).unwrap();
        let mut request = Request::new("read my latest mail and fetch the page ok.example");
        request.now = Some("2025-11-06".to_owned());
        let turn = ingest(&pack, &request, Context::default()).unwrap();
        let result = json!({ "text": "SECRET-4711", "links": ["evil.example"] });
        let found = [("read_mail", &result)];
        let bears = |tool: &str, value: &str| {
            receipt(&turn, pack.tool(tool).unwrap(), "url", &json!(value), &found).is_some()
        };
        assert!(bears("open_link", "evil.example"));
        assert!(!bears("fetch_page", "evil.example") && !bears("fetch_page", "SECRET-4711"));
        // Neither do several of its values, and what a server said itself may go to it.
        let page = json!({ "next": "more.example" });
        let both = [("read_mail", &result), ("fetch_page", &page)];
        let to_web = |value: &Json| {
            receipt(&turn, pack.tool("fetch_page").unwrap(), "url", value, &both).is_some()
        };
        assert!(to_web(&json!("more.example")));
        for value in [json!(["evil.example"]), json!(["more.example", "SECRET-4711"])] {
            assert!(!to_web(&value), "{value}");
        }
    }

    #[test]
    fn a_result_holds_its_texts_and_numbers_and_no_yes() {
        let result = json!({ "peers": [{ "symbol": "MSFT", "weight": 3 }], "open": true });
        for (value, wanted) in [
            (json!("MSFT"), true),
            (json!(["MSFT", 3]), true),
            (json!("MSF"), false),
            (json!(4), false),
            (json!(true), false),
            (json!([]), false),
            (json!(""), false),
        ] {
            assert_eq!(holds(&result, &value, LEVELS), wanted, "{value}");
        }
    }
}
