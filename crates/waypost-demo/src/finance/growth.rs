//! `getGrowthMetrics`: how fast a company's revenue and earnings grow from year to year.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::accounts::{self, Accounts};
use super::listing::Listings;
use super::money::{change, two};
use super::statistics::{deviation, mean};
use super::{about, finish, read, schema};
use crate::pack::{Context, Failure, Reply, Tool};

/// Points by which the newest growth must leave the mean to be a trend.
const TREND: f64 = 3.0;

/// The deviation of growth, in points, up to which it is stable.
const STABLE: f64 = 8.0;

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default = "five")]
    lookback_years: usize,
}

fn five() -> usize {
    5
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "symbol": schema::symbol(),
        "lookback_years": schema::integer(5, 1, 10, "The number of years."),
    });
    let rates = || schema::numbers(&["yoy", "average"]);
    let year = json!({
        "year": schema::count("The fiscal year."),
        "revenue_growth": schema::number("Percent on the year before, as all growth."),
        "earnings_growth": schema::number(""),
        "eps_growth": schema::number(""),
    });
    let output = json!({
        "lookback_years": schema::count("The years that were looked at."),
        "revenue_growth": rates(),
        "earnings_growth": rates(),
        "eps_growth": rates(),
        "years": schema::list(year),
        "growth_analysis": schema::object(json!({
            "trend": schema::word(&["accelerating", "steady", "decelerating"]),
            "consistency": schema::word(&["stable", "volatile"]),
        })),
    });
    Tool {
        name: "getGrowthMetrics",
        description: "The growth of a company's revenue, earnings and earnings per share over the \
                      last years, with its trend and how steady it is.",
        input: schema::input(input, &["symbol"]),
        output: schema::about(output),
        call: growth_metrics,
    }
}

fn growth_metrics(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { symbol, lookback_years } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let mut pairs: Vec<(Accounts, Accounts)> = accounts::years(listing, context.today)?
        .windows(2)
        .map(|pair| (pair[0], pair[1]))
        .collect();
    pairs.reverse();
    pairs.truncate(lookback_years);
    let rates = |pick: fn(&Accounts) -> f64| -> Vec<f64> {
        pairs.iter().map(|(before, year)| change(pick(before), pick(year))).collect()
    };
    let revenue = rates(|year| year.revenue);
    let earnings = rates(|year| year.net_income);
    let eps = rates(Accounts::eps);
    let years: Vec<Value> = pairs
        .iter()
        .zip(revenue.iter().zip(&earnings).zip(&eps))
        .map(|((_, year), ((revenue, earnings), eps))| {
            json!({
                "year": year.year,
                "revenue_growth": two(*revenue),
                "earnings_growth": two(*earnings),
                "eps_growth": two(*eps),
            })
        })
        .collect();
    let summary = |rates: &[f64]| json!({"yoy": two(rates.first().copied().unwrap_or(0.0)), "average": two(mean(rates))});
    let mut result = about(listing);
    result.insert("lookback_years".to_owned(), json!(pairs.len()));
    result.insert("revenue_growth".to_owned(), summary(&revenue));
    result.insert("earnings_growth".to_owned(), summary(&earnings));
    result.insert("eps_growth".to_owned(), summary(&eps));
    result.insert("years".to_owned(), json!(years));
    result.insert("growth_analysis".to_owned(), analysis(&revenue));
    Ok(finish(result, Vec::new(), context))
}

fn analysis(rates: &[f64]) -> Value {
    let lead = rates.first().copied().unwrap_or(0.0) - mean(rates);
    let trend = match lead {
        lead if lead > TREND => "accelerating",
        lead if lead < -TREND => "decelerating",
        _ => "steady",
    };
    let consistency = if deviation(rates) <= STABLE { "stable" } else { "volatile" };
    json!({"trend": trend, "consistency": consistency})
}
