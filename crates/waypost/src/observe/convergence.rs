//! Shows how far traffic has come from the model to the student: the share of turns that a model
//! still decides, week by week, against the path that it should take. Source: S4-25, S4-31.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use serde::Serialize;
use waypost_core::records::decision::LayerName;

/// The number of weeks that are kept, the latest: ten years.
const MAX_WEEKS: usize = 520;

/// A stage of the way, by the share of turns that a model decides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stage {
    /// Its name.
    pub name: &'static str,
    /// The largest share that belongs to it, from 0 to 1.
    pub at_most: f64,
}

/// The stages, the first one first. Source: S4-31, whose steps are 95%, 10 to 20%, 5% and 2%.
pub const PATH: [Stage; 4] = [
    Stage { name: "bootstrap", at_most: 1.0 },
    Stage { name: "student", at_most: 0.2 },
    Stage { name: "steady", at_most: 0.05 },
    Stage { name: "anomalies", at_most: 0.02 },
];

/// The furthest stage that a share has reached.
pub fn stage(share: f64) -> Stage {
    let reached = PATH.iter().rev().find(|stage| share <= stage.at_most);
    *reached.unwrap_or(&PATH[0])
}

/// A week of turns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Week {
    /// Its Monday, in UTC.
    pub from: Date,
    /// The number of turns.
    pub turns: u64,
    /// The number of turns that a model decided.
    pub by_model: u64,
    /// The share of the turns that a model decided.
    pub share: f64,
}

/// Counts turns by week.
#[derive(Debug, Default)]
pub(crate) struct Weeks(BTreeMap<Date, (u64, u64)>);

impl Weeks {
    /// Counts a turn at an instant, RFC 3339; one that cannot be read is in no week.
    pub(crate) fn add(&mut self, at: &str, layer: LayerName) {
        let Some(monday) = monday(at) else { return };
        let (turns, by_model) = self.0.entry(monday).or_default();
        *turns += 1;
        *by_model += u64::from(layer == LayerName::Llm);
        if self.0.len() > MAX_WEEKS {
            self.0.pop_first();
        }
    }

    /// The weeks that had turns, the oldest first.
    pub(crate) fn list(&self) -> Vec<Week> {
        let week = |(from, (turns, by_model)): (&Date, &(u64, u64))| Week {
            from: *from,
            turns: *turns,
            by_model: *by_model,
            share: *by_model as f64 / (*turns).max(1) as f64,
        };
        self.0.iter().map(week).collect()
    }
}

fn monday(at: &str) -> Option<Date> {
    let day = at.parse::<Timestamp>().ok()?.to_zoned(TimeZone::UTC).date();
    let tomorrow = day.tomorrow().ok()?;
    tomorrow.nth_weekday(-1, Weekday::Monday).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s4_31_a_share_is_at_the_furthest_stage_that_it_reached() {
        let named = |share| stage(share).name;
        assert_eq!(named(0.95), "bootstrap");
        assert_eq!(named(0.21), "bootstrap");
        assert_eq!([named(0.2), named(0.1)], ["student"; 2]);
        assert_eq!([named(0.05), named(0.03)], ["steady"; 2]);
        assert_eq!([named(0.02), named(0.0)], ["anomalies"; 2]);
    }

    #[test]
    fn s4_31_turns_are_counted_in_their_week() {
        let mut weeks = Weeks::default();
        let llm = LayerName::Llm;
        for (at, layer) in [
            ("2025-11-02T23:59:59Z", llm),
            ("2025-11-03T00:00:00Z", llm),
            ("2025-11-03T02:00:00+08:00", LayerName::Linear),
            ("2025-11-09T23:00:00.5Z", LayerName::Rules),
            ("no instant", llm),
        ] {
            weeks.add(at, layer);
        }
        let found: Vec<_> = weeks
            .list()
            .iter()
            .map(|week| (week.from.to_string(), week.turns, week.by_model))
            .collect();
        let wanted = [("2025-10-27".to_owned(), 2, 1), ("2025-11-03".to_owned(), 2, 1)];
        assert_eq!(found, wanted);
    }

    #[test]
    fn weeks_are_bounded() {
        let mut weeks = Weeks::default();
        let begin = jiff::civil::date(2000, 1, 3);
        for week in 0..600_i32 {
            let day = begin + jiff::Span::new().weeks(week);
            weeks.add(&format!("{day}T00:00:00Z"), LayerName::Llm);
        }
        assert_eq!(weeks.0.len(), MAX_WEEKS);
        assert!(weeks.0.keys().next().is_some_and(|first| *first > begin));
    }
}
