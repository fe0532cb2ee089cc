//! `getFinancialRatios`: a company's price by what it earns, owns and pays.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::accounts::{self, Accounts};
use super::listing::{Listing, Listings};
use super::money::{change, percent, two};
use super::{about, finish, read, schema, series};
use crate::pack::{Context, Failure, Reply, Tool};

/// The parts of the result, each with its ratios.
const PARTS: [(&str, &[&str]); 6] = [
    ("valuation_ratios", &["pe", "pb", "ps", "peg"]),
    ("profitability_ratios", &["roe", "roa", "gross_margin", "operating_margin", "net_margin"]),
    ("liquidity_ratios", &["current", "quick", "cash"]),
    ("leverage_ratios", &["debt_to_equity", "debt_to_assets"]),
    ("efficiency_ratios", &["asset_turnover", "inventory_turnover"]),
    ("dividend_metrics", &["yield", "payout"]),
];

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default)]
    period: Period,
}

/// The time that the earnings are of.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Period {
    #[default]
    Annual,
    Quarter,
    Ttm,
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "symbol": schema::symbol(),
        "period": schema::one_of(
            &["quarter", "annual", "ttm"],
            "annual",
            "The last quarter, the last year, or the last four quarters.",
        ),
    });
    let mut output = json!({"period": schema::word(&["quarter", "annual", "ttm"])});
    for (part, names) in PARTS {
        output[part] = schema::perhaps(names);
    }
    Tool {
        name: "getFinancialRatios",
        description: "A company's ratios: valuation (P/E, P/B, P/S, PEG), profitability (ROE, \
                      ROA, margins), liquidity, debt, turnover and dividends.",
        input: schema::input(input, &["symbol"]),
        output: schema::about(output),
        call: financial_ratios,
    }
}

fn financial_ratios(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { symbol, period } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let (accounts, name, per_year) = match period {
        Period::Annual => (last(accounts::years(listing, context.today)?)?, "annual", 1.0),
        Period::Quarter => (last(accounts::quarters(listing, context.today)?)?, "quarter", 4.0),
        Period::Ttm => (accounts::trailing(listing, context.today)?, "ttm", 1.0),
    };
    let growth = growth(listing, context)?;
    let bars = series::daily(listing, context)?;
    let value = series::latest(&bars)?.0.close * listing.shares;
    let mut result = about(listing);
    result.insert("period".to_owned(), json!(name));
    let ratios = Ratios { accounts, per_year, growth, value };
    for (part, names) in PARTS {
        let values = names.iter().map(|name| ((*name).to_owned(), json!(ratios.named(name))));
        result.insert(part.to_owned(), Value::Object(values.collect()));
    }
    Ok(finish(result, Vec::new(), context))
}

fn last(accounts: Vec<Accounts>) -> Result<Accounts, Failure> {
    accounts.into_iter().next_back().ok_or_else(|| Failure::internal("there are no accounts"))
}

/// The growth of a year's earnings per share in percent.
fn growth(listing: &Listing, context: &Context) -> Result<f64, Failure> {
    let years = accounts::years(listing, context.today)?;
    Ok(match years[..] {
        [.., before, last] => change(before.eps(), last.eps()),
        _ => 0.0,
    })
}

/// What ratios are computed from.
struct Ratios {
    accounts: Accounts,
    /// How many such periods a year has.
    per_year: f64,
    /// Of earnings per share, in percent a year.
    growth: f64,
    /// What all shares are worth.
    value: f64,
}

impl Ratios {
    /// A ratio by its name in [`PARTS`]; none where it means nothing, as a price by losses does.
    fn named(&self, name: &str) -> Option<Value> {
        let Self { accounts, per_year, growth, value } = self;
        let sheet = &accounts.sheet;
        let (revenue, income) = (accounts.revenue * per_year, accounts.net_income * per_year);
        let pe = (income > 0.0).then(|| value / income);
        let margin = |part: f64| Some(percent(part, accounts.revenue));
        let ratio = match name {
            "pe" => pe,
            "pb" => Some(value / sheet.equity()),
            "ps" => Some(value / revenue),
            "peg" => pe.filter(|_| *growth > 0.0).map(|pe| pe / growth),
            "roe" => Some(percent(income, sheet.equity())),
            "roa" => Some(percent(income, sheet.assets)),
            "gross_margin" => margin(accounts.gross_profit),
            "operating_margin" => margin(accounts.operating_income),
            "net_margin" => margin(accounts.net_income),
            "current" => Some(sheet.current_assets / sheet.current_liabilities),
            "quick" => Some((sheet.current_assets - sheet.inventory) / sheet.current_liabilities),
            "cash" => Some(sheet.cash / sheet.current_liabilities),
            "debt_to_equity" => Some(sheet.debt / sheet.equity()),
            "debt_to_assets" => Some(sheet.debt / sheet.assets),
            "asset_turnover" => Some(revenue / sheet.assets),
            "inventory_turnover" => {
                Some((accounts.revenue - accounts.gross_profit) * per_year / sheet.inventory)
            }
            "yield" => Some(percent(accounts.dividends * per_year, *value)),
            "payout" => (income > 0.0).then(|| percent(accounts.dividends, accounts.net_income)),
            _ => None,
        };
        ratio.map(two)
    }
}
