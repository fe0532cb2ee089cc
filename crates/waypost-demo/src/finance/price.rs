//! `getStockPrice`: the latest price of a stock, with its day and its year.

use serde_json::{Map, Value, json};

use super::listing::Listings;
use super::money::{change, quoted, two, whole};
use super::{OneSymbol, about, finish, read, schema, series};
use crate::pack::{Context, Failure, Reply, Tool};

pub(super) fn tool() -> Tool {
    let output = json!({
        "price": schema::number("The latest price."),
        "change": schema::number("On the close of the day before."),
        "change_percent": schema::number("The same in percent."),
        "volume": schema::number("Shares traded on the latest day."),
        "market_cap": schema::number("What all shares are worth."),
        "day_low": schema::number(""),
        "day_high": schema::number(""),
        "year_low": schema::number("The lowest price in a year."),
        "year_high": schema::number("The highest price in a year."),
    });
    Tool {
        name: "getStockPrice",
        description: "The latest price of one stock or fund, its change on the day before, \
                      volume, market capitalization and the range of the day and the year.",
        input: schema::input(json!({"symbol": schema::symbol()}), &["symbol"]),
        output: schema::priced(output),
        call: stock_price,
    }
}

fn stock_price(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let OneSymbol { symbol } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let bars = series::daily(listing, context)?;
    let (bar, before) = series::latest(&bars)?;
    let (low, high) = range(series::since(&bars, series::begin(bar.day, "1Y")));
    let mut result = about(listing);
    result.insert("currency".to_owned(), json!(listing.currency()));
    result.insert("price".to_owned(), json!(bar.close));
    result.insert("change".to_owned(), json!(quoted(bar.close - before)));
    result.insert("change_percent".to_owned(), two(change(before, bar.close)));
    result.insert("volume".to_owned(), whole(bar.volume));
    result.insert("market_cap".to_owned(), whole(bar.close * listing.shares));
    result.insert("day_low".to_owned(), json!(bar.low));
    result.insert("day_high".to_owned(), json!(bar.high));
    result.insert("year_low".to_owned(), json!(low));
    result.insert("year_high".to_owned(), json!(high));
    Ok(finish(result, Vec::new(), context))
}

/// The lowest and the highest price of some bars.
pub(super) fn range(bars: &[series::Bar]) -> (f64, f64) {
    let bounds = bars.iter().fold(None, |bounds: Option<(f64, f64)>, bar| {
        let (low, high) = bounds.unwrap_or((bar.low, bar.high));
        Some((low.min(bar.low), high.max(bar.high)))
    });
    bounds.unwrap_or((0.0, 0.0))
}
