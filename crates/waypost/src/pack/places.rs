//! Places on the Earth: the box of a name, the name of a box.

use waypost_text::extract::{Point, Reading, Relation};

use crate::pack::Pack;
use crate::pack::spec::EntrySpec;

/// The reach of "near" around a named point whose entry has no box, in degrees: about 50 km, so
/// that a box of the sea off a town holds many cells of a 0.01° grid.
const NEAR_DEGREES: f64 = 0.5;

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
    let near = || {
        let [longitude, latitude] = entry.point?;
        Some(around(Point { longitude, latitude }, NEAR_DEGREES))
    };
    match relation {
        Relation::Offshore => entry.sea.or(entry.area).or_else(near),
        Relation::At | Relation::Around => entry.area.or(entry.sea).or_else(near),
    }
}

/// A box around a point, kept on the Earth and free of rounding dust.
pub(crate) fn around(point: Point, degrees: f64) -> [f64; 4] {
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
pub(crate) fn split([west, south, east, north]: [f64; 4]) -> Vec<[f64; 4]> {
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

/// Returns the size of a box, in square degrees.
pub(crate) fn extent([west, south, east, north]: [f64; 4]) -> f64 {
    let width = if west <= east { east - west } else { east - west + 360.0 };
    width * (north - south)
}

/// Returns whether a box holds a point.
pub(crate) fn holds([west, south, east, north]: [f64; 4], point: Point) -> bool {
    let between = if west <= east {
        (west..=east).contains(&point.longitude)
    } else {
        point.longitude >= west || point.longitude <= east
    };
    between && (south..=north).contains(&point.latitude)
}

/// The name of a point or a box, where a gazetteer has it: a call remembers numbers, people think
/// in names.
pub(crate) fn named(pack: &Pack, reading: Reading) -> Reading {
    let found = pack.entries().find_map(|(gazetteer, key, entry)| {
        let relation = match reading {
            Reading::Point(Point { longitude, latitude }) => {
                (entry.point == Some([longitude, latitude])).then_some(Relation::At)
            }
            Reading::Bbox(area) => [Relation::At, Relation::Offshore]
                .into_iter()
                .find(|relation| entry_area(entry, *relation) == Some(area)),
            _ => None,
        }?;
        Some(Reading::Entity { gazetteer: gazetteer.to_owned(), key: key.to_owned(), relation })
    });
    found.unwrap_or(reading)
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
