//! The unit of an amount as UCUM writes it: a unit of measure, or one for each of another.

use std::fmt::{Display, Formatter, Result};

/// A unit as UCUM writes it: `km`, `[lb_av]`, `Cel`, `km/h`.
///
/// # Example
///
/// ```
/// use waypost_text::extract::UnitCode;
/// assert_eq!(UnitCode::of("kg").per("har").to_string(), "kg/har");
/// assert_eq!(UnitCode::of("km/h"), UnitCode::of("km").per("h"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitCode {
    unit: &'static str,
    per: Option<&'static str>,
}

impl UnitCode {
    /// The unit of a code.
    pub fn of(code: &'static str) -> Self {
        match code.split_once('/') {
            Some((unit, per)) => Self { unit, per: Some(per) },
            None => Self { unit: code, per: None },
        }
    }

    /// So many of the unit for each of another.
    #[must_use]
    pub fn per(self, other: &'static str) -> Self {
        Self { per: Some(other), ..self }
    }
}

impl Display for UnitCode {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.per {
            Some(per) => write!(f, "{}/{per}", self.unit),
            None => f.write_str(self.unit),
        }
    }
}
