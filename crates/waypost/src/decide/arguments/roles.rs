//! The roles that arguments and values play for each other: the source and the target of a change,
//! of a journey, of a conversion. The words of a language that mark a role are data of the text
//! side; the names of arguments are English in every schema.

use waypost_text::text::Span;

use crate::pack::Tool;
use crate::pack::suggest::words_of;
use crate::turn::Turn;

/// The role of a value among others of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Where something comes from, or what it was.
    Source,
    /// Where something goes, or what it becomes.
    Target,
}

/// Words of the names of arguments that say their role.
const NAMED: [(Role, &[&str]); 2] = [
    (
        Role::Source,
        &[
            "source",
            "src",
            "from",
            "origin",
            "old",
            "original",
            "departure",
            "depart",
            "base",
            "current",
            "initial",
            "start",
            "input",
            "sender",
            "left",
            "before",
        ],
    ),
    (
        Role::Target,
        &[
            "target",
            "dest",
            "destination",
            "to",
            "new",
            "dst",
            "arrival",
            "arrive",
            "into",
            "end",
            "output",
            "final",
            "recipient",
            "receiver",
            "right",
            "after",
        ],
    ),
];

/// The role that the words at a span are given by those around them.
pub(super) fn of_value(turn: &Turn<'_>, span: Span) -> Option<Role> {
    let _ = (turn, span);
    None
}

/// The role of an argument by its name alone.
fn by_name(name: &str) -> Option<Role> {
    let words = words_of(name);
    let (role, _) =
        NAMED.iter().find(|(_, known)| words.iter().any(|word| known.contains(&word.as_str())))?;
    Some(*role)
}

/// The role of an argument among the others of its kind: its name says so, or that of the only other
/// one does. `path` beside `destination` is the source.
pub(super) fn of_argument(tool: &Tool, name: &str, others: &[&str]) -> Option<Role> {
    let role = by_name(name).or_else(|| {
        let mut others = others.iter().filter(|other| **other != name);
        let (only, none) = (others.next()?, others.next());
        let required = tool.requires(name) == tool.requires(only);
        (none.is_none() && required).then(|| by_name(only).map(other_side))?
    })?;
    // Alone an argument has no role: the `target` of a search is whatever is named.
    (others.len() > 1).then_some(role)
}

fn other_side(role: Role) -> Role {
    match role {
        Role::Source => Role::Target,
        Role::Target => Role::Source,
    }
}
