//! A line through values in their order.

use super::axis::Axis;
use super::sheet::{self, BELOW, MARK, TOP};
use super::{Caption, Picture};
use crate::number::shown;

const LEFT: f64 = 90.0;
const RIGHT: f64 = 720.0;
const BOTTOM: f64 = 400.0;

/// The content of a line chart: values by their rank, from the first.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub(crate) caption: Caption,
    pub(crate) points: Vec<(&'a str, f64)>,
}

impl Line<'_> {
    pub(crate) fn draw(&self) -> Picture {
        let mut svg = sheet::begin(&self.caption, BOTTOM + BELOW);
        let up = Axis::over(self.points.iter().map(|(_, value)| *value), BOTTOM, TOP + 10.0);
        let across = Axis::over([1.0, self.points.len() as f64].into_iter(), LEFT, RIGHT);
        up.beside(&mut svg, LEFT, RIGHT);
        across.below(&mut svg, BOTTOM, BOTTOM);
        let place = |(index, (_, value)): (usize, &(&str, f64))| {
            (across.at(index as f64 + 1.0), up.at(*value))
        };
        let through: Vec<_> = self.points.iter().enumerate().map(place).collect();
        svg.polyline(&through, MARK);
        for (at, (name, value)) in through.iter().zip(&self.points) {
            let tooltip = format!("{name}: {}", shown(*value, self.caption.decimals));
            svg.circle(*at, 3.5, MARK, &tooltip);
        }
        sheet::end(svg, &self.caption)
    }
}
