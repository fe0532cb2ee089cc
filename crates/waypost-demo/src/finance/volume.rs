//! `getVolumeProfile`: at which prices a stock was traded most.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::listing::{Listing, Listings};
use super::money::{change, percent, quoted, two, whole};
use super::series::Bar;
use super::statistics::mean;
use super::{SOURCE, about, finish, price, read, schema, series};
use crate::pack::{Context, Failure, Reply, Tool};
use crate::picture::{Bars, Caption, Picture};

const TIMEFRAMES: [&str; 4] = ["1W", "1M", "3M", "6M"];

/// The steps that the prices are divided into.
const STEPS: usize = 12;

/// The share of all volume that the value area holds, by convention.
const VALUE_AREA: f64 = 0.7;

/// The change in percent from which volume rises or falls.
const TREND: f64 = 10.0;

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default = "month")]
    timeframe: String,
}

fn month() -> String {
    "1M".to_owned()
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "symbol": schema::symbol(),
        "timeframe": schema::one_of(&TIMEFRAMES, "1M", "The stretch that is looked at."),
    });
    let step = json!({
        "low": schema::number(""),
        "high": schema::number(""),
        "volume": schema::number("Shares."),
        "share": schema::number("Percent of all volume."),
    });
    let output = json!({
        "timeframe": schema::word(&TIMEFRAMES),
        "poc": schema::number("The price that was traded most: the point of control."),
        "value_area_high": schema::number("The upper end of where 70 percent were traded."),
        "value_area_low": schema::number("Its lower end."),
        "volume_trend": schema::word(&schema::TRENDS),
        "avg_daily_volume": schema::number("Shares a day."),
        "volume_profile": schema::list(step),
    });
    Tool {
        name: "getVolumeProfile",
        description: "The volume of one stock by price: the price traded most, the value area, \
                      the trend of the volume, and a chart.",
        input: schema::input(input, &["symbol"]),
        output: schema::priced(output),
        call: volume_profile,
    }
}

fn volume_profile(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { symbol, timeframe } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let bars = series::daily(listing, context)?;
    let last = series::latest(&bars)?.0;
    let window = series::since(&bars, series::begin(last.day, &timeframe));
    let profile = Profile::over(window);
    let peak = profile.peak();
    let (from, to) = profile.value_area(peak);
    let volumes: Vec<f64> = window.iter().map(|bar| bar.volume).collect();
    let (early, late) = volumes.split_at(volumes.len() / 2);
    let trend = match change(mean(early), mean(late)) {
        more if more > TREND => "rising",
        less if less < -TREND => "falling",
        _ => "steady",
    };
    let mut result = about(listing);
    result.insert("currency".to_owned(), json!(listing.currency()));
    result.insert("poc".to_owned(), json!(quoted(profile.edge(peak) + profile.width / 2.0)));
    result.insert("value_area_high".to_owned(), json!(quoted(profile.edge(to + 1))));
    result.insert("value_area_low".to_owned(), json!(quoted(profile.edge(from))));
    result.insert("volume_trend".to_owned(), json!(trend));
    result.insert("avg_daily_volume".to_owned(), whole(mean(&volumes)));
    result.insert("volume_profile".to_owned(), profile.shown());
    let picture = profile.picture(listing, &timeframe);
    result.insert("timeframe".to_owned(), json!(timeframe));
    Ok(finish(result, vec![picture], context))
}

/// The volume at each step of prices, the lowest first.
struct Profile {
    low: f64,
    width: f64,
    volumes: [f64; STEPS],
}

impl Profile {
    /// Shares the volume of each bar out evenly over the steps between its low and its high.
    fn over(bars: &[Bar]) -> Self {
        let (low, high) = price::range(bars);
        let width = ((high - low) / STEPS as f64).max(f64::MIN_POSITIVE);
        let step = |price: f64| (((price - low) / width) as usize).min(STEPS - 1);
        let mut volumes = [0.0; STEPS];
        for bar in bars {
            let (from, to) = (step(bar.low), step(bar.high));
            let part = bar.volume / (to - from + 1) as f64;
            volumes[from..=to].iter_mut().for_each(|volume| *volume += part);
        }
        Self { low, width, volumes }
    }

    /// The lower edge of a step.
    fn edge(&self, step: usize) -> f64 {
        self.low + self.width * step as f64
    }

    fn total(&self) -> f64 {
        self.volumes.iter().sum()
    }

    /// The step with most volume.
    fn peak(&self) -> usize {
        let steps = self.volumes.iter().enumerate();
        steps.max_by(|one, other| one.1.total_cmp(other.1)).map_or(0, |(step, _)| step)
    }

    /// The steps around the peak that hold the value area: it grows to the side with more volume.
    fn value_area(&self, peak: usize) -> (usize, usize) {
        let (mut from, mut to) = (peak, peak);
        let mut held = self.volumes[peak];
        while held < VALUE_AREA * self.total() && (from > 0 || to + 1 < STEPS) {
            let below = if from > 0 { self.volumes[from - 1] } else { -1.0 };
            let above = self.volumes.get(to + 1).copied().unwrap_or(-1.0);
            if below > above {
                from -= 1;
                held += below;
            } else {
                to += 1;
                held += above;
            }
        }
        (from, to)
    }

    fn shown(&self) -> Value {
        let entry = |(step, volume): (usize, &f64)| {
            json!({
                "low": quoted(self.edge(step)),
                "high": quoted(self.edge(step + 1)),
                "volume": whole(*volume),
                "share": two(percent(*volume, self.total())),
            })
        };
        self.volumes.iter().enumerate().map(entry).collect()
    }

    fn picture(&self, listing: &Listing, timeframe: &str) -> Picture {
        let name =
            |step: usize| format!("{} to {}", quoted(self.edge(step)), quoted(self.edge(step + 1)));
        let names: Vec<String> = (0..STEPS).map(name).collect();
        let shares = self.volumes.map(|volume| percent(volume, self.total()));
        let caption = Caption {
            title: format!("{} ({}), volume by price, {timeframe}", listing.name, listing.symbol),
            measure: format!("Percent of all shares traded, by price in {}", listing.currency()),
            source: SOURCE,
            decimals: 1,
        };
        let bars = names.iter().map(String::as_str).zip(shares).rev().collect();
        Bars { caption, bars }.draw()
    }
}
