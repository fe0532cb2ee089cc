//! What words mean to the rules: the vocabulary that the grammar is written in.
//!
//! A language is a table from terms to its words, and the rules know terms only. That is why a
//! new language needs no new rule.

use super::value::Relation;

/// The language that a word belongs to; it leads the name of the rule that read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    /// Signs and abbreviations of all languages; gives a rule no prefix.
    Common,
    En,
    Zh,
    Es,
    Vi,
}

/// Names a rule after the language whose words it read.
macro_rules! rule {
    ($tongue:expr, $name:literal) => {
        match $tongue {
            $crate::extract::term::Tongue::Common => $name,
            $crate::extract::term::Tongue::En => concat!("en.", $name),
            $crate::extract::term::Tongue::Zh => concat!("zh.", $name),
            $crate::extract::term::Tongue::Es => concat!("es.", $name),
            $crate::extract::term::Tongue::Vi => concat!("vi.", $name),
        }
    };
}
pub(super) use rule;

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

/// A part of the day, which says what an hour from 1 to 12 means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Morning,
    Noon,
    Afternoon,
    Night,
}

/// Where zero degrees are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hemisphere {
    North,
    South,
    East,
    West,
}

/// Which of the two coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Longitude,
    Latitude,
}

/// What a word or phrase can mean. One phrase may have several meanings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Term {
    /// three, 二十三
    Number(f64),
    /// a, una: one before a unit of time, otherwise nothing.
    One,
    /// k, 萬, million
    Scale(f64),
    /// m, b: a magnitude only behind an amount of money.
    MoneyScale(f64),
    /// first, último
    Ordinal(i64),
    /// 第
    OrdinalMark,
    /// th, º
    OrdinalSuffix,
    /// %, por ciento
    Percent,
    /// 百分之
    PercentOf,
    /// 個, 位: what is counted makes a Han numeral a number.
    Counter,
    /// km, mm: units that are written to a number without a space.
    Measure,

    /// november
    Month(i8),
    /// nov, may: a month only next to a day or a year.
    ShortMonth(i8),
    /// monday is 1
    Weekday(i8),
    /// sun: a weekday only next to a word that says so.
    ShortWeekday(i8),
    /// yesterday is -1
    Day(i32),
    /// now, 現在
    Now,
    /// days, 個月
    Unit(Unit),
    /// 去年: a whole period in one word.
    Period(i32, Unit),
    /// last, 上: before what it names.
    Which(i32),
    /// pasada: behind what it names.
    WhichAfter(i32),
    /// 最近, past: -1, and only with a number and a unit; 未來 is 1.
    Lately(i32),
    /// weekend
    Weekend,
    /// every, 每: what follows is no day but a rhythm.
    Every,
    /// ago, 前: behind a length.
    Ago,
    /// hace: before a length.
    AgoBefore,
    /// later, 後: behind a length.
    Later,
    /// in, dentro de: before a length.
    Within,
    /// 年
    YearMark,
    /// 月
    MonthMark,
    /// 日, 號
    DayMark,
    /// 民國: years from 1911.
    Era,

    /// in, 在: makes a bare month or a year a range.
    In,
    /// at, a las: before a time or a place.
    At,
    /// on: before a day.
    On,
    /// of, de
    Of,
    /// the, el: may stand before anything.
    The,
    /// from
    From,
    /// to, 到
    To,
    /// between
    Between,
    /// and
    And,
    /// since: before a day.
    Since,
    /// 以來: behind a day.
    Onward,

    /// noon is 12
    Clock(i8),
    /// pm, 下午
    Part(Part),
    /// morning, night: behind a day, but not behind an hour.
    PartOfDay,
    /// 點, o'clock: behind the hour.
    HourMark,
    /// 分
    MinuteMark,
    /// 半 is 30, 一刻 is 15: behind an hour.
    Minutes(i8),
    /// 秒: behind a minute.
    SecondMark,
    /// a las: before an hour.
    AtHour,

    /// e, 東經
    Hemisphere(Hemisphere),
    /// lon, 緯度
    Axis(Axis),
    /// °, 度
    Degree,
    /// =, 是: between a label and its value.
    Is,
    /// coordinates, 座標: what follows is a position.
    Coordinates,
    /// bbox: what follows is a box.
    Box,

    /// near: before a name.
    Before(Relation),
    /// 附近: behind a name.
    After(Relation),

    Yes,
    No,
    /// what about, 換成: asks for the last answer with something changed.
    Change,
    /// and then, 跟: may join two questions.
    Joint,
    /// the day before, 隔天: so many days from the day said before.
    DayShift(i32),
    /// both, 都: all that was said before.
    All,
    /// there, 剛剛: points to something said before.
    Reference,
    /// Particles and politeness, which change nothing.
    Filler,
}
