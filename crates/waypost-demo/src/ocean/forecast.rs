//! `tide.forecast`: one local day of tides, sun and moon, told in the caller's time zone.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::astronomy::{self, Body, CIVIL_TWILIGHT, MOONRISE, Place, SUNRISE};
use super::tide::{self, Extreme, Tide};
use super::zone::{self, Written, Zone};
use super::{no_data, read, read_day, round};
use crate::pack::{Context, Failure};

/// The years for which sun and moon are as accurate as promised.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2100;

/// The time before and after a moment in which its last and next extreme are searched, in seconds:
/// two are never more than ten hours apart.
const REACH: f64 = 15.0 * 3600.0;

const UTC_NOTE: &str =
    "No local time zone was given: times are in UTC (+00:00). Convert them if you need to.";
const DATUM_NOTE: &str =
    "Tide heights are relative to NTDE 1983–2001 MSL and provided for reference only.";
const SYNTHETIC_NOTE: &str =
    "Tide heights are synthetic, not a prediction: never navigate by them. Sun and moon are real.";
const REFERENCE: &str = "Synthetic M2+S2+K1+O1 (stands in for TPXO9)";

#[derive(Debug, Deserialize)]
struct Arguments {
    longitude: f64,
    latitude: f64,
    tz: Written,
    date: Option<String>,
    query_time: Option<String>,
}

/// `tide.forecast`.
pub(super) fn tide_forecast(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Value, Failure> {
    let Arguments { longitude, latitude, tz, date, query_time } = read(arguments)?;
    let zone = zone::read(&tz)?;
    let asked_at = match query_time {
        Some(text) => read_moment(&text, &zone.zone)?,
        None => context.now.timestamp(),
    };
    let today = asked_at.to_zoned(zone.zone.clone()).date();
    let date = date.map_or(Ok(today), |date| read_day("date", &date))?;
    if context.no_data {
        return Err(no_data(context));
    }
    let day = LocalDay::new(date, &zone.zone)?;
    let tide = tide::at(longitude, latitude);
    let place = Place { longitude, latitude };
    let now = (date == today).then(|| seconds(asked_at));
    let mut result = json!({
        "region": [longitude, latitude],
        "date": date.to_string(),
        "timezone": day.offset(),
        "reference": REFERENCE,
        "sun": sun(place, &day),
        "moon": moon(place, &day),
        "moonphase": moonphase(&day, now),
        "tide": tides(&tide, &day, now),
        "messages": messages(&zone),
        "backend": {"usno_status": "", "tide_api_status": "OK"},
        "synthetic": true,
        "note": SYNTHETIC_NOTE,
    });
    if let Some(name) = zone.name {
        result["tz_name"] = json!(name);
    }
    Ok(result)
}

/// A moment in ISO 8601, taken as local if it has no offset.
fn read_moment(text: &str, zone: &TimeZone) -> Result<Timestamp, Failure> {
    let text = text.trim();
    let moment = text.parse::<Timestamp>().or_else(|_| {
        let local = text.parse::<DateTime>()?;
        zone.to_timestamp(local)
    });
    moment.map_err(|_| {
        Failure::invalid(format!(
            "`query_time` `{text}` is no moment in ISO 8601, such as `2025-11-06T10:30:00+08:00`"
        ))
    })
}

/// A local day: its zone, and its first and last moment in Unix seconds.
struct LocalDay {
    noon: Zoned,
    start: f64,
    end: f64,
}

impl LocalDay {
    fn new(date: Date, zone: &TimeZone) -> Result<Self, Failure> {
        let outside = || {
            let (first, last) = (YEARS.start(), YEARS.end());
            Failure::invalid(format!("`date` {date} is outside the years {first} to {last}"))
        };
        if !YEARS.contains(&date.year()) {
            return Err(outside());
        }
        let local =
            |day: Date, hour: i8| zone.to_zoned(day.at(hour, 0, 0, 0)).map_err(|_| outside());
        let tomorrow = date.tomorrow().map_err(|_| outside())?;
        Ok(Self {
            noon: local(date, 12)?,
            start: seconds(local(date, 0)?.timestamp()),
            end: seconds(local(tomorrow, 0)?.timestamp()),
        })
    }

    /// The offset at noon, such as `+08:00`.
    fn offset(&self) -> String {
        self.noon.strftime("%:z").to_string()
    }

    /// A moment in Unix seconds as local ISO 8601 with its offset.
    fn tell(&self, time: f64) -> String {
        Timestamp::from_second(time.round() as i64).map_or_else(
            |_| String::new(),
            |moment| {
                let local = moment.to_zoned(self.noon.time_zone().clone());
                local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
            },
        )
    }

    /// The same to the minute, as near as the formulas of sun and moon can promise; null for none.
    fn tell_minute(&self, time: Option<f64>) -> Value {
        time.map_or(Value::Null, |time| json!(self.tell((time / 60.0).round() * 60.0)))
    }
}

fn sun(place: Place, day: &LocalDay) -> Value {
    let rise = |altitude| astronomy::rise(Body::Sun, place, altitude, day.start, day.end);
    let set = |altitude| astronomy::set(Body::Sun, place, altitude, day.start, day.end);
    json!({
        "rise": day.tell_minute(rise(SUNRISE)),
        "set": day.tell_minute(set(SUNRISE)),
        "transit": day.tell_minute(astronomy::transit(Body::Sun, place, day.start, day.end)),
        "begin_civil_twilight": day.tell_minute(rise(CIVIL_TWILIGHT)),
        "end_civil_twilight": day.tell_minute(set(CIVIL_TWILIGHT)),
    })
}

fn moon(place: Place, day: &LocalDay) -> Value {
    json!({
        "rise": day.tell_minute(astronomy::rise(Body::Moon, place, MOONRISE, day.start, day.end)),
        "set": day.tell_minute(astronomy::set(Body::Moon, place, MOONRISE, day.start, day.end)),
        "transit": day.tell_minute(astronomy::transit(Body::Moon, place, day.start, day.end)),
    })
}

/// The phase at the moment of the question, or at noon of another day. A day on which a principal
/// phase falls has that phase's name.
fn moonphase(day: &LocalDay, now: Option<f64>) -> Value {
    let moment = now.unwrap_or_else(|| seconds(day.noon.timestamp()));
    let closest = astronomy::closest_phase(moment);
    let falls_today = (day.start..day.end).contains(&closest.time);
    let current = if falls_today { closest.name } else { astronomy::phase_between(moment) };
    json!({
        "current": current,
        "illumination": format!("{:.0}%", 100.0 * astronomy::illumination(moment)),
        "closest": {"phase": closest.name, "time": day.tell_minute(Some(closest.time))},
    })
}

/// The day's highs and lows and, if the question is about today, where the tide stands.
fn tides(tide: &Tide, day: &LocalDay, now: Option<f64>) -> Value {
    let extremes = tide.extremes(day.start, day.end);
    let told = |high: bool| -> Vec<Value> {
        let chosen = extremes.iter().filter(|extreme| extreme.high == high);
        chosen
            .map(|extreme| json!({"time": day.tell(extreme.time), "height_cm": round(extreme.height, 1)}))
            .collect()
    };
    let mut result = json!({"highs": told(true), "lows": told(false)});
    if let Some((last, next, now)) = now.and_then(|now| around(tide, now)) {
        result["state_now"] = json!(if next.high { "rising" } else { "falling" });
        result["since_extreme"] = json!(tell_duration(now - last.time));
        result["until_extreme"] = json!(tell_duration(next.time - now));
        result["last_extreme"] = tell_extreme(last, day);
        result["next_extreme"] = tell_extreme(next, day);
    }
    result
}

/// The extremes before and after a moment, and the moment.
fn around(tide: &Tide, now: f64) -> Option<(Extreme, Extreme, f64)> {
    let last = tide.extremes(now - REACH, now).into_iter().next_back()?;
    let next = tide.extremes(now, now + REACH).into_iter().next()?;
    Some((last, next, now))
}

fn tell_extreme(extreme: Extreme, day: &LocalDay) -> Value {
    json!({
        "type": if extreme.high { "HIGH" } else { "LOW" },
        "time": day.tell(extreme.time),
        "height_cm": round(extreme.height, 1),
    })
}

/// Seconds as `HH:MM:SS`.
fn tell_duration(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// The zone's warning first, then the notes that always hold.
fn messages(zone: &Zone) -> Vec<&'static str> {
    let notes = [DATUM_NOTE, SYNTHETIC_NOTE];
    zone.bare_utc.then_some(UTC_NOTE).into_iter().chain(notes).collect()
}

fn seconds(moment: Timestamp) -> f64 {
    moment.as_millisecond() as f64 / 1000.0
}
