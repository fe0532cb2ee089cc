//! English words for coordinates and for what lies near a place.

use crate::extract::grammar::term::{Axis, Hemisphere, Term};
use crate::extract::lang::Group;
use crate::extract::value::Relation;

pub(super) const WORDS: &[Group] = &[
    (Term::Hemisphere(Hemisphere::East), &["east", "degrees east", "deg east"]),
    (Term::Hemisphere(Hemisphere::West), &["west", "degrees west", "deg west"]),
    (Term::Hemisphere(Hemisphere::North), &["north", "degrees north", "deg north"]),
    (Term::Hemisphere(Hemisphere::South), &["south", "degrees south", "deg south"]),
    (Term::Axis(Axis::Longitude), &["longitude", "longitudes"]),
    (Term::Axis(Axis::Latitude), &["latitude", "latitudes"]),
    (Term::Degree, &["degree", "degrees"]),
    (Term::Is, &["is", "of"]),
    (Term::At, &["at"]),
    (
        Term::Coordinates,
        &["coordinates", "coordinate", "coords", "point", "position", "location", "lon lat"],
    ),
    (Term::Box, &["bounding box", "box", "rectangle"]),
    (
        Term::Before(Relation::Around),
        &[
            "near",
            "around",
            "close to",
            "next to",
            "nearby",
            "in the vicinity of",
            "surrounding",
            "in the area of",
            "in the area around",
            "in the waters around",
            "waters around",
        ],
    ),
    (
        Term::Before(Relation::Offshore),
        &[
            "off",
            "off of",
            "offshore",
            "offshore of",
            "offshore from",
            "off the coast of",
            "coast of",
            "the coast of",
            "off the shore of",
            "in the sea off",
            "sea off",
            "waters off",
            "off the coast near",
        ],
    ),
    (Term::After(Relation::Around), &["area", "region", "surroundings", "vicinity"]),
    (Term::After(Relation::Offshore), &["offshore", "coast", "coastal waters", "waters"]),
];
