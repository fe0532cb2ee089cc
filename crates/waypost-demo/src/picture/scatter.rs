//! Points by two values each.

use super::axis::Axis;
use super::sheet::{self, BELOW, FAINT, LABEL, MARK, TOP};
use super::svg::{Anchor, Style};
use super::{Caption, Picture};

const LEFT: f64 = 100.0;
const RIGHT: f64 = 720.0;
const BOTTOM: f64 = 410.0;

/// The content of a scatter plot.
#[derive(Debug)]
pub(crate) struct Scatter<'a> {
    pub(crate) caption: Caption,
    /// The names of the axis to the right and of the axis upwards.
    pub(crate) axes: (String, String),
    pub(crate) points: Vec<(&'a str, f64, f64)>,
}

impl Scatter<'_> {
    pub(crate) fn draw(&self) -> Picture {
        let mut svg = sheet::begin(&self.caption, BOTTOM + BELOW);
        let across = Axis::over(self.points.iter().map(|(_, x, _)| *x), LEFT, RIGHT);
        let up = Axis::over(self.points.iter().map(|(_, _, y)| *y), BOTTOM, TOP + 10.0);
        across.below(&mut svg, TOP + 10.0, BOTTOM);
        up.beside(&mut svg, LEFT, RIGHT);
        let style = Style { anchor: Anchor::Middle, fill: FAINT, ..LABEL };
        svg.text(((LEFT + RIGHT) / 2.0, BOTTOM + 36.0), style, &self.axes.0);
        let turned = Style { turn: -90.0, ..style };
        svg.text((30.0, (TOP + BOTTOM) / 2.0), turned, &self.axes.1);
        for (name, x, y) in &self.points {
            svg.circle((across.at(*x), up.at(*y)), 5.0, MARK, name);
        }
        sheet::end(svg, &self.caption)
    }
}
