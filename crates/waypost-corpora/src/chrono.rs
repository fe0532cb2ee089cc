//! Reads the tests of chrono.
//!
//! Conventions of this corpus, as its rows show them:
//!
//! - Positive rows count if they have a literal reference time and an expectation. It is local and
//!   taken as UTC. Rows of instances with custom parsers do not count; negative rows of strict
//!   instances do not either, since these reject what is a date to everyone else. What is no date
//!   at all (February 30th) is negative in all of them, and a fault found in it is no find.
//! - Only what a row asserts of `start` and `end` counts: year, month, day, weekday, hour, minute,
//!   second, half of the day, offset; not what `start_certain` and `end_certain` say was filled in.
//!   Without `start`, `start_date` counts. A time that is noon, or that of the
//!   reference, is filled in where the words name a day: a day of ours is right as well, unless
//!   the row says that the hour is certain. Milliseconds do not count.
//! - A row without any of these asserts its words alone: any date, time or range will do.
//! - Ends of days are included: ours is the day after. An end with a time is that moment.
//! - There is no grain, and a period is its first moment: a month its first day, an evening its
//!   first hour. A range of ours is right by its start where no end is given. Parts of a day begin
//!   as `hours` says.
//! - A time of day is right on the reference day or the next one.
//! - The weekday that a row gives beside a day is the one that was written, even where the day is
//!   another ("Monday, March 5th"): it counts only where no day is given.
//! - `en.GB` puts the day first. An offset is in minutes, or in hours where it is below 15.
//! - Negative rows: no date, time, range or repetition may be found. A duration may: "5 days" is
//!   negative to chrono because it is no date.

use jiff::civil::{Date, DateTime, Weekday};
use serde_json::Value as Json;
use waypost_text::extract::{Conventions, Hours, Moment, Reading};

use crate::case::{Case, Corpus, Expectation, Wanted, language, utc};
use crate::expected::{Expected, bound};

const RULED_OUT: &[&str] = &["date", "time", "datetime", "range", "recurring"];

/// The parts of a date and time that a row asserts.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    today: Date,
    start: Components,
    end: Option<Components>,
}

/// The parts of a moment that a row asserts; `None` is left open.
#[derive(Debug, Clone, Default, PartialEq)]
struct Components {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    weekday: Option<i64>,
    hour: Option<i64>,
    minute: Option<i64>,
    second: Option<i64>,
    meridiem: Option<i64>,
    /// The offset in seconds east.
    offset: Option<i32>,
    /// True if the time may have been filled in where the words name a day alone.
    filled: bool,
}

/// The case of a row; `None` where it does not count.
pub(crate) fn case(row: &Json) -> Option<Case> {
    let text_of = |key: &str| row.get(key).and_then(Json::as_str);
    let parser = text_of("parser").unwrap_or_default();
    let negative = row.get("negative").and_then(Json::as_bool).unwrap_or(false);
    if parser == "custom" || (negative && parser.ends_with("strict")) {
        return None;
    }
    let tag = text_of("lang")?;
    let reference = text_of("ref").and_then(reference);
    let local = reference.or(negative.then_some(DateTime::constant(2012, 8, 10, 12, 0, 0, 0)))?;
    let (kind, expectation) = if negative {
        ("date", Expectation::Nothing(RULED_OUT))
    } else {
        let expect =
            row.get("expect").filter(|expect| expect.as_object().is_some_and(|e| !e.is_empty()))?;
        let (kind, wanted) = wanted(expect, local)?;
        (kind, Expectation::Find(vec![wanted]))
    };
    let day_first = parser.ends_with("GB") || parser == "chronoLittleEndian";
    Some(Case {
        corpus: Corpus::Chrono,
        lang: tag.to_owned(),
        language: language(tag)?,
        kind,
        text: text_of("text")?.to_owned(),
        now: utc(local)?,
        conventions: Conventions {
            day_first: day_first.then_some(true),
            hours: hours(),
            ..Conventions::STANDARD
        },
        expectation,
    })
}

fn hours() -> Hours {
    Hours {
        dawn: (0, 6),
        early_morning: (6, 9),
        morning: (6, 12),
        afternoon: (15, 18),
        evening: (20, 22),
        night: (22, 24),
        ..Conventions::STANDARD.hours
    }
}

/// A reference time: ISO, or words as JavaScript reads them.
fn reference(text: &str) -> Option<DateTime> {
    if let Ok(local) = text.parse() {
        return Some(local);
    }
    let mut local = (None, None, None, (0, 0));
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        if let Some((hour, minute)) = word.split_once(':') {
            local.3 = (hour.parse().ok()?, minute.parse().ok()?);
        } else if let Ok(number) = word.parse::<i16>() {
            if number > 31 { local.0 = Some(number) } else { local.2 = i8::try_from(number).ok() }
        } else if let Some(month) = month(word) {
            local.1 = Some(month);
        }
    }
    let (year, month, day, (hour, minute)) = local;
    Some(Date::new(year?, month?, day?).ok()?.at(hour, minute, 0, 0))
}

fn month(word: &str) -> Option<i8> {
    const MONTHS: &str = "jan feb mar apr may jun jul aug sep oct nov dec";
    let head = word.get(..3)?.to_lowercase();
    let at = MONTHS.split(' ').position(|known| known == head)?;
    i8::try_from(at + 1).ok()
}

fn wanted(expect: &Json, now: DateTime) -> Option<(&'static str, Wanted)> {
    let text = expect.get("matched").and_then(Json::as_str).map(str::to_owned);
    let start = moment(expect, "start", "start_date", now);
    let end = moment(expect, "end", "end_date", now);
    let mut shown = expect.clone();
    if let Some(shown) = shown.as_object_mut() {
        shown.retain(|key, _| !matches!(key.as_str(), "matched" | "index"));
    }
    let (kind, expected) = match start {
        None => ("date", Expected::Any(RULED_OUT)),
        Some(start) => {
            let kind = if end.is_some() || (start.day.is_none() && start.hour.is_none()) {
                "range"
            } else if start.hour.is_none() {
                "date"
            } else if start.day.is_none() {
                "time"
            } else {
                "datetime"
            };
            let today = now.date();
            (kind, Expected::Parts(Box::new(Parts { today, start, end })))
        }
    };
    Some((kind, Wanted { text, values: vec![expected], shown: shown.to_string() }))
}

/// The moment that is asserted under `name`, or else by the whole date under `whole`.
fn moment(expect: &Json, name: &str, whole: &str, now: DateTime) -> Option<Components> {
    let certain = expect.get(format!("{name}_certain"));
    let certainty = |key: &str| certain.and_then(|certain| certain.get(key)?.as_bool());
    // The day that a weekday falls on is not certain to the corpus, and meant all the same.
    let by_weekday = certainty("weekday") == Some(true);
    let is_filled = |key: &str| {
        let is_date = matches!(key, "year" | "month" | "day");
        certainty(key) == Some(false) && !(is_date && by_weekday)
    };
    let mut found = match expect.get(name).and_then(Json::as_object) {
        Some(parts) => {
            asserted(|key| parts.get(key).and_then(Json::as_i64).filter(|_| !is_filled(key)))
        }
        None => components(expect.get(whole)?.as_str()?)?,
    };
    let is_at = |hour: i64, minute: i64| {
        found.hour == Some(hour) && found.minute.is_none_or(|found| found == minute)
    };
    let filled = is_at(12, 0) || is_at(now.hour().into(), now.minute().into());
    found.filled = filled && certainty("hour") != Some(true);
    Some(found)
}

fn asserted(part: impl Fn(&str) -> Option<i64>) -> Components {
    let offset = part("timezoneOffset").and_then(|offset| i32::try_from(offset).ok());
    Components {
        year: part("year"),
        month: part("month"),
        day: part("day"),
        weekday: part("weekday"),
        hour: part("hour"),
        minute: part("minute"),
        second: part("second"),
        meridiem: part("meridiem"),
        offset: offset.map(|offset| if offset.abs() < 15 { offset * 3600 } else { offset * 60 }),
        filled: false,
    }
}

/// The parts of "2012-08-10T12:00:00", whose year may be before our era.
fn components(text: &str) -> Option<Components> {
    let (date, time) = text.split_once('T')?;
    let mut date = date.rsplitn(3, '-');
    let mut time = time.split(':');
    let mut next = || time.next()?.parse().ok();
    let mut before = || date.next();
    let (day, month) = (before()?.parse().ok(), before()?.parse().ok());
    let year = before()?.parse().ok();
    let (hour, minute, second) = (next(), next(), next());
    Some(Components { year, month, day, hour, minute, second, ..Components::default() })
}

impl Parts {
    /// Returns whether a reading is what the row asserts.
    pub(crate) fn are(&self, reading: &Reading) -> bool {
        match (reading, &self.end) {
            (Reading::Range(start, end), Some(last)) => {
                is_moment(&self.start, start) && is_end(last, end)
            }
            (Reading::Range(start, _), None) => is_moment(&self.start, start),
            (_, Some(_)) => false,
            (Reading::Date(date), None) => self.start.is_day(*date),
            (Reading::Datetime(found), None) => match self.start.offset {
                None => self.start.has(found.datetime()),
                Some(offset) => self.start.has(at_offset(found, offset)),
            },
            (Reading::Time(time), None) => {
                let days = [Some(self.today), self.today.tomorrow().ok()];
                self.start.hour.is_some()
                    && days.into_iter().flatten().any(|day| self.start.has(day.to_datetime(*time)))
            }
            _ => false,
        }
    }
}

fn at_offset(found: &jiff::Zoned, offset: i32) -> DateTime {
    let offset = jiff::tz::Offset::from_seconds(offset).unwrap_or(jiff::tz::Offset::UTC);
    offset.to_datetime(found.timestamp())
}

fn is_moment(wanted: &Components, found: &Moment) -> bool {
    let Some(local) = bound(found) else { return false };
    match (found, wanted.offset) {
        (Moment::Date(date), _) => {
            wanted.is_day(*date) || (wanted.hour == Some(0) && wanted.has_date(*date))
        }
        (Moment::Instant(instant), Some(offset)) => wanted.has(at_offset(instant, offset)),
        _ => wanted.has(local),
    }
}

/// An end of days is included in the corpus and not in ours.
fn is_end(wanted: &Components, found: &Moment) -> bool {
    match found {
        Moment::Date(date) => date.yesterday().is_ok_and(|last| wanted.is_day(last)),
        _ => is_moment(wanted, found),
    }
}

impl Components {
    /// Returns whether the day is all that is asserted, and it is this one.
    fn is_day(&self, date: Date) -> bool {
        (self.hour.is_none() || self.filled) && self.has_date(date)
    }

    fn has_date(&self, date: Date) -> bool {
        agrees(self.year, date.year())
            && agrees(self.month, date.month())
            && agrees(self.day, date.day())
            && (self.day.is_some() || agrees(self.weekday, weekday(date.weekday())))
    }

    fn has(&self, local: DateTime) -> bool {
        self.has_date(local.date())
            && agrees(self.hour, local.hour())
            && agrees(self.minute, local.minute())
            && agrees(self.second, local.second())
            && agrees(self.meridiem, i8::from(local.hour() >= 12))
    }
}

fn weekday(weekday: Weekday) -> i8 {
    weekday.to_sunday_zero_offset()
}

fn agrees(wanted: Option<i64>, found: impl Into<i64>) -> bool {
    wanted.is_none_or(|wanted| wanted == found.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::score::{Selection, score};

    fn is_right(expect: &Json, text: &str, reference: &str) -> Option<bool> {
        let row = json!({"lang": "en", "text": text, "ref": reference, "parser": "chrono",
            "negative": false, "expect": expect});
        let cases = [case(&row)?];
        Some(score(&cases, &Selection::default())[0].right)
    }

    #[test]
    fn only_what_is_asserted_counts() {
        let now = "2020-03-04T10:00:00";
        let day = json!({"matched": "tomorrow", "start": {"day": 5}});
        assert_eq!(is_right(&day, "I leave tomorrow", now), Some(true));
        let day = json!({"matched": "tomorrow", "start": {"day": 6}});
        assert_eq!(is_right(&day, "I leave tomorrow", now), Some(false));
        // The corpus fills in noon for a day.
        let noon = json!({"matched": "tomorrow", "start_date": "2020-03-05T12:00:00"});
        assert_eq!(is_right(&noon, "I leave tomorrow", now), Some(true));
        let late = json!({"matched": "tomorrow", "start_date": "2020-03-05T13:00:00"});
        assert_eq!(is_right(&late, "I leave tomorrow", now), Some(false));
        let certain = json!({"matched": "tomorrow", "start": {"day": 5, "hour": 12},
            "start_certain": {"hour": true}});
        assert_eq!(is_right(&certain, "I leave tomorrow", now), Some(false));
    }

    #[test]
    fn the_last_day_is_included() {
        let expect = json!({"start": {"month": 5, "day": 3}, "end": {"month": 5, "day": 8}});
        assert_eq!(
            is_right(&expect, "from 3 May to 8 May 2021", "2020-03-04T10:00:00"),
            Some(true)
        );
        let expect = json!({"start": {"month": 5, "day": 3}, "end": {"month": 5, "day": 9}});
        assert_eq!(
            is_right(&expect, "from 3 May to 8 May 2021", "2020-03-04T10:00:00"),
            Some(false)
        );
    }

    #[test]
    fn rows_without_a_reference_or_an_expectation_do_not_count() {
        let expect = json!({"start": {"day": 5}});
        assert_eq!(is_right(&json!({}), "tomorrow", "2020-03-04T10:00:00"), None);
        assert_eq!(is_right(&expect, "tomorrow", "after lunch"), None);
        assert_eq!(is_right(&expect, "tomorrow", "Wed Mar 4 2020"), Some(true));
    }

    #[test]
    fn references_are_read_as_javascript_does() {
        let read = |text| reference(text).map(|local| local.to_string());
        assert_eq!(read("Sun June 7 2020").as_deref(), Some("2020-06-07T00:00:00"));
        assert_eq!(read("May 5, 2021, 20:30").as_deref(), Some("2021-05-05T20:30:00"));
        assert_eq!(read("2020-13-01T00:00:00"), None);
    }
}
