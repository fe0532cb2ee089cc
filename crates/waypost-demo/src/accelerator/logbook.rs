//! `logbook_search`: what operators wrote, by the words of a task and a period.
//!
//! The entries are invented and stand some days before today, so that there is always a last shift
//! to read about.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::clock::{self, DAY, Period};
use super::{finish, schema, there_are_data, words};
use crate::pack::{Context, Failure, Reply, Tool, read};

/// The entries: days before today, time at the site, author, text.
const ENTRIES: &str = include_str!("logbook.tsv");

/// The most entries of a result.
const MOST: usize = 20;

pub(super) fn tool() -> Tool {
    let entry = json!({
        "at": schema::moment(""),
        "author": schema::text(""),
        "text": schema::text(""),
    });
    Tool {
        name: "logbook_search",
        description: "Entries of the sample logbook that speak of what the task does, those with \
                      most of its words first; of a period, if one is given.",
        input: schema::input(json!({
            "task": schema::task(),
            "start": schema::moment("Start of the period."),
            "end": schema::moment("End of the period."),
        })),
        output: schema::output(
            json!({
                "entries": schema::list(schema::object(entry, json!({}))),
                "count": schema::count("All that were found."),
            }),
            json!({}),
        ),
        call: logbook_search,
    }
}

#[derive(Debug, Deserialize)]
struct Arguments {
    #[serde(default)]
    task: String,
    start: Option<String>,
    end: Option<String>,
}

/// An entry of the logbook.
#[derive(Debug, Clone, Copy)]
struct Entry {
    second: i64,
    author: &'static str,
    text: &'static str,
}

fn logbook_search(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { task, start, end } = read(arguments)?;
    there_are_data(context)?;
    let now = clock::now(context);
    let mut entries = entries(now)?;
    // Without a period all of it is searched, not the last day.
    if start.is_some() || end.is_some() {
        let mut period = Period::read(start.as_deref(), end.as_deref(), context)?;
        if start.is_none() {
            period.start = i64::MIN;
        }
        entries.retain(|entry| period.contains(entry.second));
    }
    let found = ranked(&task, entries);
    let entry = |entry: &Entry| {
        json!({
            "at": clock::written(entry.second, context),
            "author": entry.author,
            "text": entry.text,
        })
    };
    let result = json!({
        "entries": found.iter().take(MOST).map(entry).collect::<Vec<_>>(),
        "count": found.len(),
    });
    Ok(finish(result, Vec::new()))
}

/// The entries up to a moment, the newest first.
fn entries(now: i64) -> Result<Vec<Entry>, Failure> {
    let lines = ENTRIES.lines().filter(|line| !line.starts_with('#'));
    let mut entries = lines
        .map(|line| entry(line, now).ok_or_else(|| Failure::internal(format!("`{line}`"))))
        .collect::<Result<Vec<Entry>, Failure>>()?;
    entries.retain(|entry| entry.second <= now);
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.second));
    Ok(entries)
}

fn entry(line: &'static str, now: i64) -> Option<Entry> {
    let mut fields = line.split('\t');
    let days: i64 = fields.next()?.parse().ok()?;
    let (hour, minute) = fields.next()?.split_once(':')?;
    let (hour, minute): (i64, i64) = (hour.parse().ok()?, minute.parse().ok()?);
    let second = clock::midnight(now) - days * DAY + hour * 3600 + minute * 60;
    Some(Entry { second, author: fields.next()?, text: fields.next()? })
}

/// The entries that speak of a task, those with most of its words first; all of them where the task
/// names no topic.
fn ranked(task: &str, entries: Vec<Entry>) -> Vec<Entry> {
    let parts = words::parts(task);
    if parts.is_empty() {
        return entries;
    }
    let scored = entries.into_iter().map(|entry| (words::hits(&parts, entry.text), entry));
    let mut scored: Vec<(usize, Entry)> = scored.filter(|(hits, _)| *hits > 0).collect();
    scored.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    // One common word is no topic where others have more of them.
    let best = scored.first().map_or(0, |(hits, _)| *hits);
    scored.into_iter().filter(|(hits, _)| 2 * hits >= best).map(|(_, entry)| entry).collect()
}
