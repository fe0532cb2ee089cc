//! Whole periods: last week, this weekend, 去年, el mes pasado, summer 2013, the 1990s, Q3.

use jiff::civil::{Date, DateTime};

use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::rule::rule;
use crate::extract::grammar::term::{Order, Season, Term, Unit};
use crate::extract::grammar::token::Shape;
use crate::extract::values::{number, ordinal};

use super::calendars::gregorian::{self, days_after};
use super::dates::{calendar_year, year_after};
use super::duration::unit;
use super::named::{which, which_after};
use super::settle::settle;
use super::stretch::Stretch;
use super::when::When;

/// this weekend, 上週末, el fin de semana pasado
pub(super) fn weekend(cursor: &mut Cursor<'_>) -> Option<When> {
    let before = cursor.attempt(which);
    cursor.eat(Term::Weekend)?;
    if before.is_none()
        && let Some(found) = cursor.attempt(weekend_around)
    {
        return Some(found);
    }
    let after = |cursor: &mut Cursor<'_>| cursor.first_of(&[which_after, beyond_next]);
    let offset = before.or_else(|| cursor.attempt(after)).unwrap_or(0);
    let (start, _) = gregorian::period(cursor.today(), offset, Unit::Week)?;
    let rule = rule(cursor.tongue, "range.weekend");
    Some(When::known(weekend_of(cursor, start)?, rule))
}

/// The weekend of the 5th, of Halloween: the nearest one.
fn weekend_around(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.eat(Term::Of)?;
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let day = cursor.first_of(&[one_day, super::dates::bare_day])?;
    let rule = rule(cursor.tongue, "range.weekend");
    // From Wednesday on, the weekend that comes is nearer.
    let around = |one: &Stretch| {
        let near = days_after(one.start.date(), -2)?;
        weekend_of(cursor, gregorian::period(near, 0, Unit::Week)?.0)
    };
    let found: Vec<Stretch> = settle(&day, cursor).ok()?.iter().filter_map(around).collect();
    (!found.is_empty()).then(|| When::any_of(found, rule))
}

/// The weekend of the week that begins on a Monday.
pub(super) fn weekend_of(cursor: &Cursor<'_>, monday: Date) -> Option<Stretch> {
    let end = days_after(monday, 7)?.at(0, 0, 0, 0);
    Some(Stretch { start: weekend_start(cursor, monday)?, end, grain: Unit::Week })
}

/// Returns the beginning of the weekend of the week that begins on a Monday.
pub(super) fn weekend_start(cursor: &Cursor<'_>, monday: Date) -> Option<DateTime> {
    Some(match cursor.context.conventions.weekend_from_friday {
        None => days_after(monday, 5)?.at(0, 0, 0, 0),
        Some(hour) => days_after(monday, 4)?.at(hour, 0, 0, 0),
    })
}

/// last week, semana pasada, 去年
pub(super) fn whole(cursor: &mut Cursor<'_>) -> Option<When> {
    let (offset, unit) = offset_of_unit(cursor)?;
    let rule = rule(cursor.tongue, "range.period");
    let (start, end) = gregorian::period(cursor.today(), offset, unit)?;
    Some(When::known(Stretch::days(start, end, unit)?, rule))
}

/// Reads which week, month or year.
pub(super) fn offset_of_unit(cursor: &mut Cursor<'_>) -> Option<(i32, Unit)> {
    cursor.first_of(&[one_word, before_unit, after_unit])
}

fn one_word(cursor: &mut Cursor<'_>) -> Option<(i32, Unit)> {
    cursor.take(|term| match term {
        Term::Period(offset, unit) => Some((offset, unit)),
        _ => None,
    })
}

fn before_unit(cursor: &mut Cursor<'_>) -> Option<(i32, Unit)> {
    let offset = which(cursor)?;
    let unit = long_unit(cursor)?;
    // "el próximo mes que viene"
    cursor.attempt(which_after);
    Some((offset, unit))
}

fn after_unit(cursor: &mut Cursor<'_>) -> Option<(i32, Unit)> {
    let unit = long_unit(cursor)?;
    let offset = cursor.first_of(&[which_after, beyond_next])?;
    Some((offset, unit))
}

/// the week after next, el mes antes del pasado
fn beyond_next(cursor: &mut Cursor<'_>) -> Option<i32> {
    let sign = cursor.take(|term| match term {
        Term::Order(Order::After) => Some(1),
        Term::Order(Order::Before) => Some(-1),
        _ => None,
    })?;
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let other = cursor.take(|term| match term {
        Term::Which(offset) | Term::WhichAfter(offset) => Some(offset),
        _ => None,
    })?;
    // "the week after next Monday" counts from a day, and "before next June" from a month.
    let alone = !cursor.sees_any(|term| {
        matches!(
            term,
            Term::Weekday(_)
                | Term::ShortWeekday(_)
                | Term::Month(_)
                | Term::ShortMonth(_)
                | Term::Unit(_)
                | Term::Holiday(_)
                | Term::Season(_)
                | Term::ShortSeason(_)
        )
    });
    (other == sign && alone).then_some(2 * sign)
}

pub(super) fn long_unit(cursor: &mut Cursor<'_>) -> Option<Unit> {
    unit(cursor).filter(|unit| *unit >= Unit::Week)
}

/// summer, last summer, summer of 2013, 夏天
pub(super) fn season(cursor: &mut Cursor<'_>) -> Option<When> {
    let year_before = cursor.attempt(year_of_season);
    let before = cursor.attempt(which);
    let word = *cursor;
    let (season, is_short) = cursor.take(|term| match term {
        Term::Season(season) => Some((season, false)),
        Term::ShortSeason(season) => Some((season, true)),
        _ => None,
    })?;
    (!is_within_word(word, *cursor)).then_some(())?;
    let end = *cursor;
    let rule = rule(cursor.tongue, "range.season");
    let which = before.or_else(|| cursor.attempt(which_after));
    let year = year_before.or_else(|| cursor.attempt(year_after)).filter(|_| {
        // "Prices fall 80" has no year.
        !is_short
            || year_before.is_some()
            || cursor.back().is_some_and(|digits| digits.typed().len() == 4)
    });
    let is_told = which.is_some() || year.is_some() || !is_short || is_announced(word, end);
    is_told.then_some(())?;
    let here = cursor.today().year();
    let offset = i16::try_from(which.unwrap_or(0)).ok()?;
    let first = season_of(season, year.unwrap_or(here.checked_add(offset)?))?;
    let other = match (year, which) {
        (None, None) => season_of(season, here - 1),
        _ => None,
    };
    Some(When::any_of(std::iter::once(first).chain(other).collect(), rule))
}

/// Returns whether a character beside a season makes another word of it: the 秋 of 秋田, the 春 of 青春.
fn is_within_word(start: Cursor<'_>, end: Cursor<'_>) -> bool {
    if start.shape() != Some(Shape::Han) || end.at > start.at + 1 {
        return false;
    }
    let is_joined = |cursor: Cursor<'_>| cursor.shape() == Some(Shape::Han) && end.is_glued();
    let before =
        start.back().filter(|before| before.shape() == Some(Shape::Han) && start.is_glued());
    is_joined(end) && end.sentence.senses(end.at).is_empty()
        || before.is_some() && start.follows(|_| true).is_none()
}

/// Returns whether words beside a season that is spelled like another word say that it is one: in spring,
/// since the fall, l'été. "The fall in temperature" and "the fall of Rome" are none.
fn is_announced(start: Cursor<'_>, end: Cursor<'_>) -> bool {
    let is_end = matches!(end.shape(), None | Some(Shape::Symbol));
    let is_season = |term| matches!(term, Term::Season(_) | Term::ShortSeason(_));
    let is_joint = |term| matches!(term, Term::To | Term::And);
    let next = Cursor { at: end.at + 1, ..end };
    if end.sees_any(is_joint) && next.sees_any(is_season) {
        return true;
    }
    if start.at == 0 {
        return is_end;
    }
    let is_behind = |cursor: Cursor<'_>| {
        let of = cursor.follows(|term| term == Term::Of).is_some();
        let word = if of { cursor.back().unwrap_or(cursor) } else { cursor };
        let opens = |term| {
            let ahead = matches!(
                term,
                Term::In | Term::Since | Term::From | Term::Between | Term::Order(_) | Term::Every
            );
            ahead && !of || matches!(term, Term::Edge(_))
        };
        word.follows(opens).is_some()
    };
    let joins = start.follows(is_joint).is_some();
    if is_behind(start)
        || joins && start.back().is_some_and(|word| word.follows(is_season).is_some())
    {
        return true;
    }
    let article = start.follows(|term| term == Term::The).is_some();
    let goes_on = end.sees_any(|term| matches!(term, Term::In | Term::Of)) || end.sees_noun();
    article && (start.back().is_some_and(is_behind) || is_end || !goes_on)
}

/// Reads the year before a season: 2018年夏天, 今年冬天.
fn year_of_season(cursor: &mut Cursor<'_>) -> Option<i16> {
    let year = match cursor.attempt(super::dates::marked) {
        Some(When { year: Some(year), month: None, .. }) => year,
        Some(_) => return None,
        None => {
            let (offset, unit) = one_word(cursor)?;
            (unit == Unit::Year).then_some(())?;
            i16::try_from(i32::from(cursor.today().year()) + offset).ok()?
        }
    };
    cursor.attempt(|cursor| cursor.eat(Term::Of));
    Some(year)
}

/// A season from its equinox or solstice, give or take a day.
fn season_of(season: Season, year: i16) -> Option<Stretch> {
    let start = |year, month, day| Date::new(year, month, day).ok();
    let (start, end) = match season {
        Season::Spring => (start(year, 3, 20)?, start(year, 6, 21)?),
        Season::Summer => (start(year, 6, 21)?, start(year, 9, 23)?),
        Season::Autumn => (start(year, 9, 23)?, start(year, 12, 21)?),
        Season::Winter => (start(year, 12, 21)?, start(year.checked_add(1)?, 3, 20)?),
    };
    Stretch::days(start, end, Unit::Quarter)
}

/// the third quarter, Q3 2013, 第三季度, half years
pub(super) fn quarter(cursor: &mut Cursor<'_>) -> Option<When> {
    let year = cursor.attempt(calendar_year).or_else(|| cursor.attempt(short_year));
    cursor.attempt(|cursor| year.and_then(|_| cursor.glued_symbol("-/")));
    let is_half = cursor.sentence.tokens.text(cursor.at) == "h";
    let sign = if is_half { cursor.attempt(half_sign) } else { None };
    let (place, months) = match sign {
        Some(half) => half,
        None => cursor.first_of(&[quarter_sign, quarter_word, quarter_number])?,
    };
    let rule = rule(cursor.tongue, "range.quarter");
    let year = year.or_else(|| cursor.attempt(year_after));
    (sign.is_none() || year.is_some()).then_some(())?;
    // "el primer trimestre del año"
    cursor.attempt(|cursor| {
        cursor.eat(Term::Of)?;
        cursor.attempt(|cursor| cursor.eat(Term::The));
        cursor.eat(Term::Unit(Unit::Year)).filter(|()| year.is_none())
    });
    let here = cursor.today().year();
    let of = |year: i16| {
        let start = Date::new(year, (place - 1) * months + 1, 1).ok()?;
        let end = gregorian::shift(start, f64::from(months), Unit::Month)?;
        Stretch::days(start, end, Unit::Quarter)
    };
    let years = match year {
        Some(year) => vec![year],
        None => vec![here, here - 1, here + 1],
    };
    Some(When::any_of(years.into_iter().filter_map(of).collect(), rule))
}

/// A place in the year, and how many months each such place takes.
type OfYear = (i8, i8);

/// The 18 of 18Q4.
fn short_year(cursor: &mut Cursor<'_>) -> Option<i16> {
    let year = super::numeric::two_digits(cursor.digits()?)?;
    cursor.is_glued().then_some(year)
}

/// the week of October 6th: the one around a day
pub(super) fn week_of(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.eat(Term::Unit(Unit::Week))?;
    cursor.take(|term| {
        matches!(term, Term::Of | Term::Since | Term::Order(Order::Since)).then_some(())
    })?;
    cursor.attempt(|cursor| cursor.eat(Term::The));
    let rule = rule(cursor.tongue, "range.period");
    let day = cursor.first_of(&[one_day, super::dates::bare_day])?;
    let around = |one: &Stretch| {
        let (start, end) = gregorian::period(one.start.date(), 0, Unit::Week)?;
        Stretch::days(start, end, Unit::Week)
    };
    let weeks: Vec<Stretch> = settle(&day, cursor).ok()?.iter().filter_map(around).collect();
    (!weeks.is_empty()).then(|| When::any_of(weeks, rule))
}

fn one_day(cursor: &mut Cursor<'_>) -> Option<When> {
    super::compose::when(cursor).filter(|when| when.names_day() && !when.has_time())
}

/// 2019 H2: half a year by its sign, where a year stands beside it
fn half_sign(cursor: &mut Cursor<'_>) -> Option<OfYear> {
    (cursor.word()? == "h").then_some(())?;
    let number = cursor.glued_digits()?.parse().ok().filter(|number| (1..=2).contains(number))?;
    cursor.is_closed(".-/:").then_some((number, 6))
}

fn quarter_sign(cursor: &mut Cursor<'_>) -> Option<OfYear> {
    // The T of 2013-02-12T02 is no trimestre, but the Q of 2013Q4 is nothing else.
    let glued = cursor.is_glued()
        && cursor.character() == 't'
        && cursor.back().is_some_and(|before| before.shape() == Some(Shape::Digits));
    cursor.eat(Term::QuarterSign).filter(|()| !glued)?;
    let digits = cursor.glued_digits().filter(|digits| digits.len() == 1)?;
    let number = digits.parse().ok().filter(|number| (1..=4).contains(number))?;
    cursor.is_closed(".-/").then_some((number, 3))
}

/// the third quarter, el segundo semestre
fn quarter_word(cursor: &mut Cursor<'_>) -> Option<OfYear> {
    let place = ordinal::rank(cursor)?;
    let months = cursor.take(|term| match term {
        Term::Unit(Unit::Quarter) => Some(3),
        Term::Units(months @ (2 | 4 | 6), Unit::Month) => i8::try_from(months).ok(),
        _ => None,
    })?;
    let place = i8::try_from(place).ok().filter(|place| (1..=12 / months).contains(place))?;
    Some((place, months))
}

/// quý 3, quý III, trimestre II
fn quarter_number(cursor: &mut Cursor<'_>) -> Option<OfYear> {
    const ROMAN: [&str; 4] = ["i", "ii", "iii", "iv"];
    cursor.eat(Term::Unit(Unit::Quarter))?;
    let word = cursor.sentence.tokens.text(cursor.at);
    if let Some(at) = ROMAN.iter().position(|roman| *roman == word) {
        cursor.at += 1;
        return Some((i8::try_from(at).ok()? + 1, 3));
    }
    let number = number::count(cursor).filter(|number| (1.0..=4.0).contains(number))? as i8;
    // "a quarter 3 times" and "quarter 3.5" name none.
    let counts = cursor.sees_any(|term| matches!(term, Term::Unit(unit) if unit < Unit::Year));
    (cursor.is_closed(".-/:,") && !counts).then_some((number, 3))
}

/// the 1990s, the 90s, the nineties, 九十年代
pub(super) fn decade(cursor: &mut Cursor<'_>) -> Option<When> {
    let start = cursor.first_of(&[decade_word, decade_digits])?;
    let rule = rule(cursor.tongue, "range.decade");
    let start = Date::new(start, 1, 1).ok()?;
    Some(When::known(Stretch::unit(start, Unit::Decade)?, rule))
}

fn decade_word(cursor: &mut Cursor<'_>) -> Option<i16> {
    cursor.take(|term| match term {
        Term::Decade(year) => Some(year),
        _ => None,
    })
}

fn decade_digits(cursor: &mut Cursor<'_>) -> Option<i16> {
    let told = names_decade(*cursor);
    let announced = cursor.attempt(|cursor| cursor.eat(Term::DecadeWord)).is_some();
    let short = cursor.attempt(|cursor| cursor.symbol("'’")).is_some();
    let digits = cursor.digits()?;
    let year: i16 = digits.parse().ok().filter(|year| year % 10 == 0)?;
    let apart = cursor.attempt(|cursor| cursor.glued_symbol("'’")).is_some();
    let surely = told || announced || short || apart || year >= FIRST_ALONE;
    let is_second = is_second(*cursor) && !(surely && cursor.is_glued());
    let mark = |cursor: &mut Cursor<'_>| cursor.eat(Term::DecadeMark).filter(|()| !is_second);
    let marked = cursor.attempt(mark).is_some();
    (marked || announced && cursor.is_closed("-/.,:")).then_some(())?;
    match digits.len() {
        4 if (1000..2100).contains(&year) => Some(year),
        2 => Some(if year < 20 { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

/// From this year on its digits with an s are a decade by themselves; below it they may be seconds, as 1800s is
/// half an hour.
const FIRST_ALONE: i16 = 1850;

/// Returns whether the letter that makes a decade of digits comes next and is the sign of seconds as well.
fn is_second(cursor: Cursor<'_>) -> bool {
    cursor.may_mean(0, Term::GluedUnit(Unit::Second)) && cursor.sees(Term::GluedUnit(Unit::Second))
}

/// Returns whether a word before says that the digits with an s are a decade: the 90s, the early 90s, mid-90s, the
/// 80s and 90s.
fn names_decade(cursor: Cursor<'_>) -> bool {
    let tells = |term| matches!(term, Term::The | Term::Edge(_));
    if cursor.follows(tells).is_some() {
        return true;
    }
    let Some(joint) = cursor.back() else { return false };
    if joint.peek_symbol() == Some('-') && joint.follows(tells).is_some() {
        return true;
    }
    let joins = joint.peek_symbol().is_some_and(|symbol| "-–/,&".contains(symbol))
        || cursor.follows(|term| matches!(term, Term::And | Term::To)).is_some();
    let Some(mark) = joint.back().filter(|mark| joins && is_second(*mark)) else { return false };
    mark.is_glued() && mark.back().is_some_and(|digits| digits.follows(tells).is_some())
}

/// the week, the year: where words before say that it is a time: in the week, of the year.
pub(super) fn the_unit(cursor: &mut Cursor<'_>) -> Option<When> {
    cursor.follows(|term| term == Term::The)?;
    let before = cursor.back()?;
    before.follows(|term| matches!(term, Term::In | Term::Of | Term::For))?;
    let unit = unit(cursor).filter(|unit| *unit >= Unit::Day)?;
    let goes_on = |term| {
        matches!(
            term,
            Term::Of
                | Term::Order(_)
                | Term::OrderBehind(_)
                | Term::WhichAfter(_)
                | Term::Number(_)
        )
    };
    let digits = cursor.shape() == Some(crate::extract::grammar::token::Shape::Digits);
    (!digits && !cursor.sees_any(goes_on)).then_some(())?;
    let (start, end) = gregorian::period(cursor.today(), 0, unit)?;
    Some(When::known(Stretch::days(start, end, unit)?, rule(cursor.tongue, "range.period")))
}

/// the 21st century: most begin it with the year 2000, some a year later
pub(super) fn century(cursor: &mut Cursor<'_>) -> Option<When> {
    let place = if cursor.may_mean(0, Term::Unit(Unit::Century))
        && cursor.sees(Term::Unit(Unit::Century))
    {
        century_before(cursor)?
    } else {
        cursor.sentence.may_count(cursor.at).then_some(())?;
        century_behind(cursor)?
    };
    let first = i16::try_from(place).ok()? * 100 - 100;
    let from = |year: i16| Stretch::unit(Date::new(year, 1, 1).ok()?, Unit::Century);
    let within = [from(first), from(first + 1)].into_iter().flatten().collect();
    Some(When::any_of(within, rule(cursor.tongue, "range.century")))
}

fn century_behind(cursor: &mut Cursor<'_>) -> Option<i64> {
    let place = ordinal::rank(cursor).filter(|place| (1..=30).contains(place))?;
    cursor.eat(Term::Unit(Unit::Century)).map(|()| place)
}

/// siglo XXI, siglo veinte
fn century_before(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.eat(Term::Unit(Unit::Century))?;
    if let Some(place) = roman(cursor.sentence.tokens.text(cursor.at)) {
        cursor.at += 1;
        return Some(place);
    }
    let place = number::count(cursor).filter(|place| (1.0..=30.0).contains(place))?;
    cursor.is_closed("-/.,:%").then_some(place as i64)
}

/// A Roman numeral of a century.
fn roman(word: &str) -> Option<i64> {
    let tens = word.bytes().take_while(|letter| *letter == b'x').count();
    let ones = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
    let one = ones.iter().position(|ones| *ones == word.get(tens..).unwrap_or_default());
    let place = i64::try_from(tens * 10 + one?).ok()?;
    (1..=30).contains(&place).then_some(place)
}

/// week, month: the one that today is in.
pub(super) fn this_unit(cursor: &mut Cursor<'_>) -> Option<When> {
    let unit = long_unit(cursor)?;
    let (start, end) = gregorian::period(cursor.today(), 0, unit)?;
    Some(When::known(Stretch::days(start, end, unit)?, rule(cursor.tongue, "range.period")))
}
