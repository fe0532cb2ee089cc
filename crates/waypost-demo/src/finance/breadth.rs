//! `getMarketBreadth`: how many stocks rise, and how many fall.

use serde_json::{Map, Value, json};

use super::indicators::sma;
use super::listing::Listings;
use super::market::{self, Course};
use super::money::{percent, two};
use super::{finish, schema, series};
use crate::pack::{Context, Failure, Reply, Tool};

/// A change in percent that rounds to nothing is none.
const UNCHANGED: f64 = 0.005;

pub(super) fn tool() -> Tool {
    let output = json!({
        "advancers": schema::count("Stocks that rose on the latest day."),
        "decliners": schema::count("Stocks that fell."),
        "unchanged": schema::count(""),
        "advance_decline_ratio": schema::number("The first by the second."),
        "new_highs": schema::count("Stocks at the highest price of a year."),
        "new_lows": schema::count("Stocks at the lowest price of a year."),
        "above_sma_50": schema::number("Percent above their mean of 50 days."),
        "market_sentiment": schema::word(&schema::MOODS),
        "breadth": schema::object(json!({
            "sectors_up": schema::count(""),
            "sectors_down": schema::count(""),
        })),
    });
    Tool {
        name: "getMarketBreadth",
        description: "How broad the market moves: how many American stocks rise and fall, new \
                      highs and lows, and sectors up and down.",
        input: schema::none(),
        output: schema::output(output),
        call: market_breadth,
    }
}

fn market_breadth(_: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let listings = Listings::read(context)?;
    let courses = market::american(&listings, context)?;
    let count = |fits: &dyn Fn(&Course<'_>) -> bool| courses.iter().filter(|one| fits(one)).count();
    let up = count(&|course| course.moved >= UNCHANGED);
    let down = count(&|course| course.moved <= -UNCHANGED);
    let year = |course: &Course<'_>| -> Vec<f64> {
        series::closes(series::since(&course.bars, series::begin(course.last.day, "1Y")))
    };
    let highs = count(&|course| year(course).iter().all(|close| *close <= course.last.close));
    let lows = count(&|course| year(course).iter().all(|close| *close >= course.last.close));
    let above = count(&|course| {
        sma(&series::closes(&course.bars), 50).is_some_and(|mean| course.last.close > mean)
    });
    let sectors = market::groups(&courses, |listing| listing.sector);
    let risen = sectors.iter().filter(|group| group.mean(|course| course.moved) > 0.0).count();
    let all = courses.len() as f64;
    let result = json!({
        "advancers": up,
        "decliners": down,
        "unchanged": courses.len() - up - down,
        "advance_decline_ratio": two(up as f64 / down.max(1) as f64),
        "new_highs": highs,
        "new_lows": lows,
        "above_sma_50": two(percent(above as f64, all)),
        "market_sentiment": market::mood(percent(up as f64, all)),
        "breadth": {"sectors_up": risen, "sectors_down": sectors.len() - risen},
    });
    Ok(finish(result, Vec::new(), context))
}
