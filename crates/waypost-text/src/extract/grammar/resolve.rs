//! Chooses among findings that overlap: the longest wins, then the most specific.

use crate::extract::kind::Kind;
use crate::extract::value::Value;
use crate::extract::{Found, Reading};

use super::sentence::Sentence;

/// A finding and the tokens that it covers.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) found: Found,
}

/// Kinds that win over those before them where both cover the same words.
const SPECIFIC: [Kind; 28] = [
    Kind::Interval,
    Kind::Text,
    Kind::Boolean,
    Kind::Number,
    Kind::Quoted,
    Kind::Identifier,
    Kind::Zone,
    Kind::Repository,
    Kind::Revision,
    Kind::Ordinal,
    Kind::Duration,
    Kind::Recurring,
    Kind::Percentage,
    Kind::Quantity,
    Kind::Money,
    Kind::Entity,
    Kind::Time,
    Kind::Date,
    Kind::Datetime,
    Kind::Range,
    Kind::Point,
    Kind::Bbox,
    Kind::Phone,
    Kind::Ip,
    Kind::Path,
    Kind::Glob,
    Kind::Url,
    Kind::Email,
];

/// Keeps what does not overlap with anything better, in the order of the text.
pub(crate) fn resolve(sentence: &Sentence<'_>, mut candidates: Vec<Candidate>) -> Vec<Value> {
    drop_quotes_around_values(&mut candidates);
    candidates.sort_by_key(|candidate| {
        let specific = SPECIFIC.iter().position(|kind| *kind == candidate.found.kind);
        (std::cmp::Reverse((candidate.end - candidate.start, specific)), candidate.start)
    });
    let mut taken = vec![false; sentence.tokens.len()];
    candidates.retain(|candidate| {
        let tokens = &mut taken[candidate.start..candidate.end];
        let free = !tokens.contains(&true);
        if free {
            tokens.fill(true);
        }
        free
    });
    candidates.sort_by_key(|candidate| candidate.start);
    let mut values: Vec<Value> =
        candidates.into_iter().filter_map(|candidate| value(sentence, candidate)).collect();
    // Two tokens may come from one character: ㏠ is 1日.
    values.dedup_by(|later, kept| later.span.overlaps(kept.span));
    values
}

/// “花蓮” in quotation marks is the place, not a piece of text.
fn drop_quotes_around_values(candidates: &mut Vec<Candidate>) {
    let whole: std::collections::HashSet<(usize, usize)> = candidates
        .iter()
        .filter(|candidate| candidate.found.kind != Kind::Quoted)
        .map(|candidate| (candidate.start, candidate.end))
        .collect();
    candidates.retain(|candidate| {
        candidate.found.kind != Kind::Quoted
            || !whole.contains(&(candidate.start + 1, candidate.end.saturating_sub(1)))
    });
}

fn value(sentence: &Sentence<'_>, candidate: Candidate) -> Option<Value> {
    let first = sentence.token(candidate.start)?;
    let last = sentence.token(candidate.end.checked_sub(1)?)?;
    let span = sentence.text.span(first.start, last.end);
    let Found { kind, rule, reading, alternatives } = candidate.found;
    let mut others: Vec<Reading> = Vec::with_capacity(alternatives.len());
    for other in alternatives {
        if other != reading && !others.contains(&other) {
            others.push(other);
        }
    }
    let text = sentence.text.slice(span).to_owned();
    Some(Value { kind, span, text, rule, reading, alternatives: others })
}
