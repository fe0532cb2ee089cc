//! The turning points of a price: the highs and lows that no bar near them passes.

use super::series::Bar;

/// A turning point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pivot {
    /// The place of its bar.
    pub(super) place: usize,
    pub(super) price: f64,
    pub(super) is_high: bool,
}

/// The turning points that hold for `reach` bars on either side, in their order.
pub(super) fn pivots(bars: &[Bar], reach: usize) -> Vec<Pivot> {
    let mut pivots = Vec::new();
    for (place, bar) in bars.iter().enumerate() {
        let around = &bars[place.saturating_sub(reach)..bars.len().min(place + reach + 1)];
        if place < reach || place + reach >= bars.len() {
            continue;
        }
        if around.iter().all(|other| other.high <= bar.high) {
            pivots.push(Pivot { place, price: bar.high, is_high: true });
        }
        if around.iter().all(|other| other.low >= bar.low) {
            pivots.push(Pivot { place, price: bar.low, is_high: false });
        }
    }
    pivots
}

/// A price near which several turning points lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Level {
    pub(super) price: f64,
    /// The turning points near it.
    pub(super) touches: usize,
}

/// The levels around which the turning points lie, the lowest first: a level takes in what is
/// within `width` of its lowest point, as a share of it.
pub(super) fn levels(pivots: &[Pivot], width: f64) -> Vec<Level> {
    let mut prices: Vec<f64> = pivots.iter().map(|pivot| pivot.price).collect();
    prices.sort_by(f64::total_cmp);
    let near = |one: &f64, other: &f64| *other <= one * (1.0 + width);
    let mut levels = Vec::new();
    let mut rest = prices.as_slice();
    while let Some(lowest) = rest.first() {
        let (cluster, after) =
            rest.split_at(rest.partition_point(|price| near(lowest, price)).max(1));
        let price = cluster.iter().sum::<f64>() / cluster.len() as f64;
        levels.push(Level { price, touches: cluster.len() });
        rest = after;
    }
    levels
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    #[test]
    fn turning_points_are_found_and_gathered() {
        let bar = |close: f64| Bar {
            day: Date::constant(2025, 1, 1),
            open: close,
            high: close,
            low: close,
            close,
            volume: 1.0,
        };
        let bars = [1.0, 2.0, 3.0, 2.0, 1.0, 2.0, 3.01, 2.0, 1.0].map(bar);
        let found = pivots(&bars, 2);
        let places: Vec<_> = found.iter().map(|pivot| (pivot.place, pivot.is_high)).collect();
        assert_eq!(places, [(2, true), (4, false), (6, true)]);
        let levels = levels(&found, 0.01);
        let touches: Vec<_> = levels.iter().map(|level| level.touches).collect();
        assert_eq!(touches, [1, 2]);
        assert!((levels[1].price - 3.005).abs() < 1e-9);
        assert!(pivots(&bars[..3], 2).is_empty() && pivots(&[], 2).is_empty());
    }
}
