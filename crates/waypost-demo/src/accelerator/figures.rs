//! Statistics of series and values, and how figures are written.

use super::archive::Series;

/// A series with its name and unit: seconds with values, the oldest first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) points: Vec<(f64, f64)>,
}

impl From<&Series> for Curve {
    fn from(series: &Series) -> Self {
        Self {
            name: series.channel.address.clone(),
            unit: series.channel.unit.to_owned(),
            points: series.points.iter().map(|(second, value)| (*second as f64, *value)).collect(),
        }
    }
}

/// The figures that are told of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    pub(super) count: usize,
    pub(super) mean: f64,
    pub(super) least: f64,
    pub(super) most: f64,
    /// The standard deviation of a sample; 0 of one value.
    pub(super) deviation: f64,
    /// The rise in an hour, by the straight line of the least squares.
    pub(super) slope: Option<f64>,
}

impl Figures {
    /// The figures of points; none where there is no point.
    pub(super) fn of(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len();
        if count == 0 {
            return None;
        }
        let values = || points.iter().map(|(_, value)| *value);
        let mean = values().sum::<f64>() / count as f64;
        let squares: f64 = values().map(|value| (value - mean).powi(2)).sum();
        let deviation = if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 };
        Some(Self {
            count,
            mean,
            least: values().fold(f64::INFINITY, f64::min),
            most: values().fold(f64::NEG_INFINITY, f64::max),
            deviation,
            slope: line(points).map(|(slope, _)| slope * 3600.0),
        })
    }
}

/// The way in which two things go together.
struct Moments {
    mean: (f64, f64),
    /// The sums of the squares of both, and of their products, about the means.
    squares: (f64, f64),
    products: f64,
}

impl Moments {
    /// The moments of pairs; none where there are fewer than two, or the first does not change.
    fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let first = pairs.first()?.0;
        // Asked before any sum: rounding would make a little change of none.
        if pairs.iter().all(|(x, _)| *x == first) {
            return None;
        }
        let count = pairs.len() as f64;
        let sum = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
        let mean = (sum(|pair| pair.0) / count, sum(|pair| pair.1) / count);
        let mut moments = Self { mean, squares: (0.0, 0.0), products: 0.0 };
        for (x, y) in pairs {
            let (x, y) = (x - mean.0, y - mean.1);
            moments.squares.0 += x * x;
            moments.squares.1 += y * y;
            moments.products += x * y;
        }
        Some(moments)
    }
}

/// The straight line of the least squares through pairs: its slope and its offset.
pub(super) fn line(pairs: &[(f64, f64)]) -> Option<(f64, f64)> {
    let moments = Moments::of(pairs)?;
    let slope = moments.products / moments.squares.0;
    Some((slope, moments.mean.1 - slope * moments.mean.0))
}

/// The correlation of pairs, from -1 to 1; none where one of the two does not change.
pub(super) fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let moments = Moments::of(pairs)?;
    let second = pairs.first()?.1;
    let changes = pairs.iter().any(|(_, y)| *y != second);
    let scale = (moments.squares.0 * moments.squares.1).sqrt();
    (changes && scale > 0.0).then(|| (moments.products / scale).clamp(-1.0, 1.0))
}

/// A number with six significant digits.
pub(super) fn significant(value: f64) -> f64 {
    let size = value.abs();
    // Beyond these a power of ten would leave the range of an f64.
    if !(1e-200..1e200).contains(&size) {
        return value;
    }
    let places = 5 - size.log10().floor() as i32;
    crate::number::round(value, places)
}

/// A number for people, with six significant digits.
pub(super) fn plain(value: f64) -> String {
    let value = significant(value);
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e9).contains(&size) {
        return format!("{value:e}");
    }
    value.to_string()
}
