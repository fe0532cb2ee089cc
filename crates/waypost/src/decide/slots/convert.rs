//! Turns a value of one kind into the kind that a tool wants: a name into a box, a day into a
//! range. The result also says whether the value had to be bent to fit.

use jiff::civil::Date;
use jiff::{ToSpan, Zoned};
use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Source};
use waypost_text::extract::{Kind, Moment, Point, Reading};

use super::bind::Bound;
use crate::pack::Pack;
use crate::pack::places::{area, around, center, split};
use crate::pack::spec::{Annotation, Bias, Part};

/// The kind of place that a tool wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    /// One position.
    Point,
    /// An area.
    Box,
}

/// Turns a place into the kind that a tool wants, and says whether it fits as it is. A box across
/// the antimeridian becomes two. `None` if it cannot be turned.
pub(crate) fn place(
    pack: &Pack,
    bound: &Bound,
    wanted: Where,
    annotation: &Annotation,
) -> Option<(Vec<Bound>, bool)> {
    let named = matches!(bound.reading, Reading::Entity { .. });
    match wanted {
        Where::Point => {
            let (point, exact) = match &bound.reading {
                Reading::Point(point) => (*point, true),
                Reading::Entity { gazetteer, key, .. } => {
                    let [longitude, latitude] = pack.entry(gazetteer, key)?.point?;
                    // A town fits a point, but most tools that take a name mean an area around it.
                    (Point { longitude, latitude }, false)
                }
                // "And the tide there?": the middle of the box of before.
                Reading::Bbox(area) if bound.evidence.source == Source::Memory => {
                    (center(*area), false)
                }
                _ => return None,
            };
            Some((vec![rebound(bound, Reading::Point(point))], exact))
        }
        Where::Box => {
            let exact = named || matches!(bound.reading, Reading::Bbox(_));
            let area = match bound.reading {
                Reading::Point(point) => around(point, annotation.around?),
                _ => area(pack, &bound.reading)?,
            };
            let boxes = split(area).into_iter();
            Some((boxes.map(|area| rebound(bound, Reading::Bbox(area))).collect(), exact))
        }
    }
}

/// The same evidence for another reading; for a name, the evidence says which entry it was.
fn rebound(bound: &Bound, reading: Reading) -> Bound {
    let mut evidence = bound.evidence.clone();
    if let Reading::Entity { gazetteer, key, .. } = &bound.reading {
        evidence.by = By::Entry { gazetteer: gazetteer.clone(), key: key.clone() };
    }
    Bound { reading, evidence }
}

/// Turns a time into a day or a range, and says whether it fits as it is.
pub(crate) fn time(
    bound: &Bound,
    wanted: Kind,
    bias: Option<Bias>,
    today: Date,
) -> Option<(Bound, bool)> {
    let (start, end) = match &bound.reading {
        Reading::Date(date) => (*date, *date),
        Reading::Datetime(instant) => (instant.date(), instant.date()),
        Reading::Range(start, end) => (day(start)?, last_day(end)?),
        _ => return None,
    };
    // Records end today: the rest of "this week" is not there yet.
    let end = if bias == Some(Bias::Past) && start <= today { end.min(today) } else { end };
    let bound = |reading| Bound { reading, evidence: bound.evidence.clone() };
    match wanted {
        Kind::Date if start == end => Some((bound(Reading::Date(start)), true)),
        Kind::Range => {
            let exact = start != end;
            let end = end.tomorrow().ok()?;
            Some((bound(Reading::Range(Moment::Date(start), Moment::Date(end))), exact))
        }
        _ => None,
    }
}

/// Turns a time into a range of instants: a day is all of it, and an instant is its minute. `None` for "now" and for what has no
/// start.
pub(crate) fn instants(bound: &Bound, bias: Option<Bias>, now: &Zoned) -> Option<Bound> {
    let midnight = |day: Date| day.to_zoned(now.time_zone().clone()).ok();
    let instant = |moment: &Moment| match moment {
        Moment::Date(day) => midnight(*day),
        Moment::Instant(instant) => Some(instant.clone()),
        Moment::Open => None,
    };
    let (start, end) = match &bound.reading {
        Reading::Date(_) if matches!(bound.evidence.by, By::Rule(rule) if rule.is_now()) => {
            return None;
        }
        Reading::Date(day) => (midnight(*day)?, midnight(day.tomorrow().ok()?)?),
        Reading::Datetime(at) => (at.clone(), at.checked_add(1.minute()).ok()?),
        Reading::Range(start, Moment::Open) => (instant(start)?, now.clone()),
        Reading::Range(start, end) => (instant(start)?, instant(end)?),
        _ => return None,
    };
    // Records end now.
    let end = if bias == Some(Bias::Past) && start <= *now { end.min(now.clone()) } else { end };
    let reading = Reading::Range(Moment::Instant(start), Moment::Instant(end));
    Some(Bound { reading, evidence: bound.evidence.clone() })
}

/// The days of a range, at most a month of them.
pub(crate) fn days(reading: &Reading) -> Vec<Date> {
    let Reading::Range(start, end) = reading else { return Vec::new() };
    let (Some(first), Some(last)) = (day(start), last_day(end)) else { return Vec::new() };
    first.series(1.day()).take_while(|day| *day <= last).take(31).collect()
}

/// The first day of a range; `None` where it has no start.
fn day(moment: &Moment) -> Option<Date> {
    match moment {
        Moment::Date(date) => Some(*date),
        Moment::Instant(instant) => Some(instant.date()),
        Moment::Open => None,
    }
}

/// The last day that a half-open range holds.
fn last_day(end: &Moment) -> Option<Date> {
    match end {
        Moment::Date(date) => date.checked_sub(1.day()).ok(),
        Moment::Instant(instant) => {
            instant.checked_sub(1.nanosecond()).ok().map(|instant| instant.date())
        }
        Moment::Open => None,
    }
}

/// An instant in RFC 3339, to the second.
pub(crate) fn written(instant: &Zoned) -> String {
    let offset = jiff::tz::TimeZone::fixed(instant.offset());
    instant.with_time_zone(offset).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// The part of a reading that an argument wants, as JSON; of a range of instants the instant itself, where the argument is
/// that `precise`.
pub(crate) fn part(
    reading: &Reading,
    kind: Kind,
    part: Option<Part>,
    precise: bool,
) -> Option<Json> {
    match (reading, kind, part) {
        (Reading::Point(point), Kind::Point, Some(Part::Longitude)) => Some(json!(point.longitude)),
        (Reading::Point(point), Kind::Point, Some(Part::Latitude)) => Some(json!(point.latitude)),
        (Reading::Bbox(area), Kind::Bbox, None) => Some(json!(area)),
        (Reading::Date(date), Kind::Date, None) => Some(json!(date.to_string())),
        (
            Reading::Range(Moment::Instant(start), Moment::Instant(_)),
            Kind::Range,
            Some(Part::Start),
        ) if precise => Some(json!(written(start))),
        (Reading::Range(_, Moment::Instant(end)), Kind::Range, Some(Part::End)) if precise => {
            Some(json!(written(end)))
        }
        (Reading::Range(start, _), Kind::Range, Some(Part::Start)) => {
            Some(json!(day(start)?.to_string()))
        }
        (Reading::Range(_, end), Kind::Range, Some(Part::End)) => {
            Some(json!(last_day(end)?.to_string()))
        }
        _ => None,
    }
}
