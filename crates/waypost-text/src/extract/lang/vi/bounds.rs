//! Vietnamese words that compare numbers.

use super::super::Group;
use crate::extract::term::{Side, Term};

const ABOVE: Side = Side::Above { included: false };
const AT_LEAST: Side = Side::Above { included: true };
const BELOW: Side = Side::Below { included: false };
const AT_MOST: Side = Side::Below { included: true };

pub(super) const WORDS: &[Group] = &[
    (Term::Bound(ABOVE), &["hơn", "trên", "lớn hơn", "nhiều hơn", "cao hơn", "vượt quá", "vượt"]),
    (
        Term::Bound(AT_LEAST),
        &["ít nhất", "tối thiểu", "không dưới", "không ít hơn", "lớn hơn hoặc bằng"],
    ),
    (
        Term::Bound(BELOW),
        &[
            "dưới",
            "nhỏ hơn",
            "ít hơn",
            "kém hơn",
            "thấp hơn",
            "không tới",
            "không đến",
            "chưa đến",
            "chưa tới",
        ],
    ),
    (
        Term::Bound(AT_MOST),
        &[
            "tối đa",
            "nhiều nhất",
            "không quá",
            "không hơn",
            "không cao hơn",
            "không nhiều hơn",
            "không vượt quá",
            "nhỏ hơn hoặc bằng",
        ],
    ),
    (Term::EqualTo, &["bằng"]),
    (
        Term::BoundAfter(AT_LEAST),
        &["trở lên", "hoặc hơn", "đổ lên", "và lớn hơn", "hoặc lớn hơn", "hoặc trên"],
    ),
    (
        Term::BoundAfter(AT_MOST),
        &["trở xuống", "hoặc ít hơn", "đổ xuống", "và nhỏ hơn", "hoặc nhỏ hơn"],
    ),
    (Term::Between, &["trong khoảng"]),
    (Term::But, &["nhưng"]),
];
