//! The finance pack's sample server: stocks, funds, indices and coins, and a memory of its users.
//!
//! The names of companies are real, and nothing else is: prices are random walks that begin near
//! what things once cost (`series.rs`), accounts follow from a company's size and chance
//! (`accounts.rs`), news and posts are made up. What is computed from them is computed as it would
//! be from real ones: indicators, levels, patterns, risk. Every result says that it is synthetic.
//!
//! A tool is a file, or a few that share their work are; `listing.rs` says what the server knows.

mod accounts;
mod breadth;
mod coins;
mod earnings;
mod events;
mod extrema;
mod growth;
mod indicators;
mod indices;
mod listing;
mod market;
mod memory;
mod money;
mod movers;
mod news;
mod patterns;
mod performance;
mod price;
mod ratios;
mod recall;
mod risk;
mod schema;
mod screener;
mod sectors;
mod sentiment;
mod series;
mod signals;
mod statements;
mod statistics;
mod stop;
mod strength;
mod support;
mod targets;
mod technicals;
mod think;
mod volume;
mod web;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::pack::{Context, Pack, Reply, Tool, read};
use crate::picture::Picture;
use listing::Listing;

pub(crate) use memory::Memory;

/// The pack's line in the table of packs.
pub(crate) const PACK: Pack = Pack {
    name: "finance",
    instructions: "Synthetic data about stocks, coins and markets: prices, accounts, indicators, \
                   risk, news, a screener, and a memory of each user. Companies and tickers are \
                   real, but no number and no headline is: use them to try things out, never to \
                   invest.",
    tools,
    writers: &["memoryUserEdits"],
};

/// The note that pictures carry about their numbers.
const SOURCE: &str = "synthetic data, no real prices";

/// The tools by their subject: accounts, prices, technicals, risk, news, markets, coins, screening,
/// memory, and the rest.
fn tools() -> Vec<Tool> {
    let mut tools = statements::tools();
    tools.extend([ratios::tool(), growth::tool()]);
    tools.extend([targets::tool(), performance::tool(), price::tool()]);
    tools.extend([patterns::tool(), strength::tool(), support::tool(), technicals::tool()]);
    tools.extend([risk::tool(), sentiment::tool(), volume::tool(), stop::tool()]);
    tools.extend([events::tool(), earnings::tool()]);
    tools.extend(news::tools());
    tools.extend([breadth::tool(), indices::tool()]);
    tools.extend(movers::tools());
    tools.extend(sectors::tools());
    tools.extend(coins::tools());
    tools.push(screener::tool());
    tools.extend(recall::tools());
    tools.extend([think::tool(), web::tool()]);
    tools
}

/// The arguments of a tool that takes a symbol alone.
#[derive(Debug, Deserialize)]
struct OneSymbol {
    symbol: String,
}

/// The beginning of a result about a listing.
fn about(listing: &Listing) -> Map<String, Value> {
    let mut result = Map::new();
    result.insert("symbol".to_owned(), json!(listing.symbol));
    result.insert("name".to_owned(), json!(listing.name));
    result
}

/// A result with what every result of this pack says about itself.
fn finish(result: impl Into<Value>, pictures: Vec<Picture>, context: &Context) -> Reply {
    let mut result = result.into();
    result["synthetic"] = json!(true);
    result["timestamp"] = json!(context.now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string());
    Reply { result, pictures }
}

#[cfg(test)]
mod tests;
