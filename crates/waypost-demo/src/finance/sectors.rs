//! `getSectorPerformance` and `getStockHeatmap`: the sectors (or industries) side by side.

use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::listing::{Listings, not_found};
use super::market::{self, Group};
use super::money::{percent, two, whole};
use super::{SOURCE, finish, read, schema, series};
use crate::pack::{Context, Failure, Reply, Tool};
use crate::picture::{Bars, Caption, Heatmap, Picture};

/// The columns of the heat map.
const TIMEFRAMES: [&str; 6] = ["1D", "1W", "1M", "3M", "6M", "YTD"];

#[derive(Debug, Deserialize)]
struct Day {
    date: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Grouping {
    #[serde(default)]
    group_by: Level,
}

/// How finely the market is divided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    #[default]
    Sector,
    Industry,
}

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "getSectorPerformance",
            description: "The change of all eleven sectors on the latest day, or on a day that is \
                          given, the best first, with a chart.",
            input: performance_input(),
            output: performance_output(),
            call: sector_performance,
        },
        Tool {
            name: "getStockHeatmap",
            description: "A heat map of the market by sector or industry, with the change and the \
                          size of each.",
            input: heatmap_input(),
            output: heatmap_output(),
            call: stock_heatmap,
        },
    ]
}

fn performance_input() -> Value {
    let date = json!({
        "type": "string",
        "pattern": r"^\d{4}-\d{2}-\d{2}$",
        "description": "A day YYYY-MM-DD. Absent: the latest.",
    });
    schema::input(json!({"date": date}), &[])
}

fn performance_output() -> Value {
    let sector = json!({
        "sector": schema::word(&schema::SECTORS),
        "change_percent": schema::number(""),
    });
    schema::output(json!({
        "date": schema::text("The day of trading, which is the last one before a weekend."),
        "sectors": schema::list(sector),
        "sector_count": schema::count(""),
        "best_sector": schema::word(&schema::SECTORS),
        "worst_sector": schema::word(&schema::SECTORS),
        "summary": schema::object(json!({"sentiment": schema::word(&schema::MOODS)})),
    }))
}

fn heatmap_input() -> Value {
    let choice = schema::one_of(&["sector", "industry"], "sector", "What a cell is.");
    schema::input(json!({"group_by": choice}), &[])
}

fn heatmap_output() -> Value {
    let cell = json!({
        "group": schema::text("The sector or industry."),
        "change_percent": schema::number("Of the latest day."),
        "market_cap": schema::number("US dollars."),
        "leader": schema::text("The ticker of its largest company."),
    });
    schema::output(json!({
        "group_by": schema::word(&["sector", "industry"]),
        "cells": schema::list(cell),
        "min_change": schema::number(""),
        "max_change": schema::number(""),
    }))
}

fn sector_performance(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Day { date } = read(arguments)?;
    let day = date.map_or(Ok(context.today), |date| past_day(&date, context))?;
    let listings = Listings::read(context)?;
    let courses = market::courses(listings.american(), day)?;
    let groups = market::groups(&courses, |listing| listing.sector);
    let moved = |group: &Group<'_>| group.mean(|course| course.moved);
    let entry =
        |group: &Group<'_>| json!({"sector": group.name, "change_percent": two(moved(group))});
    let risen = groups.iter().filter(|group| moved(group) > 0.0).count();
    let used = courses.first().map_or(day, |course| course.last.day);
    let result = json!({
        "date": used.to_string(),
        "sectors": groups.iter().map(entry).collect::<Vec<_>>(),
        "sector_count": groups.len(),
        "best_sector": groups.first().map(|group| group.name),
        "worst_sector": groups.last().map(|group| group.name),
        "summary": {"sentiment": market::mood(percent(risen as f64, groups.len() as f64))},
    });
    let caption = Caption {
        title: format!("Sectors on {used}"),
        measure: "Change of the day in percent, large companies weighing more".to_owned(),
        source: SOURCE,
        decimals: 2,
    };
    let bars = groups.iter().map(|group| (group.name, moved(group))).collect();
    Ok(finish(result, vec![Bars { caption, bars }.draw()], context))
}

/// Reads a day that has been.
fn past_day(text: &str, context: &Context) -> Result<Date, Failure> {
    let shaped = text.len() == 10 && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
    let day: Option<Date> = if shaped { text.parse().ok() } else { None };
    let Some(day) = day else {
        return Err(Failure::invalid(format!("`date` must be a day `YYYY-MM-DD`, not `{text}`")));
    };
    if day > context.today {
        return Err(not_found(format!(
            "there is no trading yet on {day}; give a day up to {}",
            context.today
        )));
    }
    Ok(day)
}

fn stock_heatmap(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Grouping { group_by } = read(arguments)?;
    let listings = Listings::read(context)?;
    let courses = market::american(&listings, context)?;
    let groups = market::groups(&courses, |listing| match group_by {
        Level::Sector => listing.sector,
        Level::Industry => listing.industry,
    });
    let moved = |group: &Group<'_>| group.mean(|course| course.moved);
    let cell = |group: &Group<'_>| {
        json!({
            "group": group.name,
            "change_percent": two(moved(group)),
            "market_cap": whole(group.size()),
            "leader": group.leader(),
        })
    };
    let (name, title) = match group_by {
        Level::Sector => ("sector", "Heat map of sectors"),
        Level::Industry => ("industry", "Heat map of industries"),
    };
    let result = json!({
        "group_by": name,
        "cells": groups.iter().map(cell).collect::<Vec<_>>(),
        // The groups are ranked by their change.
        "min_change": two(groups.last().map_or(0.0, moved)),
        "max_change": two(groups.first().map_or(0.0, moved)),
    });
    Ok(finish(result, vec![map(title, &groups)], context))
}

/// The groups over several stretches of time; each column has its own colors.
fn map(title: &str, groups: &[Group<'_>]) -> Picture {
    let gains: Vec<Vec<f64>> = groups
        .iter()
        .map(|group| {
            let gain = |timeframe| group.mean(|one| series::gain_over(&one.bars, timeframe));
            TIMEFRAMES.map(gain).to_vec()
        })
        .collect();
    let bounds = |column: usize| {
        let values = gains.iter().filter_map(|row| row.get(column));
        values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)))
    };
    let bounds: Vec<(f64, f64)> = (0..TIMEFRAMES.len()).map(bounds).collect();
    let cell = |(value, (low, high)): (&f64, &(f64, f64))| {
        let share = if high > low { (value - low) / (high - low) } else { 0.0 };
        (share, format!("{value:.2} %"))
    };
    let row = |(group, gains): (&Group<'_>, &Vec<f64>)| {
        (group.name, gains.iter().zip(&bounds).map(cell).collect())
    };
    let caption = Caption {
        title: title.to_owned(),
        measure: "Each column from its least change (light) to its greatest (dark)".to_owned(),
        source: SOURCE,
        decimals: 2,
    };
    let rows = groups.iter().zip(&gains).map(row).collect();
    Heatmap { caption, columns: TIMEFRAMES.to_vec(), rows }.draw()
}
