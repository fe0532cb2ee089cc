//! Turns a value of one kind into the kind that a tool wants: a name into a box, a day into a
//! range. Whether something had to be bent for that is part of the answer.

use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Value as Json, json};

use super::bind::Bound;
use crate::extract::{Kind, Moment, Point, Reading, Relation};
use crate::pack::Pack;
use crate::pack::spec::{Annotation, Bias, EntrySpec, Part};

/// What kind of place a tool wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    /// One position.
    Point,
    /// An area.
    Box,
}

/// How far around a named point "near" reaches where its entry has no box, in degrees: about
/// 50 km, so that a box of the sea off a town holds many cells of a 0.01° grid.
const NEAR_DEGREES: f64 = 0.5;

/// Turns a place into what a tool wants, and says whether it fits as it is. A box across the
/// antimeridian becomes two. `None` if it cannot be.
pub(crate) fn place(
    pack: &Pack,
    bound: &Bound,
    wanted: Where,
    annotation: &Annotation,
) -> Option<(Vec<Bound>, bool)> {
    let named = matches!(bound.reading, Reading::Entity { .. });
    match wanted {
        Where::Point => {
            let (point, exact) = match &bound.reading {
                Reading::Point(point) => (*point, true),
                Reading::Entity { gazetteer, key, .. } => {
                    let [longitude, latitude] = pack.entry(gazetteer, key)?.point?;
                    // A town fits a point, but an area around it is what most tools mean by name.
                    (Point { longitude, latitude }, false)
                }
                _ => return None,
            };
            Some((vec![rebound(bound, Reading::Point(point))], exact))
        }
        Where::Box => {
            let exact = named || matches!(bound.reading, Reading::Bbox(_));
            let area = match bound.reading {
                Reading::Point(point) => around(point, annotation.around?),
                _ => area(pack, &bound.reading)?,
            };
            let boxes = split(area).into_iter();
            Some((boxes.map(|area| rebound(bound, Reading::Bbox(area))).collect(), exact))
        }
    }
}

/// The same receipt for another reading; of a name, the receipt says which entry it was.
fn rebound(bound: &Bound, reading: Reading) -> Bound {
    let mut evidence = bound.evidence.clone();
    if let Reading::Entity { gazetteer, key, .. } = &bound.reading {
        evidence.by = format!("gazetteer {gazetteer} {key}");
    }
    Bound { reading, evidence }
}

/// The box of a place.
pub(crate) fn area(pack: &Pack, reading: &Reading) -> Option<[f64; 4]> {
    match reading {
        Reading::Bbox(area) => Some(*area),
        Reading::Entity { gazetteer, key, relation } => {
            entry_area(pack.entry(gazetteer, key)?, *relation)
        }
        _ => None,
    }
}

fn entry_area(entry: &EntrySpec, relation: Relation) -> Option<[f64; 4]> {
    let near = entry
        .point
        .map(|[longitude, latitude]| around(Point { longitude, latitude }, NEAR_DEGREES));
    match relation {
        Relation::Offshore => entry.sea.or(entry.area).or(near),
        Relation::At | Relation::Around => entry.area.or(entry.sea).or(near),
    }
}

/// A box around a point, kept on the Earth and free of rounding dust.
fn around(point: Point, degrees: f64) -> [f64; 4] {
    let round = |value: f64| (value * 1e6).round() / 1e6;
    let wrap = |longitude: f64| match longitude {
        west if west < -180.0 => west + 360.0,
        east if east > 180.0 => east - 360.0,
        fine => fine,
    };
    [
        round(wrap(point.longitude - degrees)),
        round((point.latitude - degrees).max(-90.0)),
        round(wrap(point.longitude + degrees)),
        round((point.latitude + degrees).min(90.0)),
    ]
}

/// A box whose west is greater than its east crosses the antimeridian and is two boxes.
fn split([west, south, east, north]: [f64; 4]) -> Vec<[f64; 4]> {
    if west <= east {
        return vec![[west, south, east, north]];
    }
    let halves = [[west, south, 180.0, north], [-180.0, south, east, north]];
    halves.into_iter().filter(|half| half[0] < half[2]).collect()
}

/// The middle of a box, to a hundredth of a degree.
pub(crate) fn center([west, south, east, north]: [f64; 4]) -> Point {
    let round = |value: f64| (value * 100.0).round() / 100.0;
    let east = if west > east { east + 360.0 } else { east };
    let longitude = f64::midpoint(west, east);
    let longitude = if longitude > 180.0 { longitude - 360.0 } else { longitude };
    Point { longitude: round(longitude), latitude: round(f64::midpoint(south, north)) }
}

/// Whether a box holds a point.
pub(crate) fn holds([west, south, east, north]: [f64; 4], point: Point) -> bool {
    let between = if west <= east {
        (west..=east).contains(&point.longitude)
    } else {
        point.longitude >= west || point.longitude <= east
    };
    between && (south..=north).contains(&point.latitude)
}

/// Turns a time into a day or a range, and says whether it fits as it is.
pub(crate) fn time(
    bound: &Bound,
    wanted: Kind,
    bias: Option<Bias>,
    today: Date,
) -> Option<(Bound, bool)> {
    let (start, end) = match &bound.reading {
        Reading::Date(date) => (*date, *date),
        Reading::Datetime(instant) => (instant.date(), instant.date()),
        Reading::Range(start, end) => (day(start), last_day(end)?),
        _ => return None,
    };
    // Records end today: the rest of "this week" is not there yet.
    let end = if bias == Some(Bias::Past) && start <= today { end.min(today) } else { end };
    let bound = |reading| Bound { reading, evidence: bound.evidence.clone() };
    match wanted {
        Kind::Date if start == end => Some((bound(Reading::Date(start)), true)),
        Kind::Range => {
            let exact = start != end;
            let end = end.tomorrow().ok()?;
            Some((bound(Reading::Range(Moment::Date(start), Moment::Date(end))), exact))
        }
        _ => None,
    }
}

fn day(moment: &Moment) -> Date {
    match moment {
        Moment::Date(date) => *date,
        Moment::Instant(instant) => instant.date(),
    }
}

/// The last day that a half-open range holds.
fn last_day(end: &Moment) -> Option<Date> {
    match end {
        Moment::Date(date) => date.checked_sub(1.day()).ok(),
        Moment::Instant(instant) => {
            instant.checked_sub(1.nanosecond()).ok().map(|instant| instant.date())
        }
    }
}

/// The part of a reading that an argument wants, as JSON.
pub(crate) fn part(reading: &Reading, kind: Kind, part: Option<Part>) -> Option<Json> {
    match (reading, kind, part) {
        (Reading::Point(point), Kind::Point, Some(Part::Longitude)) => Some(json!(point.longitude)),
        (Reading::Point(point), Kind::Point, Some(Part::Latitude)) => Some(json!(point.latitude)),
        (Reading::Bbox(area), Kind::Bbox, None) => Some(json!(area)),
        (Reading::Date(date), Kind::Date, None) => Some(json!(date.to_string())),
        (Reading::Range(start, _), Kind::Range, Some(Part::Start)) => {
            Some(json!(day(start).to_string()))
        }
        (Reading::Range(_, end), Kind::Range, Some(Part::End)) => {
            Some(json!(last_day(end)?.to_string()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_across_the_antimeridian_is_two() {
        assert_eq!(
            split([170.0, -20.0, -170.0, -10.0]),
            [[170.0, -20.0, 180.0, -10.0], [-180.0, -20.0, -170.0, -10.0]]
        );
        assert_eq!(split([118.0, 20.0, 123.5, 26.5]), [[118.0, 20.0, 123.5, 26.5]]);
    }

    #[test]
    fn a_box_around_a_point_stays_on_the_earth() {
        let fiji = Point { longitude: 179.9, latitude: 89.9 };
        assert_eq!(around(fiji, 0.25), [179.65, 89.65, -179.85, 90.0]);
        assert_eq!(center([170.0, -20.0, -170.0, -10.0]).longitude, 180.0);
    }
}
