//! Vietnamese words of a conversation: yes and no, pointing back, asking for a change.

use super::super::Group;
use crate::extract::term::Term;

pub(super) const WORDS: &[Group] = &[
    (Term::Yes, &["có", "vâng", "đúng", "được", "đồng ý", "ừ"]),
    (Term::No, &["không", "không phải", "đừng"]),
    (
        Term::Change,
        &[
            "còn",
            "thì sao",
            "thế còn",
            "đổi thành",
            "đổi sang",
            "nếu",
            "giống vậy nhưng",
            "nhưng",
            "và",
            "thay vào đó",
        ],
    ),
    (
        Term::Reference,
        &[
            "ở đó",
            "chỗ đó",
            "cùng chỗ",
            "cùng địa điểm",
            "khu vực này",
            "khu vực đó",
            "như trước",
            "lại",
            "lần trước",
            "công ty này",
            "công ty đó",
            "giống lúc nãy",
        ],
    ),
    (Term::All, &["cả hai", "ca hai"]),
    (
        Term::Joint,
        &["và", "với", "cùng với", "rồi", "sau đó", "va", "voi", "cung voi", "roi", "sau do"],
    ),
    (
        Term::Filler,
        &[
            "của",
            "ở",
            "tại",
            "trong",
            "vào",
            "cho",
            "ngày",
            "xin",
            "vui lòng",
            "cảm ơn",
            "nhé",
            "ạ",
            "đi",
            "là",
            "lúc",
        ],
    ),
];
