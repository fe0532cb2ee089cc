//! `getPriceTargets`: where invented analysts expect a stock's price in a year.

use serde_json::{Map, Value, json};

use super::listing::{Listing, Listings};
use super::money::{change, quoted, two};
use super::{OneSymbol, about, finish, read, schema, series};
use crate::pack::{Context, Failure, Reply, Tool};
use crate::random::between;

/// The ratings, the best first.
const RATINGS: [&str; 5] = ["strong_buy", "buy", "hold", "sell", "strong_sell"];

pub(super) fn tool() -> Tool {
    let output = json!({
        "current_price": schema::number(""),
        "consensus_target": schema::number("The mean of the targets."),
        "high_target": schema::number(""),
        "low_target": schema::number(""),
        "upside_percent": schema::number("From the price to the consensus."),
        "analyst_count": schema::count(""),
        "average_rating": schema::word(&RATINGS),
        "ratings": schema::numbers(&RATINGS),
    });
    Tool {
        name: "getPriceTargets",
        description: "Analysts' price targets for one stock: consensus, highest and lowest, and \
                      how many say buy, hold or sell.",
        input: schema::input(json!({"symbol": schema::symbol()}), &["symbol"]),
        output: schema::priced(output),
        call: price_targets,
    }
}

fn price_targets(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let OneSymbol { symbol } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let bars = series::daily(listing, context)?;
    let price = series::latest(&bars)?.0.close;
    // Targets follow prices slowly: they are set from the mean of half a year.
    let usual = super::indicators::sma(&series::closes(&bars), 126).unwrap_or(price);
    let own = |purpose: &str, low: f64, high: f64| between(low, high, &[listing.word(purpose)]);
    let consensus = usual * own("target", 0.95, 1.3);
    let counts = counts(listing, change(price, consensus));
    let analysts: u32 = counts.iter().sum();
    let points = counts.iter().zip(0..).map(|(count, place)| count * place).sum::<u32>();
    let average = (f64::from(points) / f64::from(analysts.max(1))).round() as usize;
    let mut result = about(listing);
    result.insert("currency".to_owned(), json!(listing.currency()));
    result.insert("current_price".to_owned(), json!(price));
    result.insert("consensus_target".to_owned(), json!(quoted(consensus)));
    result.insert("high_target".to_owned(), json!(quoted(consensus * own("high", 1.1, 1.4))));
    result.insert("low_target".to_owned(), json!(quoted(consensus * own("low", 0.6, 0.88))));
    result.insert("upside_percent".to_owned(), two(change(price, consensus)));
    result.insert("analyst_count".to_owned(), json!(analysts));
    result.insert("average_rating".to_owned(), json!(RATINGS[average.min(RATINGS.len() - 1)]));
    let ratings =
        RATINGS.iter().zip(counts).map(|(name, count)| ((*name).to_owned(), count.into()));
    result.insert("ratings".to_owned(), Value::Object(ratings.collect()));
    Ok(finish(result, Vec::new(), context))
}

/// How many analysts give each rating: more of them the good ones, the more they expect.
fn counts(listing: &Listing, upside: f64) -> [u32; 5] {
    let analysts = between(8.0, 48.0, &[listing.word("analysts")]);
    let cheer = (0.5 + upside / 60.0).clamp(0.05, 0.95);
    let shares = [
        cheer * cheer * 0.7,
        cheer * 0.55,
        0.35,
        (1.0 - cheer) * 0.2,
        (1.0 - cheer) * (1.0 - cheer) * 0.12,
    ];
    let whole: f64 = shares.iter().sum();
    shares.map(|share| (analysts * share / whole).round() as u32)
}
