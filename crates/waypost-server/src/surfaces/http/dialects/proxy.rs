//! Passes a request for a configured model on, with only the tools that its conversation needs, and the answer back as it
//! comes. What was left out is counted. Where the caller allows it, what a pack can answer by itself is answered here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use futures_util::stream::{StreamExt, unfold};
use serde_json::Value;
use tokio_util::sync::{CancellationToken, DropGuard};
use waypost::pack::spec::Access;
use waypost::prune::{self, Keep, Pruned};
use waypost::records::decision::Outcome;
use waypost::records::request::Request;
use waypost::{Error, Result as WaypostResult};
use waypost_backends::llm::{Forwarded, Forwarder};

use super::super::Served;
use super::super::client::Client;
use super::super::metrics::SPARED;
use super::super::problem::Problem;
use super::meter::Meter;
use super::{Dialect, answer, models, no_model, request_of};
use crate::config::Config;
use crate::surfaces::caller::Caller;
use crate::surfaces::request_log;

/// The header that says how many tools are left at least.
const X_KEEP: &str = "x-waypost-keep";
/// The header that lets Waypost answer by itself: `answer`.
const X_WAYPOST: &str = "x-waypost";
/// The header that names the pack for that.
const X_PACK: &str = "x-waypost-pack";
/// The header of an answer that says what was left out.
const X_PRUNED: HeaderName = HeaderName::from_static("x-waypost-pruned");

/// The configured models by their names. Nothing that a caller sends is an address.
#[derive(Debug, Default)]
pub(in super::super) struct Upstreams(BTreeMap<String, Arc<Forwarder>>);

impl Upstreams {
    /// The models of a configuration.
    ///
    /// # Errors
    ///
    /// As [`Forwarder::open`].
    pub(in super::super) fn of(config: &Config) -> WaypostResult<Self> {
        let mut all = BTreeMap::new();
        for file in config.models.values() {
            let forwarder = Forwarder::open(&file.client())?;
            all.entry(forwarder.model().to_owned()).or_insert_with(|| Arc::new(forwarder));
        }
        Ok(Self(all))
    }

    /// The models that a caller may use, by their names: there is no other way to them.
    pub(super) fn seen_by<'a>(
        &'a self,
        caller: &'a Caller,
    ) -> impl Iterator<Item = (&'a str, &'a Arc<Forwarder>)> {
        let all = self.0.iter().map(|(name, forwarder)| (name.as_str(), forwarder));
        all.filter(|(name, _)| caller.may_use_model(name))
    }
}

/// The names of other models that a request wants to have asked: where the first fails, or by a tool of the server.
fn others(body: &Value) -> impl Iterator<Item = &str> {
    let tools = body["tools"].as_array().into_iter().flatten().map(|tool| &tool["model"]);
    ["models", "fallbacks"].into_iter().map(|field| &body[field]).chain(tools).flat_map(texts)
}

/// All texts in a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

pub(super) async fn pass_on(
    dialect: &'static dyn Dialect,
    served: &Arc<Served>,
    client: Arc<Client>,
    caller: &Caller,
    headers: &HeaderMap,
    body: Value,
) -> Result<Response, Problem> {
    let model = body["model"].as_str().unwrap_or_default();
    // What a caller may not use is not there for it.
    let not_there = |model: &str| no_model(model, &models::names(served, caller));
    let mut seen = served.upstreams.seen_by(caller);
    let Some((_, upstream)) = seen.find(|(name, _)| *name == model) else {
        return Err(not_there(model));
    };
    if let Some(other) = others(&body).find(|other| !caller.may_use_model(other)) {
        return Err(not_there(other));
    }
    let upstream = Arc::clone(upstream);
    let (name, began) = (upstream.model().to_owned(), Instant::now());
    if let Some(response) = spared(dialect, served, &client, caller, headers, &body).await? {
        return Ok(response);
    }
    let least = headers.get(X_KEEP).and_then(|value| value.to_str().ok()?.parse().ok());
    let keep = least.map_or_else(Keep::default, |least| Keep { least, ..Keep::default() });
    let removes = !served.dry_run;
    // Hundreds of tools take some milliseconds to read.
    let pruning = tokio::task::spawn_blocking(move || within(dialect, body, &keep, removes));
    let (mut body, pruned) =
        pruning.await.map_err(|error| Problem::from(&Error::internal(error.to_string())))?;
    let meter = Meter::begin(&served.quotas, caller, &mut body)?;
    served.metrics.pruned(&[("kept", pruned.tokens_kept), ("dropped", pruned.tokens_dropped)]);
    let cancel = CancellationToken::new();
    // The request to the model ends with the client's.
    let guard = cancel.clone().drop_guard();
    let turn = served.begin_apart(caller.key_id(), move || {
        let bytes = body.to_string().into_bytes();
        async move { upstream.send(dialect.path(), bytes, &cancel).await }
    });
    let forwarded = match turn {
        Ok(turn) => {
            let forwarded = turn.end().await.map_err(|error| Problem::from(&error));
            let failed = |problem: &Problem| problem.status().as_u16();
            let status = forwarded.as_ref().map_or_else(failed, |forwarded| forwarded.status);
            request_log::passed_on(caller, &name, status, began.elapsed());
            forwarded
        }
        Err(problem) => Err(problem),
    };
    let answers = forwarded.as_ref().is_ok_and(|forwarded| forwarded.status < 400);
    let meter = match meter {
        Some(meter) if !answers => {
            meter.give_back();
            None
        }
        meter => meter,
    };
    response(forwarded?, &pruned, removes, guard, meter)
}

/// The request, and what pruning says of it; the tools that are not needed are left out if it `removes`.
fn within(dialect: &dyn Dialect, mut body: Value, keep: &Keep, removes: bool) -> (Value, Pruned) {
    let pruned = prune::tools(&dialect.as_chat(&body), keep);
    if removes
        && !pruned.dropped.is_empty()
        && let Some(tools) = body["tools"].as_array_mut()
    {
        tools.retain(|tool| {
            dialect
                .tool_name(tool)
                .is_none_or(|name| pruned.dropped.iter().all(|other| other != name))
        });
    }
    (body, pruned)
}

fn response(
    forwarded: Forwarded,
    pruned: &Pruned,
    removes: bool,
    guard: DropGuard,
    meter: Option<Meter>,
) -> Result<Response, Problem> {
    let Forwarded { status, content_type, retry_after, body } = forwarded;
    // The guard and the meter are there until the end, or until the client leaves.
    let body = unfold((body, meter, guard), |(mut body, mut meter, guard)| async move {
        let piece = body.next().await;
        match (&piece, &mut meter) {
            (Some(Ok(piece)), Some(meter)) => meter.read(piece),
            (None, Some(meter)) => meter.ended(),
            _ => {}
        }
        let piece = piece?.map_err(|error| std::io::Error::other(error.message().to_owned()));
        Some((piece, (body, meter, guard)))
    });
    let mut response = Response::new(Body::from_stream(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let headers = response.headers_mut();
    for (name, value) in [(CONTENT_TYPE, content_type), (RETRY_AFTER, retry_after)] {
        if let Some(value) = value.and_then(|value| HeaderValue::from_bytes(value.as_bytes()).ok())
        {
            headers.insert(name, value);
        }
    }
    let said = format!(
        "tools={}; tokens={}; of={}{}",
        pruned.dropped.len(),
        pruned.tokens_dropped,
        pruned.tokens_dropped + pruned.tokens_kept,
        if removes { "" } else { "; dry-run" },
    );
    let said = HeaderValue::from_str(&said)
        .map_err(|error| Problem::from(&Error::internal(error.to_string())))?;
    headers.insert(X_PRUNED, said);
    Ok(response)
}

/// The answer of a pack, where the caller allows it and the pack surely decides to call tools that only read.
async fn spared(
    dialect: &'static dyn Dialect,
    served: &Arc<Served>,
    client: &Arc<Client>,
    caller: &Caller,
    headers: &HeaderMap,
    body: &Value,
) -> Result<Option<Response>, Problem> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let wanted = text(X_WAYPOST).is_some_and(|value| value.eq_ignore_ascii_case("answer"));
    let Some(asked) = wanted.then(|| dialect.read(body).ok()).flatten() else { return Ok(None) };
    let request = request_of(body, &asked.text, text(X_PACK))?.record;
    let (looked_at, router) = served.for_caller(request.clone(), caller).await?;
    let (client_too, owner) = (Arc::clone(client), caller.key_id());
    let decided =
        served.begin(client_too, owner, Arc::clone(&router), |router, cancel| async move {
            router.route(&Request { session: None, ..looked_at }, &cancel).await
        })?;
    let Ok(decision) = decided.end().await else { return Ok(None) };
    let reads = |tool: &str| {
        let tool = router.pack().tool(tool);
        tool.is_some_and(|tool| router.access(tool) == Some(Access::Read))
    };
    let settled = decision.decision == Outcome::Run
        && !decision.calls.is_empty()
        && decision.llm_calls == 0
        && decision.calls.iter().all(|call| reads(&call.tool));
    if !settled {
        return Ok(None);
    }
    served.metrics.add(SPARED, &[]);
    let model = body["model"].as_str().unwrap_or_default();
    answer(dialect, served, Arc::clone(client), caller, model, (asked, request)).await.map(Some)
}
