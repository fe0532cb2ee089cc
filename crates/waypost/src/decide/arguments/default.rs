//! The pack's default, where nothing was said.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence, Source};

use super::{FilledValue, Match, Wanted};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let by_flag = wanted.annotation.default_if.iter().find(|known| wanted.turn.flag(&known.flag));
    let default = by_flag.map(|known| &known.value).or(wanted.annotation.default.as_ref());
    let value = match default? {
        Json::String(word) if word == "today" => json!(wanted.turn.now.date().to_string()),
        Json::String(word) if word == "request_zone" => json!(zone(wanted)),
        other => other.clone(),
    };
    Some(Match::Found(FilledValue::new(value, Evidence::new(Source::Default, By::Default))))
}

fn zone(wanted: &Wanted<'_>) -> String {
    let zone = wanted.turn.now.time_zone();
    match zone.iana_name() {
        Some(name) => name.to_owned(),
        None => wanted.turn.now.offset().to_string(),
    }
}
