//! Spanish words for coordinates and for what lies near a place.

use crate::extract::grammar::term::{Axis, Hemisphere, Term};
use crate::extract::lang::Group;
use crate::extract::value::Relation;

pub(super) const WORDS: &[Group] = &[
    (Term::Hemisphere(Hemisphere::East), &["este", "grados este", "al este"]),
    (Term::Hemisphere(Hemisphere::West), &["o", "oeste", "grados oeste", "al oeste"]),
    (Term::Hemisphere(Hemisphere::North), &["norte", "grados norte", "al norte"]),
    (Term::Hemisphere(Hemisphere::South), &["sur", "grados sur", "al sur"]),
    (Term::Axis(Axis::Longitude), &["longitud", "longitudes"]),
    (Term::Axis(Axis::Latitude), &["latitud", "latitudes"]),
    (Term::Degree, &["grado", "grados"]),
    (Term::Is, &["es", "de"]),
    (Term::At, &["en"]),
    (Term::Coordinates, &["coordenadas", "coordenada", "punto", "posición", "ubicación"]),
    (Term::Box, &["caja", "recuadro", "rectángulo", "cuadro delimitador"]),
    (
        Term::Before(Relation::Around),
        &[
            "cerca",
            "cerca de",
            "alrededor de",
            "alrededores de",
            "en los alrededores de",
            "en torno a",
            "junto a",
            "próximo a",
            "en la zona de",
            "en las cercanías de",
            "cercano a",
            "los alrededores de",
        ],
    ),
    (
        Term::Before(Relation::Offshore),
        &[
            "frente a",
            "frente a la costa de",
            "frente a las costas de",
            "mar adentro de",
            "costa de",
            "la costa de",
            "las costas de",
            "costas de",
            "aguas de",
            "costa afuera de",
            "frente al litoral de",
        ],
    ),
    (Term::After(Relation::Around), &["y alrededores", "y sus alrededores"]),
    (Term::After(Relation::Offshore), &["mar adentro", "costa afuera"]),
];
