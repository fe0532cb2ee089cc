//! `channel_read`: the present values of channels.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::channels::{self, Channel, Kind, PERMIT, Quantity, Reading};
use super::{clock, finish, schema, there_are_data};
use crate::pack::{Context, Failure, Reply, Tool, read};

pub(super) fn tool() -> Tool {
    let value = json!({
        "address": schema::text(""),
        "value": schema::value("A number, or a word such as `open`."),
        "unit": schema::text("Empty where it has none."),
        "at": schema::moment(""),
    });
    let values = schema::list(schema::object(value, json!({})));
    Tool {
        name: "channel_read",
        description: "The present values of channels of the simulated ring: of `channel`, else of \
                      `addresses`.",
        input: schema::input(json!({
            "task": schema::task(),
            "channel": schema::channel(),
            "addresses": schema::addresses(),
        })),
        output: schema::output(
            json!({"values": values, "data": values}),
            json!({"safety_permit": schema::flag("Whether beam is allowed, where it was read.")}),
        ),
        call: channel_read,
    }
}

#[derive(Debug, Deserialize)]
struct Arguments {
    channel: Option<String>,
    #[serde(default)]
    addresses: Vec<String>,
}

fn channel_read(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { channel, addresses } = read(arguments)?;
    there_are_data(context)?;
    let selected = channels::selected(channel.as_deref(), &addresses)?;
    let now = clock::now(context);
    let at = clock::written(now, context);
    let machine = context.ring.settings.machine();
    let moment = machine.now(now);
    let readings: Vec<(&Channel, Reading)> =
        selected.into_iter().map(|channel| (channel, moment.reading(channel))).collect();
    let value = |(channel, reading): &(&Channel, Reading)| {
        json!({
            "address": channel.address,
            "value": reading.json(),
            "unit": channel.unit,
            "at": at,
        })
    };
    let values: Vec<Value> = readings.iter().map(value).collect();
    let mut result = json!({"values": values, "data": values});
    let permit = readings.iter().find(|(one, _)| one.kind == Kind::Measured(Quantity::Permit));
    if let Some((_, reading)) = permit {
        result["safety_permit"] = json!(*reading == Reading::Word(PERMIT[0]));
    }
    Ok(finish(result, Vec::new()))
}
