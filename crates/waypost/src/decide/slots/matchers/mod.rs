//! The sources of values for an argument, surest first. A matcher finds a value in what was said, known or assumed, and says on what
//! it stands; the first whose words are free wins.

mod default;
mod flag;
mod folder;
mod labelled;
pub(super) mod likely;
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

use std::cell::OnceCell;

use serde_json::Value as Json;
use waypost_core::records::decision::Evidence;
use waypost_text::text::Span;

pub(crate) use self::llm::receipt;
use super::DraftCall;
use super::bind::Bound;
use super::deal::names::Named;
use super::deal::said::Values;
use super::each::Each;
use crate::arguments::{self, Guesses};
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
    /// The stretches that may be meant for the arguments of the tool, as soon as one asks for them.
    pub(crate) guesses: Option<&'a OnceCell<Guesses>>,
    /// True when the plain signs of all arguments are read, and the rest is asked for what they left open.
    pub(crate) last: bool,
    /// True if plain signs speak for values, and do not say which.
    pub(crate) undecided: bool,
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
            guesses: None,
            last: false,
            undecided: false,
        })
    }

    /// The stretches that may be meant for the arguments of the tool; `None` where its pack says how people speak of any, or
    /// where the text answers a question about it.
    pub(in crate::decide::slots) fn guesses(&self) -> Option<&'a Guesses> {
        let is_open = !self.tool.is_described() && arguments::is_open(self.tool, self.name);
        let is_answer =
            || self.turn.asked().is_some_and(|(tool, _)| tool.spec.name == self.tool.spec.name);
        // What a model proposes is asked about, if nothing bears it out.
        let is_proposed = || self.draft.proposed.contains_key(self.name);
        let is_guessed = is_open && !self.draft.unguessed && !is_answer() && !is_proposed();
        let guesses = self.guesses.filter(|_| is_guessed)?;
        Some(guesses.get_or_init(|| {
            let text = &self.turn.said.text;
            let all = Span { start: 0, end: text.original().chars().count() };
            let clause = self.draft.clause.unwrap_or(all);
            Guesses::of(text.slice(clause), self.tool).behind(clause.start)
        }))
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

/// The matchers, surest first. Those that read plain signs are asked for every argument: what the user settled, what the words say,
/// then what they point back to ("same plan but 50%" says the one and points to the others), then what a model proposes, and what
/// the words say as they are (a name, free text). The `last` ones are asked for what those left open: what is likely meant, what was
/// said before, what an embedder's own matchers find, the pack's default, the user's words as a whole, and what may be meant.
pub(crate) fn matchers(last: bool) -> &'static [(&'static str, Matcher)] {
    if last {
        return &[
            (likely::NAME, likely::find),
            ("memory", memory::find),
            ("own", own::find),
            ("default", default::find),
            ("whole", text::whole),
            ("offered", likely::offered),
        ];
    }
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
        ("repository", labelled::repository),
        ("name", name::find),
        ("folder", folder::find),
        ("labelled", labelled::find),
        ("text", text::find),
    ]
}

/// The answers of the matchers of a round that are on, in words which no other argument was read from, the surest first.
pub(super) fn answers<'a>(
    wanted: &'a Wanted<'_>,
) -> impl Iterator<Item = (&'static str, Match)> + 'a {
    let on =
        matchers(wanted.last).iter().filter(|(name, _)| wanted.turn.permits.enabled.matcher(name));
    let answers = on.filter_map(|(name, find)| Some((*name, find(wanted)?)));
    answers.filter(|(name, answer)| is_free(wanted, answer) && !is_claimed(wanted, name, answer))
}

/// The matchers that take words as they stand by few signs.
const BY_FEW_SIGNS: [&str; 6] = ["example", "repository", "name", "folder", "labelled", "text"];

/// Returns whether the words that an answer takes by few signs are rather meant for another argument: a quotation may be the
/// name of a place or what is looked for there.
fn is_claimed(wanted: &Wanted<'_>, matcher: &str, answer: &Match) -> bool {
    let Match::Found(found) = answer else { return false };
    let guesses = || wanted.guesses();
    BY_FEW_SIGNS.contains(&matcher)
        && guesses().is_some_and(|all| {
            found.spans.iter().any(|span| all.is_meant_for_another(wanted.name, *span))
        })
}

fn is_free(wanted: &Wanted<'_>, answer: &Match) -> bool {
    let Match::Found(found) = answer else { return true };
    let taken = |span: &Span| wanted.used.iter().any(|used| used.overlaps(*span));
    !found.spans.iter().any(taken)
}
