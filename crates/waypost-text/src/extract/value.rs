//! The values that extractors find: a kind, a stretch of the text, and one or more readings of it.

use jiff::civil;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::extract::grammar::rule::Rule;
use crate::extract::grammar::term::{Relation, Side};
use crate::extract::kind::Kind;
use crate::extract::unit_code::UnitCode;
use crate::text::Span;

/// An end of a range: a day, or a day and a time in the zone of the request.
#[derive(Debug, Clone, PartialEq)]
pub enum Moment {
    /// The start of a day.
    Date(civil::Date),
    /// An instant.
    Instant(jiff::Zoned),
    /// None: "since Monday" has no end, "before Friday" no start.
    Open,
}

/// A rhythm: how often, and on which weekday and at what time if the words say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recurrence {
    /// Every so many of a unit: (2, "week").
    pub every: (u16, &'static str),
    /// Monday is 1.
    pub weekday: Option<i8>,
    /// The time of day.
    pub time: Option<civil::Time>,
}

/// A position in degrees; both are finite and within -180..=180 and -90..=90.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Degrees east.
    pub longitude: f64,
    /// Degrees north.
    pub latitude: f64,
}

/// A stretch of numbers; an end that is `None` is open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: Option<f64>,
    /// True if `low` belongs to it.
    pub low_included: bool,
    /// The upper end.
    pub high: Option<f64>,
    /// True if `high` belongs to it.
    pub high_included: bool,
}

impl Interval {
    /// From one number to another, both of them included; `None` if they are not in order.
    pub(super) fn closed(low: f64, high: f64) -> Option<Self> {
        let ends =
            Self { low: Some(low), low_included: true, high: Some(high), high_included: true };
        (low <= high).then_some(ends)
    }

    /// All numbers on one side of a limit.
    pub(super) fn beyond(side: Side, limit: f64) -> Self {
        let none = Self { low: None, low_included: false, high: None, high_included: false };
        match side {
            Side::Above { included } => Self { low: Some(limit), low_included: included, ..none },
            Side::Below { included } => Self { high: Some(limit), high_included: included, ..none },
        }
    }

    /// Returns what two one-sided stretches have in common, if it is bounded on both sides.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        let (low, high) = match (self.low, self.high, other.low, other.high) {
            (Some(_), None, None, Some(_)) => (self, other),
            (None, Some(_), Some(_), None) => (other, self),
            _ => return None,
        };
        let both = Self { low: low.low, low_included: low.low_included, ..high };
        (low.low < high.high).then_some(both)
    }

    /// The same without its last number, as half-open stretches are written.
    pub(super) fn without_end(self) -> Option<Self> {
        let is_closed = self.low_included && self.high_included && self.low < self.high;
        is_closed.then_some(Self { high_included: false, ..self })
    }
}

impl Relation {
    /// The name in records.
    fn name(self) -> &'static str {
        match self {
            Relation::At => "at",
            Relation::Around => "around",
            Relation::Offshore => "offshore",
        }
    }
}

impl Serialize for Relation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Relation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let all = [Relation::At, Relation::Around, Relation::Offshore];
        let found = all.into_iter().find(|relation| relation.name() == name);
        found.ok_or_else(|| D::Error::custom(format!("`{name}` is no relation to a place")))
    }
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
    /// A box whose west edge lies east of its east edge, though it does not cross the antimeridian.
    BoxReversed,
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
    /// A rhythm.
    Recurring(Recurrence),
    /// A plain number; for [`Kind::Percentage`] 20 means 20%.
    Number(f64),
    /// A place in an order, from 1; -1 is the last.
    Ordinal(i64),
    /// A place beside the current one: 1 is the next, -1 the one before, 0 the current one itself.
    Step(i64),
    /// A number of units of measure.
    Quantity {
        /// The number of units.
        value: f64,
        /// The unit as UCUM writes it.
        unit: UnitCode,
        /// The dimension that the unit measures: `length`, `mass`; `speed`, `density` or `rate` for a rate.
        dimension: &'static str,
    },
    /// An amount of a currency.
    Money {
        /// The number of units of the currency.
        value: f64,
        /// The currency as ISO 4217 has it; empty where the words do not say which.
        currency: &'static str,
    },
    /// Yes or no.
    Boolean(bool),
    /// A position.
    Point(Point),
    /// West, south, east, north in degrees. West is greater than east where the box was said to
    /// cross the antimeridian; otherwise corners are sorted.
    Bbox([f64; 4]),
    /// A named thing.
    Entity {
        /// The name of the gazetteer.
        gazetteer: String,
        /// The entry's key in it.
        key: String,
        /// The relation that the words around the name express.
        relation: Relation,
    },
    /// The words between quotation marks; an address or a phone number in its usual form.
    Text(String),
    /// A stretch of numbers.
    Interval(Interval),
    /// A stretch of amounts of one unit of measure.
    QuantityInterval {
        /// Its two ends, in units.
        ends: Interval,
        /// The unit as UCUM writes it.
        unit: UnitCode,
        /// The dimension that the unit measures.
        dimension: &'static str,
    },
    /// A stretch of amounts of money.
    MoneyInterval {
        /// Its two ends, in units of the currency.
        ends: Interval,
        /// The currency as ISO 4217 has it; empty where the words do not say which.
        currency: &'static str,
    },
    /// It cannot be: the user must be told, and nothing guessed.
    Fault(Fault),
}

/// A value found in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// Its type.
    pub kind: Kind,
    /// Its place, in characters of the original.
    pub span: Span,
    /// The original words.
    pub text: String,
    /// The rule that found it, so that a wrong reading can be reported.
    pub rule: Rule,
    /// The likeliest reading.
    pub reading: Reading,
    /// Other readings, the likelier first.
    pub alternatives: Vec<Reading>,
}
