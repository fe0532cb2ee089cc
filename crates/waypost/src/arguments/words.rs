//! The senses of the words around a value: it is within something, comes from it, is called so.

/// The sense that a word gives to its neighbor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// It opens or closes the text.
    Edge,
    /// A mark, each of its own.
    Mark(char),
    Within,
    From,
    Toward,
    Called,
    Says,
    About,
    By,
    For,
    Article,
    And,
    Is,
    Politely,
    /// Any other word in Chinese characters, with digits, or of letters.
    Han,
    Digits,
    Letters,
}

/// The words of each sense; what a language writes without accents, too.
const SENSES: [(Sense, &str); 12] = [
    (Sense::Within, "in on at inside within under en dentro trong ở o tại tai 在 於 于 裡 里 中"),
    (Sense::From, "from off out desde de del từ tu 從 从 由"),
    (
        Sense::Toward,
        "to into onto a al hacia đến den tới toi sang vào vao thành thanh 到 給 给 往 至 成 為 为",
    ),
    (
        Sense::Called,
        "called named titled title name llamado llamada titulado titulada nombre tên ten là la 叫 名 題 题",
    ),
    (Sense::Says, "saying says say reading reads diciendo que nói noi ghi dung 說 说 寫 写 容"),
    (Sense::About, "about sobre acerca về ve 關 关"),
    (Sense::By, "with using con usando với voi bằng bang 用 以"),
    (Sense::For, "for para por cho 幫 帮 替"),
    (
        Sense::Article,
        "the a an my our this that el los las un una mi este esta của cua their his her your some any all 這 这 那 个 個 我 的 它",
    ),
    (Sense::And, "and or y e và hoặc 和 與 与 跟 及 或"),
    (Sense::Is, "is are was es son está 是 be"),
    (Sense::Politely, "please me us favor giúp giup mình minh 請 请"),
];

/// The sense of a word in small letters; `None` is before the first and behind the last.
pub(super) fn sense(word: Option<&str>) -> Sense {
    let Some(word) = word else { return Sense::Edge };
    let known = SENSES.iter().find(|(_, words)| words.split(' ').any(|own| own == word));
    if let Some((sense, _)) = known {
        return *sense;
    }
    let mut characters = word.chars();
    match (characters.next(), characters.next()) {
        (Some(c), None) if !c.is_alphanumeric() => Sense::Mark(c),
        (Some(c), _) if waypost_core::text_match::is_han(c) => Sense::Han,
        _ if word.chars().any(|c| c.is_ascii_digit()) => Sense::Digits,
        _ => Sense::Letters,
    }
}

impl Sense {
    /// A number of its own.
    pub(super) fn number(self) -> u32 {
        match self {
            Sense::Mark(c) => 256 + c as u32,
            Sense::Edge => 0,
            Sense::Within => 1,
            Sense::From => 2,
            Sense::Toward => 3,
            Sense::Called => 4,
            Sense::Says => 5,
            Sense::About => 6,
            Sense::By => 7,
            Sense::For => 8,
            Sense::Article => 9,
            Sense::And => 10,
            Sense::Is => 11,
            Sense::Politely => 12,
            Sense::Han => 13,
            Sense::Digits => 14,
            Sense::Letters => 15,
        }
    }

    /// Returns whether something has to follow it.
    pub(super) fn leads(self) -> bool {
        use Sense::{About, And, Article, By, For, From, Toward, Within};
        matches!(self, Within | From | Toward | About | By | For | Article | And)
    }

    /// Returns whether it may stand between a noun and the name that it has: "branch called main".
    pub(super) fn links(self) -> bool {
        matches!(self, Sense::Article | Sense::Is | Sense::Called | Sense::From)
            || matches!(self, Sense::Mark(c) if "=:：\"“「『‘'`(（#".contains(c))
    }
}

/// The kinds of arguments by a word of their names.
const KINDS: [&str; 9] = [
    "path file files filename filenames filepath directory directories dir folder folders paths",
    "id ids key keys uuid number code sku slug ref identifier ticket handle",
    "name names label labels tag tags category",
    "text message content contents body note notes comment description summary reason caption details memo \
     instructions instruction prompt",
    "query q search keyword keywords term terms pattern phrase filter question",
    "title subject heading topic",
    "person user assignee owner author to recipient recipients member customer contact guest attendee attendees \
     participants people guests",
    "place city address location origin destination venue region country from station area",
    "link url urls uri website",
];

/// The kind of an argument by a word; `None` if the word tells none.
pub(super) fn kind(word: &str) -> Option<u32> {
    let place = KINDS.iter().position(|words| words.split_whitespace().any(|own| own == word));
    place.map(|place| place as u32)
}
