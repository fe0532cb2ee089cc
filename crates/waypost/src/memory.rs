//! What an earlier call was about, read back from its arguments, and what a word such as "there"
//! stands for.

use jiff::civil::Date;
use serde_json::Value as Json;

use crate::extract::{self, Kind, Moment, Point, Reading, Value};
use crate::language::Language;
use crate::pack::Pack;
use crate::pack::spec::Part;
use crate::place;
use crate::request::PastCall;
use crate::text::Text;

/// The rule of a value that a word of reference stands for.
pub const REFERENCE: &str = "reference";

/// The place and the time that a call was about.
pub fn recalled(pack: &Pack, past: &PastCall) -> Vec<Reading> {
    let Some(tool) = pack.tool(&past.tool) else { return Vec::new() };
    let part = |kind: Kind, part: Option<Part>| {
        tool.spec
            .arguments
            .iter()
            .find(|(_, annotation)| annotation.kind == Some(kind) && annotation.part == part)
            .and_then(|(name, _)| past.arguments.get(name))
    };
    let number = |kind, of| part(kind, of).and_then(Json::as_f64);
    let day = |kind, of| -> Option<Date> { part(kind, of)?.as_str()?.parse().ok() };
    let mut readings = Vec::new();
    if let (Some(longitude), Some(latitude)) =
        (number(Kind::Point, Some(Part::Longitude)), number(Kind::Point, Some(Part::Latitude)))
    {
        readings.push(place::named(pack, Reading::Point(Point { longitude, latitude })));
    }
    if let Some(area) = part(Kind::Bbox, None).and_then(four) {
        readings.push(place::named(pack, Reading::Bbox(area)));
    }
    if let Some(date) = day(Kind::Date, None) {
        readings.push(Reading::Date(date));
    }
    if let (Some(start), Some(end)) =
        (day(Kind::Range, Some(Part::Start)), day(Kind::Range, Some(Part::End)))
        && let Ok(end) = end.tomorrow()
    {
        readings.push(Reading::Range(Moment::Date(start), Moment::Date(end)));
    }
    readings
}

/// A box, where a value is one.
pub(crate) fn four(value: &Json) -> Option<[f64; 4]> {
    let numbers: Vec<f64> = value.as_array()?.iter().filter_map(Json::as_f64).collect();
    numbers.try_into().ok()
}

/// The value that a word of reference stands for: the place of the last call, where the words name
/// none themselves. This is all that a conversation adds to what is classified.
pub(crate) fn referred(
    pack: &Pack,
    text: &Text,
    values: &[Value],
    language: Language,
    past: Option<&PastCall>,
) -> Option<Value> {
    let is_place = |reading: &Reading| {
        matches!(reading, Reading::Point(_) | Reading::Bbox(_) | Reading::Entity { .. })
    };
    if values.iter().any(|value| is_place(&value.reading)) {
        return None;
    }
    let span = *extract::references(text, values, language).first()?;
    let reading = recalled(pack, past?).into_iter().find(is_place)?;
    let kind = match reading {
        Reading::Point(_) => Kind::Point,
        Reading::Bbox(_) => Kind::Bbox,
        _ => Kind::Entity,
    };
    let words = text.slice(span).to_owned();
    Some(Value { kind, span, text: words, rule: REFERENCE, reading, alternatives: Vec::new() })
}
