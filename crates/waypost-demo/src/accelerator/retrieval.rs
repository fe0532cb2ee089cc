//! `archiver_retrieval`: recorded values of channels over a period, with a picture.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::archive::{self, MOST_POINTS, Series};
use super::clock::{self, DAY, Period};
use super::figures::{Curve, Figures};
use super::{channels, chart, finish, schema, there_are_data};
use crate::number::round;
use crate::pack::{Context, Failure, Reply, Tool, read};

/// The longest period, in days.
const LONGEST: i64 = 400;

pub(super) fn tool() -> Tool {
    let all = json!({
        "address": schema::text(""),
        "unit": schema::text("Empty where it has none."),
        "least": schema::number(""),
        "most": schema::number(""),
        "mean": schema::number(""),
        "points": {
            "type": "array",
            "maxItems": MOST_POINTS,
            "items": {"type": "array", "minItems": 2, "maxItems": 2},
            "description": "A time and a value each, the oldest first.",
        },
    });
    let some = json!({"meaning": schema::text("What 1 and 0 are, of a channel with words.")});
    let series = schema::list(schema::object(all, some));
    Tool {
        name: "archiver_retrieval",
        description: "Recorded values of channels of the simulated ring over a period of the past \
                      of at most 400 days: of `channel`, else of `addresses`. At most 500 points \
                      each; without a period the last 24 hours.",
        input: schema::input(json!({
            "task": schema::task(),
            "channel": schema::channel(),
            "addresses": schema::addresses(),
            "start": schema::moment("Start of the period."),
            "end": schema::moment("End of the period."),
        })),
        output: schema::output(
            json!({
                "series": series,
                "data": series,
                "start": schema::moment(""),
                "end": schema::moment(""),
            }),
            json!({}),
        ),
        call: archiver_retrieval,
    }
}

#[derive(Debug, Deserialize)]
struct Arguments {
    channel: Option<String>,
    #[serde(default)]
    addresses: Vec<String>,
    start: Option<String>,
    end: Option<String>,
}

fn archiver_retrieval(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { channel, addresses, start, end } = read(arguments)?;
    there_are_data(context)?;
    let selected = channels::selected(channel.as_deref(), &addresses)?;
    let period = recorded(Period::read(start.as_deref(), end.as_deref(), context)?, context)?;
    let (start, end) = (clock::written(period.start, context), clock::written(period.end, context));
    let series = archive::series(&selected, period);
    let curves: Vec<Curve> = series.iter().map(Curve::from).collect();
    let entries: Vec<Value> =
        series.iter().zip(&curves).map(|(one, curve)| entry(one, curve, context)).collect();
    let pictures = chart::lines(&curves, &format!("by step, {start} to {end}"));
    let result = json!({"series": entries, "data": entries, "start": start, "end": end});
    Ok(finish(result, pictures))
}

/// The part of a period that is in the past.
fn recorded(period: Period, context: &Context) -> Result<Period, Failure> {
    let now = clock::now(context);
    if period.start > now {
        return Err(Failure {
            code: "NOT_FOUND",
            message: format!(
                "nothing is recorded yet of a period that begins at {}",
                clock::written(period.start, context)
            ),
        });
    }
    if period.end - period.start > LONGEST * DAY {
        return Err(Failure::invalid(format!(
            "the period is longer than {LONGEST} days; give a later `start` or an earlier `end`"
        )));
    }
    Ok(Period { end: period.end.min(now), ..period })
}

/// A series as a result has it.
fn entry(series: &Series, curve: &Curve, context: &Context) -> Value {
    let channel = series.channel;
    let point = |(second, value): &(i64, f64)| json!([clock::written(*second, context), value]);
    let figures = Figures::of(&curve.points);
    let figure = |of: fn(&Figures) -> f64, more: i32| {
        figures.as_ref().map_or(0.0, |figures| round(of(figures), channel.decimals + more))
    };
    // A mean has a digit more than the values; of words it is a share.
    let more = if channel.states().is_some() { 3 } else { 1 };
    let mut entry = json!({
        "address": channel.address,
        "unit": channel.unit,
        "least": figure(|figures| figures.least, 0),
        "most": figure(|figures| figures.most, 0),
        "mean": figure(|figures| figures.mean, more),
        "points": series.points.iter().map(point).collect::<Vec<_>>(),
    });
    if let Some([one, zero]) = channel.states() {
        entry["meaning"] = json!(format!("1 is {one}, 0 is {zero}"));
    }
    entry
}
