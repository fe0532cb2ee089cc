//! `getRelativeStrength`: a stock's course against a benchmark and among all others.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::listing::{Kind, Listing, Listings};
use super::money::two;
use super::series::Bar;
use super::statistics::rank;
use super::{SOURCE, about, finish, read, schema, series};
use crate::number::round;
use crate::pack::{Context, Failure, Reply, Tool};
use crate::picture::{Caption, Lines, Picture};

const TIMEFRAMES: [&str; 4] = ["1M", "3M", "6M", "1Y"];

/// The points by which the lead of the last part must leave its share of the whole.
const TREND: f64 = 1.0;

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default = "spy")]
    benchmark: String,
    #[serde(default = "three_months")]
    timeframe: String,
}

fn spy() -> String {
    "SPY".to_owned()
}

fn three_months() -> String {
    "3M".to_owned()
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "symbol": schema::symbol(),
        "benchmark": {
            "type": "string",
            "minLength": 1,
            "default": "SPY",
            "description": "Ticker of what to compare with: a fund, an index or another stock.",
        },
        "timeframe": schema::one_of(&TIMEFRAMES, "3M", "The stretch that is compared."),
    });
    let output = json!({
        "benchmark": schema::text("Its ticker."),
        "benchmark_name": schema::text("Its name."),
        "timeframe": schema::word(&TIMEFRAMES),
        "stock_return": schema::number("Percent."),
        "benchmark_return": schema::number("Percent."),
        "relative_performance": schema::number("The difference of the two in points."),
        "is_outperforming": {"type": "boolean"},
        "trend": schema::word(&["improving", "steady", "weakening"]),
        "percentile_rank": schema::number("The percent of all stocks known here that did worse."),
        "strength_score": schema::number("From 0 to 100; 50 is as the benchmark."),
    });
    Tool {
        name: "getRelativeStrength",
        description: "How one stock did against a benchmark (SPY, which follows the S&P 500, if \
                      none is given) over one month to a year, with its rank among all stocks.",
        input: schema::input(input, &["symbol"]),
        output: schema::about(output),
        call: relative_strength,
    }
}

fn relative_strength(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { symbol, benchmark, timeframe } = read(arguments)?;
    let listings = Listings::read(context)?;
    let (listing, other) = (listings.stock(&symbol)?, listings.stock(&benchmark)?);
    let (own, others) = (series::daily(listing, context)?, series::daily(other, context)?);
    let gain = |bars: &[Bar], timeframe: &str| series::gain_over(bars, timeframe);
    let (stock, market) = (gain(&own, &timeframe), gain(&others, &timeframe));
    let lead = stock - market;
    // The last part of the stretch against its share of the whole.
    let (part, share) = match timeframe.as_str() {
        "1M" => ("1W", 0.25),
        "3M" => ("1M", 1.0 / 3.0),
        "6M" => ("1M", 1.0 / 6.0),
        _ => ("3M", 0.25),
    };
    let late = gain(&own, part) - gain(&others, part) - lead * share;
    let trend = match late {
        late if late > TREND => "improving",
        late if late < -TREND => "weakening",
        _ => "steady",
    };
    let mut result = about(listing);
    result.insert("benchmark".to_owned(), json!(other.symbol));
    result.insert("benchmark_name".to_owned(), json!(other.name));
    result.insert("stock_return".to_owned(), two(stock));
    result.insert("benchmark_return".to_owned(), two(market));
    result.insert("relative_performance".to_owned(), two(lead));
    result.insert("is_outperforming".to_owned(), json!(lead > 0.0));
    result.insert("trend".to_owned(), json!(trend));
    let all = all_gains(&listings, &timeframe, context)?;
    result.insert("percentile_rank".to_owned(), json!(round(rank(&all, stock), 0)));
    // Thirty points of lead are near the end of the scale.
    let score = 50.0 + 50.0 * (lead / 30.0).tanh();
    result.insert("strength_score".to_owned(), json!(round(score, 0)));
    let picture = picture((listing, &own), (other, &others), &timeframe);
    result.insert("timeframe".to_owned(), json!(timeframe));
    Ok(finish(result, vec![picture], context))
}

fn all_gains(listings: &Listings, timeframe: &str, context: &Context) -> Result<Vec<f64>, Failure> {
    let stocks = listings.of(Kind::Stock);
    let gain = |listing| Ok(series::gain_over(&series::daily(listing, context)?, timeframe));
    stocks.map(gain).collect()
}

/// Both courses from 100.
fn picture(one: (&Listing, &[Bar]), other: (&Listing, &[Bar]), timeframe: &str) -> Picture {
    let course = |(listing, bars): (&Listing, &[Bar])| {
        let last = bars.last().map(|bar| bar.day).unwrap_or_default();
        let bars = series::since(bars, series::begin(last, timeframe));
        let first = bars.first().map_or(1.0, |bar| bar.close);
        let values = bars.iter().map(|bar| bar.close / first * 100.0).collect();
        (listing.symbol.to_owned(), values)
    };
    let caption = Caption {
        title: format!("{} against {}, {timeframe}", one.0.symbol, other.0.symbol),
        measure: "Closing prices, the first of each as 100".to_owned(),
        source: SOURCE,
        decimals: 1,
    };
    Lines { caption, lines: vec![course(one), course(other)] }.draw()
}
