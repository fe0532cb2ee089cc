//! Technical indicators by their usual definitions, over prices with the oldest first.
//!
//! Sources: Wilder 1978 (RSI, ATR), Appel 1979 (MACD), Bollinger 1983 (bands), Lane 1950s
//! (stochastic).

use super::series::Bar;

/// The lines of the MACD.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Macd {
    pub(super) line: f64,
    pub(super) signal: f64,
}

/// The Bollinger bands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bands {
    pub(super) upper: f64,
    pub(super) middle: f64,
    pub(super) lower: f64,
}

/// The mean of the last `length` values.
pub(super) fn sma(values: &[f64], length: usize) -> Option<f64> {
    let from = values.len().checked_sub(length.max(1))?;
    let tail = &values[from..];
    Some(tail.iter().sum::<f64>() / tail.len() as f64)
}

/// The exponential mean at each value from the `length`-th on; it starts with a simple one.
pub(super) fn emas(values: &[f64], length: usize) -> Vec<f64> {
    let Some(start) = values.get(..length).and_then(|head| sma(head, length)) else {
        return Vec::new();
    };
    let weight = 2.0 / (length as f64 + 1.0);
    let mut means = vec![start];
    let mut mean = start;
    for value in &values[length..] {
        mean += weight * (value - mean);
        means.push(mean);
    }
    means
}

/// The exponential mean at the last value.
pub(super) fn ema(values: &[f64], length: usize) -> Option<f64> {
    emas(values, length).pop()
}

/// The relative strength index, from 0 to 100; 50 where the price stood still.
pub(super) fn rsi(values: &[f64], length: usize) -> Option<f64> {
    let moves: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let gains: Vec<f64> = moves.iter().map(|change| change.max(0.0)).collect();
    let losses: Vec<f64> = moves.iter().map(|change| (-change).max(0.0)).collect();
    let (gain, loss) = (smoothed(&gains, length)?, smoothed(&losses, length)?);
    Some(if gain + loss == 0.0 { 50.0 } else { 100.0 * gain / (gain + loss) })
}

/// Wilder's smoothing: a mean that keeps all but one `length`-th of itself.
fn smoothed(values: &[f64], length: usize) -> Option<f64> {
    let start = values.get(..length).and_then(|head| sma(head, length))?;
    let keep = length as f64 - 1.0;
    Some(values[length..].iter().fold(start, |mean, value| (mean * keep + value) / length as f64))
}

/// Moving average convergence divergence with 12, 26 and 9 values.
pub(super) fn macd(values: &[f64]) -> Option<Macd> {
    let (fast, slow) = (emas(values, 12), emas(values, 26));
    let lead = fast.len().checked_sub(slow.len())?;
    let lines: Vec<f64> = fast[lead..].iter().zip(&slow).map(|(fast, slow)| fast - slow).collect();
    Some(Macd { line: *lines.last()?, signal: ema(&lines, 9)? })
}

/// Two deviations around the mean of 20 values.
pub(super) fn bollinger(values: &[f64]) -> Option<Bands> {
    let middle = sma(values, 20)?;
    let tail = &values[values.len() - 20..];
    let variance = tail.iter().map(|value| (value - middle).powi(2)).sum::<f64>() / 20.0;
    let reach = 2.0 * variance.sqrt();
    Some(Bands { upper: middle + reach, middle, lower: middle - reach })
}

/// The average true range.
pub(super) fn atr(bars: &[Bar], length: usize) -> Option<f64> {
    let range = |pair: &[Bar]| {
        let (before, bar) = (pair[0].close, &pair[1]);
        bar.high.max(before) - bar.low.min(before)
    };
    let ranges: Vec<f64> = bars.windows(2).map(range).collect();
    smoothed(&ranges, length)
}

/// The stochastic oscillator with 14 bars, and its mean of three.
pub(super) fn stochastic(bars: &[Bar]) -> Option<(f64, f64)> {
    let place = |window: &[Bar]| {
        let high = window.iter().map(|bar| bar.high).fold(f64::MIN, f64::max);
        let low = window.iter().map(|bar| bar.low).fold(f64::MAX, f64::min);
        let close = window.last().map_or(low, |bar| bar.close);
        if high > low { 100.0 * (close - low) / (high - low) } else { 50.0 }
    };
    let places: Vec<f64> = bars.windows(14).map(place).collect();
    Some((*places.last()?, sma(&places, 3)?))
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    fn near(value: Option<f64>, expected: f64) {
        let value = value.expect("a value");
        assert!((value - expected).abs() < 1e-9, "{value}, not {expected}");
    }

    fn bars(closes: &[f64]) -> Vec<Bar> {
        let bar = |close: &f64| Bar {
            day: Date::constant(2025, 1, 1),
            open: *close,
            high: close + 1.0,
            low: close - 1.0,
            close: *close,
            volume: 1.0,
        };
        closes.iter().map(bar).collect()
    }

    #[test]
    fn means_of_a_short_list() {
        near(sma(&[1.0, 2.0, 6.0], 2), 4.0);
        near(ema(&[1.0, 2.0, 6.0], 2), 4.5);
        assert_eq!((sma(&[1.0], 2), ema(&[1.0], 2)), (None, None));
    }

    #[test]
    fn strength_is_the_share_of_gains() {
        near(rsi(&[1.0, 2.0, 3.0], 2), 100.0);
        near(rsi(&[3.0, 2.0, 1.0], 2), 0.0);
        near(rsi(&[5.0, 5.0, 5.0], 2), 50.0);
        // Gains 2 and 0, losses 0 and 1: means 1 and 0.5.
        near(rsi(&[1.0, 3.0, 2.0], 2), 100.0 / 1.5);
    }

    #[test]
    fn a_straight_line_has_a_constant_macd_and_bands_around_it() {
        let line: Vec<f64> = (0..60).map(f64::from).collect();
        let macd = macd(&line).expect("a value");
        // A mean of n values lags by (n - 1) / 2: 12.5 less 5.5.
        assert!((macd.line - 7.0).abs() < 1e-9 && (macd.signal - 7.0).abs() < 1e-9, "{macd:?}");
        let bands = bollinger(&line).expect("bands");
        assert!((bands.middle - 49.5).abs() < 1e-9);
        // The variance of 20 whole numbers in a row is (400 - 1) / 12.
        assert!((bands.upper - 49.5 - 2.0 * 33.25_f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn ranges_reach_from_the_close_before() {
        near(atr(&bars(&[10.0, 10.0, 10.0]), 2), 2.0);
        near(atr(&bars(&[10.0, 20.0, 30.0]), 2), 11.0);
        let (k, d) = stochastic(&bars(&[10.0; 20])).expect("a value");
        assert!((k - 50.0).abs() < 1e-9 && (d - 50.0).abs() < 1e-9);
    }
}
