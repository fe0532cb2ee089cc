//! The time zone argument of `tide.forecast`: an IANA name, an offset, a number of hours, or `Z`.

use jiff::tz::{Offset, TimeZone};
use serde::Deserialize;

use crate::pack::Failure;

/// The offsets in use on Earth, in seconds: -12:00 to +14:00.
const OFFSETS: std::ops::RangeInclusive<i32> = -12 * 3600..=14 * 3600;

/// A zone as the caller may write it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Written {
    Hours(f64),
    Text(String),
}

/// A zone, its name if it has one, and whether the caller only said `Z`.
#[derive(Debug)]
pub(super) struct Zone {
    pub(super) zone: TimeZone,
    pub(super) name: Option<String>,
    pub(super) bare_utc: bool,
}

/// Reads a zone.
pub(super) fn read(written: &Written) -> Result<Zone, Failure> {
    match written {
        Written::Hours(hours) => fixed((hours * 3600.0).round() as i32, &hours.to_string()),
        Written::Text(text) => read_text(text.trim()),
    }
}

fn read_text(text: &str) -> Result<Zone, Failure> {
    if text.eq_ignore_ascii_case("z") {
        return Ok(Zone { zone: TimeZone::UTC, name: None, bare_utc: true });
    }
    if text.starts_with(|first: char| first.is_ascii_alphabetic()) {
        let zone = TimeZone::get(text).map_err(|_| wrong(text))?;
        return Ok(Zone { zone, name: Some(text.to_owned()), bare_utc: false });
    }
    fixed(offset_seconds(text).ok_or_else(|| wrong(text))?, text)
}

/// Seconds east of Greenwich in `+08:00`, `-05:30`, `8` or `-5.5`.
fn offset_seconds(text: &str) -> Option<i32> {
    let (sign, size) = match text.strip_prefix('-') {
        Some(size) => (-1.0, size),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if !size.bytes().all(|byte| byte.is_ascii_digit() || byte == b':' || byte == b'.') {
        return None;
    }
    let hours = match size.split_once(':') {
        Some((hours, minutes)) => {
            let minutes: u8 = minutes.parse().ok().filter(|minutes| *minutes < 60)?;
            f64::from(hours.parse::<u8>().ok()?) + f64::from(minutes) / 60.0
        }
        None => size.parse().ok()?,
    };
    Some((sign * hours * 3600.0).round() as i32)
}

fn fixed(seconds: i32, text: &str) -> Result<Zone, Failure> {
    if !OFFSETS.contains(&seconds) {
        return Err(wrong(text));
    }
    let offset = Offset::from_seconds(seconds).map_err(|_| wrong(text))?;
    Ok(Zone { zone: TimeZone::fixed(offset), name: None, bare_utc: false })
}

fn wrong(text: &str) -> Failure {
    Failure::invalid(format!(
        "`tz` `{text}` is no time zone; give a name such as `Asia/Taipei`, an offset such as \
         `+08:00`, hours from -12 to 14, or `Z`"
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(written: Value, expected: &str) {
        let written: Written = serde_json::from_value(written).expect("a string or a number");
        let got = match read(&written) {
            Ok(zone) => {
                let moment = "2025-11-06T00:00Z".parse::<jiff::Timestamp>().expect("a moment");
                let local = moment.to_zoned(zone.zone).strftime("%:z").to_string();
                format!("{local} {:?} {}", zone.name, zone.bare_utc)
            }
            Err(failure) => format!("{}: {}", failure.code, failure.message),
        };
        assert!(got.starts_with(expected), "{got}");
    }

    #[test]
    fn zones_are_read() {
        check(json!("Asia/Taipei"), "+08:00 Some(\"Asia/Taipei\") false");
        check(json!("+08:00"), "+08:00 None false");
        check(json!("-00:30"), "-00:30 None false");
        check(json!(8), "+08:00 None false");
        check(json!(-5.5), "-05:30 None false");
        check(json!("5.75"), "+05:45 None false");
        check(json!("Z"), "+00:00 None true");
        check(json!("UTC"), "+00:00 Some(\"UTC\") false");
    }

    #[test]
    fn what_is_no_zone_is_refused() {
        for text in [
            "Mars/Olympus",
            "+25:00",
            "8:75",
            "++8",
            "?",
            "-:30",
            "NaN",
            "+NaN",
            "+-8:00",
            "1e1",
            "",
        ] {
            check(json!(text), "INVALID_ARGUMENT: `tz`");
        }
        check(json!(99), "INVALID_ARGUMENT: `tz`");
    }
}
