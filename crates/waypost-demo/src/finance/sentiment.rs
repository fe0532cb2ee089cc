//! `getSentiment`: what invented posts say about a stock, cheerful after its price has risen.

use jiff::ToSpan;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::listing::{Listing, Listings};
use super::money::two;
use super::series::Bar;
use super::{about, finish, read, schema, series};
use crate::pack::{Context, Failure, Reply, Tool};
use crate::random::{between, key, normal};

const SOURCES: [&str; 3] = ["Reddit", "StockTwits", "X"];

/// A score beyond this, on either side, is more than neutral.
const NEUTRAL: f64 = 0.15;

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default = "week")]
    lookback_days: i32,
}

fn week() -> i32 {
    7
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "symbol": schema::symbol(),
        "lookback_days": schema::integer(7, 1, 90, "Days to look back."),
    });
    let source = json!({
        "name": schema::word(&SOURCES),
        "score": schema::number(""),
        "mentions": schema::count(""),
    });
    let output = json!({
        "lookback_days": schema::count(""),
        "sentiment_score": schema::number("From -1, all bearish, to 1, all bullish."),
        "sentiment_label": schema::word(&schema::MOODS),
        "sentiment_trend": schema::word(&schema::TRENDS),
        "mentions": schema::count("Posts about it."),
        "sources": schema::list(source),
    });
    Tool {
        name: "getSentiment",
        description: "What social media feel about one stock: a score, its trend, and how often \
                      it is mentioned.",
        input: schema::input(input, &["symbol"]),
        output: schema::about(output),
        call: sentiment,
    }
}

fn sentiment(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { symbol, lookback_days } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let bars = series::daily(listing, context)?;
    let back = |bars: &[Bar]| {
        let last = bars.last().map(|bar| bar.day).unwrap_or_default();
        series::gain(bars, last.saturating_sub(lookback_days.days()))
    };
    let earlier = series::since(&bars, context.today.saturating_sub(lookback_days.days())).len();
    let before = back(&bars[..bars.len().saturating_sub(earlier).max(2).min(bars.len())]);
    let scores = SOURCES.map(|source| mood(listing, back(&bars), source, context));
    let mentions = SOURCES.map(|source| posts(listing, lookback_days, source, context));
    let all: u64 = mentions.iter().sum();
    let weighted = scores.iter().zip(mentions).map(|(score, posts)| score * posts as f64);
    let score = weighted.sum::<f64>() / all.max(1) as f64;
    let label = match score {
        high if high > NEUTRAL => "bullish",
        low if low < -NEUTRAL => "bearish",
        _ => "neutral",
    };
    let trend = match back(&bars) - before {
        more if more > 2.0 => "rising",
        less if less < -2.0 => "falling",
        _ => "steady",
    };
    let sources = SOURCES.iter().zip(scores).zip(mentions).map(|((name, score), mentions)| {
        json!({"name": name, "score": two(score), "mentions": mentions})
    });
    let mut result = about(listing);
    result.insert("lookback_days".to_owned(), json!(lookback_days));
    result.insert("sentiment_score".to_owned(), two(score));
    result.insert("sentiment_label".to_owned(), json!(label));
    result.insert("sentiment_trend".to_owned(), json!(trend));
    result.insert("mentions".to_owned(), json!(all));
    result.insert("sources".to_owned(), sources.collect());
    Ok(finish(result, Vec::new(), context))
}

/// The score of a source: it follows the gain in percent, with a mind of its own.
fn mood(listing: &Listing, gain: f64, source: &str, context: &Context) -> f64 {
    let day = key(&context.today.to_string());
    (gain / 12.0 + 0.12 * normal(&[listing.key, key(source), day]) + 0.05).tanh()
}

/// The posts of a source: more about large and nervous companies.
fn posts(listing: &Listing, days: i32, source: &str, context: &Context) -> u64 {
    let size = super::money::dollars(listing, listing.shares * listing.anchor) / 1e9;
    let day = key(&context.today.to_string());
    let a_day = 4.0 * size.max(1.0).sqrt() * listing.beta.abs().max(0.3);
    let share = between(0.5, 1.5, &[listing.key, key(source), day]);
    (a_day * share * f64::from(days)).round() as u64
}
