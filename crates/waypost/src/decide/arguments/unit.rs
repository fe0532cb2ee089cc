//! The unit of an amount, where it is an argument of its own: "4 inches" is a radius of 4 and a unit of
//! inches.

use serde_json::json;
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::Kind;

use super::{FilledValue, Match, Wanted, scope};
use crate::pack::suggest::words_of;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let words = words_of(wanted.name);
    let [only] = &words[..] else { return None };
    let is_unit = ["unit", "units"].contains(&only.as_str());
    if !is_unit || !wanted.tool.is_free_text(wanted.name) || wanted.annotation.kind.is_some() {
        return None;
    }
    // Where the numbers say their units themselves, it is the unit of something else.
    let mut numbers = wanted.tool.arguments().filter(|name| wanted.tool.is_number(name));
    let told = |name: &str| wanted.tool.suggested(name).is_some_and(|own| own.unit.is_some());
    if numbers.any(told) {
        return None;
    }
    let values = scope::values(wanted.turn, wanted.draft).into_iter();
    let amounts = values.filter(|value| value.kind == Kind::Quantity);
    let units = amounts.map(|value| {
        let sign = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ' ' | '-');
        value.text.trim_start_matches(sign)
    });
    let mut units: Vec<&str> = units.collect();
    units.dedup();
    let [unit] = units[..] else { return None };
    let value = json!(unit);
    // The words of the amount are its number's, too.
    let fits = !unit.is_empty() && wanted.tool.accepts(wanted.name, &value);
    fits.then(|| Match::Found(FilledValue::new(value, Evidence::span(unit, By::Text))))
}
