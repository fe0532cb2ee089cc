//! Pictures of series and values.

use super::SOURCE;
use super::figures::Curve;
use crate::picture::{BINS, Bars, Caption, Histogram, Lines, Picture};

/// The most lines of a picture, as many as there are colors.
const MOST_LINES: usize = 4;

/// The most pictures of a result.
const MOST_PICTURES: usize = 4;

/// The most bars: more would be longer than a screen.
const MOST_BARS: usize = 40;

/// Lines over time, those of a unit in one picture; `when` says which time.
pub(super) fn lines(curves: &[Curve], when: &str) -> Vec<Picture> {
    let mut groups: Vec<Vec<&Curve>> = Vec::new();
    for curve in curves {
        let fits = |group: &Vec<&Curve>| {
            group.len() < MOST_LINES && group.iter().all(|other| other.unit == curve.unit)
        };
        match groups.iter().position(fits) {
            Some(place) => groups[place].push(curve),
            None => groups.push(vec![curve]),
        }
    }
    groups.truncate(MOST_PICTURES);
    groups.iter().map(|group| one(group, when)).collect()
}

fn one(group: &[&Curve], when: &str) -> Picture {
    let scale = Scale::of(group.iter().flat_map(|curve| values(curve)));
    let names: Vec<&str> = group.iter().map(|curve| curve.name.as_str()).collect();
    let unit = group.first().map_or("", |curve| curve.unit.as_str());
    let scaled = |curve: &&Curve| {
        let values: Vec<f64> = values(curve).map(|value| value * scale.factor).collect();
        (curve.name.clone(), values)
    };
    let caption = scale.caption(names.join(", "), unit, when);
    Lines { caption, lines: group.iter().map(scaled).collect() }.draw()
}

/// A histogram of one series.
pub(super) fn histogram(curve: &Curve) -> Picture {
    let scale = Scale::of(values(curve));
    let factor = scale.factor;
    let scaled = || values(curve).map(move |value| value * factor);
    let low = scaled().fold(f64::INFINITY, f64::min);
    let high = scaled().fold(f64::NEG_INFINITY, f64::max);
    let stretch = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
    let mut counts = [0; BINS];
    for value in scaled() {
        let share = (value - stretch.0) / (stretch.1 - stretch.0);
        counts[((share * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    let caption = scale.caption(curve.name.clone(), &curve.unit, "number of points by value");
    Histogram { caption, stretch, counts }.draw()
}

/// Bars of values of one unit.
pub(super) fn bars(values: &[(&str, f64)], unit: &str) -> Picture {
    let scale = Scale::of(values.iter().map(|(_, value)| *value));
    let shown = values.iter().take(MOST_BARS);
    let bars = shown.map(|(name, value)| (*name, value * scale.factor)).collect();
    let caption = scale.caption(format!("{} values", values.len()), unit, "side by side");
    Bars { caption, bars }.draw()
}

fn values(curve: &Curve) -> impl Iterator<Item = f64> {
    curve.points.iter().map(|(_, value)| *value)
}

/// The factor of values so that an axis can show them, and the decimals that tell them
/// apart: a pressure of 1e-9 mbar would be 0.000000.
struct Scale {
    power: i32,
    factor: f64,
    decimals: usize,
}

impl Scale {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let (mut size, mut low, mut high) = (0.0_f64, f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (size, low, high) = (size.max(value.abs()), low.min(value), high.max(value));
        }
        let is_small = size > 1e-200 && size < 1e-3;
        let power = if is_small { 3 * (-size.log10() / 3.0).ceil() as i32 } else { 0 };
        let factor = 10_f64.powi(power);
        let stretch = (high - low) * factor;
        let digits = if stretch > 0.0 { 2.0 - stretch.log10().floor() } else { 2.0 };
        Self { power, factor, decimals: digits.clamp(0.0, 6.0) as usize }
    }

    fn caption(&self, title: String, unit: &str, more: &str) -> Caption {
        let unit = match self.power {
            0 => unit.to_owned(),
            power => format!("1e-{power} {unit}"),
        };
        let measure = if unit.is_empty() { more.to_owned() } else { format!("{unit}, {more}") };
        Caption { title, measure, source: SOURCE, decimals: self.decimals }
    }
}
