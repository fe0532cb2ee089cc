//! `GET /v1/models`: what can be asked as a model, in OpenAI's shape. Packs first, then the configured models.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, State};
use serde_json::{Value, json};
use waypost::Error;

use super::super::Served;
use super::super::problem::Problem;
use super::{OWN, no_model};
use crate::surfaces::caller::Caller;

pub(super) async fn list(
    State(served): State<Arc<Served>>,
    Extension(caller): Extension<Caller>,
) -> Json<Value> {
    let data: Vec<Value> = all(&served, &caller).collect();
    Json(json!({ "object": "list", "data": data, "has_more": false }))
}

pub(super) async fn one(
    State(served): State<Arc<Served>>,
    Extension(caller): Extension<Caller>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Json<Value>, Problem> {
    let Path(name) = name.map_err(|_| {
        let hint = "GET /v1/models lists them";
        Problem::from(&Error::invalid("the name of the model is no UTF-8").with_hint(hint))
    })?;
    let found = all(&served, &caller).find(|model| model["id"] == name.as_str());
    found.map(Json).ok_or_else(|| no_model(&name, &names(&served, &caller)))
}

/// The names of all models that a caller may ask.
pub(super) fn names(served: &Served, caller: &Caller) -> Vec<String> {
    let ids = all(served, caller);
    ids.filter_map(|model| model["id"].as_str().map(str::to_owned)).collect()
}

fn all<'a>(served: &'a Served, caller: &'a Caller) -> impl Iterator<Item = Value> + 'a {
    let packs = || served.hosted.seen_by(caller);
    let first = packs().next().map(|_| (OWN.to_owned(), OWN));
    let packs = packs().map(|pack| (format!("{OWN}/{}", pack.name()), OWN));
    let upstreams =
        served.upstreams.seen_by(caller).map(|(model, _)| (model.to_owned(), "upstream"));
    let created = served.started;
    let at = jiff::Timestamp::from_second(created).unwrap_or_default().to_string();
    // The last fields are those of Anthropic's clients.
    first.into_iter().chain(packs).chain(upstreams).map(move |(id, by)| {
        json!({
            "id": id, "object": "model", "created": created, "owned_by": by,
            "type": "model", "display_name": id, "created_at": at,
        })
    })
}
