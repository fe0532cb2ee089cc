//! `POST /v1/reload`: reads packs and configuration again, and says of each pack whether it was put in service.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use axum::Json;
use axum::extract::{Extension, State};
use serde_json::{Value, json};
use waypost::Error;

use super::Served;
use super::problem::Problem;
use crate::keys::Scope;
use crate::surfaces::caller::Caller;

/// Reads packs and configuration again.
#[async_trait]
pub(crate) trait Reload: Debug + Send + Sync {
    /// Puts each pack in service that has no fault; says of each what came of it.
    async fn reload(self: Arc<Self>) -> Vec<Reloaded>;
}

/// The outcome of reading a pack again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reloaded {
    /// Its name.
    pub(crate) pack: String,
    /// The id of the pack that served before.
    pub(crate) before: String,
    /// The reason why that one goes on, if it does: all faults of the pack.
    pub(crate) refused: Option<Error>,
}

pub(super) async fn reload(
    State(served): State<Arc<Served>>,
    Extension(caller): Extension<Caller>,
) -> Result<Json<Value>, Problem> {
    caller.needs(Scope::Admin).map_err(|error| Problem::from(&error))?;
    let Some(reloader) = served.reload.clone() else {
        return Err(Problem::from(&Error::unavailable("nothing can be read again here")));
    };
    // It is finished once it has begun, whoever waits for it.
    let done = tokio::spawn(async move { reloader.reload().await }).await;
    let done = done.map_err(|error| Problem::from(&Error::internal(error.to_string())))?;
    let packs: Vec<Value> = done.iter().map(|one| record(&served, one)).collect();
    Ok(Json(json!({ "packs": packs })))
}

fn record(served: &Served, one: &Reloaded) -> Value {
    let now = served.hosted.all().iter().find(|pack| pack.name() == one.pack);
    let mut record = json!({
        "pack": one.pack,
        "before": one.before,
        "now": now.map(|pack| pack.router().pack().id.clone()),
        "taken": one.refused.is_none(),
    });
    if let Some(error) = &one.refused {
        record["faults"] = json!(error.message());
        record["hint"] = json!(error.hint());
    }
    record
}
