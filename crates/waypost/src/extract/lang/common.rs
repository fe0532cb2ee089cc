//! Signs and abbreviations that every language shares.

use super::{Group, Vocabulary};
use crate::extract::term::{Axis, Hemisphere, Part, Term, Tongue};

pub(super) const WORDS: Vocabulary =
    Vocabulary { tongue: Tongue::Common, words: &[NUMBERS, PLACES, TIMES] };

const NUMBERS: &[Group] = &[
    (Term::Percent, &["%", "٪", "﹪"]),
    (Term::Scale(1e3), &["k"]),
    (Term::MoneyScale(1e6), &["m", "mm", "mn"]),
    (Term::MoneyScale(1e9), &["b", "bn"]),
    (
        Term::Measure,
        &[
            "km", "m", "cm", "mm", "kg", "g", "mg", "c", "f", "h", "hr", "hrs", "min", "s", "ms",
            "kt", "kts", "kn", "hpa", "mb", "gb", "usd", "twd", "ntd",
        ],
    ),
];

const PLACES: &[Group] = &[
    (Term::Hemisphere(Hemisphere::East), &["e"]),
    (Term::Hemisphere(Hemisphere::West), &["w"]),
    (Term::Hemisphere(Hemisphere::North), &["n"]),
    (Term::Hemisphere(Hemisphere::South), &["s"]),
    (Term::Degree, &["°", "º", "˚", "deg", "degs"]),
    (Term::Axis(Axis::Longitude), &["lon", "long", "lng"]),
    (Term::Axis(Axis::Latitude), &["lat"]),
    (Term::Is, &[":", "="]),
    (Term::Box, &["bbox"]),
    (Term::Coordinates, &["@"]),
];

const TIMES: &[Group] = &[
    (Term::Part(Part::Morning), &["am", "a.m.", "a.m"]),
    (Term::Part(Part::Afternoon), &["pm", "p.m.", "p.m"]),
];
