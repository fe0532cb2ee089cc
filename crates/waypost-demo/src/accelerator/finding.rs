//! `channel_finding`: the channels that an address or a description means.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::channels::{self, Channel};
use super::{finish, schema, there_are_data, words};
use crate::pack::{Context, Failure, Reply, Tool, read};

/// The most channels of a result, as many as other tools take.
const MOST: usize = 100;

pub(super) fn tool() -> Tool {
    let channel = json!({
        "address": schema::text(""),
        "description": schema::text(""),
        "unit": schema::text("Its unit as UCUM has it; empty where it has none."),
        "settable": schema::flag("Whether it can be set."),
        "allowed": {"type": ["string", "null"], "description": "What it can be set to."},
    });
    Tool {
        name: "channel_finding",
        description: "The channels of the simulated ring that an address (a star in it is every \
                      one of a kind) or a description means.",
        input: schema::input(json!({"task": schema::task(), "channel": schema::channel()})),
        output: schema::output(
            json!({
                "addresses": schema::list(json!({"type": "string"})),
                "channels": schema::list(schema::object(channel, json!({}))),
                "count": schema::count("The number of channels."),
            }),
            json!({}),
        ),
        call: channel_finding,
    }
}

#[derive(Debug, Deserialize)]
struct Arguments {
    task: Option<String>,
    channel: Option<String>,
}

fn channel_finding(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { task, channel } = read(arguments)?;
    there_are_data(context)?;
    let mut found = match (&channel, &task) {
        (Some(channel), _) => channels::named(channel)?,
        (None, Some(task)) => described(task)?,
        (None, None) => {
            return Err(Failure::invalid("`channel` or `task` is missing; say what to look for"));
        }
    };
    found.truncate(MOST);
    let entry = |channel: &&'static Channel| {
        let allowed = channel.allowed();
        json!({
            "address": channel.address,
            "description": channel.description,
            "unit": channel.unit,
            "settable": allowed.is_some(),
            "allowed": allowed,
        })
    };
    let result = json!({
        "addresses": found.iter().map(|channel| channel.address.as_str()).collect::<Vec<_>>(),
        "channels": found.iter().map(entry).collect::<Vec<_>>(),
        "count": found.len(),
    });
    Ok(finish(result, Vec::new()))
}

/// The channels whose words most words of a description are.
fn described(task: &str) -> Result<Vec<&'static Channel>, Failure> {
    let found = by_words(task);
    if found.is_empty() {
        return Err(Failure {
            code: "NOT_FOUND",
            message: "no channel goes by these words; name a device such as `beam current`, \
                      `sector 3 pressure` or `BPM 4`"
                .to_owned(),
        });
    }
    Ok(found)
}

/// As [`described`], and empty where no word is known. A number tells those of a kind apart, and
/// finds nothing alone.
pub(super) fn by_words(task: &str) -> Vec<&'static Channel> {
    let parts = words::parts(task);
    let is_number = |part: &String| part.bytes().all(|byte| byte.is_ascii_digit());
    let (numbers, said): (Vec<String>, Vec<String>) = parts.into_iter().partition(is_number);
    let scored: Vec<(usize, &'static Channel)> = channels::all()
        .iter()
        .map(|channel| (words::hits(&said, &channel.words), channel))
        .collect();
    let best = scored.iter().map(|(hits, _)| *hits).max().unwrap_or(0);
    let first = scored.into_iter().filter(|(hits, _)| best > 0 && *hits == best);
    let found: Vec<&'static Channel> = first.map(|(_, channel)| channel).collect();
    let is_meant = |channel: &&'static Channel| numbers.contains(&channel.number.to_string());
    let numbered: Vec<&'static Channel> = found.iter().copied().filter(is_meant).collect();
    if numbered.is_empty() { found } else { numbered }
}
