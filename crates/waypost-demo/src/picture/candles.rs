//! Candles: the open, high, low and close of one stretch of time after the other.

use super::axis::Axis;
use super::sheet::{self, BELOW, FAINT, INK, LABEL, MARK, TOP};
use super::svg::{Anchor, Style, Svg};
use super::{Caption, Picture};
use crate::number::shown;

const LEFT: f64 = 90.0;
const RIGHT: f64 = 720.0;
const BOTTOM: f64 = 400.0;

/// The names that are written below, spread evenly.
const NAMED: usize = 5;

/// One candle.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candle {
    /// The stretch of time that it is of.
    pub(crate) name: String,
    pub(crate) open: f64,
    pub(crate) high: f64,
    pub(crate) low: f64,
    pub(crate) close: f64,
}

/// The content of a chart of candles, the oldest first.
#[derive(Debug)]
pub(crate) struct Candles {
    pub(crate) caption: Caption,
    pub(crate) candles: Vec<Candle>,
}

impl Candles {
    pub(crate) fn draw(&self) -> Picture {
        let mut svg = sheet::begin(&self.caption, BOTTOM + BELOW);
        let bounds = self.candles.iter().flat_map(|candle| [candle.low, candle.high]);
        let up = Axis::over(bounds, BOTTOM, TOP + 10.0);
        up.beside(&mut svg, LEFT, RIGHT);
        let step = (RIGHT - LEFT) / self.candles.len().max(1) as f64;
        let center = |index: usize| LEFT + step * (index as f64 + 0.5);
        for (index, candle) in self.candles.iter().enumerate() {
            candle.draw(&mut svg, up, (center(index), step * 0.7), self.caption.decimals);
        }
        let Some(last) = self.candles.len().checked_sub(1) else {
            return sheet::end(svg, &self.caption);
        };
        for part in 0..NAMED {
            let index = last * part / (NAMED - 1);
            let style = Style { anchor: Anchor::Middle, fill: FAINT, ..LABEL };
            svg.text((center(index), BOTTOM + 16.0), style, &self.candles[index].name);
        }
        sheet::end(svg, &self.caption)
    }
}

impl Candle {
    /// Draws the candle around a place in a width. A rise is hollow and a fall filled, so that
    /// they can be told apart without seeing colors.
    fn draw(&self, svg: &mut Svg, up: Axis, (x, width): (f64, f64), decimals: usize) {
        let (top, bottom) = (up.at(self.open.max(self.close)), up.at(self.open.min(self.close)));
        svg.line((x, up.at(self.high)), (x, up.at(self.low)), INK, 1.0);
        let values = [self.open, self.high, self.low, self.close];
        let [open, high, low, close] = values.map(|value| shown(value, decimals));
        let words = format!("{}: open {open}, high {high}, low {low}, close {close}", self.name);
        // A candle that ends where it began is a line.
        let size = (width.max(1.0), (bottom - top).max(1.0));
        let left = x - size.0 / 2.0;
        svg.rectangle((left, top), size, MARK, &words);
        if self.close > self.open && size.0 > 2.0 && size.1 > 2.0 {
            let inner = (size.0 - 1.6, size.1 - 1.6);
            svg.rectangle((left + 0.8, top + 0.8), inner, "#ffffff", &words);
        }
    }
}
