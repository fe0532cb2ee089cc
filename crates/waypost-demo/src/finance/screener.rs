//! `stockScreener`: the stocks (or funds) known here that fit what is asked for.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::listing::{Kind, Listing, Listings};
use super::market::{self, Course};
use super::money::{two, whole};
use super::{finish, read, schema};
use crate::pack::{Context, Failure, Reply, Tool};

/// Words that people use for an industry, with the word of the listing.
const INDUSTRIES: [(&str, &str); 9] = [
    ("pharma", "drug manufacturers"),
    ("automobile", "auto manufacturers"),
    ("car", "auto manufacturers"),
    ("telecom", "telecom services"),
    ("biotech", "biotechnology"),
    ("chip", "semiconductor"),
    ("semiconductor", "semiconductor"),
    ("bank", "banks"),
    ("gaming", "electronic gaming"),
];

/// Words that people use for a country, with its code.
const COUNTRIES: [(&str, &str); 12] = [
    ("USA", "US"),
    ("UNITED STATES", "US"),
    ("AMERICA", "US"),
    ("TAIWAN", "TW"),
    ("HONG KONG", "HK"),
    ("CHINA", "CN"),
    ("VIETNAM", "VN"),
    ("VIET NAM", "VN"),
    ("JAPAN", "JP"),
    ("SOUTH KOREA", "KR"),
    ("UNITED KINGDOM", "GB"),
    ("UK", "GB"),
];

#[derive(Debug, Deserialize)]
struct Criteria {
    sector: Option<String>,
    industry: Option<String>,
    market_cap_more_than: Option<f64>,
    market_cap_lower_than: Option<f64>,
    price_more_than: Option<f64>,
    price_lower_than: Option<f64>,
    volume_more_than: Option<f64>,
    beta_more_than: Option<f64>,
    beta_lower_than: Option<f64>,
    dividend_more_than: Option<f64>,
    #[serde(default)]
    is_etf: bool,
    exchange: Option<String>,
    country: Option<String>,
    #[serde(default = "ten")]
    limit: usize,
}

fn ten() -> usize {
    10
}

pub(super) fn tool() -> Tool {
    let stock = json!({
        "symbol": schema::text(""),
        "name": schema::text(""),
        "sector": schema::text(""),
        "industry": schema::text(""),
        "exchange": schema::text(""),
        "country": schema::text("Its code of two letters."),
        "price": schema::number(""),
        "currency": schema::text(""),
        "market_cap": schema::number("In its currency."),
        "volume": schema::number("Shares on the latest day."),
        "beta": schema::number(""),
        "dividend_yield": schema::number("Percent a year."),
    });
    Tool {
        name: "stockScreener",
        description: "Finds stocks by sector, industry, size, price, volume, beta, dividend, \
                      exchange and country, the largest first. It never takes a ticker.",
        input: schema::input(properties(), &[]),
        output: schema::output(json!({
            "criteria": {"type": "object", "description": "What was given."},
            "stocks": schema::list(stock),
            "symbols": {"type": "array", "items": {"type": "string"}},
            "count": schema::count(""),
        })),
        call: stock_screener,
    }
}

fn properties() -> Value {
    let least = |kind: &str, description: &str| json!({"type": kind, "minimum": 0, "description": description});
    let mut sector = schema::word(&schema::SECTORS);
    sector["description"] = json!("The sector.");
    json!({
        "sector": sector,
        "industry": schema::text("The industry, such as Semiconductors or Banks."),
        "market_cap_more_than": least("integer", "US dollars."),
        "market_cap_lower_than": least("integer", "US dollars."),
        "price_more_than": least("number", "In the currency of the exchange."),
        "price_lower_than": least("number", "In the currency of the exchange."),
        "volume_more_than": least("integer", "Shares a day."),
        "beta_more_than": schema::number("The least beta."),
        "beta_lower_than": schema::number("The greatest beta."),
        "dividend_more_than": least("number", "The least dividend yield in percent."),
        "is_etf": {
            "type": "boolean",
            "default": false,
            "description": "True for funds, false for companies.",
        },
        "is_actively_trading": {
            "type": "boolean",
            "default": true,
            "description": "All that is known here is traded, so it leaves nothing out.",
        },
        "exchange": schema::text("NYSE, NASDAQ, AMEX, TWSE, HKEX, SSE, SZSE, HOSE or HNX."),
        "country": schema::text("A code of two letters, such as US, TW, HK, CN, VN or JP."),
        "limit": schema::integer(10, 1, 100, "The most stocks to return."),
    })
}

fn stock_screener(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let criteria: Criteria = read(arguments)?;
    let listings = Listings::read(context)?;
    let kind = if criteria.is_etf { Kind::Fund } else { Kind::Stock };
    let fitting = listings.of(kind).filter(|listing| criteria.fit_listing(listing));
    let mut courses = market::courses(fitting, context.today)?;
    courses.retain(|course| criteria.fit_course(course));
    courses.sort_by(|one, other| other.size().total_cmp(&one.size()));
    courses.truncate(criteria.limit);
    let symbols: Vec<&str> = courses.iter().map(|course| course.listing.symbol).collect();
    let result = json!({
        "criteria": arguments,
        "stocks": courses.iter().map(entry).collect::<Vec<_>>(),
        "symbols": symbols,
        "count": symbols.len(),
    });
    Ok(finish(result, Vec::new(), context))
}

impl Criteria {
    /// Whether what never changes about a listing fits.
    fn fit_listing(&self, listing: &Listing) -> bool {
        let same = |wanted: &Option<String>, has: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted.trim().eq_ignore_ascii_case(has))
        };
        let country = self.country.as_deref().map(code);
        same(&self.sector, listing.sector)
            && self.industry.as_ref().is_none_or(|wanted| is_in(wanted, listing.industry))
            && same(&self.exchange, listing.exchange)
            && same(&country, listing.country)
            && self.beta_more_than.is_none_or(|least| listing.beta > least)
            && self.beta_lower_than.is_none_or(|most| listing.beta < most)
            && self.dividend_more_than.is_none_or(|least| listing.dividend_yield > least)
    }

    /// Whether what its prices say fits.
    fn fit_course(&self, course: &Course<'_>) -> bool {
        let (size, price) = (course.size(), course.last.close);
        self.market_cap_more_than.is_none_or(|least| size > least)
            && self.market_cap_lower_than.is_none_or(|most| size < most)
            && self.price_more_than.is_none_or(|least| price > least)
            && self.price_lower_than.is_none_or(|most| price < most)
            && self.volume_more_than.is_none_or(|least| course.last.volume > least)
    }
}

/// The code of a country that is given by its code or its name.
fn code(country: &str) -> String {
    let upper = country.trim().to_uppercase();
    let found = COUNTRIES.iter().find(|(name, _)| *name == upper);
    found.map_or(upper, |(_, code)| (*code).to_owned())
}

/// Whether an industry is the one that is meant by some words.
fn is_in(wanted: &str, industry: &str) -> bool {
    let (wanted, industry) = (wanted.trim().to_lowercase(), industry.to_lowercase());
    let meant = INDUSTRIES.iter().filter(|(word, _)| wanted.starts_with(word));
    industry.contains(&wanted) || meant.into_iter().any(|(_, name)| industry.contains(name))
}

fn entry(course: &Course<'_>) -> Value {
    let listing = course.listing;
    json!({
        "symbol": listing.symbol,
        "name": listing.name,
        "sector": listing.sector,
        "industry": listing.industry,
        "exchange": listing.exchange,
        "country": listing.country,
        "price": course.last.close,
        "currency": listing.currency(),
        "market_cap": whole(course.last.close * listing.shares),
        "volume": whole(course.last.volume),
        "beta": two(listing.beta),
        "dividend_yield": two(listing.dividend_yield),
    })
}
