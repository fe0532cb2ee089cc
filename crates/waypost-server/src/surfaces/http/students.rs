//! `GET /v1/students`: the student in service, and the versions that there are.
//!
//! A caller with a key needs the scope `admin`. It shows neither who promoted a version and why, nor
//! decisions and files: `waypost students` shows all of it to those who are on the machine.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use waypost::{Error, Result};
use waypost_backends::students::{Change, Listing, Registry, Version};

use super::Served;
use super::problem::{Problem, hidden};
use super::query::Query;
use crate::keys::Scope;
use crate::surfaces::caller::Caller;

/// The pack that is asked about.
#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    pub(super) pack: Option<String>,
}

/// The versions of the student, as they are shown.
///
/// A card may list a million sessions: cards are read once for each change of the versions, and by one
/// request at a time.
#[derive(Debug)]
pub(crate) struct Versions {
    registry: Registry,
    /// The record of a generation; none where a card could not be read, which may be mended.
    last: Arc<Mutex<Option<(u64, Value)>>>,
}

impl Versions {
    pub(crate) fn new(registry: Registry) -> Self {
        Self { registry, last: Arc::default() }
    }

    async fn record(&self) -> Result<Value> {
        let registry = self.registry.clone();
        // The work holds it and not the caller that waits for the work, who may leave.
        let mut last = Arc::clone(&self.last).lock_owned().await;
        let reading = tokio::task::spawn_blocking(move || {
            let generation = registry.generation()?;
            if let Some((_, known)) = last.as_ref().filter(|(of, _)| *of == generation) {
                return Ok(known.clone());
            }
            let listing = registry.list()?;
            let record = record(&listing);
            let whole = listing.unreadable.is_empty();
            *last = whole.then(|| (listing.generation, record.clone()));
            Ok(record)
        });
        reading.await.unwrap_or_else(|error| Err(Error::internal(error.to_string())))
    }
}

pub(super) async fn students(
    State(served): State<Arc<Served>>,
    Extension(caller): Extension<Caller>,
    Query(asked): Query<Asked>,
) -> std::result::Result<Json<Value>, Problem> {
    if caller.key_id().is_some() {
        caller.needs(Scope::Admin).map_err(|error| Problem::from(&error))?;
    }
    let hosted = served
        .hosted
        .choose(asked.pack.as_deref(), &caller)
        .map_err(|error| Problem::from(&error))?;
    let router = hosted.router();
    let bundle = router.bundle();
    let mut students = json!({
        "pack": router.pack().spec.name,
        "running": {
            "bundle": bundle.id(),
            "pack": router.pack().id,
            "metrics": bundle.metrics(),
            "origin": bundle.origin(),
        },
    });
    if let Some(versions) = hosted.versions() {
        let unread = "the versions of the student cannot be read";
        let record = versions.record().await;
        let record = record.map_err(|error| Problem::from(&hidden(&error, unread, "students")))?;
        if let (Value::Object(students), Value::Object(record)) = (&mut students, record) {
            students.extend(record);
        }
    }
    Ok(Json(students))
}

fn record(listing: &Listing) -> Value {
    let mut record = json!({
        "champion": listing.champion,
        "versions": listing.versions.iter().map(version).collect::<Value>(),
        "changes": listing.changes.iter().map(change).collect::<Value>(),
    });
    if !listing.unreadable.is_empty() {
        record["unreadable"] = listing.unreadable.iter().map(|it| it.number).collect();
    }
    record
}

/// Returns a version without the sessions that it learned from, and without the id of a decision:
/// whoever knows the id of a decision without a session may say that it was wrong.
fn version(version: &Version) -> Value {
    let mut record = json!(version);
    if let Some(fields) = record.as_object_mut() {
        fields.remove("sessions");
        fields.insert("promoted".to_owned(), version.promoted.iter().map(change).collect());
    }
    if let Some(trained) = record["trained"].as_object_mut() {
        trained.remove("newest");
    }
    record
}

/// Returns a change without who made it and why.
fn change(change: &Change) -> Value {
    let Change { step, version, at, forced, by: _, because: _ } = change;
    json!({ "step": step, "version": version, "at": at, "forced": forced })
}
