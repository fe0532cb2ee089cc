//! `time_range_parsing`: the period of a task, as a start and an end.
//!
//! The router reads the words; what it did not find is the day before now.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::clock::{self, Period};
use super::{finish, schema};
use crate::pack::{Context, Failure, Reply, Tool, read};

pub(super) fn tool() -> Tool {
    Tool {
        name: "time_range_parsing",
        description: "The period that is meant, as a start and an end; without them the last 24 \
                      hours, and `assumed` says so.",
        input: schema::input(json!({
            "task": schema::task(),
            "start": schema::moment("Start of the period."),
            "end": schema::moment("End of the period."),
        })),
        output: schema::output(
            json!({
                "start": schema::moment("Start of the period."),
                "end": schema::moment("End of the period."),
                "assumed": schema::flag("Whether an end of it was not given."),
            }),
            json!({}),
        ),
        call: time_range_parsing,
    }
}

#[derive(Debug, Deserialize)]
struct Arguments {
    start: Option<String>,
    end: Option<String>,
}

fn time_range_parsing(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { start, end } = read(arguments)?;
    let period = Period::read(start.as_deref(), end.as_deref(), context)?;
    let result = json!({
        "start": clock::written(period.start, context),
        "end": clock::written(period.end, context),
        "assumed": period.assumed,
    });
    Ok(finish(result, Vec::new()))
}
