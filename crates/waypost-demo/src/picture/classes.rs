//! Values in a few classes of equal width, each with a color.

use crate::number::shown;

/// The colors from low to high: each is darker than the one before, so that they can be told apart
/// without seeing colors.
pub(super) const COLORS: [&str; 5] = ["#fdf0c0", "#f8c66a", "#e98a4a", "#bf4a57", "#661f52"];

/// The color of a missing value.
pub(super) const MISSING: &str = "#d0d4d8";

/// Classes over a stretch of values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Classes {
    low: f64,
    high: f64,
}

impl Classes {
    /// The classes over these values, if there are any.
    pub(crate) fn over(values: impl Iterator<Item = f64>) -> Option<Self> {
        values.fold(None, |classes, value| {
            let Self { low, high } = classes.unwrap_or(Self { low: value, high: value });
            Some(Self { low: low.min(value), high: high.max(value) })
        })
    }

    /// Returns the number of classes: one where all values are equal.
    pub(crate) fn len(self) -> usize {
        if self.high > self.low { COLORS.len() } else { 1 }
    }

    /// The class of a value, from zero; the highest value is in the last one.
    pub(crate) fn of(self, value: f64) -> usize {
        if self.len() == 1 {
            return 0;
        }
        let part = (value - self.low) / (self.high - self.low);
        ((part * COLORS.len() as f64) as usize).min(COLORS.len() - 1)
    }

    /// A class in words, with its first and its last value.
    pub(crate) fn name(self, class: usize, decimals: usize) -> String {
        let edge = |class: usize| {
            let part = class as f64 / self.len() as f64;
            shown(self.low + part * (self.high - self.low), decimals)
        };
        match self.len() {
            1 => edge(0),
            _ => format!("{} to {}", edge(class), edge(class + 1)),
        }
    }

    /// The color of a value.
    pub(super) fn color(self, value: f64) -> &'static str {
        COLORS[self.of(value)]
    }

    /// All classes as a legend, the highest first.
    pub(super) fn legend(self, decimals: usize) -> Vec<(&'static str, String)> {
        (0..self.len()).rev().map(|class| (COLORS[class], self.name(class, decimals))).collect()
    }
}
