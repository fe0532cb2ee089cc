//! `getStockPerformance`: the returns of a stock over a day to a year, with its candles.

use serde_json::{Map, Value, json};

use super::listing::{Listing, Listings};
use super::money::{decimals, two};
use super::series::Bar;
use super::{OneSymbol, SOURCE, about, finish, read, schema, series};
use crate::pack::{Context, Failure, Reply, Tool};
use crate::picture::{Candle, Candles, Caption, Picture};

/// The stretches of time, the shortest first.
const TIMEFRAMES: [&str; 7] = ["1D", "1W", "1M", "3M", "6M", "1Y", "YTD"];

/// The points a month by which the last month must leave the pace of the last half year.
const PACE: f64 = 1.5;

pub(super) fn tool() -> Tool {
    let output = json!({
        "timeframes": schema::numbers(&TIMEFRAMES),
        "best_timeframe": schema::word(&TIMEFRAMES),
        "worst_timeframe": schema::word(&TIMEFRAMES),
        "momentum_trend": schema::word(&["accelerating", "steady", "slowing"]),
    });
    Tool {
        name: "getStockPerformance",
        description: "The returns of one stock over a day, a week, one, three and six months, a \
                      year and since the year began, in percent, with a chart of its prices.",
        input: schema::input(json!({"symbol": schema::symbol()}), &["symbol"]),
        output: schema::priced(output),
        call: stock_performance,
    }
}

fn stock_performance(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let OneSymbol { symbol } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let bars = series::daily(listing, context)?;
    let gains = TIMEFRAMES.map(|timeframe| (timeframe, series::gain_over(&bars, timeframe)));
    let by_gain = |one: &&(&str, f64), other: &&(&str, f64)| one.1.total_cmp(&other.1);
    let best = gains.iter().max_by(by_gain).map(|(timeframe, _)| *timeframe);
    let worst = gains.iter().min_by(by_gain).map(|(timeframe, _)| *timeframe);
    let lead = series::gain_over(&bars, "1M") - series::gain_over(&bars, "6M") / 6.0;
    let trend = match lead {
        lead if lead > PACE => "accelerating",
        lead if lead < -PACE => "slowing",
        _ => "steady",
    };
    let mut result = about(listing);
    result.insert("currency".to_owned(), json!(listing.currency()));
    let timeframes = gains.iter().map(|(name, gain)| ((*name).to_owned(), two(*gain)));
    result.insert("timeframes".to_owned(), Value::Object(timeframes.collect()));
    result.insert("best_timeframe".to_owned(), json!(best));
    result.insert("worst_timeframe".to_owned(), json!(worst));
    result.insert("momentum_trend".to_owned(), json!(trend));
    Ok(finish(result, vec![candles(listing, &bars)], context))
}

/// The candles of half a year.
fn candles(listing: &Listing, bars: &[Bar]) -> Picture {
    let last = bars.last().map_or(listing.anchor, |bar| bar.close);
    let shown = bars.last().map(|bar| series::since(bars, series::begin(bar.day, "6M")));
    let candle = |bar: &Bar| Candle {
        name: bar.day.to_string(),
        open: bar.open,
        high: bar.high,
        low: bar.low,
        close: bar.close,
    };
    let caption = Caption {
        title: format!("{} ({}), six months", listing.name, listing.symbol),
        measure: format!("Price of each day in {}; a hollow candle is a rise", listing.currency()),
        source: SOURCE,
        decimals: decimals(last),
    };
    Candles { caption, candles: shown.unwrap_or_default().iter().map(candle).collect() }.draw()
}
