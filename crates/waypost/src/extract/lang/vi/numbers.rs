//! Vietnamese number words.

use super::super::Group;
use crate::extract::term::Term;

pub(super) const WORDS: &[Group] = &[
    (Term::One, &["một"]),
    (Term::Number(2.0), &["hai"]),
    (Term::Number(3.0), &["ba"]),
    (Term::Number(4.0), &["bốn"]),
    (Term::Number(6.0), &["sáu"]),
    (Term::Number(7.0), &["bảy"]),
    (Term::Number(8.0), &["tám"]),
    (Term::Number(9.0), &["chín"]),
    (Term::Number(10.0), &["mười"]),
    (Term::Scale(1e2), &["trăm"]),
    (Term::Scale(1e3), &["nghìn", "ngàn"]),
    (Term::Scale(1e6), &["triệu"]),
    (Term::Scale(1e9), &["tỷ", "tỉ"]),
    (Term::Percent, &["phần trăm"]),
    (Term::Ordinal(1), &["thứ nhất", "đầu tiên"]),
    (Term::Ordinal(-1), &["cuối cùng"]),
];
