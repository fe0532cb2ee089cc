//! Vietnamese words that compare numbers.

use crate::extract::grammar::term::{Side, Term};
use crate::extract::lang::Group;

pub(super) const WORDS: &[Group] = &[
    (
        Term::Bound(Side::MORE_THAN),
        &["hơn", "trên", "lớn hơn", "nhiều hơn", "cao hơn", "vượt quá", "vượt"],
    ),
    (
        Term::Bound(Side::AT_LEAST),
        &["ít nhất", "tối thiểu", "không dưới", "không ít hơn", "lớn hơn hoặc bằng"],
    ),
    (
        Term::Bound(Side::LESS_THAN),
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
        Term::Bound(Side::AT_MOST),
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
        Term::BoundAfter(Side::AT_LEAST),
        &["trở lên", "hoặc hơn", "đổ lên", "và lớn hơn", "hoặc lớn hơn", "hoặc trên"],
    ),
    (
        Term::BoundAfter(Side::AT_MOST),
        &["trở xuống", "hoặc ít hơn", "đổ xuống", "và nhỏ hơn", "hoặc nhỏ hơn"],
    ),
    (Term::Between, &["trong khoảng"]),
    (Term::But, &["nhưng"]),
];
