//! Several lines over the same steps, to compare them.

use super::axis::Axis;
use super::sheet::{self, BELOW, MARK, TOP};
use super::{Caption, Picture};
use crate::number::shown;

const LEFT: f64 = 90.0;
const RIGHT: f64 = 720.0;
const BOTTOM: f64 = 400.0;

/// The colors of lines in their order; each is as dark on white as it must be, and none as dark as
/// the next.
const COLORS: [&str; 4] = [MARK, "#c2571a", "#6b7f2a", "#7a3d8f"];

/// The content of a chart of lines. They end at the same step; one that has fewer values begins
/// later.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) caption: Caption,
    /// At most as many as there are colors: each with its name and its values, the oldest first.
    pub(crate) lines: Vec<(String, Vec<f64>)>,
}

impl Lines {
    pub(crate) fn draw(&self) -> Picture {
        let bottom = BOTTOM + 22.0 * self.lines.len() as f64;
        let mut svg = sheet::begin(&self.caption, bottom + BELOW);
        let longest = self.lines.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
        let all = self.lines.iter().flat_map(|(_, values)| values.iter().copied());
        let up = Axis::over(all, BOTTOM, TOP + 10.0);
        let across = Axis::over([1.0, longest.max(2) as f64].into_iter(), LEFT, RIGHT);
        up.beside(&mut svg, LEFT, RIGHT);
        across.below(&mut svg, BOTTOM, BOTTOM);
        let mut entries = Vec::new();
        for ((name, values), color) in self.lines.iter().zip(COLORS) {
            let first = longest - values.len() + 1;
            let place =
                |(index, value): (usize, &f64)| (across.at((first + index) as f64), up.at(*value));
            let through: Vec<_> = values.iter().enumerate().map(place).collect();
            svg.polyline(&through, color);
            if let (Some(at), Some(value)) = (through.last(), values.last()) {
                let words = format!("{name}: {}", shown(*value, self.caption.decimals));
                svg.circle(*at, 3.5, color, &words);
                entries.push((color, words));
            }
        }
        sheet::legend(&mut svg, (LEFT, BOTTOM + 30.0), &entries);
        sheet::end(svg, &self.caption)
    }
}
