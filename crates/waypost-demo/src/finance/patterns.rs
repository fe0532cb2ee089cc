//! `detectChartPatterns`: shapes that a price has drawn, found from its turning points.
//!
//! Each kind of pattern is a rule over the turning points or the bars of the window; how well the
//! rule is met is the confidence. Source of the rules: Bulkowski 2005, simplified.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::extrema::{Pivot, pivots};
use super::listing::Listings;
use super::money::quoted;
use super::series::Bar;
use super::{about, finish, read, schema, series};
use crate::number::round;
use crate::pack::{Context, Failure, Reply, Tool};

const TIMEFRAMES: [&str; 4] = ["1M", "3M", "6M", "1Y"];

const TYPES: [&str; 7] =
    ["head_shoulders", "double_top", "double_bottom", "triangle", "flag", "wedge", "cup_handle"];

/// The most patterns of one answer.
const MOST: usize = 3;

/// Two prices are at the same height if they differ by no more than this share.
const LEVEL: f64 = 0.03;

/// A pattern must be this deep, as a share of its price.
const DEPTH: f64 = 0.04;

#[derive(Debug, Deserialize)]
struct Arguments {
    symbol: String,
    #[serde(default = "half_a_year")]
    timeframe: String,
    #[serde(default = "all")]
    pattern_types: Vec<String>,
}

fn half_a_year() -> String {
    "6M".to_owned()
}

fn all() -> Vec<String> {
    vec!["all".to_owned()]
}

pub(super) fn tool() -> Tool {
    let mut choices = TYPES.to_vec();
    choices.push("all");
    let input = json!({
        "symbol": schema::symbol(),
        "timeframe": schema::one_of(&TIMEFRAMES, "6M", "The stretch that is looked at."),
        "pattern_types": schema::some_of(&choices, &["all"], "The patterns to look for."),
    });
    let pattern = json!({
        "type": schema::word(&TYPES),
        "direction": schema::word(&schema::MOODS),
        "confidence": schema::number("Percent."),
        "start": schema::text("Its first day."),
        "end": schema::text("Its last day."),
        "price_target": schema::maybe("Where the price would go."),
    });
    let output = json!({
        "timeframe": schema::word(&TIMEFRAMES),
        "current_price": schema::number(""),
        "patterns_detected": schema::list(pattern),
        "pattern_count": schema::count(""),
    });
    Tool {
        name: "detectChartPatterns",
        description: "Chart patterns in the price of one stock: head and shoulders, double tops \
                      and bottoms, triangles, flags, wedges, cups with handle; at most three.",
        input: schema::input(input, &["symbol"]),
        output: schema::priced(output),
        call: detect_chart_patterns,
    }
}

fn detect_chart_patterns(
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    let Arguments { symbol, timeframe, pattern_types } = read(arguments)?;
    let listings = Listings::read(context)?;
    let listing = listings.stock(&symbol)?;
    let bars = series::daily(listing, context)?;
    let last = series::latest(&bars)?.0;
    let window = series::since(&bars, series::begin(last.day, &timeframe));
    let wanted = |kind: &str| pattern_types.iter().any(|one| one == "all" || one == kind);
    let mut found: Vec<Pattern> =
        detect(window).into_iter().filter(|one| wanted(one.kind)).collect();
    found.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    found.truncate(MOST);
    let shown: Vec<Value> = found.iter().filter_map(|pattern| pattern.shown(window)).collect();
    let mut result = about(listing);
    result.insert("currency".to_owned(), json!(listing.currency()));
    result.insert("timeframe".to_owned(), json!(timeframe));
    result.insert("current_price".to_owned(), json!(last.close));
    result.insert("pattern_count".to_owned(), json!(shown.len()));
    result.insert("patterns_detected".to_owned(), json!(shown));
    Ok(finish(result, Vec::new(), context))
}

/// A pattern from one place of the window to another.
#[derive(Debug, Clone, Copy)]
struct Pattern {
    kind: &'static str,
    direction: &'static str,
    /// Percent.
    confidence: f64,
    span: (usize, usize),
    target: f64,
}

impl Pattern {
    fn shown(&self, window: &[Bar]) -> Option<Value> {
        Some(json!({
            "type": self.kind,
            "direction": self.direction,
            "confidence": round(self.confidence, 0),
            "start": window.get(self.span.0)?.day.to_string(),
            "end": window.get(self.span.1)?.day.to_string(),
            "price_target": quoted(self.target),
        }))
    }
}

/// All patterns of a window; of each rule the latest that it meets.
fn detect(window: &[Bar]) -> Vec<Pattern> {
    let reach = (window.len() / 25).clamp(2, 6);
    let turns = pivots(window, reach);
    let of_three = turns.windows(3).rev();
    let doubles = |top: bool| of_three.clone().find_map(|turns| double(turns, top));
    let shoulders = turns.windows(5).rev().find_map(head_shoulders);
    let found =
        [doubles(true), doubles(false), shoulders, lines(&turns), flag(window), cup(window)];
    found.into_iter().flatten().collect()
}

/// The share by which two prices differ.
fn apart(one: f64, other: f64) -> f64 {
    (one / other - 1.0).abs()
}

/// From 50 percent where a rule is just met to 95 where nothing is off.
fn confidence(off: f64, allowed: f64) -> f64 {
    95.0 - 45.0 * (off / allowed).clamp(0.0, 1.0)
}

/// Two highs at the same height with a low between them, or the other way round.
fn double(turns: &[Pivot], top: bool) -> Option<Pattern> {
    let [first, middle, last] = turns else { return None };
    let shaped = first.is_high == top && middle.is_high != top && last.is_high == top;
    let off = apart(first.price, last.price);
    let height = (first.price + last.price) / 2.0 - middle.price;
    if !shaped || off > LEVEL || height.abs() / middle.price < DEPTH {
        return None;
    }
    let (kind, direction) =
        if top { ("double_top", "bearish") } else { ("double_bottom", "bullish") };
    Some(Pattern {
        kind,
        direction,
        confidence: confidence(off, LEVEL),
        span: (first.place, last.place),
        target: middle.price - height,
    })
}

/// A high between two lower ones at the same height.
fn head_shoulders(turns: &[Pivot]) -> Option<Pattern> {
    let [left, one, head, other, right] = turns else { return None };
    let highs = left.is_high && head.is_high && right.is_high && !one.is_high && !other.is_high;
    let off = apart(left.price, right.price);
    let shoulder = left.price.max(right.price);
    let neck = (one.price + other.price) / 2.0;
    if !highs || off > 1.5 * LEVEL || head.price < shoulder * 1.015 || shoulder < neck * 1.01 {
        return None;
    }
    Some(Pattern {
        kind: "head_shoulders",
        direction: "bearish",
        confidence: confidence(off, 1.5 * LEVEL),
        span: (left.place, right.place),
        target: neck - (head.price - neck),
    })
}

/// A triangle or a wedge: the lines through the last two highs and the last two lows meet.
fn lines(turns: &[Pivot]) -> Option<Pattern> {
    let last_two = |high: bool| {
        let mut side = turns.iter().rev().filter(|turn| turn.is_high == high);
        let last = side.next()?;
        side.next().map(|before| (*before, *last))
    };
    let (highs, lows) = (last_two(true)?, last_two(false)?);
    let slope = |(from, to): (Pivot, Pivot)| {
        (to.price / from.price - 1.0) / (to.place.abs_diff(from.place).max(1)) as f64
    };
    let (above, below) = (slope(highs), slope(lows));
    let closing = below - above;
    let (start, end) = (highs.0.place.min(lows.0.place), highs.1.place.max(lows.1.place));
    let height = highs.0.price - lows.0.price;
    // Lines that close by less than a twentieth of a percent a bar run side by side.
    if closing < 0.0005 || height <= 0.0 || highs.1.price <= lows.1.price {
        return None;
    }
    let (kind, direction, target) = match (above > 0.0, below > 0.0) {
        (true, true) => ("wedge", "bearish", lows.0.price),
        (false, false) => ("wedge", "bullish", highs.0.price),
        _ if above.abs() < closing / 4.0 => ("triangle", "bullish", highs.1.price + height),
        _ if below.abs() < closing / 4.0 => ("triangle", "bearish", lows.1.price - height),
        _ => ("triangle", "neutral", (highs.1.price + lows.1.price) / 2.0),
    };
    let confidence = (50.0 + closing * 6_000.0).min(90.0);
    Some(Pattern { kind, direction, confidence, span: (start, end), target: target.max(0.0) })
}

/// A steep move, then some quiet days.
fn flag(window: &[Bar]) -> Option<Pattern> {
    const POLE: usize = 10;
    const QUIET: usize = 6;
    let start = window.len().checked_sub(POLE + QUIET)?;
    let (pole, quiet) = window[start..].split_at(POLE);
    let (from, to) = (pole.first()?.close, pole.last()?.close);
    let moved = to / from - 1.0;
    let (low, high) = super::price::range(quiet);
    let width = (high - low) / to;
    if moved.abs() < 0.07 || width > moved.abs() * 0.75 {
        return None;
    }
    Some(Pattern {
        kind: "flag",
        direction: if moved > 0.0 { "bullish" } else { "bearish" },
        confidence: confidence(width, moved.abs() * 0.75),
        span: (start, window.len() - 1),
        target: (quiet.last()?.close + (to - from)).max(0.0),
    })
}

/// A round low between two highs at the same height, then a small step back.
fn cup(window: &[Bar]) -> Option<Pattern> {
    let handle = window.len() / 8;
    if handle < 3 {
        return None;
    }
    let (cup, grip) = window.split_at(window.len() - handle);
    let (left, right) = cup.split_at(cup.len() / 2);
    let rim = left.iter().take(left.len() / 2).map(|bar| bar.close).fold(0.0, f64::max);
    let lip = right.iter().skip(right.len() / 2).map(|bar| bar.close).fold(0.0, f64::max);
    let bottom = cup.iter().map(|bar| bar.close).fold(f64::MAX, f64::min);
    let dip = grip.iter().map(|bar| bar.close).fold(f64::MAX, f64::min);
    let depth = rim - bottom;
    let off = apart(rim, lip);
    let shaped = depth / rim > 2.0 * DEPTH && dip > bottom + depth / 2.0 && dip < lip;
    if !shaped || off > 1.5 * LEVEL {
        return None;
    }
    Some(Pattern {
        kind: "cup_handle",
        direction: "bullish",
        confidence: confidence(off, 1.5 * LEVEL),
        span: (0, window.len() - 1),
        target: rim + depth,
    })
}
