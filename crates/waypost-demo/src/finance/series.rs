//! Synthetic prices: a random walk for each symbol over its trading days, the same on every run.
//!
//! ```text
//! close = anchor * exp(x + drift * years since ANCHOR_DAY)
//! x     = KEPT * x of the day before + beta * market + own * noise
//! ```
//!
//! The walk is drawn back to its anchor, so that prices stay plausible for years. `market` is one
//! series for all stocks, mixed with one of the country, and another for all coins: so betas and
//! correlations that are computed from prices are real ones. A day's values depend on nothing that
//! comes after it.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::listing::{Kind, Listing, not_found};
use super::money::quoted;
use crate::pack::{Context, Failure};
use crate::random::{between, key, normal, uniform};

/// The first day of all walks.
const FIRST_DAY: Date = Date::constant(2020, 1, 2);

/// The last day of all walks: a walk takes as long as it has days.
const LAST_DAY: Date = Date::constant(2099, 12, 31);

/// The day when the prices of the listing were about right.
const ANCHOR_DAY: Date = Date::constant(2025, 11, 3);

/// The fewest days that tools can work with.
const LEAST_BARS: usize = 60;

/// The part of a deviation that is left the next day: half of it is gone after some 170 days.
const KEPT: f64 = 0.996;

/// The deviation of a day's return of the stock market and of the coin market.
const MARKET_SWING: f64 = 0.0085;
const COIN_SWING: f64 = 0.022;

/// One day (or a shorter stretch) of trading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bar {
    pub(super) day: Date,
    pub(super) open: f64,
    pub(super) high: f64,
    pub(super) low: f64,
    pub(super) close: f64,
    /// Shares; of a coin US dollars.
    pub(super) volume: f64,
}

/// The daily bars of a listing up to the request's day, the oldest first; at least 60.
///
/// # Errors
///
/// `NOT_FOUND` where there are not so many.
pub(super) fn daily(listing: &Listing, context: &Context) -> Result<Vec<Bar>, Failure> {
    until(listing, context.today)
}

/// As [`daily`], up to some day.
pub(super) fn until(listing: &Listing, last: Date) -> Result<Vec<Bar>, Failure> {
    let closes = walk(listing, last.min(LAST_DAY));
    if closes.len() < LEAST_BARS {
        return Err(not_found(format!(
            "there are no prices at {last}; the synthetic prices begin on {FIRST_DAY}, and tools \
             need {LEAST_BARS} days of them"
        )));
    }
    let pairs = closes.windows(2);
    Ok(pairs.filter_map(|pair| Some(bar(listing, pair.first()?.1, *pair.last()?))).collect())
}

fn walk(listing: &Listing, last: Date) -> Vec<(Date, f64)> {
    let (drift, own, market) = (drift(listing), own_swing(listing), Market::of(listing));
    let anchor_day = number(ANCHOR_DAY) as f64;
    let mut deviation = 0.0;
    let mut closes = Vec::new();
    let mut day = FIRST_DAY;
    // Counted along: asking each date for its distance would take longer than the walk.
    for number in 0_u64.. {
        if day > last {
            break;
        }
        if is_open(listing, day) {
            // One day in sixty brings news that moves the price three times as far.
            let news = if uniform(&[listing.key, number, 2]) < 1.0 / 60.0 { 3.0 } else { 1.0 };
            let noise = news * own * normal(&[listing.key, number, 1]);
            deviation = KEPT * deviation + listing.beta * market.on(number) + noise;
            let years = (number as f64 - anchor_day) / 365.25;
            closes.push((day, listing.anchor * (deviation + drift * years).exp()));
        }
        let Ok(next) = day.tomorrow() else { break };
        day = next;
    }
    closes
}

/// Stocks are traded from Monday to Friday, coins every day. Holidays are not kept.
fn is_open(listing: &Listing, day: Date) -> bool {
    listing.kind == Kind::Coin || !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
}

/// The days from the first one to another.
fn number(day: Date) -> u64 {
    u64::from((day - FIRST_DAY).get_days().unsigned_abs())
}

/// The market that a listing moves with, by the words of its random values.
enum Market {
    Coins(u64),
    Stocks { world: u64, country: u64 },
}

impl Market {
    fn of(listing: &Listing) -> Self {
        match listing.kind {
            Kind::Coin => Self::Coins(key("coins")),
            _ => Self::Stocks { world: key("world"), country: key(listing.country) },
        }
    }

    /// The market's return on a day.
    fn on(&self, number: u64) -> f64 {
        match self {
            Self::Coins(word) => COIN_SWING * normal(&[*word, number]),
            // The squares of the shares add up to 1, so that the sum swings as its parts do.
            Self::Stocks { world, country } => {
                let (world, country) = (normal(&[*world, number]), normal(&[*country, number]));
                MARKET_SWING * (0.6 * world + 0.8 * country)
            }
        }
    }
}

/// The deviation of what moves the listing alone in a day.
fn own_swing(listing: &Listing) -> f64 {
    let chance = uniform(&[listing.word("swing")]);
    match listing.kind {
        Kind::Stock => 0.008 + 0.004 * listing.beta.abs() + 0.006 * chance,
        Kind::Fund => 0.001 + 0.007 * (1.0 - listing.beta).abs().min(1.0),
        Kind::Index if listing.beta < 0.0 => 0.02,
        Kind::Index => 0.0015,
        Kind::Coin if listing.beta == 0.0 => 0.0003,
        Kind::Coin => 0.008 + 0.014 * chance,
    }
}

/// The growth of the anchor in a year.
fn drift(listing: &Listing) -> f64 {
    let words = [listing.word("drift")];
    match listing.kind {
        Kind::Stock => between(-0.06, 0.2, &words),
        Kind::Fund => 0.06,
        Kind::Index if listing.beta < 0.0 => 0.0,
        Kind::Index => 0.06,
        Kind::Coin if listing.beta == 0.0 => 0.0,
        Kind::Coin => between(-0.1, 0.3, &words),
    }
}

/// The deviation of a day's return.
pub(super) fn swing(listing: &Listing) -> f64 {
    let market = if listing.kind == Kind::Coin { COIN_SWING } else { MARKET_SWING };
    (listing.beta * market).hypot(own_swing(listing))
}

fn bar(listing: &Listing, before: f64, (day, close): (Date, f64)) -> Bar {
    let number = number(day);
    let swing = swing(listing);
    let open = before * (0.35 * swing * normal(&[listing.key, number, 3])).exp();
    let reach = |which: u64| (0.6 * swing * uniform(&[listing.key, number, which])).exp();
    let moved = (close / before).ln().abs() / swing;
    let busy = (0.3 * normal(&[listing.key, number, 6])).exp() * (0.8 + 0.3 * moved);
    Bar {
        day,
        open: quoted(open),
        high: quoted(open.max(close) * reach(4)),
        low: quoted(open.min(close) / reach(5)),
        close: quoted(close),
        volume: (usual_volume(listing) * busy).round(),
    }
}

fn usual_volume(listing: &Listing) -> f64 {
    let words = [listing.word("volume")];
    match listing.kind {
        Kind::Stock => listing.shares * between(0.003, 0.01, &words),
        Kind::Fund => listing.shares * between(0.02, 0.06, &words),
        Kind::Index => 4e9,
        Kind::Coin => listing.shares * listing.anchor * between(0.02, 0.07, &words),
    }
}

/// Bars of so many minutes that end now at a price, the oldest first. They are a walk of their own
/// that begins at its end: no two lengths of bars tell the same day.
pub(super) fn intraday(
    listing: &Listing,
    context: &Context,
    price: f64,
    minutes: u32,
    count: u64,
) -> Vec<Bar> {
    let length = i64::from(minutes.max(1)) * 60;
    let latest = context.now.timestamp().as_second() / length;
    let open_minutes = if listing.kind == Kind::Coin { 1440.0 } else { 390.0 };
    let swing = swing(listing) * (f64::from(minutes.max(1)) / open_minutes).sqrt();
    let mut close = price;
    let mut bars: Vec<Bar> = (0..count)
        .map(|back| {
            let index = latest.cast_unsigned().wrapping_sub(back);
            let words = |which: u64| [listing.key, u64::from(minutes), index, which];
            let open = close / (swing * normal(&words(1))).exp();
            let reach = |which: u64| (0.4 * swing * uniform(&words(which))).exp();
            let bar = Bar {
                day: context.today,
                open: quoted(open),
                high: quoted(open.max(close) * reach(2)),
                low: quoted(open.min(close) / reach(3)),
                close: quoted(close),
                volume: (usual_volume(listing) * f64::from(minutes) / open_minutes).round(),
            };
            close = open;
            bar
        })
        .collect();
    bars.reverse();
    bars
}

/// The weeks of daily bars, the oldest first; the last one may be unfinished.
pub(super) fn weekly(bars: &[Bar]) -> Vec<Bar> {
    let mut weeks: Vec<Bar> = Vec::new();
    let mut begun = None;
    for bar in bars {
        let week = bar.day.iso_week_date();
        let this = Some((week.year(), week.week()));
        match weeks.last_mut() {
            Some(last) if begun == this => {
                last.high = last.high.max(bar.high);
                last.low = last.low.min(bar.low);
                last.close = bar.close;
                last.volume += bar.volume;
            }
            _ => weeks.push(*bar),
        }
        begun = this;
    }
    weeks
}

pub(super) fn closes(bars: &[Bar]) -> Vec<f64> {
    bars.iter().map(|bar| bar.close).collect()
}

/// The first day of a stretch such as `3M` that ends on a day.
pub(super) fn begin(last: Date, timeframe: &str) -> Date {
    let back = match timeframe {
        "1D" => 1.day(),
        "5D" | "1W" => 1.week(),
        "1M" => 1.month(),
        "3M" => 3.months(),
        "6M" => 6.months(),
        "YTD" => return Date::new(last.year() - 1, 12, 31).unwrap_or(FIRST_DAY),
        _ => 1.year(),
    };
    last.saturating_sub(back)
}

/// The bars from a day on.
pub(super) fn since(bars: &[Bar], day: Date) -> &[Bar] {
    &bars[bars.partition_point(|bar| bar.day < day)..]
}

/// The last so many bars.
pub(super) fn last(bars: &[Bar], count: usize) -> &[Bar] {
    &bars[bars.len().saturating_sub(count)..]
}

/// The latest bar and the close before it.
pub(super) fn latest(bars: &[Bar]) -> Result<(Bar, f64), Failure> {
    match bars {
        [.., before, last] => Ok((*last, before.close)),
        _ => Err(Failure::internal("a series of prices is empty")),
    }
}

/// The return in percent from the last close at or before a day to the latest one.
pub(super) fn gain(bars: &[Bar], from: Date) -> f64 {
    let at = bars.partition_point(|bar| bar.day <= from);
    let start = bars.get(at.saturating_sub(1));
    match (start, bars.last()) {
        (Some(start), Some(end)) => super::money::change(start.close, end.close),
        _ => 0.0,
    }
}

/// The return of a stretch such as `3M` in percent; of `1D` that of the latest day of trading.
pub(super) fn gain_over(bars: &[Bar], timeframe: &str) -> f64 {
    let Ok((bar, before)) = latest(bars) else { return 0.0 };
    if timeframe == "1D" {
        return super::money::change(before, bar.close);
    }
    gain(bars, begin(bar.day, timeframe))
}
