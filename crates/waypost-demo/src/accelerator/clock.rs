//! Moments and periods: how they are read and written, and the clock of the site.
//!
//! A moment is a number of seconds, as the machine is a function of it.

use jiff::Timestamp;
use jiff::civil::DateTime;

use crate::pack::{Context, Failure};

/// The seconds of a day.
pub(super) const DAY: i64 = 86_400;

/// The site's clock is eight hours ahead of Greenwich all the year, wherever the reader is: so the
/// same instant of the past always reads the same.
const SITE_AHEAD: i64 = 8 * 3600;

/// The present moment.
pub(super) fn now(context: &Context) -> i64 {
    context.now.timestamp().as_second()
}

/// The seconds since midnight at the site.
pub(super) fn of_day(second: i64) -> i64 {
    (second + SITE_AHEAD).rem_euclid(DAY)
}

/// The moment of midnight at the site, of the day that a moment belongs to.
pub(super) fn midnight(second: i64) -> i64 {
    second - of_day(second)
}

/// A moment as results have it, in the time zone of the request.
pub(super) fn written(second: i64, context: &Context) -> String {
    let moment = Timestamp::from_second(second).unwrap_or_else(|_| context.now.timestamp());
    let zoned = moment.to_zoned(context.now.time_zone().clone());
    zoned.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// Reads a moment; without an offset it is one of the request's time zone.
pub(super) fn read(name: &str, text: &str, context: &Context) -> Result<i64, Failure> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(moment.as_second());
    }
    let local = text.parse::<DateTime>().ok();
    let zoned = local.and_then(|local| local.to_zoned(context.now.time_zone().clone()).ok());
    zoned.map(|zoned| zoned.timestamp().as_second()).ok_or_else(|| {
        Failure::invalid(format!(
            "`{name}` must be a moment such as `2026-03-18T07:00:00+08:00`, not `{text}`"
        ))
    })
}

/// A stretch of time; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Period {
    pub(super) start: i64,
    pub(super) end: i64,
    /// True if an end of it was not given.
    pub(super) assumed: bool,
}

impl Period {
    /// Reads a period. Without an end it ends now, without a start it is a day long.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` if an end of it is no moment, or the start is after the end.
    pub(super) fn read(
        start: Option<&str>,
        end: Option<&str>,
        context: &Context,
    ) -> Result<Self, Failure> {
        let given =
            |name: &str, text: Option<&str>| text.map(|text| read(name, text, context)).transpose();
        let (first, last) = (given("start", start)?, given("end", end)?);
        let end = last.unwrap_or_else(|| now(context).max(first.unwrap_or(i64::MIN)));
        let start = first.unwrap_or(end - DAY);
        if start > end {
            return Err(Failure::invalid(format!(
                "`start` ({}) is after `end` ({})",
                written(start, context),
                written(end, context)
            )));
        }
        Ok(Self { start, end, assumed: first.is_none() || last.is_none() })
    }

    /// Returns whether a moment belongs to it.
    pub(super) fn contains(&self, second: i64) -> bool {
        (self.start..=self.end).contains(&second)
    }
}
