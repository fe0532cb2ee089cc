//! An axis: where a value stands on the sheet, and the numbers beside it.

use super::sheet::{FAINT, LABEL, RULE};
use super::svg::{Anchor, Style, Svg};
use crate::number::shown;

/// The most steps of an axis.
const STEPS: f64 = 7.0;

/// A mapping from a stretch of values to a stretch of the sheet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    step: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis over these values, widened to round numbers.
    pub(super) fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let stretch = values.fold(None, |stretch: Option<(f64, f64)>, value| {
            let (low, high) = stretch.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        });
        let (low, high) = stretch.unwrap_or((0.0, 1.0));
        let (low, high) = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
        let step = round_step((high - low) / STEPS);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step, from, to }
    }

    /// Returns the place of a value.
    pub(super) fn at(self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// The numbers along it, with their places. The widening adds at most two steps.
    fn ticks(self) -> Vec<(f64, String)> {
        let count = (((self.high - self.low) / self.step).round() as u32).min(STEPS as u32 + 2);
        let decimals = (-self.step.log10().floor()).clamp(0.0, 6.0) as usize;
        let tick = |index: u32| {
            let value = self.low + f64::from(index) * self.step;
            (self.at(value), shown(value, decimals))
        };
        (0..=count).map(tick).collect()
    }

    /// Draws it below, with thin lines up to `top`.
    pub(super) fn below(self, svg: &mut Svg, top: f64, bottom: f64) {
        for (x, words) in self.ticks() {
            svg.line((x, top), (x, bottom), RULE, 1.0);
            let style = Style { anchor: Anchor::Middle, fill: FAINT, ..LABEL };
            svg.text((x, bottom + 16.0), style, &words);
        }
    }

    /// Draws it on the left side, with thin lines to `right`.
    pub(super) fn beside(self, svg: &mut Svg, left: f64, right: f64) {
        for (y, words) in self.ticks() {
            svg.line((left, y), (right, y), RULE, 1.0);
            let style = Style { anchor: Anchor::End, fill: FAINT, ..LABEL };
            svg.text((left - 8.0, y + 4.0), style, &words);
        }
    }
}

/// The next larger of 1, 2 or 5 times a power of ten.
fn round_step(raw: f64) -> f64 {
    let power = 10_f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= raw * 0.9999);
    factor.unwrap_or(10.0) * power
}
