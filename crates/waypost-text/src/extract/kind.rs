//! The kinds of value, and sets of them.

use serde::{Deserialize, Serialize};

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
    /// A rhythm: recognised, and not expanded.
    Recurring,
    /// A plain number.
    Number,
    /// A place in an order; -1 is the last.
    Ordinal,
    /// A share: 20 for 20%.
    Percentage,
    /// A number with a unit of measure: 5 km, 三十度.
    Quantity,
    /// An amount of money.
    Money,
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
    /// An e-mail address.
    Email,
    /// The address of a page.
    Url,
    /// A phone number.
    Phone,
    /// A stretch of numbers; only found where it is asked for.
    Interval,
    /// A path of a file or a folder: `src/main.rs`, `~/notes.md`.
    Path,
    /// A pattern of paths: `*.py`, `docs/**`.
    Glob,
    /// A state of a repository: a branch, a tag, a hash, `HEAD~2`.
    Revision,
    /// A repository by its owner and its name: `owner/name`.
    Repository,
    /// A name in one word as programs give them: `ABC-123`, `my-new-branch`, `snake_case`.
    Identifier,
    /// The address of a host or a network in numbers: `10.0.0.1`, `fe80::1`, `10.0.0.0/8`.
    Ip,
    /// A time zone by its IANA name; places of one name it, too.
    Zone,
    /// Words of the user's own: what is to be searched, said or named.
    Text,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 28] = [
        Kind::Date,
        Kind::Time,
        Kind::Datetime,
        Kind::Range,
        Kind::Duration,
        Kind::Recurring,
        Kind::Number,
        Kind::Ordinal,
        Kind::Percentage,
        Kind::Quantity,
        Kind::Money,
        Kind::Boolean,
        Kind::Point,
        Kind::Bbox,
        Kind::Entity,
        Kind::Quoted,
        Kind::Email,
        Kind::Url,
        Kind::Phone,
        Kind::Interval,
        Kind::Path,
        Kind::Glob,
        Kind::Revision,
        Kind::Repository,
        Kind::Identifier,
        Kind::Ip,
        Kind::Zone,
        Kind::Text,
    ];

    /// Returns whether values of it are found only where somebody has an argument for them: they
    /// look like ordinary words, or are costly to look for.
    pub const fn is_opt_in(self) -> bool {
        matches!(
            self,
            Kind::Path
                | Kind::Glob
                | Kind::Revision
                | Kind::Repository
                | Kind::Identifier
                | Kind::Ip
                | Kind::Zone
                | Kind::Text
        )
    }

    /// The name in records: the variant in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Date => "date",
            Kind::Time => "time",
            Kind::Datetime => "datetime",
            Kind::Range => "range",
            Kind::Duration => "duration",
            Kind::Recurring => "recurring",
            Kind::Number => "number",
            Kind::Ordinal => "ordinal",
            Kind::Percentage => "percentage",
            Kind::Quantity => "quantity",
            Kind::Money => "money",
            Kind::Boolean => "boolean",
            Kind::Point => "point",
            Kind::Bbox => "bbox",
            Kind::Entity => "entity",
            Kind::Quoted => "quoted",
            Kind::Email => "email",
            Kind::Url => "url",
            Kind::Phone => "phone",
            Kind::Interval => "interval",
            Kind::Path => "path",
            Kind::Glob => "glob",
            Kind::Revision => "revision",
            Kind::Repository => "repository",
            Kind::Identifier => "identifier",
            Kind::Ip => "ip",
            Kind::Zone => "zone",
            Kind::Text => "text",
        }
    }
}

/// A set of kinds: those that somebody has an argument for.
///
/// # Example
///
/// ```
/// use waypost_text::extract::{Kind, Kinds};
/// let wanted: Kinds = [Kind::Path, Kind::Zone].into_iter().collect();
/// assert!(wanted.has(Kind::Zone) && !wanted.has(Kind::Glob));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds(u32);

impl Kinds {
    /// None of them.
    pub const NONE: Kinds = Kinds(0);

    /// All of them.
    pub const ALL: Kinds = {
        let (mut all, mut at) = (Kinds::NONE, 0);
        while at < Kind::ALL.len() {
            all = all.with(Kind::ALL[at]);
            at += 1;
        }
        all
    };

    /// The set with one more.
    #[must_use]
    pub const fn with(self, kind: Kind) -> Kinds {
        Kinds(self.0 | 1 << kind as u32)
    }

    /// Returns whether a kind is in it.
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    /// Returns whether nothing is in it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Kinds::NONE, Kinds::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_into_it() {
        assert!(Kind::ALL.into_iter().all(|kind| Kinds::ALL.has(kind)));
        assert!(!Kind::ALL.into_iter().any(|kind| Kinds::NONE.has(kind)));
        let some: Kinds = [Kind::Date, Kind::Text].into_iter().collect();
        assert!(some.has(Kind::Date) && some.has(Kind::Text) && !some.has(Kind::Path));
    }
}
