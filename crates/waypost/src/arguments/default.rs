//! The pack's default, where nothing was said.

use serde_json::{Value as Json, json};

use super::{Found, Wanted};
use crate::decision::{Evidence, Source};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Found> {
    let value = match wanted.annotation.default.as_ref()? {
        Json::String(word) if word == "today" => json!(wanted.turn.now.date().to_string()),
        Json::String(word) if word == "request_zone" => json!(zone(wanted)),
        other => other.clone(),
    };
    Some(Found { value, evidence: Evidence::new(Source::Default, "default") })
}

fn zone(wanted: &Wanted<'_>) -> String {
    let zone = wanted.turn.now.time_zone();
    match zone.iana_name() {
        Some(name) => name.to_owned(),
        None => wanted.turn.now.offset().to_string(),
    }
}
