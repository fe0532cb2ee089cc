//! The meanings that words have for the rules: the vocabulary that the grammar is written in.
//!
//! A language is a table from terms to its words, and the rules know terms only. That is why a
//! new language needs no new rule.

use super::units::{Coin, Measure};
use crate::extract::lang::header::meanings;

pub(crate) use super::kinds::{
    Axis, Correction, Edge, Hemisphere, Holiday, ObjectClass, Operator, Order, Part, Relation,
    Role, Season, Side, Tense, Unit, Zones,
};

meanings! {
    /// A meaning of a word or phrase. One phrase may have several meanings.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(crate) enum Term {
        /// three, 二十三
        Number(value: f64),
        /// few, nil, năm: a number only before a magnitude or as an answer of its own.
        SoftNumber(value: f64),
        /// lăm, linh: a digit only within a number.
        InnerNumber(value: f64),
        /// 兩三, 三四百: one of two numbers, the lower first.
        Either(low: f64, high: f64),
        /// several, hundreds, 數: with a magnitude, an amount that nobody counted.
        Vague,
        /// 24/7, 一樣: looks like a number and is none.
        NoNumber,
        /// a, una: one before a unit of time, otherwise nothing.
        One,
        /// k, 萬, million
        Scale(value: f64),
        /// M, G: a magnitude behind digits if it is written large.
        LetterScale(value: f64),
        /// m, b: a magnitude only behind an amount of money.
        MoneyScale(value: f64),
        /// minus, 負
        Minus,
        /// point, coma, 點: before decimals.
        Point,
        /// 幾, 多: some more, before a magnitude.
        Odd,
        /// half, medio
        Half,
        /// half, mitad: those of these words that are a number by themselves.
        LoneHalf,
        /// thirds, tercios: parts of which there are several.
        Parts(value: f64),
        /// hundredths
        PartsScale(value: f64),
        /// avos: makes parts of the number word that it is written to.
        PartsEnding,
        /// i: between number words that are written as one.
        Link,
        /// 分之: between the parts and how many of them.
        PartsOf,
        /// over, sobre: between two numbers.
        Over,
        /// out of: between two numbers, the second the greater.
        OutOf,
        /// 又: between a whole number and a fraction.
        Again,
        /// first, último
        Ordinal(number: i64),
        /// next is 1, previous is -1: a place beside the current one.
        Step(number: i64),
        /// hundredth, milésimo
        OrdinalScale(value: f64),
        /// 第
        OrdinalMark,
        /// th, º
        OrdinalSuffix,
        /// nr, option: right before a small whole number.
        OrdinalSign,
        /// no: does the same, but only where nothing stands behind the number.
        LoneOrdinalSign,
        /// %, por ciento
        Percent,
        /// ‰, por mil
        PerMille,
        /// 百分之; 千分之 is a tenth of it.
        PercentOf(value: f64),
        /// 成: tenths.
        Tenths,
        /// 折: tenths, or hundredths, of a price.
        Discount,
        /// 打對折
        HalfPrice,
        /// at least, more than, 不大於: before a number.
        Bound(side: Side),
        /// or more, 以上: behind a number.
        BoundAfter(side: Side),
        /// greater, 大: compares with what "than" or 比 names.
        Compare(side: Side),
        /// than, que
        Than,
        /// 比: before the number that is compared with.
        ComparedWith,
        /// or equal: before or behind a number.
        OrEqual,
        /// equal to or: before a comparison.
        EqualOr,
        /// equal to, 等於
        EqualTo,
        /// 之間: behind two numbers.
        BetweenAfter,
        /// but, pero: between two bounds.
        But,
        /// 個, 位: counts things, so that the Han numeral before it is a number.
        Counter,
        /// kilometers, kg: the unit of a number or of the "a" before it.
        Measure(measure: &'static Measure),
        /// ms: behind a "per" alone, as other times are lengths of time.
        ShortTime(measure: &'static Measure),
        /// per, 每: makes a rate of two units.
        Per,
        /// m, degrees, 度: needs a number above "a" or one before it, as it is another word as well.
        Sign(measure: &'static Measure),
        /// c: a unit only right behind digits.
        GluedSign(measure: &'static Measure),
        /// in: a unit only where nothing goes on behind it.
        LoneSign(measure: &'static Measure),
        /// age, 時速: the number behind it is in this unit.
        MeasureBefore(measure: &'static Measure),
        /// 攝氏: the degrees behind it are of this unit.
        DegreesBefore(measure: &'static Measure),
        /// below zero, 零下: makes degrees negative.
        BelowZero,
        /// rotate, angle: degrees next to it are those of an angle.
        Turning,
        /// h, min: units of time that are written to a number without a space.
        TimeSign,
        /// unos, about, ~: before a rough number.
        Nearly,
        /// dollars, 元: behind a number. Currencies in ISO 4217, the likeliest first.
        Currency(currencies: &'static [&'static str]),
        /// $, EUR: before or behind a number.
        CurrencySign(currencies: &'static [&'static str]),
        /// PEN: behind a number and in capitals only.
        CurrencyCode(currencies: &'static [&'static str]),
        /// MUSD: millions of a currency.
        Millions(currencies: &'static [&'static str]),
        /// cents, 角
        Coin(coin: &'static Coin),
        /// c, 分: a coin only behind an amount.
        CoinSign(coin: &'static Coin),
        /// phone, 電話: what follows is the number of one.
        PhoneWord,
        /// ext, 分機: before the number of an extension.
        Extension,
        /// at: the sign of an e-mail address in words.
        SpokenAt,
        /// dot: the sign of a domain in words.
        SpokenDot,
        /// con, 又: joins the parts of an amount.
        With,

        /// november
        Month(number: i8),
        /// nov, may: a month only next to a day or a year.
        ShortMonth(number: i8),
        /// monday is 1
        Weekday(number: i8),
        /// sun: a weekday only next to a word that says so.
        ShortWeekday(number: i8),
        /// yesterday is -1
        Day(number: i32),
        /// now, 現在
        Now,
        /// today is, 假設今天是: what follows is the day that relative words count from.
        TodayIs,
        /// it is, es: the same, but only where a sentence begins.
        ItIs,
        /// days, 個月
        Unit(unit: Unit),
        /// 去年: a whole period in one word.
        Period(place: i32, unit: Unit),
        /// last, 上: before what it names.
        Which(number: i32),
        /// pasada: behind what it names.
        WhichAfter(number: i32),
        /// 最近, past: -1, and only with a number and a unit; 未來 is 1.
        Lately(number: i32),
        /// weekend
        Weekend,
        /// every, 每: what follows is no day but a rhythm.
        Every,
        /// daily, weekly: a rhythm in one word.
        Rhythm(unit: Unit),
        /// quincenal, semestral: a rhythm of several units in one word.
        Rhythms(count: u16, unit: Unit),
        /// mondays: a rhythm by itself.
        Weekdays(number: i8),
        /// every other: every second one.
        EveryOther,
        /// once a: before a unit, a rhythm.
        Once,
        /// weekday, working day: Monday to Friday.
        Workday,
        /// weekdays: a rhythm by itself.
        Workdays,
        /// weekends: a rhythm by itself.
        Weekends,
        /// mornings: a rhythm by itself, or with a weekday.
        DayParts(part: Part),
        /// for, lasting: before a length.
        For,
        /// couple: a number only before a unit of time.
        Several(value: f64),
        /// around, about: before a time, which it makes less sure.
        About,
        /// Christmas, 春節
        Holiday(holiday: Holiday),
        /// Ramadan: from one holiday up to another.
        Festival(first: Holiday, end: Holiday),
        /// summer, 夏天
        Season(season: Season),
        /// spring, été: a season only beside a word that says so, as it is spelled like another word.
        ShortSeason(season: Season),
        /// was, did, fue, 了嗎; will, sẽ: the tense of a clause.
        Tense(tense: Tense),
        /// the beginning of, 月底: before or behind a period.
        Edge(edge: Edge),
        /// eoy: an edge of the present period in one word.
        EdgeOf(edge: Edge, unit: Unit),
        /// fortnight, decade: a unit that is several of another.
        Units(count: i32, unit: Unit),
        /// 個半鐘: several of a unit in one word.
        Length(count: i32, unit: Unit),
        /// unos, algunas: three of a unit of time, give or take.
        Few,
        /// todo el, toda la: one of a unit of time, from its beginning to its end.
        Whole,
        /// the whole day of, 一整天: the day beside it, from its beginning to its end.
        AllDay,
        /// the day of, 當天: the day beside it.
        ThatDay,
        /// and a half: behind a length.
        AndHalf,
        /// before, until, after: before a moment.
        Order(order: Order),
        /// 之前, 以後: behind a moment.
        OrderBehind(order: Order),
        /// 前往, 後來: a word of its own, though it begins like one of time.
        NoTime,
        /// 上半年: the first or second half of such a period.
        HalfOf(place: i8, unit: Unit),
        /// a quarter past, y cuarto: minutes before the hour's number, or after it.
        MinutesPast(number: i8),
        /// halb, setengah: minutes that are taken from the hour behind it.
        MinutesBefore(number: i8),
        /// past, after: between minutes and an hour.
        Past,
        /// to, till: between minutes and the coming hour.
        ToHour,
        /// menos cuarto: taken from the hour before it.
        MinutesTo(number: i8),
        /// closest: before a weekday or a holiday.
        Nearest,
        /// more: between a number and a unit of time.
        Extra,
        /// d, w: a unit of time only right behind digits.
        GluedUnit(unit: Unit),
        /// AD, BE: behind a year, with the years that lie between its first year and ours.
        Epoch(number: i16),
        /// EST, UTC: minutes from Greenwich.
        Zone(number: i16),
        /// s, 年代: makes a decade of a year.
        DecadeMark,
        /// década de, años: before the year that a decade begins with.
        DecadeWord,
        /// q, t: before the number of a quarter, written as one.
        QuarterSign,
        /// the nineties, 九十年代: a decade of the last century.
        Decade(number: i16),
        /// 哪, 某: leaves open which one is meant.
        Asked,
        /// day, día: before the number of a day.
        DayWord,
        /// ago, 前: behind a length.
        Ago,
        /// hace: before a length.
        AgoBefore,
        /// later, 後: behind a length.
        Later,
        /// dentro de: the same, and all the time until then.
        Inside,
        /// in, dentro de: before a length.
        Within,
        /// 之內: behind a length.
        WithinBehind,
        /// 踏: between an hour and how many times five minutes.
        Fives,
        /// 年
        YearMark,
        /// 月
        MonthMark,
        /// 日, 號
        DayMark,
        /// 浮標, 測站: bears a number, so that the 3號 before it is no day.
        Numbered,
        /// 機, 門: does so where its word ends, as that of 機票 does not.
        LoneNumbered,
        /// 潮位, 監測: may come between the number and the thing, and says its kind.
        NumberedKind,
        /// 路, 街: the number behind it is that of a house.
        Street,
        /// 民國: years are counted from the one after this.
        Era(number: i16),

        /// in, 在: makes a bare month or a year a range.
        In,
        /// at, a las: before a time or a place.
        At,
        /// on: before a day.
        On,
        /// of, de
        Of,
        /// は: marks what the sentence is about, which is hardly one time with what follows.
        Topic,
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
        /// or: between two numbers of which one is meant.
        Or,
        /// since: before a day.
        Since,
        /// 以來: behind a day.
        Onward,

        /// noon is 12
        Clock(number: i8),
        /// am, pm: only beside an hour.
        Meridiem(part: Part),
        /// a, p: the same, right behind its digits.
        GluedMeridiem(part: Part),
        /// ish: right behind an hour.
        Ish,
        /// morning, 下午
        Part(part: Part),
        /// sáng, chiều: a part of the day only beside something else of a time.
        ShortPart(part: Part),
        /// tonight, 昨晚: a part of a day, and the number of days from today to that day.
        DayPart(day: i32, part: Part),
        /// 點, o'clock: behind the hour.
        HourMark,
        /// g: behind the hour where the minutes are written to it, 10g45.
        HourSign,
        /// 分
        MinuteMark,
        /// 半 is 30, 一刻 is 15: behind an hour.
        Minutes(number: i8),
        /// 秒: behind a minute.
        SecondMark,
        /// a las: before an hour.
        AtHour,
        /// horas, heures: behind an hour that a word announces; elsewhere they are a length.
        SpokenHours,
        /// 意見, 建議: behind 點 it is what is counted, and no hour is told.
        CountedPoint,
        /// 有, 以下: before a number with 點 that counts what is said.
        BeforePoints,

        /// e, 東經
        Hemisphere(hemisphere: Hemisphere),
        /// xmin, the eastern edge: the edge of a box on this side.
        Border(side: Hemisphere),
        /// upper left, 西南角: where two edges of a box meet.
        Corner(vertical: Hemisphere, horizontal: Hemisphere),
        /// corner, 角: before or behind the name of one.
        CornerWord,
        /// by, por: between the two coordinates of a position.
        By,
        /// lon, 緯度
        Axis(axis: Axis),
        /// °, 度
        Degree,
        /// =, 是: between a label and its value.
        Is,
        /// coordinates, 座標: what follows is a position.
        Coordinates,
        /// bbox: what follows is a box.
        Box,

        /// near: before a name.
        Before(relation: Relation),
        /// 附近: behind a name.
        After(relation: Relation),

        Yes,
        No,
        /// what about, 換成: asks for the last answer with something changed.
        Change,
        /// and then, 跟: may join two questions.
        Joint,
        /// the day before, 隔天: the number of days from the day said before.
        DayShift(number: i32),
        /// the same period, 同一段時間: the stretch of time said before.
        SamePeriod,
        /// both, 都: all that was said before.
        All,
        /// there, 剛剛: points to something said before.
        Reference,
        /// the same, 同一個: points back too, but not where other words follow: "the same latitude".
        Same,
        /// previous, anterior: points back too, but not beside a unit of time.
        Former,
        /// level, 等級: what choices are called, which says nothing beside a word that points back.
        Noun,
        /// top, middle, 最下面: a place in a list that was shown, from the first on above zero, from the last on
        /// below; zero is the one in the middle.
        Place(place: i64),
        /// "the other one", 剩下的: what is left of a list.
        Rest,
        /// finished, 完了: what stands before it was done.
        Done,
        /// now that, 既然: what stands behind it is so already.
        Granted,
        /// question, 步驟: what a conversation goes through; an act may name one.
        Stage,
        /// good morning: tells no time.
        Greeting,
        /// Particles and politeness, which change nothing.
        Filler,
        /// not, 不要: does something to what was said or to what stands beside it.
        Operator(operator: Operator),
        /// I meant, 我是說: does so too, and says something of how the turn before was understood.
        Correction(correction: Correction),
        /// next, 停: does so too, but only where the text says nothing else.
        Lone(operator: Operator),
        /// is, should: does so too, but only where a clause opens with it.
        Opening(operator: Operator),
        /// go with, 我要: offers a choice and adds nothing to it.
        Select,
        /// not only, 特別, spring tide: a word of its own, though an operator or a time is written in it.
        Plain,

        /// Tokyo, 日本: a place, by the zones of its clocks, that of most people first.
        ZoneOf(zones: Zones),
        /// here, my time: the zone of whoever asks.
        ZoneHere,

        /// from, 從: before the value of this role.
        Role(role: Role),
        /// 裡: behind the value of this role.
        RoleBehind(role: Role),
        /// the, file, 檔案: may stand between a word of a role and its value.
        Determiner,
        /// what time, 幾點: asks for a value.
        Sought,
        /// search for, named: the object of a request begins behind it.
        Object(class: ObjectClass),
        /// 的: ends the name before it.
        ObjectEnd,
        /// tell, reply: the object begins behind the next joiner, or else right behind it.
        Teller,
        /// that, 說: between a teller and what is told.
        Joiner,
        /// please, can you, 幫我: a request may begin behind it.
        Lead,
        /// please, 謝謝: at the end of a request, where it is no part of its object.
        Tail,
        /// if, unless, 如果: a condition begins with it.
        Condition,
        /// 的話, なら: a condition ends with it.
        ConditionBehind,
        /// then, 就: what is asked for under a condition begins behind the word.
        Consequence,
        /// if you can, 可以的話: words of a condition that are none.
        Courtesy,
        /// if, 如果, 的話: what a condition says has to hold now.
        Holds,
        /// unless, 除非: what it says must not hold now.
        Fails,
        /// not needed, 不用查: at the end of a clause it leaves out what the clause names.
        Unneeded,
        /// reads, is, the, 讀數: stands beside the bound of a condition and says nothing more.
        Measured,
    }
}

impl Term {
    /// The code of the unit of measure or of time that the word names, if it is one.
    pub(crate) fn unit(self) -> Option<&'static str> {
        match self {
            Term::Measure(measure)
            | Term::Sign(measure)
            | Term::GluedSign(measure)
            | Term::LoneSign(measure) => Some(measure.code),
            Term::Unit(Unit::Second) => Some("s"),
            Term::Unit(Unit::Minute) => Some("min"),
            Term::Unit(Unit::Hour) => Some("h"),
            Term::Unit(Unit::Day) => Some("d"),
            Term::Unit(Unit::Week) => Some("wk"),
            Term::Unit(Unit::Month) => Some("mo"),
            Term::Unit(Unit::Year) => Some("a"),
            _ => None,
        }
    }
}
