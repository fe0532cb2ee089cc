//! `getStockNews` and `getMarketNews`: headlines that are made up from what the prices did.

use jiff::ToSpan;
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::listing::{Listing, Listings};
use super::money::change;
use super::series::Bar;
use super::{about, finish, read, schema, series};
use crate::pack::{Context, Failure, Reply, Tool};
use crate::random::{hash, key, pick};

/// Sources that nobody takes for real ones.
const SOURCES: [&str; 4] = ["Sample Wire", "Synthetic Times", "Demo Finance Daily", "Test Journal"];

/// What a market's news is about.
const TOPICS: [&str; 8] = [
    "the central bank keeps its rate and watches inflation",
    "bond yields move after new data on jobs",
    "oil and metals follow the dollar",
    "chip makers lead the trade",
    "banks report on their loans",
    "consumers spend a little more than was expected",
    "shipping costs and tariffs are on everybody's mind",
    "small companies catch up with large ones",
];

/// What a company's news is about.
const SUBJECTS: [&str; 8] = [
    "analysts change their view",
    "a new product is shown",
    "an agreement with a supplier",
    "costs and margins are discussed",
    "the outlook for the next quarter",
    "a competitor moves",
    "the board speaks to shareholders",
    "demand in its main market",
];

#[derive(Debug, Deserialize)]
struct Pages {
    #[serde(default = "twenty")]
    limit: f64,
    #[serde(default)]
    page: f64,
}

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(flatten)]
    pages: Pages,
}

fn twenty() -> f64 {
    20.0
}

pub(super) fn tools() -> Vec<Tool> {
    let mut of_stock = pages("number");
    of_stock["symbol"] = schema::symbol();
    vec![
        Tool {
            name: "getStockNews",
            description: "News of one company, the newest first, by pages. All headlines are made \
                          up.",
            input: schema::input(of_stock, &["symbol"]),
            output: schema::about(articles()),
            call: stock_news,
        },
        Tool {
            name: "getMarketNews",
            description: "News of the market and the economy, the newest first, by pages. All \
                          headlines are made up.",
            input: schema::input(pages("integer"), &[]),
            output: schema::output(articles()),
            call: market_news,
        },
    ]
}

fn pages(number: &str) -> Value {
    json!({
        "limit": {
            "type": number,
            "default": 20,
            "minimum": 1,
            "maximum": 50,
            "description": "Articles on a page.",
        },
        "page": {
            "type": number,
            "default": 0,
            "minimum": 0,
            "description": "The page, from 0.",
        },
    })
}

fn articles() -> Value {
    let article = json!({
        "title": schema::text(""),
        "source": schema::text(""),
        "published": schema::text("The day."),
        "summary": schema::text(""),
        "url": schema::text(""),
    });
    json!({
        "article_count": schema::count("Articles on this page."),
        "page": schema::count(""),
        "limit": schema::count(""),
        "articles": schema::list(article),
    })
}

fn stock_news(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { symbol, pages } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let bars = series::daily(listing, context)?;
    let days = bars.windows(2).rev().map(|pair| (pair[1].day, moved(pair)));
    let articles = pages.of(days.map(|(day, moved)| of_company(listing, day, moved)));
    let mut result = about(listing);
    pages.fill(&mut result, &articles);
    Ok(finish(result, Vec::new(), context))
}

fn market_news(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let pages: Pages = read(arguments)?;
    let listings = Listings::read(context)?;
    let bars = series::daily(listings.stock("SPY")?, context)?;
    // Several articles a day: markets have more news than one company.
    let days = bars.windows(2).rev().flat_map(|pair| {
        let moved = moved(pair);
        (0..3).map(move |number| (pair[1].day, moved, number))
    });
    let articles = pages.of(days.map(|(day, moved, number)| of_market(day, moved, number)));
    let mut result = Map::new();
    pages.fill(&mut result, &articles);
    Ok(finish(result, Vec::new(), context))
}

impl Pages {
    /// The articles of the page.
    fn of(&self, all: impl Iterator<Item = Value>) -> Vec<Value> {
        let (limit, page) = (self.limit as usize, self.page as usize);
        all.skip(limit.saturating_mul(page)).take(limit).collect()
    }

    fn fill(&self, result: &mut Map<String, Value>, articles: &[Value]) {
        result.insert("article_count".to_owned(), json!(articles.len()));
        result.insert("page".to_owned(), json!(self.page as u64));
        result.insert("limit".to_owned(), json!(self.limit as u64));
        result.insert("articles".to_owned(), json!(articles));
    }
}

/// The change of a day in percent.
fn moved(pair: &[Bar]) -> f64 {
    change(pair[0].close, pair[1].close)
}

/// A change in words.
fn words(moved: f64) -> &'static str {
    match moved {
        up if up > 3.0 => "jumps",
        up if up > 0.5 => "rises",
        down if down < -3.0 => "drops",
        down if down < -0.5 => "slips",
        _ => "holds steady",
    }
}

fn of_company(listing: &Listing, day: Date, moved: f64) -> Value {
    let words_of = [listing.word("news"), key(&day.to_string())];
    let subject = pick(&SUBJECTS, &words_of);
    let title = format!("{} {} {:.1}%: {subject}", listing.name, words(moved), moved.abs());
    let summary = format!(
        "Shares of {} moved by {moved:.2} percent on {day}. Among the reasons given: {subject}. \
         This article is synthetic.",
        listing.name
    );
    article(&title, &summary, day, hash(&words_of))
}

fn of_market(day: Date, moved: f64, number: u64) -> Value {
    let words_of = [key("market news"), key(&day.to_string()), number];
    // Numbers of one day follow each other in the list, so that no topic comes twice.
    let first = hash(&words_of[..2]).wrapping_add(number * 3) % TOPICS.len() as u64;
    let topic = TOPICS[first as usize];
    let title = format!("Wall Street {}: {topic}", words(moved));
    let summary = format!(
        "The market moved by {moved:.2} percent on {day}, while {topic}. This article is \
         synthetic."
    );
    article(&title, &summary, day, hash(&words_of))
}

fn article(title: &str, summary: &str, day: Date, id: u64) -> Value {
    json!({
        "title": title,
        "source": pick(&SOURCES, &[id]),
        "published": day.to_string(),
        "summary": summary,
        "url": format!("https://example.com/news/{id:016x}"),
    })
}

/// The made-up pages that a search of the web finds: a title, an address and a text each.
pub(super) fn pages_about(query: &str, today: Date, days: i32, count: usize) -> Vec<Value> {
    let page = |number: u64| {
        let id = hash(&[key(query), number]);
        let age = (id % u64::from(days.max(1).unsigned_abs())) as i32;
        json!({
            "title": format!("{query}: {}", TITLES[number as usize % TITLES.len()]),
            "url": format!("https://example.com/search/{id:016x}"),
            "content": format!(
                "A synthetic page about \"{query}\". Nothing was searched: the sample server has \
                 no way to the web."
            ),
            "score": crate::number::round(0.98 - 0.07 * number as f64, 2),
            "published_date": today.saturating_sub(age.days()).to_string(),
        })
    };
    (0..count as u64).map(page).collect()
}

const TITLES: [&str; 5] =
    ["an overview", "what is new", "questions and answers", "a comparison", "background"];
