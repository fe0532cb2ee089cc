//! Gives each number to the argument that it was said for: by its unit, by the words beside it, and
//! by the limits of the schema. "Household size of 5 with 100000 nets" fills two arguments.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::{Kind, Reading, Value};
use waypost_text::text::Span;
use waypost_text::units;

use super::assign::{all, is_serial};
use super::cues::{cues, nearest, nearness};
use super::{DraftCall, FilledValue, Match, Wanted, scope};
use crate::pack::Tool;
use crate::turn::Turn;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    wanted.numbers.get(wanted.name).cloned()
}

/// The numbers of a turn, by the argument that they are for.
pub(super) type Numbers = BTreeMap<String, Match>;

/// The most numbers that are looked at: far more than a tool has arguments.
const MOST_NUMBERS: usize = 16;

/// A unit that fits, or the very argument that was asked for.
const CERTAIN: f64 = 3.0;
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

/// Assigns the numbers of a turn to the arguments of a tool, each at most once; a list takes all that
/// are left.
pub(super) fn assign(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool) -> Numbers {
    let free = |name: &&str| !draft.given.contains_key(*name);
    let arguments: Vec<&str> =
        tool.arguments().filter(|name| takes(tool, name)).filter(free).collect();
    let mut candidates = candidates(turn, draft);
    // Money and lengths of time are numbers only for an argument that counts them.
    candidates.retain(|candidate| {
        let counted = |name: &&str| in_unit(tool, name, candidate).is_some();
        candidate.bare
            || candidate.value.kind != Kind::Money && candidate.value.kind != Kind::Duration
            || arguments.iter().any(counted)
    });
    if candidates.is_empty() {
        return Numbers::new();
    }
    let pairs = pairs(turn, tool, &arguments, &candidates);
    let mut taken: Vec<Option<usize>> = vec![None; arguments.len()];
    let mut used = vec![false; candidates.len()];
    for pair in &pairs {
        if taken[pair.argument].is_none() && !used[pair.candidate] {
            taken[pair.argument] = Some(pair.candidate);
            used[pair.candidate] = true;
        }
    }
    give_in_order(tool, &arguments, &candidates, &mut taken, &mut used);
    give_rest(turn, draft, tool, &arguments, &candidates, &mut taken, &mut used);
    let rivals =
        |argument: usize, own: usize| rival(turn, &candidates, &pairs, argument, own, &used);
    let mut numbers = Numbers::new();
    for (argument, own) in taken.iter().enumerate() {
        let Some(own) = *own else { continue };
        let name = arguments[argument];
        let matched = match rivals(argument, own) {
            Some(other) => {
                Match::Unsure(vec![plain(candidates[own].number), plain(candidates[other].number)])
            }
            None => found(tool, name, &candidates[own]),
        };
        numbers.insert(name.to_owned(), matched);
    }
    ask_rest(tool, &arguments, &candidates, &used, &mut numbers);
    give_lists(turn, draft, tool, &candidates, &used, &mut numbers);
    numbers
}

/// The numbers with the arguments that words speak for, the surest first.
fn pairs(
    turn: &Turn<'_>,
    tool: &Tool,
    arguments: &[&str],
    candidates: &[Candidate<'_>],
) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (candidate, number) in candidates.iter().enumerate() {
        for (argument, name) in arguments.iter().enumerate() {
            let score = score(turn, tool, name, number, candidates);
            if score >= ENOUGH {
                pairs.push(Pair { candidate, argument, score });
            }
        }
    }
    pairs.sort_by(|a, b| b.score.total_cmp(&a.score));
    pairs
}

/// Returns whether an argument takes a number that is not part of a place.
fn takes(tool: &Tool, name: &str) -> bool {
    let kind = tool.annotation(name).and_then(|note| note.kind);
    tool.is_number(name) && !tool.is_list(name) && kind.is_none_or(|kind| kind == Kind::Number)
}

fn candidates<'a>(turn: &'a Turn<'_>, draft: &DraftCall) -> Vec<Candidate<'a>> {
    let values = scope::values(turn, draft).into_iter();
    let candidates = values.filter_map(|value| {
        let number = match &value.reading {
            Reading::Number(number)
            | Reading::Quantity { value: number, .. }
            | Reading::Money { value: number, .. } => *number,
            Reading::Duration(length) => units::duration(length, "s")?,
            _ => return None,
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
    });
    candidates.take(MOST_NUMBERS).collect()
}

/// Returns the spans of the numbers.
pub(super) fn spans(turn: &Turn<'_>) -> Vec<Span> {
    let counts = |kind: Kind| matches!(kind, Kind::Number | Kind::Percentage | Kind::Quantity);
    turn.values.iter().filter(|value| counts(value.kind)).map(|value| value.span).collect()
}

/// Scores how well a number suits an argument; negative where it cannot be meant for it.
fn score(
    turn: &Turn<'_>,
    tool: &Tool,
    name: &str,
    candidate: &Candidate<'_>,
    all: &[Candidate<'_>],
) -> f64 {
    let by_unit = match candidate.bare {
        true => 0.0,
        false if in_unit(tool, name, candidate).is_some() => CERTAIN,
        false => return -1.0,
    };
    let asked = turn
        .asked()
        .is_some_and(|(active, asked)| active.spec.name == tool.spec.name && asked == name);
    // "Household size is 5" answers another question than how many nets there are.
    let elsewhere = || {
        let others = tool.arguments().filter(|other| *other != name && takes(tool, other));
        let mut cues = others.flat_map(|other| cues(tool, other));
        let spans = spans_of(all);
        cues.any(|cue| {
            nearness(turn, &cue, candidate.value.span, &spans).is_some_and(|n| n >= ENOUGH)
        })
    };
    let asked = if asked && all.len() == 1 && !elsewhere() { CERTAIN } else { 0.0 };
    let by_cue = nearest(turn, tool, name, candidate.value.span, &spans_of(all));
    by_unit + asked + by_cue
}

fn spans_of(candidates: &[Candidate<'_>]) -> Vec<Span> {
    candidates.iter().map(|candidate| candidate.value.span).collect()
}

/// Arguments that are told apart by their place alone (`a` and `b`, `num1` and `num2`) take their
/// numbers in the order of the words.
fn give_in_order(
    tool: &Tool,
    arguments: &[&str],
    candidates: &[Candidate<'_>],
    taken: &mut [Option<usize>],
    used: &mut [bool],
) {
    let open = (0..arguments.len()).filter(|argument| taken[*argument].is_none());
    let open: Vec<usize> = open.filter(|argument| tool.requires(arguments[*argument])).collect();
    let names: Vec<&str> = open.iter().map(|argument| arguments[*argument]).collect();
    let left: Vec<usize> =
        (0..candidates.len()).filter(|index| !used[*index] && candidates[*index].bare).collect();
    if open.len() < 2 || open.len() != left.len() || !is_serial(&names) {
        return;
    }
    for (argument, index) in open.into_iter().zip(left) {
        taken[argument] = Some(index);
        used[index] = true;
    }
}

/// A required argument that several numbers may be meant for is asked about with all of them.
fn ask_rest(
    tool: &Tool,
    arguments: &[&str],
    candidates: &[Candidate<'_>],
    used: &[bool],
    numbers: &mut Numbers,
) {
    for name in arguments.iter().filter(|name| tool.requires(name)) {
        let left = candidates.iter().zip(used).filter(|(candidate, used)| {
            !**used && candidate.bare && can_be(tool, name, candidate.number)
        });
        let mut left: Vec<Json> = left.map(|(candidate, _)| plain(candidate.number)).collect();
        left.dedup();
        if !left.is_empty() && !numbers.contains_key(*name) {
            numbers.insert((*name).to_owned(), Match::Unsure(left));
        }
    }
}

/// The one list of numbers that a tool takes holds all that are left.
fn give_lists(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    candidates: &[Candidate<'_>],
    used: &[bool],
    numbers: &mut Numbers,
) {
    let lists = tool.arguments().filter(|name| {
        let kind = tool.annotation(name).and_then(|note| note.kind);
        tool.is_list(name) && kind == Some(Kind::Number) && !draft.given.contains_key(*name)
    });
    let lists: Vec<&str> = lists.collect();
    let [name] = lists[..] else { return };
    let left = candidates.iter().zip(used).filter(|(candidate, used)| !**used && candidate.bare);
    let left: Vec<&Candidate<'_>> = left.map(|(candidate, _)| candidate).collect();
    let forms: Vec<Json> = left.iter().map(|candidate| plain(candidate.number)).collect();
    if forms.is_empty() || !tool.accepts(name, &Json::Array(forms.clone())) {
        return;
    }
    let values: Vec<&Value> = left.iter().map(|candidate| candidate.value).collect();
    numbers.insert(name.to_owned(), all(turn, &values, forms));
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
    let text_too = tool.shape(name).is_some_and(|shape| shape.types.string);
    unit.is_none() && !text_too && tool.accepts(name, &plain(number))
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

fn found(tool: &Tool, name: &str, candidate: &Candidate<'_>) -> Match {
    let by = By::Typed(candidate.value.rule);
    let evidence = Evidence::span(candidate.value.text.clone(), by);
    let number = match candidate.bare {
        true => candidate.number,
        false => in_unit(tool, name, candidate).unwrap_or(candidate.number),
    };
    let value = whole(tool, name, number);
    Match::Found(FilledValue { value, evidence, spans: vec![candidate.value.span] })
}

/// A number as an argument takes it: a conversion of units leaves no trace in the last digits.
fn whole(tool: &Tool, name: &str, number: f64) -> Json {
    /// Nine digits behind the point are more than anybody says.
    const DIGITS: f64 = 1e9;
    let rounded = (number * DIGITS).round() / DIGITS;
    let value = plain(rounded);
    if tool.accepts(name, &value) { value } else { plain(number) }
}

/// The amount in the unit of an argument; `None` where it measures something else, or the argument
/// says no unit.
fn in_unit(tool: &Tool, name: &str, candidate: &Candidate<'_>) -> Option<f64> {
    let own = tool.annotation(name).and_then(|note| note.unit.as_deref());
    let unit = own.or_else(|| tool.suggested(name)?.unit)?;
    match &candidate.value.reading {
        Reading::Number(number) if candidate.value.kind == Kind::Percentage => {
            (unit == "percent").then_some(*number)
        }
        Reading::Quantity { value, unit: said, .. } => convert(*value, said, unit),
        Reading::Money { value, .. } => (unit == MONEY).then_some(*value),
        Reading::Duration(length) => units::duration(length, unit),
        _ => None,
    }
}

/// The unit that stands for amounts of money of any currency; nothing is converted into another.
pub(crate) const MONEY: &str = "money";

fn convert(value: f64, from: &str, to: &str) -> Option<f64> {
    if from == to { Some(value) } else { units::convert(value, from, to) }
}

/// A number as a schema wants it: 25, not 25.0.
pub(super) fn plain(number: f64) -> Json {
    /// Beyond this, a float of 64 bits does not hold every whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT { json!(number as i64) } else { json!(number) }
}
