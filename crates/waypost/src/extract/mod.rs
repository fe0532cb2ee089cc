//! Finds typed values in the user's words: dates, numbers, coordinates, names.
//!
//! Extractors only extract. They decide nothing about routes or arguments, read no clock (the
//! instant and the zone come with the request) and never look outside the text and the gazetteers.

mod value;

pub use value::{Fault, Kind, Moment, Point, Reading, Relation, Value};
