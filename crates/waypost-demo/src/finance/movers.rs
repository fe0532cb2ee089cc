//! `getMarketMovers`, `getTopGainers`, `getTopLosers`, `getMostActives`: the stocks of the day.

use serde::Deserialize;
use serde_json::{Value, json};

use super::listing::Listings;
use super::market::{self, Course};
use super::money::{two, whole};
use super::{SOURCE, finish, read, schema};
use crate::pack::{Context, Failure, Reply, Tool};
use crate::picture::{Bars, Caption};

/// The stocks of one answer.
const COUNT: usize = 20;

#[derive(Debug, Deserialize)]
struct Arguments {
    #[serde(default)]
    mover_type: Movers,
}

/// What makes a stock one of the day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Movers {
    #[default]
    Gainers,
    Losers,
    Actives,
}

impl Movers {
    const NAMES: [&str; 3] = ["gainers", "losers", "actives"];

    fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

pub(super) fn tools() -> Vec<Tool> {
    let which = schema::one_of(&Movers::NAMES, "gainers", "What to rank by.");
    vec![
        Tool {
            name: "getMarketMovers",
            description: "The American stocks that rose most, fell most, or were traded most on \
                          the latest day.",
            input: schema::input(json!({"mover_type": which}), &[]),
            output: output(),
            call: |arguments, context| {
                let Arguments { mover_type } = read(arguments)?;
                movers(mover_type, context)
            },
        },
        Tool {
            name: "getMostActives",
            description: "The American stocks that were traded most on the latest day.",
            input: schema::none(),
            output: output(),
            call: |_, context| movers(Movers::Actives, context),
        },
        Tool {
            name: "getTopGainers",
            description: "The American stocks that rose most on the latest day.",
            input: schema::none(),
            output: output(),
            call: |_, context| movers(Movers::Gainers, context),
        },
        Tool {
            name: "getTopLosers",
            description: "The American stocks that fell most on the latest day.",
            input: schema::none(),
            output: output(),
            call: |_, context| movers(Movers::Losers, context),
        },
    ]
}

fn output() -> Value {
    let stock = json!({
        "symbol": schema::text(""),
        "name": schema::text(""),
        "price": schema::number(""),
        "currency": schema::text(""),
        "change_percent": schema::number(""),
        "volume": schema::number("Shares."),
    });
    schema::output(json!({
        "mover_type": schema::word(&Movers::NAMES),
        "stocks": schema::list(stock),
        "count": schema::count(""),
    }))
}

fn movers(which: Movers, context: &Context) -> Result<Reply, Failure> {
    let listings = Listings::read(context)?;
    let mut courses = market::american(&listings, context)?;
    let rank = |course: &Course<'_>| match which {
        Movers::Gainers => course.moved,
        Movers::Losers => -course.moved,
        Movers::Actives => course.last.volume,
    };
    courses.sort_by(|one, other| rank(other).total_cmp(&rank(one)));
    courses.truncate(COUNT);
    let entry = |course: &Course<'_>| {
        json!({
            "symbol": course.listing.symbol,
            "name": course.listing.name,
            "price": course.last.close,
            "currency": course.listing.currency(),
            "change_percent": two(course.moved),
            "volume": whole(course.last.volume),
        })
    };
    let result = json!({
        "mover_type": which.name(),
        "stocks": courses.iter().map(entry).collect::<Vec<_>>(),
        "count": courses.len(),
    });
    let (title, measure) = match which {
        Movers::Gainers => ("Top gainers", "Change of the day in percent"),
        Movers::Losers => ("Top losers", "Change of the day in percent"),
        Movers::Actives => ("Most active stocks", "Shares traded on the day, in millions"),
    };
    let caption = Caption {
        title: title.to_owned(),
        measure: measure.to_owned(),
        source: SOURCE,
        decimals: 1,
    };
    let shown = |course: &Course<'_>| match which {
        Movers::Actives => course.last.volume / 1e6,
        Movers::Gainers | Movers::Losers => course.moved,
    };
    let bars = courses.iter().map(|course| (course.listing.symbol, shown(course))).collect();
    Ok(finish(result, vec![Bars { caption, bars }.draw()], context))
}
