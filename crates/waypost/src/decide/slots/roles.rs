//! The roles that arguments and values play for each other: the source and the target of a change,
//! of a journey, of a conversion. The words of a language that give a role are data of the text
//! side; the names of arguments are English in every schema.

use waypost_text::extract::Role;
use waypost_text::text::Span;

use crate::pack::Tool;
use crate::pack::suggest::is_among;
use crate::understand::Turn;

/// The score of words that give a value the very role of the argument.
pub(super) const SAME: f64 = 3.0;
/// The score of words that give it a role which may be meant as that.
const AKIN: f64 = 1.0;

/// Words of the names of arguments that say their role.
const NAMED: [(Role, &str); 2] = [
    (
        Role::Source,
        "source src from origin old original departure depart base current initial start input \
        sender before",
    ),
    (
        Role::Target,
        "target dest destination to new dst arrival arrive into end output final recipient receiver \
        after",
    ),
];

/// The role that the words around a span give it.
pub(super) fn of_value(turn: &Turn<'_>, span: Span) -> Option<Role> {
    turn.said.role(span)
}

/// The role of an argument by its name alone.
pub(super) fn by_name(tool: &Tool, name: &str) -> Option<Role> {
    let words = tool.words(name);
    let is_named = |known: &str| words.iter().any(|word| is_among(known, word));
    NAMED.iter().find(|(_, known)| is_named(known)).map(|(role, _)| *role)
}

/// The role of an argument among the others of its kind: its name says so, or that of the only other
/// one does. `path` beside `destination` is the source.
pub(super) fn of_argument(tool: &Tool, name: &str, others: &[&str]) -> Option<Role> {
    let role = by_name(tool, name).or_else(|| {
        let mut others = others.iter().filter(|other| **other != name);
        let (only, more) = (others.next()?, others.next());
        let side = by_name(tool, only).filter(|_| more.is_none())?;
        match (tool.requires(name), tool.requires(only)) {
            // Beside what may be left out it is what the whole is about: a branch, and its base.
            (true, false) => Some(Role::Object),
            (own, other) => (own == other).then(|| other_side(side)),
        }
    })?;
    // Alone an argument has no role: the `target` of a search is whatever is named.
    (others.len() > 1).then_some(role)
}

/// Returns whether the name of an argument says that it is for what is left out: `not_contains`.
pub(super) fn denies(tool: &Tool, name: &str) -> bool {
    const DENYING: [&str; 9] =
        ["not", "no", "without", "exclude", "excluded", "excludes", "except", "ignore", "skip"];
    tool.words(name).iter().any(|word| DENYING.contains(&word.as_str()))
}

fn other_side(role: Role) -> Role {
    match role {
        Role::Source => Role::Target,
        _ => Role::Source,
    }
}

/// Scores how well the role of a value suits that of an argument; `None` where they contradict each
/// other.
pub(super) fn agreement(value: Option<Role>, argument: Option<Role>) -> Option<f64> {
    let (Some(value), Some(argument)) = (value, argument) else { return Some(0.0) };
    match (value, argument) {
        (value, argument) if value == argument => Some(SAME),
        // "Rename A to B": what something is done to is what it was.
        (Role::Object, Role::Source) => Some(SAME),
        (Role::Source | Role::Object, Role::Target) | (Role::Target, Role::Source) => None,
        (Role::Source, Role::Object) => None,
        // "Put A under B", "5 pm Tokyo time in Berlin".
        (Role::Container | Role::Name | Role::Form, Role::Target)
        | (Role::Name | Role::Form | Role::Target, Role::Object) => Some(AKIN),
        _ => Some(0.0),
    }
}
