//! Gives each number to the argument that it was said for: by its unit, by the words beside it, and
//! by the limits of the schema. "Household size of 5 with 100000 nets" fills two arguments.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::find_word;
use waypost_text::extract::{Kind, Operator, Reading, Value};
use waypost_text::text::Span;

use super::{DraftCall, FilledValue, Match, Wanted, cues};
use crate::pack::Tool;
use crate::turn::Turn;
use crate::turn::mention::Stance;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    wanted.numbers.get(wanted.name).cloned()
}

/// The numbers of a turn, by the argument that they are for.
pub(super) type Numbers = BTreeMap<String, Match>;

/// The most numbers that are looked at: far more than a tool has arguments.
const MOST_NUMBERS: usize = 16;

/// A unit that fits, or the very argument that was asked for.
const CERTAIN: f64 = 3.0;
/// A word of the argument that stands beside the number.
const CUED: f64 = 2.0;
/// The score that each word between a number and its cue takes away.
const DISTANCE: f64 = 0.4;
/// The least score at which a number may fill an argument.
const ENOUGH: f64 = 1.0;

/// One number of the text that an argument might take.
struct Candidate<'a> {
    value: &'a Value,
    number: f64,
    /// True if it has no unit.
    bare: bool,
}

/// A number and an argument that it may be for.
struct Pair {
    candidate: usize,
    argument: usize,
    score: f64,
}

/// Assigns the numbers of a turn to the arguments of a tool, each at most once.
pub(super) fn assign(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool) -> Numbers {
    let arguments: Vec<&str> = tool.arguments().filter(|name| takes(tool, name)).collect();
    let candidates = candidates(turn, draft);
    if arguments.is_empty() || candidates.is_empty() {
        return Numbers::new();
    }
    let mut pairs = Vec::new();
    for (candidate, number) in candidates.iter().enumerate() {
        for (argument, name) in arguments.iter().enumerate() {
            let score = score(turn, tool, name, number, &candidates);
            if score >= ENOUGH {
                pairs.push(Pair { candidate, argument, score });
            }
        }
    }
    pairs.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut taken: Vec<Option<usize>> = vec![None; arguments.len()];
    let mut used = vec![false; candidates.len()];
    for pair in &pairs {
        if taken[pair.argument].is_none() && !used[pair.candidate] {
            taken[pair.argument] = Some(pair.candidate);
            used[pair.candidate] = true;
        }
    }
    give_rest(turn, draft, tool, &arguments, &candidates, &mut taken, &mut used);
    let rivals =
        |argument: usize, own: usize| rival(turn, &candidates, &pairs, argument, own, &used);
    let mut numbers = Numbers::new();
    for (argument, own) in taken.iter().enumerate() {
        let Some(own) = *own else { continue };
        let matched = match rivals(argument, own) {
            Some(other) => {
                Match::Unsure(vec![plain(candidates[own].number), plain(candidates[other].number)])
            }
            None => found(&candidates[own]),
        };
        numbers.insert(arguments[argument].to_owned(), matched);
    }
    numbers
}

/// Returns whether an argument takes a number that is not part of a place.
fn takes(tool: &Tool, name: &str) -> bool {
    let kind = tool.annotation(name).and_then(|note| note.kind);
    tool.is_number(name) && kind.is_none_or(|kind| kind == Kind::Number)
}

fn candidates<'a>(turn: &'a Turn<'_>, draft: &DraftCall) -> Vec<Candidate<'a>> {
    let here = |value: &&Value| draft.clause.is_none_or(|clause| clause.contains(value.span));
    let said = |value: &&Value| stance(turn, value) == Stance::Said;
    let values = turn.values.iter().filter(here).filter(said);
    values
        .filter_map(|value| {
            let (Reading::Number(number) | Reading::Quantity { value: number, .. }) = value.reading
            else {
                return None;
            };
            // "1.2m" is 1.2 meters or 1.2 million; the argument knows which it can be.
            let plain = value.alternatives.iter().find_map(|other| match other {
                Reading::Number(number) if value.kind == Kind::Quantity => Some(*number),
                _ => None,
            });
            Some(Candidate {
                value,
                number: plain.unwrap_or(number),
                bare: plain.is_some() || value.kind == Kind::Number,
            })
        })
        .take(MOST_NUMBERS)
        .collect()
}

/// Returns the spans of the numbers.
pub(super) fn spans(turn: &Turn<'_>) -> Vec<Span> {
    let counts = |kind: Kind| matches!(kind, Kind::Number | Kind::Percentage | Kind::Quantity);
    turn.values.iter().filter(|value| counts(value.kind)).map(|value| value.span).collect()
}

/// "20k, sorry, 30k": a number that is replaced behind a correction is withdrawn.
fn stance(turn: &Turn<'_>, value: &Value) -> Stance {
    let mut corrections =
        turn.discourse.marks.iter().filter(|mark| mark.operator == Operator::Correction);
    let withdrawn = corrections.next_back().is_some_and(|mark| {
        let restated = turn
            .values
            .iter()
            .any(|other| other.span.start >= mark.span.end && other.kind == value.kind);
        restated && value.span.end <= mark.span.start
    });
    if withdrawn { Stance::Withdrawn } else { turn.stance(value.span) }
}

/// Scores how well a number suits an argument; negative where it cannot be meant for it.
fn score(
    turn: &Turn<'_>,
    tool: &Tool,
    name: &str,
    candidate: &Candidate<'_>,
    all: &[Candidate<'_>],
) -> f64 {
    let unit = tool.annotation(name).and_then(|note| note.unit.as_deref());
    let by_unit = match (&candidate.value.reading, unit) {
        _ if candidate.bare => 0.0,
        (Reading::Number(_), Some("percent")) => CERTAIN,
        (Reading::Quantity { unit: said, .. }, Some(unit)) if *said == unit => CERTAIN,
        _ => return -1.0,
    };
    let asked = turn
        .asked()
        .is_some_and(|(active, asked)| active.spec.name == tool.spec.name && asked == name);
    // "Household size is 5" answers another question than how many nets there are.
    let elsewhere = || {
        let others = tool.arguments().filter(|other| *other != name && takes(tool, other));
        let mut cues = others.flat_map(|other| cues(tool, other));
        cues.any(|cue| nearness(turn, &cue, candidate.value.span, all).is_some_and(|n| n >= ENOUGH))
    };
    let asked = if asked && all.len() == 1 && !elsewhere() { CERTAIN } else { 0.0 };
    let by_cue = cues(tool, name)
        .filter_map(|cue| nearness(turn, &cue, candidate.value.span, all))
        .fold(0.0, f64::max);
    by_unit + asked + by_cue
}

/// Scores how near a cue stands to a number with no other number between them; a cue behind the
/// number counts a little more.
fn nearness(turn: &Turn<'_>, cue: &str, number: Span, all: &[Candidate<'_>]) -> Option<f64> {
    /// Cues further away belong to something else.
    const FARTHEST: f64 = 4.0;
    let text = turn.text.normalized();
    let mut from = 0;
    let mut best: Option<f64> = None;
    while let Some(at) = text.get(from..).and_then(|rest| find_word(rest, cue)) {
        let start = from + at;
        from = start + cue.len();
        let span = turn.text.span(start, from);
        let (gap, behind) = if span.start >= number.end {
            (Span { start: number.end, end: span.start }, true)
        } else if span.end <= number.start {
            (Span { start: span.end, end: number.start }, false)
        } else {
            continue;
        };
        let divided = all.iter().any(|other| gap.contains(other.value.span));
        let distance = distance(turn.text.slice(gap));
        if divided || distance > FARTHEST {
            continue;
        }
        let score = if behind { CUED + 0.2 } else { CUED } - DISTANCE * distance;
        best = Some(best.map_or(score, |known: f64| known.max(score)));
    }
    best
}

/// Words between two things; a comma is as far as two words, and two Han characters are one.
fn distance(gap: &str) -> f64 {
    let han = gap.chars().filter(|c| waypost_core::text_match::is_han(*c)).count() as f64;
    let latin = |word: &&str| {
        word.chars().any(|c| c.is_alphanumeric() && !waypost_core::text_match::is_han(c))
    };
    let words = gap.split_whitespace().filter(latin).count() as f64;
    let commas = gap.chars().filter(|c| matches!(c, ',' | ';' | '，' | '、' | '；')).count() as f64;
    words + han / 2.0 + 2.0 * commas
}

/// A number that no unit and no cue claims goes to the one argument that it can be meant for: of
/// those that the earlier call had, or else of those that are open and for which it is usual.
fn give_rest(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    arguments: &[&str],
    candidates: &[Candidate<'_>],
    taken: &mut [Option<usize>],
    used: &mut [bool],
) {
    for (index, candidate) in candidates.iter().enumerate() {
        if used[index] || !candidate.bare || is_alternative(turn, candidates, index, used) {
            continue;
        }
        let open = (0..arguments.len()).filter(|argument| taken[*argument].is_none());
        let can: Vec<usize> =
            open.filter(|argument| can_be(tool, arguments[*argument], candidate.number)).collect();
        let usual = can.iter().copied();
        let usual: Vec<usize> = usual
            .filter(|argument| is_usual(tool, arguments[*argument], candidate.number))
            .collect();
        // A number that is unusual for all may be meant for the only one that can take it.
        let open = if usual.is_empty() { can } else { usual };
        let memory = draft.memory.as_ref();
        let before: Vec<usize> = open
            .iter()
            .copied()
            .filter(|argument| {
                memory.is_some_and(|past| past.arguments.contains_key(arguments[*argument]))
            })
            .collect();
        let meant = if before.is_empty() { open } else { before };
        if let [only] = meant[..] {
            taken[only] = Some(index);
            used[index] = true;
        }
    }
}

/// Returns whether a number is the other side of an "or" whose first side was taken.
fn is_alternative(
    turn: &Turn<'_>,
    candidates: &[Candidate<'_>],
    index: usize,
    used: &[bool],
) -> bool {
    let own = candidates[index].value.span;
    let others = candidates.iter().enumerate().filter(|(other, _)| *other != index && used[*other]);
    let mut others = others.map(|(_, other)| other.value.span);
    others.any(|other| turn.discourse.has_or(other.min(own), other.max(own)))
}

/// Returns whether an argument can take a number that was said without a unit.
fn can_be(tool: &Tool, name: &str, number: f64) -> bool {
    let unit = tool.annotation(name).and_then(|note| note.unit.as_ref());
    unit.is_none() && tool.accepts(name, &plain(number))
}

/// Returns whether a number lies within the usual range of an argument.
fn is_usual(tool: &Tool, name: &str, number: f64) -> bool {
    let soft = tool.annotation(name).and_then(|note| note.soft);
    soft.is_none_or(|[least, most]| (least..=most).contains(&number))
}

/// Another number that an "or" offers for the same argument.
fn rival(
    turn: &Turn<'_>,
    candidates: &[Candidate<'_>],
    pairs: &[Pair],
    argument: usize,
    own: usize,
    used: &[bool],
) -> Option<usize> {
    let claims = |other: usize| {
        pairs.iter().any(|pair| pair.candidate == other && pair.argument == argument)
    };
    (0..candidates.len()).filter(|other| *other != own && !used[*other]).find(|other| {
        let (one, two) = (candidates[own].value.span, candidates[*other].value.span);
        turn.discourse.has_or(one.min(two), one.max(two)) || claims(*other) && one.start < two.start
    })
}

fn found(candidate: &Candidate<'_>) -> Match {
    let by = By::Typed(candidate.value.rule);
    let evidence = Evidence::span(candidate.value.text.clone(), by);
    Match::Found(FilledValue { value: plain(candidate.number), evidence })
}

/// A number as a schema wants it: 25, not 25.0.
pub(super) fn plain(number: f64) -> Json {
    /// Beyond this, a float of 64 bits does not hold every whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT { json!(number as i64) } else { json!(number) }
}
