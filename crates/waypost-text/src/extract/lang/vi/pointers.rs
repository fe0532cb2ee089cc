//! Vietnamese words that point back to what was said before, whatever it was.

use crate::extract::grammar::term::Term;
use crate::extract::lang::Group;

pub(super) const WORDS: &[Group] = &[(
    Term::Reference,
    &[
        "này",
        "đó",
        "nó",
        "kia",
        "ấy",
        "chúng",
        "ở trên",
        "bên trên",
        "trước đó",
        "vừa rồi",
        "vừa nãy",
        "lúc nãy",
        "lại",
        "tiếp tục",
        "như trên",
        "như vậy",
        "như thế",
        "giống vậy",
        "thế còn",
        "còn nếu",
        "còn với",
        "câu trả lời",
        "cách khác",
        "ngắn hơn",
    ],
)];
