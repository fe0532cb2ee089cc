//! The arguments of meanings: units of time, parts of the day, holidays, sides, acts.
//!
//! Their names stand in the headers of the files of words, in lower case and with hyphens: a
//! variant `LateNight` is written `late-night`.

use crate::extract::lang::header::{Header, Words, meanings};

meanings! {
    /// A unit of time, from the shortest to the longest.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum Unit {
        Second,
        Minute,
        Hour,
        Day,
        Week,
        Month,
        Quarter,
        Year,
        Decade,
        Century,
    }
}

impl Unit {
    /// The name in records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Unit::Second => "second",
            Unit::Minute => "minute",
            Unit::Hour => "hour",
            Unit::Day => "day",
            Unit::Week => "week",
            Unit::Month => "month",
            Unit::Quarter => "quarter",
            Unit::Year => "year",
            Unit::Decade => "decade",
            Unit::Century => "century",
        }
    }
}

meanings! {
    /// A part of the day. Beside an hour it says which half of the day is meant; alone it is a range,
    /// whose hours are a matter of `Conventions`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Part {
        Dawn,
        EarlyMorning,
        Morning,
        Breakfast,
        LateMorning,
        Noon,
        EarlyAfternoon,
        Afternoon,
        LateAfternoon,
        Evening,
        Dinner,
        Night,
        LateNight,
        Daytime,
    }
}

meanings! {
    /// A piece of a period.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Edge {
        /// early March, 月初, a principios de
        Early,
        /// mid, 中旬, a mediados de
        Middle,
        /// late, 月底, a finales de
        Late,
        /// earlier: up to today.
        Earlier,
        /// later, the rest of: from today on.
        Rest,
    }
}

meanings! {
    /// A season of the northern half of the Earth.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Season {
        Spring,
        Summer,
        Autumn,
        Winter,
    }
}

meanings! {
    /// The tense of a clause, as far as it says which of two days is meant.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Tense {
        /// was, fue, đã: of a day up to now.
        Past,
        /// will, forecast, 會: of a day from now on.
        Future,
        /// I was wondering, 會議: has the form of another, and says nothing of the day.
        Open,
    }
}

meanings! {
    /// The rule by which a holiday finds its day in a year.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Holiday {
        /// A month and a day.
        Fixed(month: i8, day: i8),
        /// The nth such weekday (Monday is 1) of a month; -1 is the last.
        Nth(place: i8, weekday: i8, month: i8),
        /// A number of days from Easter Sunday of the western churches.
        Easter(days: i16),
        /// A month and a day of the Chinese calendar; the Vietnamese hardly ever differs.
        Lunar(month: i8, day: i8),
        /// A number of days after another nth weekday: Black Friday.
        NthPlus(place: i8, weekday: i8, month: i8, days: i8),
        /// A month and a day, moved by a number of days for each weekday from Monday that it falls
        /// on.
        Shifted(month: i8, day: i8, days: [i8; 7]),
        /// A number of days from Easter Sunday of the eastern churches.
        Orthodox(days: i16),
        /// A month and a day of the Islamic calendar.
        Islamic(month: i8, day: i8),
        /// A month, Nisan being the first, and a day of the Hebrew calendar.
        Hebrew(month: i8, day: i8),
        /// A month of the Hindu calendar, Chaitra being the first, a tithi of it, and the hour at which
        /// that must hold.
        Hindu(month: i8, tithi: i8, hour: i8),
        /// A number of days after the Sun enters a sign of the Hindu zodiac, Aries being the first.
        HinduSun(sign: i8, days: i8),
        /// Year, month and day of each time: it follows no rule.
        Listed(dates: &'static [(i16, i8, i8)]),
    }
}

meanings! {
    /// The side of a moment on which a range lies.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Order {
        /// before Friday: Friday is not in it.
        Before,
        /// until Friday, by Friday: Friday is in it.
        Until,
        /// after Friday: Friday is not in it.
        After,
        /// on or after Friday: Friday is in it.
        Since,
    }
}

meanings! {
    /// The side of zero degrees that a coordinate lies on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Hemisphere {
        North,
        South,
        East,
        West,
    }
}

meanings! {
    /// One of the two coordinates.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Axis {
        Longitude,
        Latitude,
    }
}

/// The side of a number on which the others lie, and whether it is one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Above { included: bool },
    Below { included: bool },
}

impl Side {
    pub(crate) const MORE_THAN: Self = Side::Above { included: false };
    pub(crate) const AT_LEAST: Self = Side::Above { included: true };
    pub(crate) const LESS_THAN: Self = Side::Below { included: false };
    pub(crate) const AT_MOST: Self = Side::Below { included: true };

    /// The same side with the number itself.
    pub(crate) fn including(self) -> Self {
        match self {
            Side::Above { .. } => Side::AT_LEAST,
            Side::Below { .. } => Side::AT_MOST,
        }
    }
}

impl Header for Side {
    fn read(words: &mut Words<'_>) -> Result<Self, String> {
        match words.next("a side")? {
            "more-than" => Ok(Side::MORE_THAN),
            "at-least" => Ok(Side::AT_LEAST),
            "less-than" => Ok(Side::LESS_THAN),
            "at-most" => Ok(Side::AT_MOST),
            other => Err(format!(
                "`{other}` is no side: `more-than`, `at-least`, `less-than` or `at-most`"
            )),
        }
    }

    fn rust(&self) -> String {
        format!("Side::{self:?}")
    }
}

meanings! {
    /// The relation of the words to the place they name: "off Hualien" is not Hualien.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Relation {
        /// The place itself.
        At,
        /// Around or near it (周遭, 附近, near, cerca de).
        Around,
        /// The sea before it (外海, offshore, frente a la costa de).
        Offshore,
    }
}

meanings! {
    /// An act of a word upon what was said, or upon what stands beside it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Operator {
        /// not, 不要: denies what stands behind it.
        Not,
        /// anything but, 除了: takes away what stands behind it.
        Except,
        /// left out, 不用: at the end of a clause it denies what stands before it.
        Dropped,
        /// or, 或, `/`: offers one of what it joins.
        Or,
        /// and, 和, a comma: joins.
        And,
        /// I meant, 不對: what follows counts in place of what was said.
        Correction,
        /// what, explain, 什麼: asks about something, rather than for it.
        Question,
        /// cancel, 取消
        Cancel,
        /// go back, 上一步
        Back,
        /// skip, no preference, 跳過
        Skip,
        /// where are we, 進度
        Status,
        /// once more, 再一次
        Repeat,
        /// both, 兩個都: counts a list that stands beside it.
        Quantifier,
        /// only, 只, solo: takes what stands beside it, and nothing else.
        Only,
    }
}

meanings! {
    /// A remark of a phrase on what was asked before, or on what was made of it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Correction {
        /// "I meant": where a turn begins with it. Behind other words it corrects those.
        Meant,
        /// "I asked about", 我問的是: where a clause begins with it.
        Asked,
        /// "I didn't ask for", 誰叫你: what stands behind it was not asked for.
        Unasked,
        /// "You misunderstood", 答非所問: the clause names nothing else.
        Misread,
        /// "I wanted", quería: said in polite questions too, so that it needs a denial beside it.
        Wanted,
        /// "I want": said of a new wish too, so that the text must deny something else as well.
        Wants,
        /// "Don't want the", 不要: denies a wish, be it of the answer or of what is asked now.
        Unwanted,
        /// "Not the", 不需要: behind a wish it says what the wish is not; before it, anything.
        Unlike,
        /// "That's wrong": said of the answer or of what was understood, which nobody can tell
        /// apart.
        Wrong,
        /// "I already know": the clause asks for nothing.
        Known,
        /// "I mistyped": then the words themselves were wrong, and not what was made of them.
        Slip,
        /// "But rather", sino, 而是: behind a denial it leads to what is meant.
        Instead,
        /// 是: does the same where a clause opens with it.
        Is,
        /// "But": a denial ends before it.
        But,
        /// 嗎: makes a question of its clause.
        Tag,
    }
}

meanings! {
    /// The part that a value plays in a request, as a word beside it says.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Role {
        /// from, 從, từ, desde: where something comes from, or what it was.
        Source,
        /// to, 到, đến, hasta: where it goes, or what it becomes.
        Target,
        /// in, under, 裡, trong, en: what holds it.
        Container,
        /// named, 叫, tên là, llamado: its name.
        Name,
        /// saying, 內容是, có nội dung, que diga: what it says.
        Content,
        /// as, 作為, như, como: the form that it has.
        Form,
        /// for, 為了, cho, para: what it is meant for.
        Purpose,
        /// about, 關於, về, sobre: what it is about.
        Topic,
        /// with, using, 用, bằng, mediante: what it is done with.
        Means,
        /// rename X, 把 X: what the request does something to. A verb stands right before it.
        Object,
    }
}

meanings! {
    /// The class of the words behind which the object of a request begins.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ObjectClass {
        /// search for, 搜尋: what is searched.
        Search,
        /// saying, 內容是: what is to be said or written.
        Say,
        /// named, 叫: a name.
        Name,
        /// with message, 訊息是: the message that goes with an act.
        Message,
        /// rename, open, 把: what something is done to.
        Act,
        /// to, 改名為: what becomes of it, or where it goes. It follows an act.
        Into,
    }
}

/// The time zones of a place by their IANA names, that of most people first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Zones(pub(crate) &'static [&'static str]);

/// Names of zones up to the end of the header.
impl Header for Zones {
    fn read(words: &mut Words<'_>) -> Result<Self, String> {
        let first = words.next("a time zone")?;
        let mut names = vec![zone(first)?];
        while let Ok(name) = words.next("a time zone") {
            names.push(zone(name)?);
        }
        Ok(Self(Vec::leak(names)))
    }

    fn rust(&self) -> String {
        format!("Zones(&{:?})", self.0)
    }
}

/// Whether there is such a zone is for a test to say: the build script knows none.
fn zone(name: &str) -> Result<&'static str, String> {
    let is_name = name.contains('/') || matches!(name, "UTC" | "GMT");
    let leaked = || -> &'static str { Box::leak(Box::from(name)) };
    if is_name { Ok(leaked()) } else { Err(format!("`{name}` is no name of a time zone")) }
}
