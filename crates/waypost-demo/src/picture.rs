//! Pictures of results: maps and charts as SVG, from values that the tools have computed.
//!
//! A kind of picture is a file with a struct of what it shows and `draw`. None of them knows a
//! pack; every one says in its last line where its numbers come from.

mod axis;
mod bars;
mod boxes;
mod candles;
mod classes;
mod heatmap;
mod histogram;
mod line;
mod lines;
mod map;
mod pie;
mod scatter;
mod sheet;
mod svg;

pub(crate) use bars::Bars;
pub(crate) use boxes::Boxes;
pub(crate) use candles::{Candle, Candles};
pub(crate) use classes::Classes;
pub(crate) use heatmap::Heatmap;
pub(crate) use histogram::{BINS, Histogram};
pub(crate) use line::Line;
pub(crate) use lines::Lines;
pub(crate) use map::{Area, Map};
pub(crate) use pie::Pie;
pub(crate) use scatter::Scatter;

/// A picture as it goes out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Picture {
    /// Its title, in a few words.
    pub(crate) title: String,
    /// The drawing.
    pub(crate) svg: String,
}

/// The words that every picture has beside its values.
#[derive(Debug, Clone)]
pub(crate) struct Caption {
    /// The title of the picture.
    pub(crate) title: String,
    /// The meaning of the values, with their unit.
    pub(crate) measure: String,
    /// The source of the numbers.
    pub(crate) source: &'static str,
    /// The decimals of values that people read.
    pub(crate) decimals: usize,
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::fault_of;
