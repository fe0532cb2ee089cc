//! Checks what lies outside of the program: tool servers and models.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use waypost::pack::Pack;
use waypost::pack::spec::ServerSpec;
use waypost::ports::tools::{Access, Hints, ToolDescription, ToolServer};
use waypost::schema::FlatSchema;
use waypost::{Code, Error, Result};
use waypost_backends::llm::OpenAiModel;

use super::{Finding, Findings, LIMIT, Patient};
use crate::assemble::{self, AssemblyOptions};
use crate::config::ModelFile;
use crate::{mcp_servers, quarantine};

/// The most differences that are reported.
const DIFFERENCES: usize = 5;

pub(super) fn servers(patient: Arc<Patient>) -> Findings {
    Box::pin(async move {
        let (Ok(pack), Ok(config)) = (&patient.pack, &patient.config) else { return Vec::new() };
        let each = pack.spec.servers.iter().map(|spec| async move {
            let what = format!("server {}", spec.name);
            let asked = async {
                let server = assemble::server(spec, config, &AssemblyOptions::default())?;
                let cancel = CancellationToken::new();
                let started = Instant::now();
                let protocol = server.protocol(&cancel).await?;
                let ready = started.elapsed();
                let tools = server.list(&cancel).await;
                server.stop().await;
                Ok((protocol, ready, tools?))
            };
            match asked.await {
                Ok((protocol, ready, tools)) => judge(what, pack, spec, &protocol, ready, &tools),
                Err(error) => {
                    let mut finding = Finding::fail(what, &error);
                    let details = mcp_servers::details(spec, &error);
                    finding.says.extend(details.map(|details| format!("\n{details}")));
                    finding
                }
            }
        });
        futures_util::future::join_all(each).await
    })
}

fn late() -> Error {
    Error::new(Code::DeadlineExceeded, format!("no answer within {} s", LIMIT.as_secs()))
}

fn judge(
    what: String,
    pack: &Pack,
    spec: &ServerSpec,
    protocol: &str,
    ready: Duration,
    offered: &[ToolDescription],
) -> Finding {
    let wanted: Vec<_> = pack.tools.iter().filter(|tool| tool.spec.server == spec.name).collect();
    let find = |name: &str| offered.iter().find(|tool| tool.name == name);
    let missing: Vec<&str> = wanted
        .iter()
        .map(|tool| tool.spec.remote_name())
        .filter(|name| find(name).is_none())
        .collect();
    let has = wanted.len() - missing.len();
    let says = format!(
        "starts in {} ms, MCP {protocol}, has {has} of the pack's {} tools",
        ready.as_millis(),
        wanted.len()
    );
    if !missing.is_empty() {
        let error =
            Error::new(Code::FailedPrecondition, format!("{says}; not {}", missing.join(", ")));
        return Finding::fail(
            what,
            &error.with_hint("name its tools in the pack as the server does"),
        );
    }
    let changed = quarantine::changed(pack, &spec.name, offered);
    if !changed.is_empty() {
        let names: Vec<&str> = changed.iter().map(|tool| tool.spec.name.as_str()).collect();
        let says = format!(
            "{says}; in quarantine, since it says something else of them than what was accepted: {}",
            names.join(", ")
        );
        let hint = "look at what it says now: `waypost tools accept NAME` shows and accepts it";
        return Finding::warn(what, says, hint);
    }
    let mut differences: Vec<String> = Vec::new();
    for tool in wanted {
        let Some(known) = find(tool.spec.remote_name()) else { continue };
        let own = differences_of(&tool.spec.schema, &known.input_schema);
        let own = own.into_iter().chain(effects(tool.spec.access, known.hints));
        differences.extend(own.map(|how| format!("{}: {how}", tool.spec.name)));
    }
    if differences.is_empty() {
        return Finding::ok(what, says);
    }
    let more = differences.len().saturating_sub(DIFFERENCES);
    differences.truncate(DIFFERENCES);
    if more > 0 {
        differences.push(format!("and {more} more"));
    }
    let says = format!("{says}; they differ from the pack's\n{}", differences.join("\n"));
    Finding::warn(what, says, "bring the pack's schemas and `access` up to date")
}

/// Tells where a tool does more by its server's hints than the pack says.
fn effects(said: Option<Access>, hints: Hints) -> Option<String> {
    let hinted = hints.access();
    let word = match hinted {
        Access::Read => return None,
        Access::Write => "write",
        Access::Destructive => "destructive",
    };
    match said {
        None if hints.is_empty() => {
            Some("the server does not say what it does; say its `access` in the pack".to_owned())
        }
        // A missing hint says nothing against what the pack says expressly.
        Some(said) if said >= hinted || hints.is_empty() => None,
        _ => Some(format!("by the server's hints its access is `{word}`")),
    }
}

/// Returns the differences between the arguments of two schemas, words for people left out.
fn differences_of(pack: &Json, server: &Json) -> Vec<String> {
    let (pack, server) = (FlatSchema::read(pack), FlatSchema::read(server));
    let names =
        |schema: &FlatSchema| -> BTreeSet<String> { schema.properties.keys().cloned().collect() };
    let required =
        |schema: &FlatSchema| -> BTreeSet<String> { schema.required.iter().cloned().collect() };
    let (own, theirs) = (names(&pack), names(&server));
    let mut differences = Vec::new();
    for name in own.difference(&theirs) {
        differences.push(format!("the server does not know `{name}`"));
    }
    for name in theirs.difference(&own) {
        differences.push(format!("the pack does not know `{name}`"));
    }
    // A pack may ask for more than the server needs.
    for name in required(&server).difference(&required(&pack)) {
        differences.push(format!("the server requires `{name}`"));
    }
    for name in own.intersection(&theirs) {
        let (own, theirs) = (&pack.properties[name], &server.properties[name]);
        let (types, theirs_types) = (types(own), types(theirs));
        if types.intersection(&theirs_types).next().is_none()
            && !types.is_empty()
            && !theirs_types.is_empty()
        {
            differences.push(format!("`{name}` has another type"));
            continue;
        }
        let strange = listed(own).into_iter().find(|value| {
            let theirs = listed(theirs);
            !theirs.is_empty() && !theirs.contains(value)
        });
        if let Some(value) = strange {
            differences.push(format!("the server does not know {value} of `{name}`"));
        }
    }
    differences
}

/// The types that a schema takes; none where it does not say.
fn types(schema: &Json) -> BTreeSet<&str> {
    let mut types: BTreeSet<&str> = match schema.get("type") {
        Some(Json::String(one)) => BTreeSet::from([one.as_str()]),
        Some(Json::Array(several)) => several.iter().filter_map(Json::as_str).collect(),
        _ => listed(schema).into_iter().map(kind).collect(),
    };
    if types.contains("integer") {
        types.insert("number");
    }
    types
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

/// The values that a schema lists, for the argument or the items of its list.
fn listed(schema: &Json) -> Vec<&Json> {
    let list = schema.get("enum").or_else(|| schema.get("items")?.get("enum"));
    list.and_then(Json::as_array).into_iter().flatten().collect()
}

pub(super) fn models(patient: Arc<Patient>) -> Findings {
    Box::pin(async move {
        let Ok(config) = &patient.config else { return Vec::new() };
        if config.models.is_empty() {
            let says = "none is configured: rules and the student decide alone";
            return vec![Finding::ok("models", says)];
        }
        let each = config.models.iter().map(|(slot, file)| async move {
            let what = format!("model {}", slot.name());
            timeout(LIMIT, model(file)).await.unwrap_or_else(|_| Err(late())).map_or_else(
                |error| Finding::fail(what.clone(), &error),
                |(listed, took)| said_of_model(what.clone(), file, &listed, took),
            )
        });
        futures_util::future::join_all(each).await
    })
}

async fn model(file: &ModelFile) -> Result<(Vec<String>, Duration)> {
    let model = OpenAiModel::open(&file.client())?;
    let started = Instant::now();
    let listed = model.listed(LIMIT, &CancellationToken::new()).await?;
    Ok((listed, started.elapsed()))
}

fn said_of_model(what: String, file: &ModelFile, listed: &[String], took: Duration) -> Finding {
    let name = file.model_name();
    let took = took.as_millis();
    // Ollama lists `gemma3:latest` and takes `gemma3`.
    let is_own = |known: &String| known == name || known.strip_suffix(":latest") == Some(name);
    if listed.iter().any(is_own) {
        return Finding::ok(what, format!("`{name}` is listed, {took} ms"));
    }
    let says = format!("its server answers in {took} ms and does not list `{name}`");
    let known = waypost::pack::did_you_mean(name, listed.iter().map(String::as_str));
    Finding::warn(what, says, format!("load it there, or configure another; {known}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_differ_in_what_a_call_would_notice() {
        let pack = json!({ "properties": {
            "a": { "type": "integer", "description": "ours" },
            "b": { "enum": ["x", "y"] }, "c": { "type": "string" },
        }, "required": ["a"] });
        let same = json!({ "properties": {
            "a": { "type": "number" }, "b": { "type": "string", "enum": ["x", "y", "z"] },
            "c": { "type": ["string", "null"] },
        } });
        assert_eq!(differences_of(&pack, &same), Vec::<String>::new());
        let other = json!({ "properties": {
            "a": { "type": "string" }, "b": { "enum": ["x"] }, "d": {},
        }, "required": ["d"] });
        assert_eq!(
            differences_of(&pack, &other),
            [
                "the server does not know `c`",
                "the pack does not know `d`",
                "the server requires `d`",
                "`a` has another type",
                "the server does not know \"y\" of `b`",
            ]
        );
    }

    #[test]
    fn a_tool_that_does_more_than_the_pack_says_is_told() {
        let destroys = Hints { destructive: Some(true), ..Hints::default() };
        let reads = Hints { read_only: Some(true), ..Hints::default() };
        let told = effects(Some(Access::Read), destroys).unwrap();
        assert_eq!(told, "by the server's hints its access is `destructive`");
        assert!(effects(None, Hints::default()).unwrap().contains("does not say"));
        assert_eq!(effects(Some(Access::Destructive), destroys), None);
        assert_eq!(effects(Some(Access::Read), Hints::default()), None);
        assert_eq!(effects(None, reads), None);
    }

    #[test]
    fn a_model_that_is_not_listed_is_told_with_those_that_are() {
        let file: ModelFile = toml::from_str("url = \"http://h\"\nmodel = \"gemma3\"\n").unwrap();
        let took = Duration::from_millis(5);
        let of = |listed: &[&str]| {
            let listed: Vec<String> = listed.iter().map(|name| (*name).to_owned()).collect();
            said_of_model("model main".to_owned(), &file, &listed, took)
        };
        assert_eq!(of(&["gemma3:latest"]), Finding::ok("model main", "`gemma3` is listed, 5 ms"));
        assert!(of(&["gemma"]).hint.unwrap().contains("did you mean `gemma`?"));
    }
}
