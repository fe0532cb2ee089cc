//! What an extractor found: a kind, a stretch of the text, and one or more readings of it.

use jiff::civil;
use serde::{Deserialize, Serialize};

use crate::text::Span;

/// The type of a value, as `parse --kind` and a pack's annotations name it.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A day.
    Date,
    /// A time of day.
    Time,
    /// A day and a time, with the zone of the request.
    Datetime,
    /// A half-open stretch of days or instants.
    Range,
    /// A length of time.
    Duration,
    /// A plain number.
    Number,
    /// A place in an order; -1 is the last.
    Ordinal,
    /// A share: 20 for 20%.
    Percentage,
    /// Yes or no.
    Boolean,
    /// A position on the Earth.
    Point,
    /// A box on the Earth.
    Bbox,
    /// A named thing from a gazetteer.
    Entity,
    /// Words in quotation marks.
    Quoted,
}

impl Kind {
    /// The name in records: the variant in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Date => "date",
            Kind::Time => "time",
            Kind::Datetime => "datetime",
            Kind::Range => "range",
            Kind::Duration => "duration",
            Kind::Number => "number",
            Kind::Ordinal => "ordinal",
            Kind::Percentage => "percentage",
            Kind::Boolean => "boolean",
            Kind::Point => "point",
            Kind::Bbox => "bbox",
            Kind::Entity => "entity",
            Kind::Quoted => "quoted",
        }
    }
}

/// An end of a range: a day, or a day and a time in the zone of the request.
#[derive(Debug, Clone, PartialEq)]
pub enum Moment {
    /// The start of a day.
    Date(civil::Date),
    /// An instant.
    Instant(jiff::Zoned),
}

/// A position in degrees; both are finite and within -180..=180 and -90..=90.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Degrees east.
    pub longitude: f64,
    /// Degrees north.
    pub latitude: f64,
}

/// How the words relate to the place they name: "off Hualien" is not Hualien.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// The place itself.
    At,
    /// Around or near it (周遭, 附近, near, cerca de).
    Around,
    /// The sea before it (外海, offshore, frente a la costa de).
    Offshore,
}

/// Something that looks like a value of a kind and cannot be one: February 30th, latitude 95.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// There is no such day.
    NoSuchDate,
    /// There is no such time of day.
    NoSuchTime,
    /// A longitude outside -180..=180.
    LongitudeRange,
    /// A latitude outside -90..=90.
    LatitudeRange,
    /// A box without area.
    EmptyBox,
    /// A range whose end is before its start.
    RangeReversed,
}

/// One way to read a stretch of the text.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// A day.
    Date(civil::Date),
    /// A time of day.
    Time(civil::Time),
    /// An instant in the zone of the request.
    Datetime(jiff::Zoned),
    /// Half-open: the end is the first moment that no longer belongs to it.
    Range(Moment, Moment),
    /// A length of time.
    Duration(jiff::SpanFieldwise),
    /// A plain number; for [`Kind::Percentage`] 20 means 20%.
    Number(f64),
    /// A place in an order, from 1; -1 is the last.
    Ordinal(i64),
    /// Yes or no.
    Boolean(bool),
    /// A position.
    Point(Point),
    /// West, south, east, north in degrees. West is greater than east where the box was said to
    /// cross the antimeridian; otherwise corners are sorted.
    Bbox([f64; 4]),
    /// A named thing.
    Entity {
        /// Which gazetteer.
        gazetteer: String,
        /// The entry's key in it.
        key: String,
        /// What the words around the name say of it.
        relation: Relation,
    },
    /// The words between quotation marks.
    Quoted(String),
    /// It cannot be: the user must be told, and nothing guessed.
    Fault(Fault),
}

/// A value found in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// Its type.
    pub kind: Kind,
    /// Where it stands, in characters of the original.
    pub span: Span,
    /// The original words.
    pub text: String,
    /// The rule that found it, so that a wrong reading can be reported.
    pub rule: &'static str,
    /// The likeliest reading.
    pub reading: Reading,
    /// Other readings, the likelier first.
    pub alternatives: Vec<Reading>,
}
