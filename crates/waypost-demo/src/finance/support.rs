//! `getSupportResistance`: the levels from which a price turned before.

use jiff::ToSpan;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::extrema::{Level, levels, pivots};
use super::listing::Listings;
use super::money::{change, quoted, two};
use super::series::Bar;
use super::{about, finish, price, read, schema, series};
use crate::pack::{Context, Failure, Reply, Tool};

/// The bars on either side that a turning point holds for.
const REACH: usize = 3;

/// The width of a level, as a share of its price.
const WIDTH: f64 = 0.015;

/// The most levels on either side.
const MOST: usize = 4;

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default = "half_a_year")]
    lookback_days: i32,
}

fn half_a_year() -> i32 {
    180
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "symbol": schema::symbol(),
        "lookback_days": schema::integer(180, 20, 1825, "Calendar days to look back."),
    });
    let level = || {
        schema::list(json!({
            "price": schema::number(""),
            "strength": schema::word(&["strong", "medium", "weak"]),
            "touches": schema::count("Turning points at it."),
        }))
    };
    let nearest = || schema::numbers(&["price", "distance_percent"]);
    let output = json!({
        "lookback_days": schema::count(""),
        "current_price": schema::number(""),
        "support_levels": level(),
        "resistance_levels": level(),
        "nearest_support": nearest(),
        "nearest_resistance": nearest(),
        "trading_range": schema::numbers(&["low", "high"]),
    });
    Tool {
        name: "getSupportResistance",
        description: "Support and resistance of one stock: the price levels from which it turned \
                      before, the nearest first, with how strong they are.",
        input: schema::input(input, &["symbol"]),
        output: schema::priced(output),
        call: support_resistance,
    }
}

fn support_resistance(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { symbol, lookback_days } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let bars = series::daily(listing, context)?;
    let last = series::latest(&bars)?.0;
    let window = series::since(&bars, last.day.saturating_sub(lookback_days.days()));
    let Sides { support, resistance } = sides(window, last.close);
    let nearest = |levels: &[Level]| {
        levels.first().map(|level| {
            json!({
                "price": quoted(level.price),
                "distance_percent": two(change(last.close, level.price)),
            })
        })
    };
    let shown = |levels: &[Level]| levels.iter().take(MOST).map(entry).collect::<Vec<_>>();
    let (low, high) = price::range(window);
    let mut result = about(listing);
    result.insert("currency".to_owned(), json!(listing.currency()));
    result.insert("lookback_days".to_owned(), json!(lookback_days));
    result.insert("current_price".to_owned(), json!(last.close));
    result.insert("support_levels".to_owned(), json!(shown(&support)));
    result.insert("resistance_levels".to_owned(), json!(shown(&resistance)));
    result.insert("nearest_support".to_owned(), json!(nearest(&support)));
    result.insert("nearest_resistance".to_owned(), json!(nearest(&resistance)));
    result.insert("trading_range".to_owned(), json!({"low": low, "high": high}));
    Ok(finish(result, Vec::new(), context))
}

/// The levels below and above a price, the nearest first; neither is ever empty.
#[derive(Debug)]
pub(super) struct Sides {
    pub(super) support: Vec<Level>,
    pub(super) resistance: Vec<Level>,
}

/// The levels of a window around a price. Where a side has none, its edge of the range is one.
pub(super) fn sides(window: &[Bar], price: f64) -> Sides {
    let (mut support, mut resistance): (Vec<_>, Vec<_>) = levels(&pivots(window, REACH), WIDTH)
        .into_iter()
        .filter(|level| level.price != price)
        .partition(|level| level.price < price);
    support.reverse();
    let (low, high) = price::range(window);
    if support.is_empty() {
        // A price at its low has nothing below it but the next step of its own size.
        let edge = if low < price { low } else { price * (1.0 - 2.0 * WIDTH) };
        support.push(Level { price: edge, touches: 1 });
    }
    if resistance.is_empty() {
        let edge = if high > price { high } else { price * (1.0 + 2.0 * WIDTH) };
        resistance.push(Level { price: edge, touches: 1 });
    }
    Sides { support, resistance }
}

fn entry(level: &Level) -> Value {
    let strength = match level.touches {
        0..=1 => "weak",
        2 => "medium",
        _ => "strong",
    };
    json!({"price": quoted(level.price), "strength": strength, "touches": level.touches})
}
