//! Indicators as results have them: by name, with a value and what it signals.

use serde_json::{Value, json};

use super::indicators::{atr, bollinger, ema, macd, rsi, sma, stochastic};
use super::money::{decimals, two};
use super::series::{Bar, closes};
use super::{listing::Listing, schema};
use crate::number::round;
use crate::picture::{Caption, Lines, Picture};

/// The indicators that can be asked for.
pub(super) const NAMES: [&str; 11] = [
    "RSI", "MACD", "SMA_20", "SMA_50", "SMA_200", "EMA_12", "EMA_20", "EMA_26", "BB", "ATR",
    "STOCH",
];

/// The bars that an indicator needs before those that are asked about.
pub(super) const WARM_UP: usize = 260;

/// The schema of a list of indicators.
pub(super) fn schema() -> Value {
    let mut items = schema::object(json!({
        "name": schema::word(&NAMES),
        "value": schema::maybe("Of BB the middle, of MACD its line, of STOCH its %K."),
        "signal": schema::word(&schema::SIGNALS),
    }));
    for name in ["upper", "middle", "lower", "signal_line", "histogram", "k", "d"] {
        items["properties"][name] = schema::number("Of BB, MACD or STOCH.");
    }
    json!({"type": "array", "items": items})
}

/// The indicators of these names at the last bar.
pub(super) fn at_last(bars: &[Bar], names: &[String]) -> Vec<Value> {
    names.iter().map(|name| indicator(bars, name)).collect()
}

/// What most of the signals say.
pub(super) fn overall(indicators: &[Value]) -> &'static str {
    let count = |signal: &str| indicators.iter().filter(|one| one["signal"] == signal).count();
    let (buy, sell) = (count("buy"), count("sell"));
    match buy.cmp(&sell) {
        std::cmp::Ordering::Greater => "buy",
        std::cmp::Ordering::Less => "sell",
        std::cmp::Ordering::Equal => "neutral",
    }
}

fn indicator(bars: &[Bar], name: &str) -> Value {
    let closes = closes(bars);
    let price = closes.last().copied().unwrap_or(0.0);
    // One decimal more than prices have: the lines lie between them.
    let fine = |value: f64| round(value, decimals(price) as i32 + 1);
    match name {
        "RSI" => oscillator(name, rsi(&closes, 14), (30.0, 70.0)),
        "STOCH" => {
            let both = stochastic(bars);
            let mut entry = oscillator(name, both.map(|(k, _)| k), (20.0, 80.0));
            if let Some((k, d)) = both {
                entry["k"] = two(k);
                entry["d"] = two(d);
            }
            entry
        }
        "MACD" => {
            let lines = macd(&closes);
            let lead = lines.map(|lines| lines.line - lines.signal);
            let mut entry = entry(name, lines.map(|lines| fine(lines.line)), above(lead));
            if let Some(lines) = lines {
                entry["signal_line"] = json!(fine(lines.signal));
                entry["histogram"] = json!(fine(lines.line - lines.signal));
            }
            entry
        }
        "BB" => {
            let bands = bollinger(&closes);
            let signal = match bands {
                Some(bands) if price < bands.lower => "buy",
                Some(bands) if price > bands.upper => "sell",
                _ => "neutral",
            };
            let mut entry = entry(name, bands.map(|bands| fine(bands.middle)), signal);
            if let Some(bands) = bands {
                entry["upper"] = json!(fine(bands.upper));
                entry["middle"] = json!(fine(bands.middle));
                entry["lower"] = json!(fine(bands.lower));
            }
            entry
        }
        "ATR" => entry(name, atr(bars, 14).map(fine), "neutral"),
        _ => {
            let mean = average(&closes, name);
            entry(name, mean.map(fine), above(mean.map(|mean| price - mean)))
        }
    }
}

/// A moving average by its name, such as `SMA_20`.
fn average(closes: &[f64], name: &str) -> Option<f64> {
    let (kind, length) = name.split_once('_')?;
    let length = length.parse().ok()?;
    if kind == "SMA" { sma(closes, length) } else { ema(closes, length) }
}

/// An indicator from 0 to 100: a low value says buy, a high one sell.
fn oscillator(name: &str, value: Option<f64>, (low, high): (f64, f64)) -> Value {
    let signal = match value {
        Some(value) if value < low => "buy",
        Some(value) if value > high => "sell",
        _ => "neutral",
    };
    entry(name, value.map(|value| round(value, 2)), signal)
}

fn entry(name: &str, value: Option<f64>, signal: &str) -> Value {
    json!({"name": name, "value": value, "signal": signal})
}

fn above(lead: Option<f64>) -> &'static str {
    match lead {
        Some(lead) if lead > 0.0 => "buy",
        Some(lead) if lead < 0.0 => "sell",
        _ => "neutral",
    }
}

/// The last so many closes with the two means that people draw through them.
pub(super) fn picture(listing: &Listing, bars: &[Bar], count: usize, span: &str) -> Picture {
    let closes = closes(bars);
    let count = count.clamp(2, closes.len().max(2));
    let start = closes.len().saturating_sub(count);
    let mean = |length: usize| -> Vec<f64> {
        (start..closes.len()).filter_map(|end| sma(&closes[..=end], length)).collect()
    };
    let price = closes.last().copied().unwrap_or(0.0);
    let caption = Caption {
        title: format!("{} ({}), {span}", listing.name, listing.symbol),
        measure: format!("Closing price in {} and its moving averages", listing.currency()),
        source: super::SOURCE,
        decimals: decimals(price),
    };
    let lines = vec![
        ("Close".to_owned(), closes[start..].to_vec()),
        ("SMA 20".to_owned(), mean(20)),
        ("SMA 50".to_owned(), mean(50)),
    ];
    Lines { caption, lines }.draw()
}
