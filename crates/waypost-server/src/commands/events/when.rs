//! Reads the value of `--since`: so long before now, a date, or an instant.

use jiff::Timestamp;
use waypost::{Error, Result};

/// The longest stretch that can be said, in seconds: a hundred years.
const LONGEST: i64 = 100 * 366 * 86_400;

/// The instant as events write it, without its final `Z`; a date is its beginning in UTC.
pub(in crate::commands) fn since(text: &str, now: Timestamp) -> Result<String> {
    let at = ago(text, now).or_else(|| instant(text)).ok_or_else(|| {
        Error::invalid(format!("`{text}` is no time"))
            .with_hint("write `7d`, `24h` or `30m`, a date such as `2025-11-06`, or an instant")
    })?;
    Ok(at.to_string().trim_end_matches('Z').to_owned())
}

fn ago(text: &str, now: Timestamp) -> Option<Timestamp> {
    let unit = match text.chars().last()? {
        'd' => 86_400,
        'h' => 3_600,
        'm' => 60,
        _ => return None,
    };
    let count: i64 = text[..text.len() - 1].parse().ok()?;
    let seconds = count.checked_mul(unit).filter(|seconds| (0..=LONGEST).contains(seconds))?;
    now.checked_sub(jiff::SignedDuration::from_secs(seconds)).ok()
}

fn instant(text: &str) -> Option<Timestamp> {
    let date = || text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    text.parse().ok().or_else(|| date().map(|day| day.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_a_date_or_an_instant() {
        let now: Timestamp = "2025-11-06T08:00:00Z".parse().unwrap();
        for (text, at) in [
            ("7d", "2025-10-30T08:00:00"),
            ("24h", "2025-11-05T08:00:00"),
            ("30m", "2025-11-06T07:30:00"),
            ("0d", "2025-11-06T08:00:00"),
            ("2025-11-01", "2025-11-01T00:00:00"),
            ("2025-11-06T09:00:00+08:00", "2025-11-06T01:00:00"),
        ] {
            assert_eq!(since(text, now).unwrap(), at, "{text}");
        }
        for text in ["", "d", "7", "-1d", "7 days", "99999999999999999999d", "soon", "日"] {
            assert!(since(text, now).is_err(), "{text}");
        }
    }
}
