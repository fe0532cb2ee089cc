//! Decides when a rhythm of ours is a TIMEX expression of a corpus.
//!
//! Ours give a count of a unit ("every 2 weeks"), a weekday and a time. The corpus's give a length
//! (`P2W`), a weekday (`XXXX-WXX-1`) or a day of the month (`XXXX-XX-19`), and a time or part of a
//! day (`T16`, `TMO`). A part that only one of the two can say is not compared: ours have no day of
//! the month and no part of the day, and theirs cannot say that it is every second Friday.

use serde_json::Value as Json;

/// The ways to say how often, each a count (`None`: any) of a unit.
type Steps = Vec<(Option<f64>, &'static str)>;

struct Rhythm {
    steps: Steps,
    weekday: Option<i64>,
    /// `HH:MM`, or what begins like it.
    time: Option<String>,
    /// True if the time is a part of the day.
    is_vague: bool,
}

/// Returns whether the canonical form of a rhythm is what `timex` says.
pub(crate) fn is(timex: &str, found: &Json) -> bool {
    let Some(wanted) = read(timex) else { return false };
    let Some(unit) = found.get("unit").and_then(Json::as_str) else { return false };
    let every = found.get("every").and_then(Json::as_f64);
    let time = found.get("time").and_then(Json::as_str);
    wanted.steps.iter().any(|(count, name)| *name == unit && (count.is_none() || *count == every))
        && wanted.weekday == found.get("weekday").and_then(Json::as_i64)
        && (wanted.is_vague || wanted.time.as_deref() == time)
}

fn read(timex: &str) -> Option<Rhythm> {
    if let Some(length) = timex.strip_prefix('P') {
        return Some(Rhythm { steps: steps(length)?, weekday: None, time: None, is_vague: false });
    }
    let (day, time) = match timex.split_once('T') {
        Some((day, time)) => (day, Some(time)),
        None => (timex, None),
    };
    let is_vague = time.is_some_and(|time| !time.starts_with(|c: char| c.is_ascii_digit()));
    let time =
        time.map(|time| if time.len() == 2 { format!("{time}:00") } else { time.to_owned() });
    let (steps, weekday) = match day.strip_prefix("XXXX-") {
        None => (vec![(Some(1.0), "day")], None),
        Some("WXX-WE") => (vec![(Some(1.0), "weekend"), (Some(1.0), "week")], None),
        Some(day) => match day.strip_prefix("WXX-") {
            Some(weekday) => (vec![(None, "week")], Some(weekday.parse().ok()?)),
            None => (vec![(Some(1.0), "month")], None),
        },
    };
    Some(Rhythm { steps, weekday, time, is_vague })
}

fn steps(length: &str) -> Option<Steps> {
    let at = length.find(|c: char| c.is_ascii_alphabetic())?;
    let count: f64 = length[..at].parse().ok()?;
    let times = |factor: f64, unit| (Some(count * factor), unit);
    Some(match &length[at..] {
        "Y" => vec![times(1.0, "year"), times(12.0, "month"), times(4.0, "quarter")],
        "M" => vec![times(1.0, "month"), times(1.0 / 3.0, "quarter")],
        "W" => vec![times(1.0, "week"), times(7.0, "day")],
        "D" => vec![times(1.0, "day"), times(1.0 / 7.0, "week")],
        "WE" => vec![times(1.0, "weekend"), times(1.0, "week")],
        "WD" => vec![times(1.0, "weekday"), times(1.0, "day")],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lengths_and_weekdays_and_times_are_compared() {
        assert!(is("P2W", &json!({"every": 2, "unit": "week"})));
        assert!(!is("P2W", &json!({"every": 1, "unit": "week"})));
        assert!(is("P0.5Y", &json!({"every": 6, "unit": "month"})));
        let mondays = json!({"every": 1, "unit": "week", "weekday": 1, "time": "16:00"});
        assert!(is("XXXX-WXX-1T16", &mondays));
        assert!(!is("XXXX-WXX-2T16", &mondays));
        assert!(!is("XXXX-WXX-1", &mondays));
        assert!(is("T19:13", &json!({"every": 1, "unit": "day", "time": "19:13"})));
        assert!(is("TNI", &json!({"every": 1, "unit": "day"})));
        assert!(!is("nonsense", &mondays));
    }
}
