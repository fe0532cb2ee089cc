//! The sources of values for an argument, surest first. A matcher finds a value in what was said, known or assumed, and says on what
//! it stands; the first whose words are free wins.

mod default;
mod flag;
pub(super) mod llm;
mod memory;
pub(super) mod name;
pub(super) mod named;
mod object;
mod operator;
mod option;
mod own;
mod stretch;
mod text;
mod typed;

use serde_json::Value as Json;
use waypost_core::records::decision::Evidence;
use waypost_text::text::Span;

pub(crate) use self::llm::receipt;
use super::DraftCall;
use super::bind::Bound;
use super::deal::names::Named;
use super::deal::said::Values;
use super::each::Each;
use crate::pack::Tool;
use crate::pack::spec::Annotation;
use crate::understand::Turn;

/// One argument that wants a value.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) turn: &'a Turn<'a>,
    pub(crate) draft: &'a DraftCall,
    pub(crate) tool: &'a Tool,
    pub(crate) name: &'a str,
    pub(crate) annotation: &'a Annotation,
    /// The place that this call is about, if it is about one.
    pub(crate) place: Option<&'a Bound>,
    /// The time that this call is about, if one was said.
    pub(crate) time: Option<&'a Bound>,
    /// The value that this call is about, of an argument of which several were named.
    pub(crate) each: Option<&'a Each>,
    /// The values that were said, by the argument that they are for.
    pub(crate) dealt: Option<&'a Values>,
    /// The names that were said, by the argument that they are for; none until all other words are taken.
    pub(crate) named: Option<&'a Named>,
    /// The spans that arguments before this one were read from.
    pub(crate) used: &'a [Span],
}

impl<'a> Wanted<'a> {
    /// An argument of which nothing is known yet; `None` if the tool has none of this name.
    pub(super) fn of(
        turn: &'a Turn<'a>,
        draft: &'a DraftCall,
        tool: &'a Tool,
        name: &'a str,
    ) -> Option<Self> {
        let annotation = tool.annotation(name)?;
        Some(Self {
            turn,
            draft,
            tool,
            name,
            annotation,
            place: None,
            time: None,
            each: None,
            dealt: None,
            named: None,
            used: &[],
        })
    }
}

/// A value with its evidence.
#[derive(Debug, Clone)]
pub(crate) struct FilledValue {
    pub(crate) value: Json,
    pub(crate) evidence: Evidence,
    /// The words that it was read from, which no other argument may take; none where they are
    /// shared (a place is a longitude and a latitude) or where there are none.
    pub(crate) spans: Vec<Span>,
}

impl FilledValue {
    /// A value that takes no words of its own.
    pub(super) fn new(value: Json, evidence: Evidence) -> Self {
        Self { value, evidence, spans: Vec::new() }
    }
}

/// The answer of a matcher for an argument.
#[derive(Debug, Clone)]
pub(crate) enum Match {
    /// This value.
    Found(FilledValue),
    /// One of these, and the words do not say which: nobody guesses.
    Unsure(Vec<Json>),
}

/// A source of values for an argument.
pub(crate) type Matcher = fn(&Wanted<'_>) -> Option<Match>;

/// The matchers, surest first: what the user settled, what the words say, then what they point back
/// to ("same plan but 50%" says the one and points to the others), then what a model proposes, what
/// the words say as they are (a name, free text), what was said before, what an embedder's own
/// matchers find, the pack's default, and the user's words as a whole.
pub(crate) fn matchers() -> &'static [(&'static str, Matcher)] {
    &[
        ("option", option::find),
        ("typed", typed::find),
        ("number", typed::number),
        ("operator", operator::find),
        ("gazetteer", named::gazetteer),
        ("words", named::words),
        ("stretch", stretch::find),
        ("flag", flag::find),
        ("object", object::find),
        ("fuzzy", named::fuzzy),
        ("reference", memory::reference),
        ("llm", llm::find),
        ("unit", stretch::unit),
        ("example", text::example),
        ("name", name::find),
        ("text", text::find),
        ("memory", memory::find),
        ("own", own::find),
        ("default", default::find),
        ("whole", text::whole),
    ]
}

/// The answers of the matchers that are on, in words which no other argument was read from, the surest first.
pub(super) fn answers<'a>(
    wanted: &'a Wanted<'_>,
) -> impl Iterator<Item = (&'static str, Match)> + 'a {
    let on = matchers().iter().filter(|(name, _)| wanted.turn.permits.enabled.matcher(name));
    let answers = on.filter_map(|(name, find)| Some((*name, find(wanted)?)));
    answers.filter(|(_, answer)| is_free(wanted, answer))
}

fn is_free(wanted: &Wanted<'_>, answer: &Match) -> bool {
    let Match::Found(found) = answer else { return true };
    let taken = |span: &Span| wanted.used.iter().any(|used| used.overlaps(*span));
    !found.spans.iter().any(taken)
}
