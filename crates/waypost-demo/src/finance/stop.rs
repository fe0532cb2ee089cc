//! `suggestStopLoss`: where to sell if the price falls, by range, support and percentage.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::indicators::atr;
use super::listing::Listings;
use super::money::{percent, quoted, two};
use super::{about, finish, read, schema, series, support};
use crate::pack::{Context, Failure, Reply, Tool};

/// The bars in which support is looked for: half a year.
const WINDOW: usize = 126;

/// A stop lies this share below the support that it waits for.
const BELOW: f64 = 0.01;

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    entry_price: Option<f64>,
    #[serde(default)]
    risk_tolerance: Tolerance,
}

/// How far somebody lets a price fall.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Tolerance {
    Conservative,
    #[default]
    Moderate,
    Aggressive,
}

impl Tolerance {
    const NAMES: [&str; 3] = ["conservative", "moderate", "aggressive"];

    fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The true ranges that the price may fall.
    fn ranges(self) -> f64 {
        [1.0, 2.0, 3.0][self as usize]
    }

    /// The percent that the price may fall.
    fn percent(self) -> f64 {
        [2.0, 5.0, 8.0][self as usize]
    }
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "symbol": schema::symbol(),
        "entry_price": {
            "type": "number",
            "exclusiveMinimum": 0,
            "description": "The price that was paid. Absent: the latest price.",
        },
        "risk_tolerance": schema::one_of(
            &Tolerance::NAMES,
            "moderate",
            "One, two or three average true ranges; 2, 5 or 8 percent.",
        ),
    });
    let output = json!({
        "risk_tolerance": schema::word(&Tolerance::NAMES),
        "current_price": schema::number(""),
        "entry_price": schema::number(""),
        "atr": schema::number("The average true range of 14 days."),
        "recommended_stop": schema::number("The stop by the range."),
        "atr_stop": schema::number("By the average true range."),
        "support_stop": schema::number("One percent below the nearest support."),
        "percentage_stop": schema::number("By a percentage."),
        "risk_amount": schema::number("From the entry to the recommended stop, for each share."),
        "risk_percent": schema::number("The same in percent."),
        "risk_reward_ratio": schema::maybe("The way up to the nearest resistance by the risk."),
    });
    Tool {
        name: "suggestStopLoss",
        description: "Stop-loss levels for one stock by its average true range, its nearest \
                      support and a percentage, for a risk tolerance and an entry price.",
        input: schema::input(input, &["symbol"]),
        output: schema::priced(output),
        call: suggest_stop_loss,
    }
}

fn suggest_stop_loss(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { symbol, entry_price, risk_tolerance } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let bars = series::daily(listing, context)?;
    let price = series::latest(&bars)?.0.close;
    let entry = entry_price.unwrap_or(price);
    let range = atr(&bars, 14).unwrap_or(0.0);
    let sides = support::sides(series::last(&bars, WINDOW), entry);
    let level = |levels: &[super::extrema::Level]| levels.first().map(|level| level.price);

    // A stop is a price: far below a small one it is 0.
    let by_range = (entry - risk_tolerance.ranges() * range).max(0.0);
    let by_percentage = entry * (1.0 - risk_tolerance.percent() / 100.0);
    let by_support = level(&sides.support).unwrap_or(by_percentage) * (1.0 - BELOW);
    // By the range: it alone follows both the tolerance and how far this stock swings.
    let recommended = by_range;
    let risk = entry - recommended;
    let reward = level(&sides.resistance).map(|resistance| resistance - entry);
    let ratio = reward.filter(|_| risk > 0.0).map(|reward| two(reward / risk));

    let mut result = about(listing);
    result.insert("currency".to_owned(), json!(listing.currency()));
    result.insert("risk_tolerance".to_owned(), json!(risk_tolerance.name()));
    result.insert("current_price".to_owned(), json!(price));
    result.insert("entry_price".to_owned(), json!(entry));
    result.insert("atr".to_owned(), json!(quoted(range)));
    result.insert("recommended_stop".to_owned(), json!(quoted(recommended)));
    result.insert("atr_stop".to_owned(), json!(quoted(by_range)));
    result.insert("support_stop".to_owned(), json!(quoted(by_support)));
    result.insert("percentage_stop".to_owned(), json!(quoted(by_percentage)));
    result.insert("risk_amount".to_owned(), json!(quoted(risk)));
    result.insert("risk_percent".to_owned(), two(percent(risk, entry)));
    result.insert("risk_reward_ratio".to_owned(), json!(ratio));
    Ok(finish(result, Vec::new(), context))
}
