//! `assessRisk`: how far a stock's price swings, falls and moves with the market.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::listing::Listings;
use super::money::two;
use super::statistics::{beta, drawdown, returns, sharpe, value_at_risk, volatility};
use super::{about, finish, read, schema, series};
use crate::pack::{Context, Failure, Reply, Tool};

/// The fund whose returns are those of the market.
const MARKET: &str = "SPY";

/// The yearly deviations in percent below which the risk is low, and below which it is medium.
const LEVELS: (f64, f64) = (20.0, 35.0);

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default = "sixty")]
    lookback_days: f64,
}

fn sixty() -> f64 {
    60.0
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "symbol": schema::symbol(),
        "lookback_days": {
            "type": "number",
            "default": 60,
            "minimum": 30,
            "maximum": 252,
            "description": "Days of trading to look back.",
        },
    });
    let output = json!({
        "lookback_days": schema::count(""),
        "current_price": schema::number(""),
        "volatility": schema::number("The deviation of a year's return in percent."),
        "beta": schema::number("How far it moves when SPY moves by one."),
        "max_drawdown": schema::number("The deepest fall in percent, negative."),
        "sharpe_ratio": schema::number("Return above 4 percent a year by its deviation."),
        "var_95": schema::number("Percent that one of twenty days loses more than, negative."),
        "risk_level": schema::word(&["low", "medium", "high"]),
    });
    Tool {
        name: "assessRisk",
        description: "The risk of one stock: volatility, beta, deepest fall, Sharpe ratio, value \
                      at risk, and whether that is low, medium or high.",
        input: schema::input(input, &["symbol"]),
        output: schema::priced(output),
        call: assess_risk,
    }
}

fn assess_risk(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { symbol, lookback_days } = read(arguments)?;
    let days = lookback_days as usize;
    let listings = Listings::read(context)?;
    let (listing, market) = (listings.stock(&symbol)?, listings.stock(MARKET)?);
    let (bars, of_market) = (series::daily(listing, context)?, series::daily(market, context)?);
    let price = series::latest(&bars)?.0.close;
    // So many returns need one bar more.
    let window = series::last(&bars, days + 1);
    let own = returns(window);
    let volatility = volatility(&own);
    let level = match volatility {
        below if below < LEVELS.0 => "low",
        below if below < LEVELS.1 => "medium",
        _ => "high",
    };
    let mut result = about(listing);
    result.insert("currency".to_owned(), json!(listing.currency()));
    result.insert("lookback_days".to_owned(), json!(days));
    result.insert("current_price".to_owned(), json!(price));
    result.insert("volatility".to_owned(), two(volatility));
    let of_market = returns(series::last(&of_market, days + 1));
    result.insert("beta".to_owned(), two(beta(&own, &of_market)));
    result.insert("max_drawdown".to_owned(), two(drawdown(window)));
    result.insert("sharpe_ratio".to_owned(), two(sharpe(&own)));
    result.insert("var_95".to_owned(), two(value_at_risk(&own)));
    result.insert("risk_level".to_owned(), json!(level));
    Ok(finish(result, Vec::new(), context))
}
