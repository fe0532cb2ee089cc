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
use crate::surfaces::PackSlot;
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
    /// The id of the pack that served before, if one did.
    pub(crate) before: Option<String>,
    /// The id of the pack that serves now, if one does.
    pub(crate) now: Option<String>,
    /// The reason why that is the one of before, or none: all faults of the pack.
    pub(crate) refused: Option<Error>,
}

impl Reloaded {
    /// The outcome that a pack serves as it does, or does not serve.
    pub(crate) fn now(slot: &PackSlot, refused: Option<Error>) -> Self {
        let now = slot.pack().map(|pack| pack.router().pack().id.clone());
        Self { pack: slot.name().to_owned(), before: now.clone(), now, refused }
    }
}

pub(super) async fn reload(
    State(served): State<Arc<Served>>,
    Extension(caller): Extension<Caller>,
) -> Result<Json<Value>, Problem> {
    caller.needs(Scope::Admin).map_err(|error| Problem::from(&error))?;
    let Some(reloader) = served.reload.clone() else {
        let error = Error::unavailable("nothing can be read again here");
        return Err(Problem::from(&error.with_hint("start the server anew to change its packs")));
    };
    // It is finished once it has begun, whoever waits for it.
    let done = tokio::spawn(async move { reloader.reload().await }).await;
    let done = done.map_err(|error| Problem::from(&Error::internal(error.to_string())))?;
    let packs: Vec<Value> = done.iter().map(record).collect();
    Ok(Json(json!({ "packs": packs })))
}

fn record(one: &Reloaded) -> Value {
    let mut record = json!({
        "pack": one.pack,
        "before": one.before,
        "now": one.now,
        "taken": one.refused.is_none(),
    });
    if let Some(error) = &one.refused {
        record["faults"] = json!(error.message());
        record["hint"] = json!(error.hint());
    }
    record
}
