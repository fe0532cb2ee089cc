//! English words that compare numbers.

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
            "more than",
            "over",
            "above",
            "exceed",
            "exceeds",
            "exceeded",
            "exceeding",
            "beyond",
            "upwards of",
        ],
    ),
    (
        Term::Bound(AT_LEAST),
        &[
            "at least",
            "no less than",
            "not less than",
            "no fewer than",
            "not fewer than",
            "a minimum of",
            "minimum of",
            "no smaller than",
            "no lower than",
            "not below",
            "not under",
        ],
    ),
    (Term::Bound(BELOW), &["under", "below", "less than", "fewer than"]),
    (
        Term::Bound(AT_MOST),
        &[
            "at most",
            "up to",
            "no more than",
            "not more than",
            "no greater than",
            "no larger than",
            "no higher than",
            "not over",
            "not above",
            "not exceeding",
            "a maximum of",
            "maximum of",
        ],
    ),
    (Term::Compare(ABOVE), &["more", "greater", "larger", "higher", "bigger"]),
    (Term::Compare(BELOW), &["less", "smaller", "lower", "fewer"]),
    (Term::Than, &["than"]),
    (Term::OrEqual, &["or equal", "or equal to", "or equals", "or equals to"]),
    (Term::EqualOr, &["equal or", "equal to or", "equals or"]),
    (Term::EqualTo, &["equal to", "equals", "equals to", "equaling", "equaling to", "equalling"]),
    (
        Term::BoundAfter(AT_LEAST),
        &[
            "or more",
            "and more",
            "or more than",
            "or greater",
            "or greater than",
            "or larger",
            "or higher",
            "or above",
            "or over",
            "and above",
            "and over",
            "and up",
            "and upwards",
            "or bigger",
        ],
    ),
    (
        Term::BoundAfter(AT_MOST),
        &[
            "or less",
            "or less than",
            "or fewer",
            "or fewer than",
            "or smaller",
            "or lower",
            "or below",
            "or under",
            "and below",
            "and under",
            "and less",
        ],
    ),
    (Term::But, &["but", "yet", "while"]),
];
