//! Finds typed values in the user's words: dates, numbers, coordinates, names.
//!
//! Extractors only extract. They decide nothing about routes or arguments, read no clock (the
//! instant and the zone come with the request) and never look outside the text and the gazetteers.

mod value;

pub use value::{Fault, Kind, Moment, Point, Reading, Relation, Value};

// STUB until the extractors land.
#[derive(Debug)]
pub struct Gazetteer {
    name: String,
}
impl Gazetteer {
    pub fn new<'a>(name: &str, _entries: impl Iterator<Item = (&'a str, &'a [String])>) -> Self {
        Self { name: name.into() }
    }
    pub fn name(&self) -> &str {
        &self.name
    }
}
#[derive(Debug)]
pub struct Context<'a> {
    pub now: &'a jiff::Zoned,
    pub language: crate::language::Language,
    pub gazetteers: &'a [Gazetteer],
}
pub fn extract(_text: &crate::text::Text, _context: &Context<'_>) -> Vec<Value> {
    Vec::new()
}
pub fn detect(_text: &crate::text::Text) -> Option<crate::language::Language> {
    None
}
pub fn is_elliptical(_t: &crate::text::Text, _v: &[Value], _l: crate::language::Language) -> bool {
    false
}
pub fn residue(_t: &crate::text::Text, _v: &[Value], _l: crate::language::Language) -> String {
    String::new()
}
pub fn has_reference(_t: &crate::text::Text, _l: crate::language::Language) -> bool {
    false
}
