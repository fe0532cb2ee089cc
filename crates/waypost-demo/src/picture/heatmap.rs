//! A heatmap: rows and columns, each cell in the color of its share of the column's stretch.

use super::bars::{LEFT, RIGHT, ROW, name};
use super::classes::Classes;
use super::sheet::{self, BELOW, LABEL, TOP};
use super::svg::Style;
use super::{Caption, Picture};

/// The room for the columns' names.
const HEAD: f64 = 86.0;

/// The content of a heatmap.
#[derive(Debug)]
pub(crate) struct Heatmap<'a> {
    pub(crate) caption: Caption,
    pub(crate) columns: Vec<&'a str>,
    /// For each row its name, and for each column the share from 0 to 1 and the value in words.
    pub(crate) rows: Vec<(&'a str, Vec<(f64, String)>)>,
}

impl Heatmap<'_> {
    pub(crate) fn draw(&self) -> Picture {
        // The names of the columns stand where the first rows would.
        let skipped = (HEAD / ROW).ceil() as usize;
        let bottom = TOP + ROW * (skipped + self.rows.len()) as f64;
        let mut svg = sheet::begin(&self.caption, bottom + BELOW);
        let width = (RIGHT - LEFT) / self.columns.len().max(1) as f64;
        for (column, words) in self.columns.iter().enumerate() {
            let x = LEFT + width * (column as f64 + 0.4);
            let y = TOP + ROW * skipped as f64 - 6.0;
            svg.text((x, y), Style { turn: -32.0, ..LABEL }, words);
        }
        let Some(classes) = Classes::over([0.0, 1.0].into_iter()) else {
            return sheet::end(svg, &self.caption);
        };
        for (row, (label, cells)) in self.rows.iter().enumerate() {
            let top = name(&mut svg, skipped + row, label);
            for (column, (share, words)) in cells.iter().enumerate() {
                let at = (LEFT + width * column as f64, top);
                let called = self.columns.get(column).copied().unwrap_or_default();
                let tooltip = format!("{label}, {called}: {words}");
                svg.rectangle(at, (width - 1.0, ROW - 1.0), classes.color(*share), &tooltip);
            }
        }
        sheet::end(svg, &self.caption)
    }
}
