//! The pack's default, where nothing was said.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence, Source};
use waypost_text::extract::{Kind, Role};

use super::{FilledValue, Match, Wanted, phrase};

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let by_flag = wanted.annotation.default_if.iter().find(|known| wanted.turn.flag(&known.flag));
    let default = by_flag.map(|known| &known.value).or(wanted.annotation.default.as_ref());
    let value = match default? {
        Json::String(word) if word == "today" => json!(wanted.turn.now.date().to_string()),
        // "What time is it in Atlantis" does not ask for the time here.
        Json::String(word) if word == "request_zone" && names_elsewhere(wanted) => return None,
        Json::String(word) if word == "request_zone" => json!(zone(wanted)),
        other => other.clone(),
    };
    Some(Match::Found(FilledValue::new(value, Evidence::new(Source::Default, By::Default))))
}

/// Returns whether the words name a place that no table and no example knows.
fn names_elsewhere(wanted: &Wanted<'_>) -> bool {
    let places = phrase::in_role(wanted, Role::Container);
    let is_known = |word: &str| wanted.turn.pack.knows(&word.to_lowercase());
    wanted.annotation.kind == Some(Kind::Zone) && places.iter().any(|place| !is_known(&place.words))
}

fn zone(wanted: &Wanted<'_>) -> String {
    let zone = wanted.turn.now.time_zone();
    match zone.iana_name() {
        Some(name) => name.to_owned(),
        None => wanted.turn.now.offset().to_string(),
    }
}
