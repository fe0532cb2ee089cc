//! The `ghrsst.*` tools: they settle the day, the cells and the fields, and read the field there.

use jiff::civil::Date;
use jiff::{ToSpan, Unit};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::field::{self, Sample};
use super::{FIRST_DAY, last_day, no_data, read, read_day, round};
use crate::pack::{Context, Failure};

/// The grid of the MUR analysis, in degrees.
const CELL: f64 = 0.01;

/// The most cells read for one day (a long thin box may read a tenth more). The real server reads
/// a million; this field is smooth, and a year of so few takes a third of a second.
const CELL_LIMIT: f64 = 2_500.0;

/// The farthest that `nearest` may move a day, in days. Source: metocean MCP server 0.2.0.
const NEAREST_DAYS: i32 = 7;

/// The longest series, in days: a leap year.
const SERIES_DAYS: i32 = 366;

/// Decimals of a temperature: far below what a satellite can tell.
const DECIMALS: i32 = 3;

const NOTE: &str = "Synthetic data from a formula, not observations; land is not masked.";

#[derive(Debug, Deserialize)]
struct PointArguments {
    longitude: f64,
    latitude: f64,
    date: Option<String>,
    #[serde(default)]
    fields: Fields,
    #[serde(default)]
    method: Method,
}

#[derive(Debug, Deserialize)]
struct BoxArguments {
    bbox: [f64; 4],
    date: Option<String>,
    #[serde(default)]
    fields: Fields,
    #[serde(default)]
    method: Method,
}

#[derive(Debug, Deserialize)]
struct SeriesArguments {
    bbox: [f64; 4],
    start: String,
    end: String,
    #[serde(default)]
    stat: Stat,
    #[serde(default)]
    fields: Fields,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Method {
    #[default]
    Exact,
    Nearest,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Stat {
    #[default]
    Mean,
    Min,
    Max,
}

/// The values to return; the temperature alone if the caller does not say.
#[derive(Debug, Deserialize)]
struct Fields(Vec<String>);

impl Default for Fields {
    fn default() -> Self {
        Self(vec!["sst".to_owned()])
    }
}

/// `ghrsst.point_value`.
pub(super) fn point_value(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Value, Failure> {
    let PointArguments { longitude, latitude, date, fields, method } = read(arguments)?;
    let day = choose_day(date.as_deref(), method, context)?;
    let mut result = json!({"region": [longitude, latitude], "date": day.used.to_string()});
    fields.write(field::sample(longitude, latitude, day.used), &mut result);
    Ok(finish(result, &day))
}

/// `ghrsst.bbox_mean`.
pub(super) fn bbox_mean(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Value, Failure> {
    let BoxArguments { bbox, date, fields, method } = read(arguments)?;
    let region = Region::new(bbox)?;
    let day = choose_day(date.as_deref(), method, context)?;
    let mut result = json!({"region": region.corners(), "date": day.used.to_string()});
    fields.write(region.mean(day.used), &mut result);
    result["sample"] = json!(region.stride);
    Ok(finish(result, &day))
}

/// `ghrsst.bbox_mean_timeseries`. Days without data at either end are left out and reported, so
/// that "this week" has an answer before the week is over.
pub(super) fn timeseries(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Value, Failure> {
    let SeriesArguments { bbox, start, end, stat, fields } = read(arguments)?;
    let region = Region::new(bbox)?;
    let (asked_start, asked_end) = (read_day("start", &start)?, read_day("end", &end)?);
    check_span(asked_start, asked_end)?;
    let start = asked_start.max(FIRST_DAY);
    let end = asked_end.min(last_day(context));
    if context.no_data || start > end {
        return Err(no_data(context));
    }
    let days: Vec<Date> = start.series(1.day()).take_while(|day| *day <= end).collect();
    let samples: Vec<Sample> = days.iter().map(|day| region.mean(*day)).collect();
    let series: Vec<Value> = days
        .iter()
        .zip(&samples)
        .map(|(day, sample)| {
            let mut entry = json!({"date": day.to_string()});
            fields.write(*sample, &mut entry);
            entry
        })
        .collect();
    let mut result = json!({
        "region": region.corners(),
        "start": start.to_string(),
        "end": end.to_string(),
        "stat": stat.name(),
        "series": series,
    });
    fields.write(stat.over(&samples), &mut result);
    result["sample"] = json!(region.stride);
    if start != asked_start {
        result["requested_start"] = json!(asked_start.to_string());
    }
    if end != asked_end {
        result["requested_end"] = json!(asked_end.to_string());
    }
    Ok(say_synthetic(result))
}

fn check_span(start: Date, end: Date) -> Result<(), Failure> {
    let days = days_between(start, end) + 1;
    if days < 1 {
        return Err(Failure::invalid(format!("`start` {start} is after `end` {end}")));
    }
    if days > SERIES_DAYS {
        return Err(Failure::invalid(format!(
            "`start` to `end` is {days} days; at most {SERIES_DAYS} are served at once"
        )));
    }
    Ok(())
}

/// The day that answers, and the day asked for if it is another.
struct Day {
    used: Date,
    moved_from: Option<Date>,
}

fn choose_day(date: Option<&str>, method: Method, context: &Context) -> Result<Day, Failure> {
    let last = last_day(context);
    let asked = date.map_or(Ok(last), |date| read_day("date", date))?;
    let used = asked.clamp(FIRST_DAY, last.max(FIRST_DAY));
    let near = method == Method::Nearest && days_between(asked, used).abs() <= NEAREST_DAYS;
    if context.no_data || (used != asked && !near) {
        return Err(no_data(context));
    }
    Ok(Day { used, moved_from: (used != asked).then_some(asked) })
}

fn days_between(from: Date, to: Date) -> i32 {
    // Dates span at most twenty thousand years: a difference in days fits, and never fails.
    from.until((Unit::Day, to)).map_or(0, |span| span.get_days())
}

/// A box with an area, and the stride that keeps its cells within [`CELL_LIMIT`].
struct Region {
    west: f64,
    south: f64,
    columns: f64,
    rows: f64,
    east: f64,
    north: f64,
    stride: u32,
}

impl Region {
    /// The box between two corners: west first, south and north in either order.
    fn new([west, lat0, east, lat1]: [f64; 4]) -> Result<Self, Failure> {
        let (south, north) = (lat0.min(lat1), lat0.max(lat1));
        if let Some(beyond) = [south, north].into_iter().find(|latitude| latitude.abs() > 90.0) {
            return Err(Failure::invalid(format!(
                "`bbox` latitude `{beyond}` is outside -90..=90; give `[west, south, east, north]`"
            )));
        }
        if west > east {
            return Err(Failure::invalid(format!(
                "`bbox` west `{west}` is greater than east `{east}`; ask for the two sides of the \
                 antimeridian separately"
            )));
        }
        if west == east || south == north {
            return Err(Failure::invalid("`bbox` must cover an area, not a line or a point"));
        }
        let (columns, rows) = (cells(east - west), cells(north - south));
        let stride = stride(columns, rows);
        Ok(Self { west, south, columns, rows, east, north, stride })
    }

    fn corners(&self) -> [f64; 4] {
        [self.west, self.south, self.east, self.north]
    }

    /// The mean over every `stride`-th cell in each direction.
    fn mean(&self, day: Date) -> Sample {
        let step = f64::from(self.stride) * CELL;
        let (columns, rows) = (strided(self.columns, self.stride), strided(self.rows, self.stride));
        let mut sum = Sample { sst: 0.0, anomaly: 0.0 };
        for row in 0..rows {
            for column in 0..columns {
                let longitude = self.west + f64::from(column) * step;
                let latitude = self.south + f64::from(row) * step;
                let sample = field::sample(longitude, latitude, day);
                sum.sst += sample.sst;
                sum.anomaly += sample.anomaly;
            }
        }
        let count = f64::from(columns * rows);
        Sample { sst: sum.sst / count, anomaly: sum.anomaly / count }
    }
}

/// The cells along a side of so many degrees. The small part undoes the error of the division.
fn cells(degrees: f64) -> f64 {
    (degrees / CELL + 1e-6).floor() + 1.0
}

fn strided(cells: f64, stride: u32) -> u32 {
    (cells / f64::from(stride)).ceil() as u32
}

/// `ceil(sqrt(total / limit))`, doubled until the cells read are within the limit (a long thin box
/// needs that).
fn stride(columns: f64, rows: f64) -> u32 {
    let mut stride = (columns * rows / CELL_LIMIT).sqrt().ceil().max(1.0) as u32;
    while f64::from(strided(columns, stride)) * f64::from(strided(rows, stride)) > CELL_LIMIT * 1.1
    {
        stride *= 2;
    }
    stride
}

impl Fields {
    fn write(&self, sample: Sample, result: &mut Value) {
        for field in &self.0 {
            let value = if field == "sst" { sample.sst } else { sample.anomaly };
            result[field] = json!(round(value, DECIMALS));
        }
    }
}

impl Stat {
    fn name(self) -> &'static str {
        match self {
            Stat::Mean => "mean",
            Stat::Min => "min",
            Stat::Max => "max",
        }
    }

    /// The statistic of each field on its own; `samples` is never empty.
    fn over(self, samples: &[Sample]) -> Sample {
        let reduce = |pick: fn(&Sample) -> f64| {
            let values = samples.iter().map(pick);
            match self {
                Stat::Mean => values.sum::<f64>() / samples.len() as f64,
                Stat::Min => values.fold(f64::INFINITY, f64::min),
                Stat::Max => values.fold(f64::NEG_INFINITY, f64::max),
            }
        };
        Sample { sst: reduce(|sample| sample.sst), anomaly: reduce(|sample| sample.anomaly) }
    }
}

fn finish(mut result: Value, day: &Day) -> Value {
    if let Some(asked) = day.moved_from {
        result["requested_date"] = json!(asked.to_string());
        result["method"] = json!("nearest");
    }
    say_synthetic(result)
}

fn say_synthetic(mut result: Value) -> Value {
    result["synthetic"] = json!(true);
    result["note"] = json!(NOTE);
    result
}
