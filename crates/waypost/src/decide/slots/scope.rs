//! Says which words of a turn a call may take its values from: those of its clause that no choice
//! was taken by and that nobody denied or took back.

use std::borrow::Cow;

use waypost_core::records::decision::Call;
use waypost_text::extract::{Kind, Operator, Reading, Role, Value};
use waypost_text::text::Span;

use super::DraftCall;
use crate::pack::Tool;
use crate::pack::spec::Access;
use crate::understand::Turn;
use crate::understand::mention::Stance;

/// The most values of a text that are looked at for one call: far more than a tool has arguments.
const MOST_VALUES: usize = 32;
/// The most values that are looked at for those that are denied.
const MOST_LOOKED: usize = 128;

/// Returns whether the words at a span are about the call.
pub(super) fn is_here(draft: &DraftCall, span: Span) -> bool {
    let consumed = draft.consumed.iter().any(|consumed| consumed.overlaps(span));
    !consumed && draft.clause.is_none_or(|clause| clause.contains(span))
}

/// Returns whether a call may take a value from the words at a span: they are about it, and say under which condition it is asked
/// for in no other way.
pub(super) fn takes(draft: &DraftCall, span: Span) -> bool {
    is_here(draft, span) && !draft.conditions.iter().any(|condition| condition.overlaps(span))
}

/// Returns whether a name at a span is named for a call: in its clause, and in no condition.
pub(super) fn is_named(draft: &DraftCall, span: Span) -> bool {
    let conditional = draft.conditions.iter().any(|condition| condition.overlaps(span));
    !conditional && draft.clause.is_none_or(|clause| clause.contains(span))
}

/// The draft of a call with the conditions under which it is asked for, where it changes something. A look-up has none: "tell me
/// if QF1 is above 120" asks for QF1.
pub(super) fn under_conditions<'d>(turn: &Turn<'_>, draft: &'d DraftCall) -> Cow<'d, DraftCall> {
    if turn.access(&draft.tool) == Access::Read || turn.own_conditions().is_empty() {
        return Cow::Borrowed(draft);
    }
    Cow::Owned(DraftCall { conditions: turn.own_conditions().to_vec(), ..draft.clone() })
}

/// The values that a call may take, in the order of the text.
pub(super) fn values<'a>(turn: &'a Turn<'_>, draft: &DraftCall) -> Vec<&'a Value> {
    let here = turn.said.values.iter().filter(|value| takes(draft, value.span));
    // Twenty digits are no number that could be reckoned with, but an identifier as they stand.
    let read = here.filter(|value| !is_misread(turn, value) || value.kind == Kind::Number);
    read.filter(|value| stance(turn, value) == Stance::Said).take(MOST_VALUES).collect()
}

/// Returns whether a value is only a part of something that could not be read, or not exactly: the month
/// of "the 45th of November".
pub(super) fn is_misread(turn: &Turn<'_>, value: &Value) -> bool {
    turn.said.unread.iter().any(|unread| unread.span.overlaps(value.span))
}

/// The values that a call is to leave out, in the order of the text: "without 3f2a1b0".
pub(super) fn denied<'a>(turn: &'a Turn<'_>, draft: &DraftCall) -> Vec<&'a Value> {
    let here = turn.said.values.iter().filter(|value| is_here(draft, value.span));
    let looked = here.take(MOST_LOOKED);
    looked.filter(|value| stance(turn, value) == Stance::Denied).take(MOST_VALUES).collect()
}

/// Returns how a value that was said is meant: nothing that is denied or taken back fills anything.
///
/// "20k, sorry, 30k": a value that is replaced behind a correction is withdrawn.
pub(super) fn stance(turn: &Turn<'_>, value: &Value) -> Stance {
    let mut corrections =
        turn.said.discourse.marks.iter().filter(|mark| mark.operator == Operator::Correction);
    let withdrawn = corrections.next_back().is_some_and(|mark| {
        let restated = turn
            .said
            .values
            .iter()
            .filter(|other| other.span.start >= mark.span.end && are_akin(other, value))
            // "9:00 in Lima, change that to Rome" takes nothing back.
            .any(|other| {
                let into =
                    crate::decide::slots::roles::of_value(turn, other.span) == Some(Role::Target);
                !(into && value.kind == Kind::Zone)
            });
        restated && value.span.end <= mark.span.start
    });
    if withdrawn || is_restated(turn, value) {
        return Stance::Withdrawn;
    }
    match turn.said.stance(value.span) {
        Stance::Denied if says_where_or_when(value) && !is_meant(turn, value) => Stance::Said,
        stance => stance,
    }
}

/// Returns whether two values say the same of a call: both where, both when, or both of one kind.
fn are_akin(one: &Value, other: &Value) -> bool {
    one.kind == other.kind || is_where(one) && is_where(other) || is_when(one) && is_when(other)
}

fn is_where(value: &Value) -> bool {
    matches!(value.reading, Reading::Point(_) | Reading::Bbox(_) | Reading::Entity { .. })
}

/// Returns whether a value says when: a day, an instant or a period.
pub(in crate::decide) fn is_when(value: &Value) -> bool {
    matches!(value.reading, Reading::Date(_) | Reading::Datetime(_) | Reading::Range(..))
}

fn says_where_or_when(value: &Value) -> bool {
    is_where(value) || is_when(value)
}

/// Returns whether the denial before a place or a time is of it, and not of what is asked about it:
/// "not for today" and "not warm yesterday, today" deny a day, "is it not warm today" does not.
fn is_meant(turn: &Turn<'_>, value: &Value) -> bool {
    if turn.said.discourse.is_dropped(&turn.said.text, value.span) {
        return true;
    }
    let denials = turn.said.discourse.marks.iter().filter(|mark| {
        matches!(mark.operator, Operator::Not | Operator::Except)
            && mark.span.end <= value.span.start
    });
    let Some(mark) = denials.max_by_key(|mark| mark.span.end) else { return false };
    let akin = || turn.said.values.iter().filter(|other| are_akin(other, value));
    // Of several that are joined the first one stands behind the denial.
    let first = akin().find(|other| other.span.start >= mark.span.end).unwrap_or(value);
    let between = Span { start: mark.span.end, end: first.span.start };
    if akin().take(MOST_VALUES).any(|other| turn.said.stance(other.span) == Stance::Said) {
        return true;
    }
    // "Why isn't the sea off Hualien warmer?" asks about Hualien.
    !turn.said.discourse.says(Operator::Question) && !turn.said.says_within(between)
}

/// "Today, April 25th 2023": of two days side by side the one with a date says which it is.
pub(super) fn is_restated(turn: &Turn<'_>, value: &Value) -> bool {
    let Reading::Date(day) = value.reading else { return false };
    turn.said.values.iter().any(|other| {
        let Reading::Date(other_day) = other.reading else { return false };
        let gap = Span { start: value.span.end, end: other.span.start };
        gap.start <= gap.end
            && day != other_day
            && value.rule.is_relative()
            && !other.rule.is_relative()
            && turn.said.text.slice(gap).chars().all(|c| matches!(c, ' ' | ',' | '，' | '(' | '（'))
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
    let is_free = |span: Span| takes(draft, span) && !used.iter().any(|used| used.overlaps(span));
    // Yes and no are said to the assistant, not to a tool; "now" is any moment.
    let tells = |value: &&Value| value.kind != Kind::Boolean && !value.rule.is_now();
    // Where and when are bound before the matchers, and their receipts hold the words.
    let texts: Vec<&str> = calls
        .iter()
        .flat_map(|call| call.evidence.values())
        .filter_map(|receipt| receipt.text.as_deref())
        .collect();
    let is_cited = |words: &str| texts.iter().any(|text| text.contains(words));
    let values = turn.said.values.iter().filter(tells);
    let values = values.filter(|value| stance(turn, value) != Stance::Withdrawn);
    let values = values.map(|value| value.span);
    let names = turn.said.discourse.mentions.iter().filter(|mention| {
        tool.arguments().any(|name| {
            let mut keys =
                mention.key(crate::decide::slots::matchers::named::vocabulary(tool, name));
            keys.any(|key| tool.lists(name, key))
        })
    });
    let names = names.map(|mention| mention.span);
    let mut left: Vec<Span> = values
        .chain(names)
        .filter(|span| is_free(*span) && !is_cited(turn.said.text.slice(*span)))
        .collect();
    left.sort();
    left.dedup();
    left
}
