//! Vietnamese number words.

use super::super::Group;
use crate::extract::term::Term;

pub(super) const WORDS: &[Group] = &[
    (Term::One, &["một"]),
    (Term::Number(1.0), &["một"]),
    (Term::Number(2.0), &["hai"]),
    (Term::Number(3.0), &["ba"]),
    (Term::Number(4.0), &["bốn"]),
    (Term::SoftNumber(5.0), &["năm"]),
    (Term::SoftNumber(3.0), &["vài", "một vài", "mấy"]),
    (Term::Number(8.0), &["tám"]),
    (Term::Number(9.0), &["chín"]),
    (Term::Number(10.0), &["mười"]),
    (Term::SoftNumber(100.0), &["trăm"]),
    (Term::SoftNumber(0.0), &["không"]),
    (Term::InnerNumber(0.0), &["linh", "lẻ"]),
    (Term::InnerNumber(1.0), &["mốt"]),
    (Term::InnerNumber(4.0), &["tư"]),
    (Term::InnerNumber(6.0), &["sáu"]),
    (Term::InnerNumber(7.0), &["bảy"]),
    (Term::InnerNumber(5.0), &["lăm", "nhăm"]),
    (Term::Scale(10.0), &["mươi", "chục"]),
    (Term::Scale(1e2), &["trăm"]),
    (Term::Scale(1e3), &["nghìn", "ngàn"]),
    (Term::Scale(1e6), &["triệu", "tr"]),
    (Term::Scale(1e9), &["tỷ", "tỉ"]),
    (Term::Minus, &["âm", "trừ"]),
    (Term::Point, &["phẩy", "chấm"]),
    (Term::LoneHalf, &["một nửa"]),
    (Term::Half, &["rưỡi", "nửa", "một nửa"]),
    (Term::AndHalf, &["rưỡi"]),
    (Term::Over, &["phần"]),
    (Term::Parts(2.0), &["phần hai"]),
    (Term::Parts(3.0), &["phần ba"]),
    (Term::Parts(4.0), &["phần tư"]),
    (Term::Parts(5.0), &["phần năm"]),
    (Term::Parts(6.0), &["phần sáu"]),
    (Term::Parts(7.0), &["phần bảy"]),
    (Term::Parts(8.0), &["phần tám"]),
    (Term::Parts(9.0), &["phần chín"]),
    (Term::Parts(10.0), &["phần mười"]),
    (Term::Percent, &["phần trăm"]),
    (Term::PerMille, &["phần nghìn", "phần ngàn"]),
    (Term::OrdinalMark, &["thứ", "lần thứ", "người thứ"]),
    (Term::Ordinal(1), &["thứ nhất", "đầu tiên"]),
    (Term::Ordinal(2), &["thứ nhì"]),
    (Term::Step(-1), &["trước đó", "liền trước"]),
    (Term::Step(0), &["hiện tại"]),
    (Term::Step(1), &["tiếp theo", "kế tiếp"]),
    (Term::Ordinal(-1), &["cuối cùng"]),
    (Term::Ordinal(-2), &["áp chót"]),
];

/// Without accents sáu is also "after", and bảy flies.
pub(super) const ACCENTED: &[Group] =
    &[(Term::Number(6.0), &["sáu"]), (Term::Number(7.0), &["bảy", "bẩy"])];
