//! Typed signals: values and words of the pack that stand together and mean one route, whatever was
//! said before. Source: S4-15.

use waypost_core::records::decision::LayerName;
use waypost_core::text_match::is_han;
use waypost_text::text::Span;

use super::super::{Aim, Proposal};
use crate::pack::{Signal, UNLESS};
use crate::understand::Turn;

/// The first signal of the pack that the words give.
pub(super) fn signaled(turn: &Turn<'_>) -> Option<Proposal> {
    let signal = turn.pack.signals.iter().find(|signal| is_given(turn, signal))?;
    let spec = &signal.spec;
    let aim = Aim::Route(spec.route.clone());
    let rationale = format!("the words give the signal `{}`", spec.name);
    let sure = Proposal::sure(LayerName::Rules, aim, rationale);
    Some(Proposal { confidence: spec.confidence, ..sure })
}

/// The most findings of one signal that are looked at: far more than a person says at once.
const MOST: usize = 48;

/// A value or a word that a signal wants.
#[derive(Debug, Clone, Copy)]
struct Finding {
    span: Span,
    /// A bit for each group of words, and one for the value.
    fills: u64,
    /// True if it is only nearly such a word.
    slip: bool,
}

/// Returns whether the words give a signal.
pub(crate) fn is_given(turn: &Turn<'_>, signal: &Signal) -> bool {
    let spec = &signal.spec;
    let kinds = turn.said.values.iter().filter(|value| spec.kinds.contains(&value.kind));
    // Behind the bits of the groups, of which the pack's check allows a few.
    let of_value = 1_u64.checked_shl(spec.words.len() as u32).unwrap_or_default();
    let mut findings: Vec<Finding> = kinds
        .map(|value| Finding { span: value.span, fills: of_value, slip: false })
        .take(MOST)
        .collect();
    if findings.is_empty() && !spec.kinds.is_empty() {
        return false;
    }
    let wanted = if spec.kinds.is_empty() {
        of_value.wrapping_sub(1)
    } else {
        of_value | of_value.wrapping_sub(1)
    };
    let mut others = Vec::new();
    let named = turn.said.named(std::slice::from_ref(&signal.words));
    for mention in named.into_iter().take(MOST) {
        let keys = || mention.entries.iter().map(|(_, key)| key.as_str());
        // A word that the examples have is that word, not a slip of another.
        if mention.typo && knows(turn, &mention.text) {
            continue;
        }
        if keys().any(|key| key == UNLESS) {
            others.push(mention.span);
        } else {
            let fills = keys()
                .filter_map(|key| key.parse::<u32>().ok())
                .fold(0, |all, at| all | 1_u64.checked_shl(at).unwrap_or_default());
            findings.push(Finding { span: mention.span, fills, slip: mention.typo });
        }
    }
    findings.sort_by_key(|finding| finding.span);
    let words = WordCount::of(turn.said.text.original());
    (0..findings.len()).any(|first| {
        let stretch = complete(&findings[first..], wanted, spec.within, &words);
        stretch.is_some_and(|found| {
            let sure = found.iter().any(|finding| !finding.slip);
            sure && !others.iter().any(|other| means_other(found, *other, spec.beside, &words))
        })
    })
}

fn knows(turn: &Turn<'_>, words: &str) -> bool {
    let text = waypost_text::text::Text::new(words);
    let mut words = crate::pack::words(text.normalized());
    words.all(|word| turn.pack.knows(word))
}

/// The shortest run of findings from the first on that has all that is wanted, if it is short enough.
fn complete<'a>(
    findings: &'a [Finding],
    wanted: u64,
    within: usize,
    words: &WordCount,
) -> Option<&'a [Finding]> {
    let first = findings.first()?;
    let mut filled = 0;
    for (at, finding) in findings.iter().enumerate() {
        if words.between(first.span, finding.span) > within {
            return None;
        }
        filled |= finding.fills;
        if filled & wanted == wanted {
            return Some(&findings[..=at]);
        }
    }
    None
}

/// Returns whether a word for another meaning stands between findings or near one.
fn means_other(found: &[Finding], other: Span, beside: usize, words: &WordCount) -> bool {
    let (Some(first), Some(last)) = (found.first(), found.last()) else { return false };
    let within = other.start >= first.span.start && other.end <= last.span.end;
    within || found.iter().any(|finding| words.between(finding.span, other) <= beside)
}

/// The places where words begin in a text, so that distances need no second look at the text.
struct WordCount(Vec<usize>);

impl WordCount {
    /// Two Han characters are about one word.
    fn of(text: &str) -> Self {
        let mut starts = Vec::new();
        let (mut inside, mut han) = (false, 0_usize);
        for (at, c) in text.chars().enumerate() {
            if is_han(c) {
                if han.is_multiple_of(2) {
                    starts.push(at);
                }
                (inside, han) = (false, han + 1);
            } else {
                if c.is_alphanumeric() && !inside {
                    starts.push(at);
                }
                (inside, han) = (c.is_alphanumeric(), 0);
            }
        }
        Self(starts)
    }

    /// Counts the words that begin between two spans, whichever comes first; 0 where they overlap.
    fn between(&self, one: Span, other: Span) -> usize {
        let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
        let before = |at: usize| self.0.partition_point(|start| *start < at);
        before(second.start).saturating_sub(before(first.end))
    }
}
