//! Boxes: the spread of the values of each group (least, quarters, greatest).

use super::axis::Axis;
use super::bars::{LEFT, RIGHT, ROW, name};
use super::classes::COLORS;
use super::sheet::{self, BELOW, INK, TOP};
use super::{Caption, Picture};
use crate::number::shown;

/// The content of a box plot: for each group its least value, lower quartile, median, upper
/// quartile and greatest value.
#[derive(Debug)]
pub(crate) struct Boxes<'a> {
    pub(crate) caption: Caption,
    pub(crate) groups: Vec<(&'a str, [f64; 5])>,
}

impl Boxes<'_> {
    pub(crate) fn draw(&self) -> Picture {
        let bottom = TOP + ROW * self.groups.len() as f64;
        let mut svg = sheet::begin(&self.caption, bottom + BELOW);
        let axis = Axis::over(self.groups.iter().flat_map(|(_, five)| *five), LEFT, RIGHT);
        axis.below(&mut svg, TOP, bottom);
        for (row, (group, five)) in self.groups.iter().enumerate() {
            let top = name(&mut svg, row, group);
            let middle = top + ROW / 2.0;
            let [least, lower, median, upper, greatest] = five.map(|value| axis.at(value));
            svg.line((least, middle), (greatest, middle), INK, 1.2);
            let words = five.map(|value| shown(value, self.caption.decimals));
            let tooltip = format!("{group}: {}", words.join(" | "));
            svg.rectangle((lower, top + 3.0), (upper - lower, ROW - 6.0), COLORS[1], &tooltip);
            svg.line((median, top + 3.0), (median, top + ROW - 3.0), INK, 2.4);
        }
        sheet::end(svg, &self.caption)
    }
}
