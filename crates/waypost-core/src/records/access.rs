//! What a tool may do to the world, as a pack says it and as the tool's server says it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The access of a tool to the world, the stricter the greater.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Looks only.
    Read,
    /// Changes something that can be changed back.
    Write,
    /// Changes something for good.
    Destructive,
}

/// The effects of a tool as its server hints at them; `None` where it says nothing.
///
/// # Example
///
/// ```
/// use waypost_core::records::access::{Access, Hints};
///
/// assert_eq!(Hints::default().access(), Access::Write);
/// let reads = Hints { read_only: Some(true), ..Hints::default() };
/// assert_eq!(reads.access(), Access::Read);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hints {
    /// It changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// It may destroy something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// The same call made twice does no more than made once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// It reaches things beyond its server, such as the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl Hints {
    /// Returns whether the server hints at nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The access that the hints come to. A missing hint means a write; of hints that contradict
    /// each other the stricter counts.
    pub fn access(&self) -> Access {
        match (self.read_only, self.destructive) {
            (_, Some(true)) => Access::Destructive,
            (Some(true), _) => Access::Read,
            _ => Access::Write,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_come_to_an_access() {
        let hints = |read_only, destructive| Hints { read_only, destructive, ..Hints::default() };
        for (read_only, destructive, access) in [
            (None, None, Access::Write),
            (Some(true), None, Access::Read),
            (Some(true), Some(false), Access::Read),
            (Some(true), Some(true), Access::Destructive),
            (Some(false), None, Access::Write),
            (Some(false), Some(false), Access::Write),
            (Some(false), Some(true), Access::Destructive),
            (None, Some(true), Access::Destructive),
        ] {
            assert_eq!(hints(read_only, destructive).access(), access);
        }
    }
}
