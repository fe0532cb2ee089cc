//! Statistics of series of prices.

use super::series::Bar;

/// The trading days of a year.
const YEAR: f64 = 252.0;

/// What a year brings without a risk.
const RISKLESS: f64 = 0.04;

/// The mean; 0 of nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The standard deviation of a sample; 0 of fewer than two values.
pub(super) fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / values.len().saturating_sub(1).max(1) as f64).sqrt()
}

/// The return of each bar on the one before, by their days.
pub(super) fn returns(bars: &[Bar]) -> Vec<f64> {
    bars.windows(2).map(|pair| pair[1].close / pair[0].close - 1.0).collect()
}

/// The deviation of a year in percent.
pub(super) fn volatility(returns: &[f64]) -> f64 {
    deviation(returns) * YEAR.sqrt() * 100.0
}

/// How much the first moves when the second moves by one: their covariance by its variance.
pub(super) fn beta(returns: &[f64], market: &[f64]) -> f64 {
    let (own, of_market) = (mean(returns), mean(market));
    let pairs = returns.iter().zip(market);
    let covariance: f64 = pairs.map(|(one, other)| (one - own) * (other - of_market)).sum();
    let variance: f64 = market.iter().map(|value| (value - of_market).powi(2)).sum();
    if variance == 0.0 { 0.0 } else { covariance / variance }
}

/// The deepest fall from a height before it, in percent: never above 0.
pub(super) fn drawdown(bars: &[Bar]) -> f64 {
    let mut height = f64::MIN;
    let fall = |bar: &Bar| {
        height = height.max(bar.close);
        (bar.close / height - 1.0) * 100.0
    };
    bars.iter().map(fall).fold(0.0, f64::min)
}

/// What a year's return is above the riskless one, by its deviation.
pub(super) fn sharpe(returns: &[f64]) -> f64 {
    let deviation = deviation(returns) * YEAR.sqrt();
    if deviation == 0.0 { 0.0 } else { (mean(returns) * YEAR - RISKLESS) / deviation }
}

/// The return in percent that one of twenty days falls below.
pub(super) fn value_at_risk(returns: &[f64]) -> f64 {
    let mut sorted = returns.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 20).map_or(0.0, |worst| (worst * 100.0).min(0.0))
}

/// The share of values below one, in percent.
pub(super) fn rank(values: &[f64], of: f64) -> f64 {
    let below = values.iter().filter(|value| **value < of).count();
    below as f64 / values.len().max(1) as f64 * 100.0
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value}, not {expected}");
    }

    #[test]
    fn measures_of_small_series() {
        let bar = |close: f64| Bar {
            day: Date::constant(2025, 1, 1),
            open: close,
            high: close,
            low: close,
            close,
            volume: 1.0,
        };
        let bars = [100.0, 110.0, 88.0, 99.0].map(bar);
        near(drawdown(&bars), -20.0);
        near(drawdown(&bars[2..]), 0.0);
        let returns = returns(&bars);
        near(returns[0], 0.1);
        near(beta(&returns, &returns), 1.0);
        near(beta(&returns.iter().map(|one| 2.0 * one).collect::<Vec<_>>(), &returns), 2.0);
        near(beta(&returns, &[1.0, 1.0, 1.0]), 0.0);
        near(value_at_risk(&returns), -20.0);
        near(deviation(&[1.0, 3.0]), 2.0_f64.sqrt());
        near(rank(&[1.0, 2.0, 3.0, 4.0], 3.0), 50.0);
        assert_eq!((sharpe(&[]), value_at_risk(&[]), volatility(&[1.0])), (0.0, 0.0, 0.0));
    }
}
