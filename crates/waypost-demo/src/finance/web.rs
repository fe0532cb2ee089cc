//! `webSearch`: pages that are made up, since the sample server has no way to the web.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{finish, news, read, schema};
use crate::pack::{Context, Failure, Reply, Tool};

/// The stretches of time, with their days.
const RANGES: [(&str, i32); 4] = [("day", 1), ("week", 7), ("month", 31), ("year", 365)];

/// How long a search is said to take, in milliseconds: nothing is searched.
const SEARCH_MS: u32 = 12;

#[derive(Debug, Deserialize)]
struct Arguments {
    query: String,
    #[serde(default = "five")]
    max_results: usize,
    time_range: Option<String>,
}

fn five() -> usize {
    5
}

pub(super) fn tool() -> Tool {
    let ranges = RANGES.map(|(name, _)| name);
    let input = json!({
        "query": {"type": "string", "minLength": 1, "description": "What to search for."},
        "max_results": schema::integer(5, 1, 10, "The most results."),
        "search_depth": schema::one_of(&["basic", "advanced"], "advanced", "How thoroughly."),
        "time_range": schema::one_of(&ranges, "week", "How old pages may be."),
    });
    let page = json!({
        "title": schema::text(""),
        "url": schema::text(""),
        "content": schema::text(""),
        "score": schema::number("From 0 to 1."),
        "published_date": schema::text(""),
    });
    Tool {
        name: "webSearch",
        description: "A search of the web. This sample server makes its results up.",
        input: schema::input(input, &["query"]),
        output: schema::output(json!({
            "query": schema::text(""),
            "result_count": schema::count(""),
            "results": schema::list(page),
            "search_time_ms": schema::count(""),
        })),
        call: web_search,
    }
}

fn web_search(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { query, max_results, time_range } = read(arguments)?;
    let range = time_range.as_deref().unwrap_or("week");
    let days = RANGES.iter().find(|(name, _)| *name == range).map_or(7, |(_, days)| *days);
    let results = news::pages_about(&query, context.today, days, max_results);
    let result = json!({
        "query": query,
        "result_count": results.len(),
        "results": results,
        "search_time_ms": SEARCH_MS,
    });
    Ok(finish(result, Vec::new(), context))
}
