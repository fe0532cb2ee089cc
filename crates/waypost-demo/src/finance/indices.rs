//! `getMarketIndices`: the level of the indices that people ask about.

use serde_json::{Map, Value, json};

use super::listing::{Kind, Listings};
use super::market;
use super::money::{quoted, two};
use super::{SOURCE, finish, schema};
use crate::pack::{Context, Failure, Reply, Tool};
use crate::picture::{Bars, Caption};

pub(super) fn tool() -> Tool {
    let index = json!({
        "symbol": schema::text("Its ticker."),
        "name": schema::text(""),
        "level": schema::number(""),
        "change": schema::number("In points, on the day before."),
        "change_percent": schema::number(""),
    });
    Tool {
        name: "getMarketIndices",
        description: "The level of the main indices and their change: S&P 500, Nasdaq, Dow Jones, \
                      Russell 2000, VIX, and those of Taiwan, Hong Kong, China, Japan, Vietnam.",
        input: schema::none(),
        output: schema::output(json!({
            "indices": schema::list(index),
            "index_count": schema::count(""),
        })),
        call: market_indices,
    }
}

fn market_indices(_: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let listings = Listings::read(context)?;
    let courses = market::courses(listings.of(Kind::Index), context.today)?;
    let entry = |course: &market::Course<'_>| {
        let before = course.last.close / (1.0 + course.moved / 100.0);
        json!({
            "symbol": course.listing.symbol,
            "name": course.listing.name,
            "level": course.last.close,
            "change": quoted(course.last.close - before),
            "change_percent": two(course.moved),
        })
    };
    let result = json!({
        "indices": courses.iter().map(entry).collect::<Vec<_>>(),
        "index_count": courses.len(),
    });
    let caption = Caption {
        title: "Indices, change of the day".to_owned(),
        measure: "Percent on the day before".to_owned(),
        source: SOURCE,
        decimals: 2,
    };
    let bars = courses.iter().map(|course| (course.listing.name, course.moved)).collect();
    Ok(finish(result, vec![Bars { caption, bars }.draw()], context))
}
