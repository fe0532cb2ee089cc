//! Pictures of results: maps and charts as SVG, from values that the tools have computed.
//!
//! A kind of picture is a file with a struct of what it shows and `draw`. None of them knows a
//! pack; every one says in its last line where its numbers come from.

mod axis;
mod bars;
mod boxes;
mod classes;
mod heatmap;
mod histogram;
mod line;
mod map;
mod pie;
mod scatter;
mod sheet;
mod svg;

pub(crate) use bars::Bars;
pub(crate) use boxes::Boxes;
pub(crate) use classes::Classes;
pub(crate) use heatmap::Heatmap;
pub(crate) use histogram::{BINS, Histogram};
pub(crate) use line::Line;
pub(crate) use map::{Area, Map};
pub(crate) use pie::Pie;
pub(crate) use scatter::Scatter;

/// A picture as it goes out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Picture {
    /// What it shows, in a few words.
    pub(crate) title: String,
    /// The drawing.
    pub(crate) svg: String,
}

/// What every picture says beside its values.
#[derive(Debug, Clone)]
pub(crate) struct Caption {
    /// What it shows.
    pub(crate) title: String,
    /// What the values are, with their unit.
    pub(crate) measure: String,
    /// Where the numbers come from.
    pub(crate) source: &'static str,
    /// The decimals of values that people read.
    pub(crate) decimals: usize,
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::fault_of;
