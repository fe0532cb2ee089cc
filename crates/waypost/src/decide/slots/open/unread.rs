//! Opens the arguments for which something was said that nobody could read: a date that is none is asked
//! about, and neither today nor the day of the last call stands for it.
//!
//! An argument is opened only where nothing in the words fills it, and only by a stretch that nothing
//! else was read from: an order's number with two hyphens is no date where the date is said beside it.

use waypost_core::records::decision::{Call, Source};
use waypost_text::extract::{Kind, Unread};
use waypost_text::text::Span;

use super::question;
use crate::decide::slots::{DraftCall, Gap, cues, scope};
use crate::pack::Tool;
use crate::pack::messages::Sentence;
use crate::pack::spec::{Access, Annotation, FreeText};
use crate::understand::Turn;

/// The least nearness of a word of the argument at which an optional number is asked about.
const NEAR: f64 = 1.0;

/// The question for the first argument that a stretch looks like a value of, where nothing else in the
/// words says what it is.
pub(in crate::decide::slots) fn ask(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    calls: &[Call],
    used: &[Span],
) -> Option<Gap> {
    let is_open = |name: &str| calls.iter().all(|call| is_open(call, name));
    let takes_place = |(name, note): (&str, &Annotation)| {
        matches!(note.kind, Some(Kind::Point | Kind::Bbox)) && is_open(name)
    };
    // Only where a place is wanted is it worth while to look for the names of some.
    let places = match tool.annotations().any(takes_place) {
        true => turn.said.unknown_places(),
        false => &[],
    };
    let free = turn.said.unread.iter().chain(places);
    let mut free = free.filter(|unread| is_free(turn, draft, tool, calls, used, unread.span));
    free.find_map(|unread| {
        let name = tool
            .arguments()
            .find(|name| is_for(turn, draft, tool, name, unread) && is_open(name))?;
        let gap = question::open(turn, tool, name, &[]);
        let kind = tool.annotation(name).and_then(|note| note.kind);
        let sentence = Sentence::new(sentence(unread.kind, kind))
            .with("text", turn.said.text.slice(unread.span))
            .with("what", turn.pack.argument_label(tool, name, turn.said.language));
        Some(Gap { sentence, ..gap })
    })
}

/// The name of the sentence about a stretch of one kind, for an argument of a kind.
fn sentence(kind: Kind, argument: Option<Kind>) -> &'static str {
    match (kind, argument) {
        (_, Some(Kind::Point | Kind::Bbox)) => "unread_place",
        (Kind::Date, _) => "unread_date",
        (Kind::Time, _) => "unread_time",
        _ => "unread_number",
    }
}

/// Returns whether a stretch is about the call, to be written nowhere, and in no value of it.
fn is_free(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    calls: &[Call],
    used: &[Span],
    span: Span,
) -> bool {
    let words = turn.said.text.slice(span);
    // A task is told in the user's own words, and says nothing of what they count.
    let is_task =
        |name: &str| tool.annotation(name).is_some_and(|note| note.text == Some(FreeText::Task));
    let cites = |text: &str| text.contains(words);
    let receipts = || calls.iter().flat_map(|call| &call.evidence);
    let cited = || {
        receipts()
            .any(|(name, receipt)| !is_task(name) && receipt.text.as_deref().is_some_and(cites))
    };
    scope::is_here(draft, span)
        && !used.iter().any(|used| used.overlaps(span))
        && !turn.said.discourse.contents.iter().any(|content| content.overlaps(span))
        && !cited()
}

/// Returns whether nobody but a default or an earlier call says what an argument is.
fn is_open(call: &Call, name: &str) -> bool {
    call.evidence
        .get(name)
        .is_none_or(|receipt| matches!(receipt.source, Source::Default | Source::Memory))
}

/// Returns whether an argument takes what a stretch looks like. A number may be of anything: it must be
/// needed, or a word of the argument stand beside it.
fn is_for(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool, name: &str, unread: &Unread) -> bool {
    let kind = tool.annotation(name).and_then(|note| note.kind);
    let settled = draft.given.contains_key(name);
    // Whoever looks at "hundreds of nets" may want no number; whoever sets something to "hundreds" must say which.
    let is_figure = turn.said.text.slice(unread.span).contains(char::is_numeric);
    let fits = match (unread.kind, kind) {
        (Kind::Date, Some(Kind::Date | Kind::Range | Kind::Datetime))
        | (Kind::Time, Some(Kind::Time | Kind::Datetime))
        | (Kind::Point, Some(Kind::Point | Kind::Bbox)) => true,
        (Kind::Number, Some(Kind::Point | Kind::Bbox)) => is_figure && tool.requires(name),
        (Kind::Number, _) => {
            let counts = tool.is_number(name) && !matches!(kind, Some(Kind::Identifier));
            let matters = || is_figure || turn.access(&tool.spec.name) != Access::Read;
            let near = || cues::nearest(turn, tool, name, unread.span, &[]) >= NEAR;
            counts && (tool.requires(name) || matters() && near())
        }
        _ => false,
    };
    fits && !settled
}
