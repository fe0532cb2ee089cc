//! `getTechnicalIndicators`: indicators of a stock, computed from its synthetic prices.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::listing::{Listing, Listings};
use super::series::Bar;
use super::{about, finish, read, schema, series, signals};
use crate::pack::{Context, Failure, Reply, Tool};

const TIMEFRAMES: [&str; 6] = ["1D", "5D", "1M", "3M", "6M", "1Y"];

const USUAL: [&str; 6] = ["RSI", "MACD", "SMA_20", "SMA_50", "EMA_12", "EMA_26"];

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default = "three_months")]
    timeframe: String,
    #[serde(default = "usual")]
    indicators: Vec<String>,
}

fn three_months() -> String {
    "3M".to_owned()
}

fn usual() -> Vec<String> {
    USUAL.map(str::to_owned).to_vec()
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "symbol": schema::symbol(),
        "timeframe": schema::one_of(
            &TIMEFRAMES,
            "3M",
            "1D: bars of 5 minutes, 5D: bars of 15 minutes, otherwise bars of a day.",
        ),
        "indicators": schema::some_of(&signals::NAMES, &USUAL, "The indicators to compute."),
    });
    let output = json!({
        "timeframe": schema::word(&TIMEFRAMES),
        "current_price": schema::number(""),
        "data_points": schema::count("The bars of the timeframe."),
        "indicators": signals::schema(),
        "overall_signal": schema::word(&schema::SIGNALS),
    });
    Tool {
        name: "getTechnicalIndicators",
        description: "Technical indicators of one stock with their signals: RSI, MACD, simple and \
                      exponential moving averages, Bollinger bands, ATR, stochastic.",
        input: schema::input(input, &["symbol"]),
        output: schema::priced(output),
        call: technical_indicators,
    }
}

fn technical_indicators(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    let Arguments { symbol, timeframe, indicators } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let (bars, count) = bars(listing, &timeframe, context)?;
    let price = series::latest(&bars)?.0.close;
    let found = signals::at_last(&bars, &indicators);
    let mut result = about(listing);
    result.insert("currency".to_owned(), json!(listing.currency()));
    result.insert("timeframe".to_owned(), json!(timeframe));
    result.insert("current_price".to_owned(), json!(price));
    result.insert("data_points".to_owned(), json!(count));
    result.insert("overall_signal".to_owned(), json!(signals::overall(&found)));
    result.insert("indicators".to_owned(), json!(found));
    let picture = signals::picture(listing, &bars, count, &timeframe);
    Ok(finish(result, vec![picture], context))
}

/// The bars of a timeframe after those that indicators need before, and how many the first are.
fn bars(
    listing: &Listing,
    timeframe: &str,
    context: &Context,
) -> Result<(Vec<Bar>, usize), Failure> {
    let daily = series::daily(listing, context)?;
    let last = series::latest(&daily)?.0;
    // A day of trading has 78 stretches of five minutes, a week 130 of fifteen.
    let (minutes, count) = match timeframe {
        "1D" => (5, 78),
        "5D" => (15, 130),
        _ => {
            let count = series::since(&daily, series::begin(last.day, timeframe)).len();
            return Ok((daily, count));
        }
    };
    let all = (count + signals::WARM_UP) as u64;
    Ok((series::intraday(listing, context, last.close, minutes, all), count))
}
