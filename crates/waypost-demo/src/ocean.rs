//! The ocean pack's sample server: sea surface temperature, tides, sun and moon.
//!
//! The tools, limits and errors follow the ODB metocean MCP server 0.2.0 (`ghrsst.*`,
//! `tide.forecast`), with `ghrsst.bbox_mean_timeseries` added. Sun and moon are real astronomy;
//! temperatures (`field.rs`) and tide heights (`tide.rs`) are formulas.

mod astronomy;
mod field;
mod forecast;
mod schema;
mod sst;
mod tide;
mod zone;

use jiff::civil::Date;

use crate::number::round;
use crate::pack::{Context, Failure, Pack, Reply, Tool, read};

/// The pack's line in the table of packs.
pub(crate) const PACK: Pack = Pack {
    name: "ocean",
    instructions: "Synthetic sea surface temperature (`ghrsst.*`) and tides with real sun and \
                   moon times (`tide.forecast`). The temperatures and tide heights come from a \
                   formula: use them to try things out, never as observations.",
    tools,
    writers: &[],
};

fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "ghrsst.point_value",
            description: "Sea surface temperature and its anomaly (°C) at one longitude and \
                          latitude on one day; the latest day if none is given.",
            input: schema::point_value_input(),
            output: schema::point_value_output(),
            call: |arguments, context| sst::point_value(arguments, context).map(Reply::from),
        },
        Tool {
            name: "ghrsst.bbox_mean",
            description: "Mean sea surface temperature and anomaly (°C) over a longitude and \
                          latitude box on one day; the latest day if none is given. Large boxes \
                          are sampled.",
            input: schema::bbox_mean_input(),
            output: schema::bbox_mean_output(),
            call: |arguments, context| sst::bbox_mean(arguments, context).map(Reply::from),
        },
        Tool {
            name: "ghrsst.bbox_mean_timeseries",
            description: "Daily box means of sea surface temperature and anomaly (°C) from a \
                          start day to an end day, both included, with their mean, minimum or \
                          maximum over the days. At most 366 days.",
            input: schema::timeseries_input(),
            output: schema::timeseries_output(),
            call: |arguments, context| sst::timeseries(arguments, context).map(Reply::from),
        },
        Tool {
            name: "tide.forecast",
            description: "High and low tides of one day at one place, with sunrise, sunset, \
                          moonrise, moonset and the moon's phase; for today also whether the \
                          tide is rising or falling.",
            input: schema::tide_input(),
            output: schema::tide_output(),
            call: |arguments, context| forecast::tide_forecast(arguments, context).map(Reply::from),
        },
    ]
}

/// The first day with data: the first of the MUR SST analysis that the real server serves.
const FIRST_DAY: Date = Date::constant(2002, 6, 1);

/// The failure of a question about a day without data. Callers parse the two dates out of it.
fn no_data(context: &Context) -> Failure {
    let last = last_day(context);
    Failure {
        code: "NOT_FOUND",
        message: format!("Data not exist, available date is {FIRST_DAY}/{last}"),
    }
}

/// The last day with data: yesterday, because a day's analysis is never ready on the day itself.
fn last_day(context: &Context) -> Date {
    context.today.yesterday().unwrap_or(context.today)
}

/// Reads a day written `YYYY-MM-DD`, and nothing else that jiff would accept.
fn read_day(name: &str, text: &str) -> Result<Date, Failure> {
    let shaped = text.len() == 10
        && text.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let day = if shaped { text.parse().ok() } else { None };
    day.ok_or_else(|| {
        Failure::invalid(format!("`{name}` must be a day `YYYY-MM-DD`, not `{text}`"))
    })
}

#[cfg(test)]
mod tests;
