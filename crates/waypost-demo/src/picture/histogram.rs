//! A histogram: the number of values in each of a few bins of equal width.

use super::axis::Axis;
use super::sheet::{self, BELOW, LABEL, MARK, TOP};
use super::svg::{Anchor, Style};
use super::{Caption, Picture};
use crate::number::shown;

/// The number of bins.
pub(crate) const BINS: usize = 8;

const LEFT: f64 = 80.0;
const RIGHT: f64 = 720.0;
const BOTTOM: f64 = 400.0;

/// The content of a histogram.
#[derive(Debug)]
pub(crate) struct Histogram {
    pub(crate) caption: Caption,
    /// The lower edge of the first bin and the upper edge of the last one.
    pub(crate) stretch: (f64, f64),
    pub(crate) counts: [u32; BINS],
}

impl Histogram {
    pub(crate) fn draw(&self) -> Picture {
        let mut svg = sheet::begin(&self.caption, BOTTOM + BELOW);
        let counts = self.counts.iter().map(|count| f64::from(*count)).chain([0.0, 1.0]);
        let up = Axis::over(counts, BOTTOM, TOP + 10.0);
        up.beside(&mut svg, LEFT, RIGHT);
        let width = (RIGHT - LEFT) / BINS as f64;
        let edge = |bin: usize| {
            let (low, high) = self.stretch;
            shown(low + (high - low) * bin as f64 / BINS as f64, self.caption.decimals)
        };
        for (bin, count) in self.counts.iter().enumerate() {
            let (x, y) = (LEFT + width * bin as f64, up.at(f64::from(*count)));
            let tooltip = format!("{} to {}: {count}", edge(bin), edge(bin + 1));
            svg.rectangle((x + 1.0, y), (width - 2.0, BOTTOM - y), MARK, &tooltip);
        }
        for bin in 0..=BINS {
            let at = (LEFT + width * bin as f64, BOTTOM + 18.0);
            svg.text(at, Style { anchor: Anchor::Middle, ..LABEL }, &edge(bin));
        }
        sheet::end(svg, &self.caption)
    }
}
