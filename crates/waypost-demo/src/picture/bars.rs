//! Bars: a value for each name, one below the other.

use super::axis::Axis;
use super::sheet::{self, BELOW, LABEL, MARK, TOP, WIDTH};
use super::svg::{Anchor, Style, Svg};
use super::{Caption, Picture};
use crate::number::shown;

/// The height of a row.
pub(super) const ROW: f64 = 20.0;
/// The left edge of rows, to the right of their names.
pub(super) const LEFT: f64 = 160.0;
/// The right edge of rows.
pub(super) const RIGHT: f64 = WIDTH - 70.0;

/// The content of a bar chart.
#[derive(Debug)]
pub(crate) struct Bars<'a> {
    pub(crate) caption: Caption,
    pub(crate) bars: Vec<(&'a str, f64)>,
}

impl Bars<'_> {
    pub(crate) fn draw(&self) -> Picture {
        let bottom = TOP + ROW * self.bars.len() as f64;
        let mut svg = sheet::begin(&self.caption, bottom + BELOW);
        // Zero belongs to every bar, since people compare lengths.
        let values = self.bars.iter().map(|(_, value)| *value).chain([0.0]);
        let axis = Axis::over(values, LEFT, RIGHT);
        axis.below(&mut svg, TOP, bottom);
        for (row, (label, value)) in self.bars.iter().enumerate() {
            let (zero, end) = (axis.at(0.0), axis.at(*value));
            let words = shown(*value, self.caption.decimals);
            let top = name(&mut svg, row, label);
            let size = ((end - zero).abs(), ROW - 5.0);
            svg.rectangle((zero.min(end), top + 2.5), size, MARK, &format!("{label}: {words}"));
            svg.text((zero.max(end) + 6.0, top + 14.0), LABEL, &words);
        }
        sheet::end(svg, &self.caption)
    }
}

/// Writes the name of a row and returns where the row begins.
pub(super) fn name(svg: &mut Svg, row: usize, words: &str) -> f64 {
    let top = TOP + ROW * row as f64;
    svg.text((LEFT - 10.0, top + 14.0), Style { anchor: Anchor::End, ..LABEL }, words);
    top
}
