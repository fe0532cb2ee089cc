//! `channel_write`: sets one channel, within its limits and interlock.
//!
//! The router has shown the call and asked; the ring holds to its table whoever calls.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::channels::{self, Channel, Kind, Reading};
use super::{clock, finish, schema, there_are_data};
use crate::pack::{Context, Failure, Reply, Tool, read};

pub(super) fn tool() -> Tool {
    Tool {
        name: "channel_write",
        description: "Sets one channel of the simulated ring to a value (a number in its unit) or \
                      a state (a word).",
        input: schema::input(json!({
            "task": schema::task(),
            "channel": schema::text("Exact address of a channel."),
            "value": schema::number("The value to set in the unit of the channel."),
            "increase": schema::number("Raise it by so much instead, in the same unit."),
            "decrease": schema::number("Lower it by so much instead, in the same unit."),
            "state": {
                "type": "string",
                "enum": ["open", "closed", "on", "off"],
                "description": "The state to set.",
            },
        })),
        output: schema::output(
            json!({
                "address": schema::text(""),
                "value": schema::value("What it is set to."),
                "before": schema::value("What it was set to before."),
                "unit": schema::text("Empty where it has none."),
                "readback": schema::value("What is read of it now."),
            }),
            json!({}),
        ),
        call: channel_write,
    }
}

#[derive(Debug, Deserialize)]
struct Arguments {
    channel: Option<String>,
    value: Option<f64>,
    increase: Option<f64>,
    decrease: Option<f64>,
    state: Option<String>,
}

fn channel_write(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { channel, value, increase, decrease, state } = read(arguments)?;
    there_are_data(context)?;
    let Some(address) = channel else {
        return Err(Failure::invalid("`channel` is missing; give the exact address of a channel"));
    };
    let channel = exact(&address)?;
    let server = &context.ring;
    let change = match (increase, decrease) {
        (None, None) => None,
        (up, down) => Some(up.unwrap_or(0.0) - down.unwrap_or(0.0)),
    };
    let value = match (value, change) {
        (Some(_), Some(_)) => {
            return Err(Failure::invalid("give `value`, or `increase` or `decrease`, not both"));
        }
        (None, Some(change)) => Some(changed(channel, change, context)?),
        (value, None) => value,
    };
    let value = fitting(channel, value, state.as_deref())?;
    let before = server.settings.set(channel, value)?;
    let machine = server.settings.machine();
    let result = json!({
        "address": channel.address,
        "value": value.json(),
        "before": before.json(),
        "unit": channel.unit,
        "readback": machine.now(clock::now(context)).reading(channel).json(),
    });
    Ok(finish(result, Vec::new()))
}

/// The value of a channel that is raised, or with a negative change lowered, from where it is set now.
fn changed(channel: &Channel, change: f64, context: &Context) -> Result<f64, Failure> {
    match (channel.kind, context.ring.settings.of(channel)) {
        (Kind::Number { .. }, Reading::Number(now)) => Ok(((now + change) * 1e9).round() / 1e9),
        _ => Err(Failure::invalid(format!(
            "`{}` cannot be raised or lowered; give what it is to be set to",
            channel.address
        ))),
    }
}

/// The one channel of an address without a star.
fn exact(address: &str) -> Result<&'static Channel, Failure> {
    let found = channels::named(address)?;
    match channels::find(address) {
        Some(channel) => Ok(channel),
        None => Err(Failure::invalid(format!(
            "`{address}` is {} channels; one is set at a time, so give the address of one",
            found.len()
        ))),
    }
}

/// The value for a channel, if it may be set to it.
fn fitting(channel: &Channel, value: Option<f64>, state: Option<&str>) -> Result<Reading, Failure> {
    let address = &channel.address;
    let allowed = channel.allowed().ok_or_else(|| Failure {
        code: "FAILED_PRECONDITION",
        message: format!("`{address}` is measured and cannot be set"),
    })?;
    let refused = |message: String| Err(Failure::invalid(message));
    if value.is_none() && state.is_none() {
        return refused(format!("`value` or `state` is missing; `{address}` takes {allowed}"));
    }
    match (channel.kind, value, state) {
        (Kind::Number { least, most, .. }, Some(value), _) => {
            if !(least..=most).contains(&value) {
                return refused(format!("{value} is outside {allowed} of `{address}`"));
            }
            Ok(Reading::Number(value))
        }
        (Kind::Word(states), _, Some(state)) => {
            let known = states.into_iter().find(|known| *known == state);
            known.map(Reading::Word).map_or_else(
                || refused(format!("`{state}` is no state of `{address}`; it takes {allowed}")),
                Ok,
            )
        }
        (Kind::Number { .. }, None, _) => {
            refused(format!("`value` is missing; `{address}` takes {allowed}"))
        }
        (Kind::Word(_) | Kind::Measured(_), ..) => {
            refused(format!("`state` is missing; `{address}` takes {allowed}"))
        }
    }
}
