//! Reads the data that other tools gave to compute with: series, single values, and figures with a name.

use jiff::Timestamp;
use serde_json::Value;

use super::figures::Curve;
use super::words::cut;

/// The most points of a series that count.
const MOST_POINTS: usize = 5000;

/// The most characters of a name or a unit: they stand in pictures and sentences.
const LONGEST_NAME: usize = 80;

/// A value with its name and unit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Single {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) value: f64,
}

/// The data of a call.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) curves: Vec<Curve>,
    pub(super) singles: Vec<Single>,
}

impl Given {
    /// Reads data. Words have no figure, and what has neither points nor a value is left out.
    pub(super) fn read(data: &[Value]) -> Self {
        let mut given = Self::default();
        for item in data {
            let text = |key: &str| item.get(key).and_then(Value::as_str);
            let name = cut(text("address").or(text("name")).unwrap_or("value"), LONGEST_NAME);
            let unit = cut(text("unit").unwrap_or_default(), LONGEST_NAME);
            if let Some(points) = points(item).filter(|points| !points.is_empty()) {
                given.curves.push(Curve { name, unit, points });
            } else if let Some(value) = item.get("value").and_then(Value::as_f64) {
                given.singles.push(Single { name, unit, value });
            }
        }
        given
    }

    pub(super) fn is_empty(&self) -> bool {
        self.curves.is_empty() && self.singles.is_empty()
    }

    /// The names of all that was given.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let curves = self.curves.iter().map(|curve| curve.name.as_str());
        curves.chain(self.singles.iter().map(|single| single.name.as_str()))
    }
}

/// The points of a series; one without a moment counts as a second behind the one before.
fn points(item: &Value) -> Option<Vec<(f64, f64)>> {
    let list = item.get("points")?.as_array()?;
    let point = |(index, point): (usize, &Value)| {
        let moment = point.get(0).and_then(Value::as_str)?.parse::<Timestamp>().ok();
        let second = moment.map_or(index as f64, |moment| moment.as_second() as f64);
        Some((second, point.get(1)?.as_f64()?))
    };
    Some(list.iter().take(MOST_POINTS).enumerate().filter_map(point).collect())
}
