//! Spanish words that compare numbers.

use super::super::Group;
use crate::extract::term::{Side, Term};

const ABOVE: Side = Side::Above { included: false };
const AT_LEAST: Side = Side::Above { included: true };
const BELOW: Side = Side::Below { included: false };
const AT_MOST: Side = Side::Below { included: true };

pub(super) const WORDS: &[Group] = &[
    (
        Term::Bound(ABOVE),
        &[
            "más de",
            "más que",
            "por encima de",
            "encima de",
            "excede",
            "exceden",
            "supera",
            "superan",
            "arriba de",
        ],
    ),
    (
        Term::Bound(AT_LEAST),
        &[
            "al menos",
            "por lo menos",
            "como mínimo",
            "mínimo",
            "un mínimo de",
            "no menos de",
            "no menos que",
            "no menor que",
            "no menor de",
            "no menor a",
            "no inferior a",
        ],
    ),
    (Term::Bound(BELOW), &["menos de", "menos que", "por debajo de", "debajo de"]),
    (
        Term::Bound(AT_MOST),
        &[
            "como máximo",
            "máximo",
            "un máximo de",
            "a lo sumo",
            "a lo más",
            "no más de",
            "no más que",
            "no mayor que",
            "no mayor de",
            "no mayor a",
            "no superior a",
            "hasta",
        ],
    ),
    (
        Term::Compare(ABOVE),
        &[
            "mayor",
            "mayores",
            "más alto",
            "más alta",
            "más altos",
            "más altas",
            "superior",
            "superiores",
            "más grande",
            "más grandes",
            "más",
        ],
    ),
    (
        Term::Compare(BELOW),
        &[
            "menor",
            "menores",
            "más bajo",
            "más baja",
            "más bajos",
            "más bajas",
            "inferior",
            "inferiores",
            "más pequeño",
            "más pequeña",
            "más pequeños",
            "más pequeñas",
            "menos",
        ],
    ),
    (Term::Than, &["que", "a", "al", "de", "del", "que el", "que la", "a la"]),
    (
        Term::OrEqual,
        &["o igual", "o iguales", "o igual a", "o iguales a", "o igual que", "o iguales que"],
    ),
    (Term::EqualOr, &["igual o", "igual a o", "igual que o", "iguales o"]),
    (Term::EqualTo, &["igual a", "iguales a", "igual que", "equivale a", "equivalen a"]),
    (
        Term::BoundAfter(AT_LEAST),
        &[
            "o más",
            "o más de",
            "y más",
            "o mayor",
            "o mayores",
            "o superior",
            "o superiores",
            "en adelante",
            "al menos",
            "por lo menos",
            "como mínimo",
            "para arriba",
            "hacia arriba",
            "y mayores",
            "y superiores",
        ],
    ),
    (
        Term::BoundAfter(AT_MOST),
        &[
            "o menos",
            "o menor",
            "o menores",
            "o inferior",
            "o inferiores",
            "como máximo",
            "a lo sumo",
            "para abajo",
            "hacia abajo",
            "y menos",
            "y menores",
        ],
    ),
    (Term::But, &["pero", "e", "mas"]),
];
