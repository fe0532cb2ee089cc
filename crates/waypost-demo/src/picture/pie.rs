//! A pie: parts of a whole, from the top clockwise.

use super::classes::COLORS;
use super::sheet;
use super::{Caption, Picture};

/// The content of a pie chart: at most as many parts as there are colors, from low to high.
#[derive(Debug)]
pub(crate) struct Pie {
    pub(crate) caption: Caption,
    pub(crate) parts: Vec<(String, u32)>,
}

impl Pie {
    pub(crate) fn draw(&self) -> Picture {
        let mut svg = sheet::begin(&self.caption, 440.0);
        let whole = f64::from(self.parts.iter().map(|(_, count)| count).sum::<u32>()).max(1.0);
        let mut begun = 0.0;
        let mut entries = Vec::new();
        for ((words, count), color) in self.parts.iter().zip(COLORS) {
            let part = f64::from(*count) / whole;
            let tooltip = format!("{words}: {count}");
            svg.slice((240.0, 240.0), 160.0, (begun, begun + part), color, &tooltip);
            begun += part;
            entries.push((color, tooltip));
        }
        sheet::legend(&mut svg, (470.0, 150.0), &entries);
        sheet::end(svg, &self.caption)
    }
}
