//! Decides when a reading is a range of numbers that a corpus expects.
//!
//! The canonical form is read: an object of a `start` and an `end`, or a `low` and a `high`, each a
//! number, a quantity, an amount of money, or nothing where it is open. Whether an end is included
//! does not count: the corpora differ on it, and half of the words that people use leave it open.

use serde_json::Value as Json;

use crate::expected::close;

/// A number and the unit that stands with it.
type End<'a> = (f64, Option<&'a str>);

/// Returns whether the canonical form of a reading is the range from `low` to `high` in one of
/// `units`; without units, of plain numbers.
pub(crate) fn is(
    low: Option<f64>,
    high: Option<f64>,
    units: &[(String, f64)],
    found: &Json,
) -> bool {
    let (Some(start), Some(end)) =
        (end_of(found, ["start", "low"]), end_of(found, ["end", "high"]))
    else {
        return false;
    };
    let unit = unit_of(found);
    let same = |wanted: Option<f64>, found: Option<End<'_>>, factor: f64| match (wanted, found) {
        (None, None) => true,
        (Some(wanted), Some((found, _))) => close(wanted * factor, found),
        _ => false,
    };
    let own = [start, end].into_iter().flatten().find_map(|end| end.1).or(unit);
    match own {
        None => units.is_empty() && same(low, start, 1.0) && same(high, end, 1.0),
        Some(own) => units.iter().any(|(code, factor)| {
            code == own && same(low, start, *factor) && same(high, end, *factor)
        }),
    }
}

/// The end under one of `keys`: `None` where it is no number at all, `Some(None)` where it is open.
fn end_of<'a>(found: &'a Json, keys: [&str; 2]) -> Option<Option<End<'a>>> {
    let found = found.as_object()?;
    match keys.iter().find_map(|key| found.get(*key)) {
        None | Some(Json::Null) => Some(None),
        Some(Json::Number(number)) => Some(Some((number.as_f64()?, None))),
        Some(end) => Some(Some((end.get("value")?.as_f64()?, unit_of(end)))),
    }
}

fn unit_of(found: &Json) -> Option<&str> {
    found.get("unit").or_else(|| found.get("currency"))?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ends_and_units_are_compared() {
        let metres = [("m".to_owned(), 1.0)];
        assert!(is(Some(3.0), Some(5.0), &[], &json!({"start": 3, "end": 5})));
        assert!(!is(Some(3.0), Some(5.0), &[], &json!({"start": 3, "end": null})));
        assert!(is(Some(3.0), None, &[], &json!({"start": 3, "end": null})));
        assert!(is(Some(3.0), Some(5.0), &metres, &json!({"start": 3, "end": 5, "unit": "m"})));
        let each = json!({"start": {"value": 3, "unit": "m"}, "end": {"value": 5, "unit": "m"}});
        assert!(is(Some(3.0), Some(5.0), &metres, &each));
        assert!(!is(Some(3.0), Some(5.0), &metres, &json!({"start": 3, "end": 5})));
        // A range of days is not a range of numbers.
        assert!(!is(None, None, &[], &json!({"start": "2020-01-01", "end": null})));
    }
}
