//! `getCryptoPrice` and `getCryptoTechnicals`: the price of a coin and its indicators.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::listing::{Listing, Listings};
use super::money::{change, quoted, two, whole};
use super::series::Bar;
use super::{OneSymbol, about, finish, price, read, schema, series, signals};
use crate::pack::{Context, Failure, Reply, Tool};

const TIMEFRAMES: [&str; 8] =
    ["1min", "5min", "15min", "30min", "1hour", "4hour", "daily", "weekly"];

const USUAL: [&str; 5] = ["RSI", "MACD", "SMA_20", "SMA_50", "EMA_20"];

/// The bars of the picture.
const SHOWN: usize = 100;

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default = "hour")]
    timeframe: String,
    #[serde(default = "usual")]
    indicators: Vec<String>,
}

fn hour() -> String {
    "1hour".to_owned()
}

fn usual() -> Vec<String> {
    USUAL.map(str::to_owned).to_vec()
}

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "getCryptoPrice",
            description: "The latest price of one coin in US dollars, its change in 24 hours, \
                          volume, market capitalization and the range of the year.",
            input: schema::input(json!({"symbol": schema::coin()}), &["symbol"]),
            output: price_output(),
            call: crypto_price,
        },
        Tool {
            name: "getCryptoTechnicals",
            description: "Technical indicators of one coin with their signals, over bars of a \
                          minute to a week.",
            input: technicals_input(),
            output: technicals_output(),
            call: crypto_technicals,
        },
    ]
}

fn price_output() -> Value {
    schema::priced(json!({
        "price": schema::number(""),
        "change": schema::number("In 24 hours."),
        "change_percent": schema::number("In 24 hours."),
        "volume": schema::number("US dollars in 24 hours."),
        "market_cap": schema::number("What all coins are worth."),
        "year_low": schema::number(""),
        "year_high": schema::number(""),
    }))
}

fn technicals_input() -> Value {
    let properties = json!({
        "symbol": schema::coin(),
        "timeframe": schema::one_of(&TIMEFRAMES, "1hour", "The length of a bar."),
        "indicators": schema::some_of(&signals::NAMES, &USUAL, "The indicators to compute."),
    });
    schema::input(properties, &["symbol"])
}

fn technicals_output() -> Value {
    schema::priced(json!({
        "timeframe": schema::word(&TIMEFRAMES),
        "current_price": schema::number(""),
        "indicators": signals::schema(),
        "overall_signal": schema::word(&schema::SIGNALS),
    }))
}

fn crypto_price(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let OneSymbol { symbol } = read(arguments)?;
    let listings = Listings::read(context)?;
    let coin = listings.coin(&symbol)?;
    let bars = series::daily(coin, context)?;
    let (bar, before) = series::latest(&bars)?;
    let (low, high) = price::range(series::since(&bars, series::begin(bar.day, "1Y")));
    let mut result = about(coin);
    result.insert("currency".to_owned(), json!(coin.currency()));
    result.insert("price".to_owned(), json!(bar.close));
    result.insert("change".to_owned(), json!(quoted(bar.close - before)));
    result.insert("change_percent".to_owned(), two(change(before, bar.close)));
    result.insert("volume".to_owned(), whole(bar.volume));
    result.insert("market_cap".to_owned(), whole(bar.close * coin.shares));
    result.insert("year_low".to_owned(), json!(low));
    result.insert("year_high".to_owned(), json!(high));
    Ok(finish(result, Vec::new(), context))
}

fn crypto_technicals(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { symbol, timeframe, indicators } = read(arguments)?;
    let listings = Listings::read(context)?;
    let coin = listings.coin(&symbol)?;
    let bars = bars(coin, &timeframe, context)?;
    let found = signals::at_last(&bars, &indicators);
    let mut result = about(coin);
    result.insert("currency".to_owned(), json!(coin.currency()));
    result.insert("timeframe".to_owned(), json!(timeframe));
    result.insert("current_price".to_owned(), json!(series::latest(&bars)?.0.close));
    result.insert("overall_signal".to_owned(), json!(signals::overall(&found)));
    result.insert("indicators".to_owned(), json!(found));
    let picture = signals::picture(coin, &bars, SHOWN, &format!("{timeframe} bars"));
    Ok(finish(result, vec![picture], context))
}

fn bars(coin: &Listing, timeframe: &str, context: &Context) -> Result<Vec<Bar>, Failure> {
    let daily = series::daily(coin, context)?;
    let minutes = match timeframe {
        "daily" => return Ok(daily),
        "weekly" => return Ok(series::weekly(&daily)),
        "1min" => 1,
        "5min" => 5,
        "15min" => 15,
        "30min" => 30,
        "4hour" => 240,
        _ => 60,
    };
    let price = series::latest(&daily)?.0.close;
    let count = (SHOWN + signals::WARM_UP) as u64;
    Ok(series::intraday(coin, context, price, minutes, count))
}
