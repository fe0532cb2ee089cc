//! Says which words of a turn a call may take its values from: those of its clause that no choice
//! was taken by and that nobody took back.

use waypost_core::records::decision::Call;
use waypost_text::extract::{Kind, Operator, Reading, Role, Value};
use waypost_text::text::Span;

use super::DraftCall;
use crate::pack::Tool;
use crate::turn::Turn;
use crate::turn::mention::Stance;

/// The most values of a text that are looked at for one call: far more than a tool has arguments.
const MOST_VALUES: usize = 32;

/// Returns whether the words at a span are about the call.
pub(super) fn is_here(draft: &DraftCall, span: Span) -> bool {
    let consumed = draft.consumed.iter().any(|consumed| consumed.overlaps(span));
    !consumed && draft.clause.is_none_or(|clause| clause.contains(span))
}

/// The values that a call may take, in the order of the text.
pub(super) fn values<'a>(turn: &'a Turn<'_>, draft: &DraftCall) -> Vec<&'a Value> {
    let here = turn.values.iter().filter(|value| is_here(draft, value.span));
    here.filter(|value| stance(turn, value) == Stance::Said).take(MOST_VALUES).collect()
}

/// The values that a call is to leave out, in the order of the text: "without 3f2a1b0".
pub(super) fn denied<'a>(turn: &'a Turn<'_>, draft: &DraftCall) -> Vec<&'a Value> {
    let here = turn.values.iter().filter(|value| is_here(draft, value.span));
    here.filter(|value| stance(turn, value) == Stance::Denied).take(MOST_VALUES).collect()
}

/// "20k, sorry, 30k": a value that is replaced behind a correction is withdrawn.
pub(super) fn stance(turn: &Turn<'_>, value: &Value) -> Stance {
    let mut corrections =
        turn.discourse.marks.iter().filter(|mark| mark.operator == Operator::Correction);
    let withdrawn = corrections.next_back().is_some_and(|mark| {
        let restated = turn
            .values
            .iter()
            .filter(|other| other.span.start >= mark.span.end && other.kind == value.kind)
            // "9:00 in Lima, change that to Rome" takes nothing back.
            .any(|other| {
                let into = super::roles::of_value(turn, other.span) == Some(Role::Target);
                !(into && value.kind == Kind::Zone)
            });
        restated && value.span.end <= mark.span.start
    });
    if withdrawn || is_restated(turn, value) { Stance::Withdrawn } else { turn.stance(value.span) }
}

/// "Today, April 25th 2023": of two days side by side the one with a date says which it is.
pub(super) fn is_restated(turn: &Turn<'_>, value: &Value) -> bool {
    let Reading::Date(day) = value.reading else { return false };
    turn.values.iter().any(|other| {
        let Reading::Date(other_day) = other.reading else { return false };
        let gap = Span { start: value.span.end, end: other.span.start };
        gap.start <= gap.end
            && day != other_day
            && value.rule.is_relative()
            && !other.rule.is_relative()
            && turn.text.slice(gap).chars().all(|c| matches!(c, ' ' | ',' | '，' | '(' | '（'))
    })
}

/// The values and names that were said for a call and fill none of its arguments: nobody knows what
/// they mean, and a call that writes should not be made as though they had not been said.
///
/// `used` are the spans that arguments were read from.
pub(super) fn leftover(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    calls: &[Call],
    used: &[Span],
) -> Vec<Span> {
    let is_free = |span: Span| is_here(draft, span) && !used.iter().any(|used| used.overlaps(span));
    // Yes and no are said to the assistant, not to a tool; "now" is any moment.
    let tells = |value: &&Value| value.kind != Kind::Boolean && !value.rule.is_now();
    // Where and when are bound before the matchers, and their receipts hold the words.
    let texts: Vec<&str> = calls
        .iter()
        .flat_map(|call| call.evidence.values())
        .filter_map(|receipt| receipt.text.as_deref())
        .collect();
    let is_cited = |words: &str| texts.iter().any(|text| text.contains(words));
    let values = turn.values.iter().filter(tells);
    let values = values.filter(|value| stance(turn, value) != Stance::Withdrawn);
    let values = values.map(|value| value.span);
    let names = turn.discourse.mentions.iter().filter(|mention| {
        tool.arguments().any(|name| {
            let mut keys = mention.key(super::naming::vocabulary(tool, name));
            keys.any(|key| tool.lists(name, key))
        })
    });
    let names = names.map(|mention| mention.span);
    let mut left: Vec<Span> = values
        .chain(names)
        .filter(|span| is_free(*span) && !is_cited(turn.text.slice(*span)))
        .collect();
    left.sort();
    left.dedup();
    left
}
