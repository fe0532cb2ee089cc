//! `GET /v1/catalog`: the packs that a caller may ask, with their routes and the tools that it may use. Those that have
//! faults and do not serve come last.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use serde_json::{Value, json};
use waypost::pack::Tool;
use waypost::pack::spec::Access;
use waypost::router::Router;

use super::Served;
use super::problem::Problem;
use super::query::Query;
use super::students::Asked;
use crate::keys::Scope;
use crate::surfaces::HostedPack;
use crate::surfaces::caller::Caller;

pub(super) async fn catalog(
    State(served): State<Arc<Served>>,
    Extension(caller): Extension<Caller>,
    Query(asked): Query<Asked>,
) -> Result<Json<Value>, Problem> {
    let told = |error: &waypost::Error| Problem::from(error);
    caller.needs(Scope::Ask).map_err(|error| told(&error))?;
    let packs: Vec<&HostedPack> = match &asked.pack {
        Some(name) => {
            vec![served.hosted.choose(Some(name), &caller).map_err(|error| told(&error))?]
        }
        None => served.hosted.seen_by(&caller).collect(),
    };
    let packs = packs.into_iter().map(|pack| record(&pack.router(), &caller));
    let faulty = served.hosted.faulty_seen_by(&caller).filter(|_| asked.pack.is_none());
    let faulty = faulty.map(|(name, fault)| of_faulty(name, &fault, &caller));
    Ok(Json(json!({ "packs": packs.chain(faulty).collect::<Vec<_>>() })))
}

/// A pack that is not in service. Its faults have lines of its files, which are for those who may mend them.
fn of_faulty(name: &str, fault: &waypost::Error, caller: &Caller) -> Value {
    let mut record = json!({ "name": name, "in_service": false });
    if caller.key_id().is_none() || caller.may(Scope::Admin) {
        record["faults"] = json!(fault.message());
        record["hint"] = json!(fault.hint());
    }
    record
}

fn record(router: &Router, caller: &Caller) -> Value {
    let pack = router.pack();
    let allowed = caller.tools();
    let may_use =
        |tool: &&Tool| allowed.as_ref().is_none_or(|tools| tools.contains(&tool.spec.name));
    let routes = pack.spec.routes.iter();
    let routes: Vec<Value> = routes
        .map(|route| json!({ "name": route.name, "handler": route.handler.name(), "summary": route.summary }))
        .collect();
    let tools: Vec<Value> =
        pack.tools.iter().filter(may_use).map(|tool| described(router, tool)).collect();
    json!({
        "name": pack.spec.name,
        "id": pack.id,
        "summary": pack.spec.summary,
        "languages": pack.spec.languages,
        "tz": pack.spec.tz,
        "routes": routes,
        "tools": tools,
    })
}

fn described(router: &Router, tool: &Tool) -> Value {
    let spec = &tool.spec;
    let access = router.access(tool);
    json!({
        "name": spec.name,
        "server": spec.server,
        "summary": spec.summary,
        "access": access,
        "needs_approval": access != Some(Access::Read),
        "requires": spec.requires.iter().map(|needed| &needed.flag).collect::<Vec<_>>(),
        "schema": spec.schema,
    })
}
