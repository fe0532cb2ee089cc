//! `getEarningsCalendar`: when a company reports, and how its reports met what was expected.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::accounts::{self, Accounts};
use super::listing::{Listing, Listings};
use super::money::{percent, two};
use super::statistics::mean;
use super::{about, finish, read, schema};
use crate::number::round;
use crate::pack::{Context, Failure, Reply, Tool};
use crate::random::normal;

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default = "four")]
    limit: usize,
}

fn four() -> usize {
    4
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "symbol": schema::symbol(),
        "limit": schema::integer(4, 1, 40, "The number of reports."),
    });
    let report = json!({
        "date": schema::text("The day of the report."),
        "label": schema::text("The quarter, such as Q3 2025."),
        "eps_actual": schema::number("Earnings per share."),
        "eps_estimate": schema::number("What was expected."),
        "surprise_percent": schema::number("The difference in percent."),
        "beat": {"type": "boolean"},
    });
    let output = json!({
        "next_earnings_date": schema::text("The day of the next report."),
        "earnings_history": schema::list(report),
        "beat_rate": schema::number("Percent of the reports that beat what was expected."),
        "avg_surprise": schema::number("Percent."),
    });
    Tool {
        name: "getEarningsCalendar",
        description: "When a company reports its earnings next, and its last reports: earnings \
                      per share, what was expected, and the surprise.",
        input: schema::input(input, &["symbol"]),
        output: schema::priced(output),
        call: earnings_calendar,
    }
}

fn earnings_calendar(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { symbol, limit } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let mut quarters = accounts::quarters(listing, context.today)?;
    quarters.reverse();
    quarters.truncate(limit);
    let reports: Vec<Report> = quarters.iter().map(|quarter| report(listing, quarter)).collect();
    let surprises: Vec<f64> = reports.iter().map(|report| report.surprise).collect();
    let beaten = surprises.iter().filter(|surprise| **surprise > 0.0).count();
    let next = accounts::last_reported(listing, context.today) + 1;
    let mut result = about(listing);
    result.insert("currency".to_owned(), json!(listing.currency()));
    let day = accounts::reported_on(listing, next);
    result.insert("next_earnings_date".to_owned(), json!(day.to_string()));
    result.insert("earnings_history".to_owned(), reports.iter().map(Report::shown).collect());
    let rate = percent(beaten as f64, reports.len() as f64);
    result.insert("beat_rate".to_owned(), json!(round(rate, 0)));
    result.insert("avg_surprise".to_owned(), two(mean(&surprises)));
    Ok(finish(result, Vec::new(), context))
}

/// A report on a quarter.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) day: jiff::civil::Date,
    pub(super) label: String,
    pub(super) actual: f64,
    pub(super) estimate: f64,
    /// Percent of the estimate.
    pub(super) surprise: f64,
}

/// The report on a quarter of accounts; analysts expect a little too little, as they do.
pub(super) fn report(listing: &Listing, quarter: &Accounts) -> Report {
    let index = quarter.year * 4 + quarter.quarter.unwrap_or(4) - 1;
    let words = [listing.word("surprise"), index.unsigned_abs().into()];
    let actual = round(quarter.eps(), 2);
    let miss = (0.02 + 0.05 * normal(&words)).clamp(-0.3, 0.3);
    let estimate = round(quarter.eps() - quarter.eps().abs() * miss, 2);
    let surprise = percent(actual - estimate, estimate.abs());
    Report {
        day: accounts::reported_on(listing, index),
        label: quarter.label(),
        actual,
        estimate,
        surprise,
    }
}

impl Report {
    fn shown(&self) -> Value {
        json!({
            "date": self.day.to_string(),
            "label": self.label,
            "eps_actual": self.actual,
            "eps_estimate": self.estimate,
            "surprise_percent": two(self.surprise),
            "beat": self.surprise > 0.0,
        })
    }
}
