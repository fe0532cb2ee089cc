//! Gives each number to the argument that it was said for: by its unit, by the words beside it, and
//! by the limits of the schema. "Household size of 5 with 100000 nets" fills two arguments.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::find_word;
use waypost_text::extract::{Kind, Operator, Reading, Role, Value};
use waypost_text::text::Span;

use super::amount::{self, Candidate, Edge, Fit, candidates, exact, is_joined, is_signed};
use super::assign::is_serial;
use super::cues::{CUED, cues, nearest, nearness};
use super::{DraftCall, FilledValue, Match, Wanted, bounds, list, roles};
use crate::pack::Tool;
use crate::pack::suggest::{is_year, words_of};
use crate::understand::Turn;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    wanted.numbers.get(wanted.name).cloned()
}

/// The numbers of a turn, by the argument that they are for.
pub(super) type Numbers = BTreeMap<String, Match>;

/// A unit that fits, or the very argument that was asked for.
const CERTAIN: f64 = 3.0;
/// The least score at which a number may fill an argument.
const ENOUGH: f64 = 1.0;

/// How much less words speak for a number that is unusual for an argument.
const UNUSUAL: f64 = 0.7;

/// A number and an argument that it may be for.
struct Pair {
    candidate: usize,
    argument: usize,
    score: f64,
}

/// Assigns the numbers of a turn to the arguments of a tool, each at most once; a list takes those that
/// are joined to one, or else all that are left.
pub(super) fn assign(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool) -> Numbers {
    let free = |name: &&str| !draft.given.contains_key(*name);
    let arguments: Vec<&str> =
        tool.arguments().filter(|name| takes(tool, name)).filter(free).collect();
    let mut candidates = candidates(turn, draft);
    // An amount is a number only for an argument that counts it.
    candidates.retain(|candidate| {
        let counted = |name: &&str| amount::fit(tool, name, candidate).is_some();
        candidate.bare || arguments.iter().any(counted)
    });
    if candidates.is_empty() {
        return Numbers::new();
    }
    let mut numbers = Numbers::new();
    let mut used = vec![false; candidates.len()];
    list::give_runs(turn, draft, tool, &candidates, &mut used, &mut numbers);
    let mut taken: Vec<Option<usize>> = vec![None; arguments.len()];
    bounds::give(turn, tool, &arguments, &mut candidates, &mut taken, &mut used);
    let pairs = pairs(turn, tool, &arguments, &candidates, &used);
    give_told(tool, &arguments, &pairs, &mut taken, &mut used);
    give_in_order(turn, tool, &arguments, &candidates, &mut taken, &mut used);
    give_rest(turn, draft, tool, &arguments, &candidates, &mut taken, &mut used);
    let rivals =
        |argument: usize, own: usize| rival(turn, &candidates, &pairs, argument, own, &used);
    for (argument, own) in taken.iter().enumerate() {
        let Some(own) = *own else { continue };
        let name = arguments[argument];
        let matched = match rivals(argument, own) {
            Some(other) => Match::Unsure(
                [own, other].iter().map(|index| form(tool, name, &candidates[*index])).collect(),
            ),
            None => found(tool, name, &candidates[own]),
        };
        numbers.insert(name.to_owned(), matched);
    }
    ask_rest(tool, &arguments, &candidates, &used, &mut numbers);
    list::give_rest(turn, draft, tool, &candidates, &used, &mut numbers);
    numbers
}

/// Gives the numbers for which words or units speak, the surest first. Of several arguments that
/// they speak for alike, only one that is required alone is meant.
fn give_told(
    tool: &Tool,
    arguments: &[&str],
    pairs: &[Pair],
    taken: &mut [Option<usize>],
    used: &mut [bool],
) {
    for pair in pairs {
        if taken[pair.argument].is_some() || used[pair.candidate] {
            continue;
        }
        let alike = pairs.iter().filter(|other| {
            other.candidate == pair.candidate
                && taken[other.argument].is_none()
                && (other.score - pair.score).abs() < f64::EPSILON
        });
        let alike: Vec<usize> = alike.map(|other| other.argument).collect();
        let required = alike.iter().filter(|argument| tool.requires(arguments[**argument]));
        let required: Vec<usize> = required.copied().collect();
        let annotated = alike.iter().any(|argument| tool.is_annotated(arguments[*argument]));
        let meant = match (&alike[..], &required[..]) {
            ([only], _) | (_, [only]) => *only,
            _ if annotated => pair.argument,
            _ => continue,
        };
        taken[meant] = Some(pair.candidate);
        used[pair.candidate] = true;
    }
}

/// The numbers with the arguments that words speak for, the surest first.
fn pairs(
    turn: &Turn<'_>,
    tool: &Tool,
    arguments: &[&str],
    candidates: &[Candidate<'_>],
    used: &[bool],
) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let free = candidates.iter().enumerate().filter(|(candidate, _)| !used[*candidate]);
    for (candidate, number) in free {
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
    let number = tool.is_number(name) && kind.is_none_or(|kind| kind == Kind::Number);
    let year = || kind.is_none() && tool.is_free_text(name) && is_year(name);
    !tool.is_list(name) && (number || year())
}

/// Returns the spans of the numbers.
pub(super) fn spans(turn: &Turn<'_>) -> Vec<Span> {
    let counts = |kind: Kind| matches!(kind, Kind::Number | Kind::Percentage | Kind::Quantity);
    turn.said.values.iter().filter(|value| counts(value.kind)).map(|value| value.span).collect()
}

/// Scores how well a number suits an argument; negative where it cannot be meant for it.
fn score(
    turn: &Turn<'_>,
    tool: &Tool,
    name: &str,
    candidate: &Candidate<'_>,
    all: &[Candidate<'_>],
) -> f64 {
    let fit = amount::fit(tool, name, candidate);
    let by_unit = match fit {
        Some(Fit::Unit(_)) => CERTAIN,
        Some(Fit::Bare(_) | Fit::Loose(_)) => 0.0,
        None => return -1.0,
    };
    let asked = turn.asks_for(tool, name);
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
    let by_cue = nearest(turn, tool, name, candidate.value.span, &spans_of(all))
        .max(within(turn, tool, name, candidate.value))
        .max(counts_results(turn, tool, name, candidate));
    // "1,200,000 household size 5": what stands beside the words may be meant for others.
    let trust = if is_usual(tool, name, candidate.number) { 1.0 } else { UNUSUAL };
    by_unit + asked + by_cue * trust
}

/// The score of words of an argument within a number itself: the "number" of "number 42", and the sign of "#42".
fn within(turn: &Turn<'_>, tool: &Tool, name: &str, value: &Value) -> f64 {
    const NUMBERED: [&str; 5] = ["number", "num", "no", "nr", "id"];
    let words = turn.said.text.slice(value.span).to_lowercase();
    let numbers = || words_of(name).iter().any(|word| NUMBERED.contains(&word.as_str()));
    let named = || cues(tool, name).any(|cue| find_word(&words, &cue).is_some());
    let ordinal = matches!(value.reading, Reading::Ordinal(_));
    let says = ordinal && (named() || is_signed(value) && numbers());
    if says { CUED } else { 0.0 }
}

/// The score of a number that counts what the tool gives, for the argument that says how much it gives: "list the first 5 orders".
fn counts_results(turn: &Turn<'_>, tool: &Tool, name: &str, candidate: &Candidate<'_>) -> f64 {
    const MOST: [&str; 9] =
        ["limit", "count", "max", "maximum", "top", "n", "num", "size", "results"];
    let limits = |name: &str| words_of(name).iter().any(|word| MOST.contains(&word.as_str()));
    let is_count = candidate.bare && candidate.number >= 1.0 && candidate.number.fract() == 0.0;
    if !is_count || !limits(name) || tool.arguments().filter(|name| limits(name)).count() > 1 {
        return 0.0;
    }
    let end = turn.said.text.original().chars().count();
    let behind = turn.said.text.slice(Span { start: candidate.value.span.end, end }).trim_start();
    let noun = behind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let noun = noun.to_lowercase();
    let own = words_of(&tool.spec.name).into_iter().chain(words_of(&tool.spec.summary));
    let stem = |word: &str| word.trim_end_matches('s').to_owned();
    let says = noun.len() >= SHORTEST_NOUN && own.map(|word| stem(&word)).any(|w| w == stem(&noun));
    if says { CUED } else { 0.0 }
}

/// The shortest noun that may be what a tool gives, in letters.
const SHORTEST_NOUN: usize = 3;

pub(super) fn spans_of(candidates: &[Candidate<'_>]) -> Vec<Span> {
    candidates.iter().map(|candidate| candidate.value.span).collect()
}

/// Arguments that are told apart by their place alone (`a` and `b`, `num1` and `num2`) take their
/// numbers in the order of the words.
fn give_in_order(
    turn: &Turn<'_>,
    tool: &Tool,
    arguments: &[&str],
    candidates: &[Candidate<'_>],
    taken: &mut [Option<usize>],
    used: &mut [bool],
) {
    let open = (0..arguments.len()).filter(|argument| taken[*argument].is_none());
    let open: Vec<usize> = open.filter(|argument| tool.requires(arguments[*argument])).collect();
    let names: Vec<&str> = open.iter().map(|argument| arguments[*argument]).collect();
    let mut left: Vec<usize> =
        (0..candidates.len()).filter(|index| !used[*index] && candidates[*index].bare).collect();
    // "The two sides, 4 and 5": a word counts what the digits are.
    if left.len() > open.len() {
        left.retain(|index| candidates[*index].value.text.contains(|c: char| c.is_ascii_digit()));
    }
    // "Between 300 and 400": the first is the start, and the second the end.
    let roles: Vec<Option<Role>> = names.iter().map(|name| roles::by_name(name)).collect();
    let pair = roles == [Some(Role::Source), Some(Role::Target)]
        && left.windows(2).all(|pair| {
            let spans = [candidates[pair[0]].value.span, candidates[pair[1]].value.span];
            let gap = Span { start: spans[0].end, end: spans[1].start.max(spans[0].end) };
            is_joined(turn, gap) && turn.said.discourse.has(Operator::And, gap)
        });
    if open.len() < 2 || open.len() != left.len() || !is_serial(&names) && !pair {
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
        let mut left: Vec<Json> = left.map(|(candidate, _)| form(tool, name, candidate)).collect();
        left.dedup();
        if !left.is_empty() && !numbers.contains_key(*name) {
            numbers.insert((*name).to_owned(), Match::Unsure(left));
        }
    }
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
        let open = open.filter(|argument| has_right(turn, tool, arguments[*argument], candidate));
        let can: Vec<usize> =
            open.filter(|argument| can_be(tool, arguments[*argument], candidate.number)).collect();
        let usual = can.iter().copied();
        let usual: Vec<usize> = usual
            .filter(|argument| is_usual(tool, arguments[*argument], candidate.number))
            .collect();
        // A number that is unusual for all may be meant for the only one that can take it; beside others it is none that
        // is asked for, as that of 一戶五人.
        let open = match usual.is_empty() {
            true if used.contains(&true) => continue,
            true => can,
            false => usual,
        };
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

/// Returns whether a number that nothing claims may fill an argument: one that a pack knows or that is
/// needed, or any where the number is all that is said.
fn has_right(turn: &Turn<'_>, tool: &Tool, name: &str, candidate: &Candidate<'_>) -> bool {
    let said = turn.said.text.original().trim();
    tool.is_annotated(name) || tool.requires(name) || said == candidate.value.text
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
    others.any(|other| turn.said.discourse.has_or(other.min(own), other.max(own)))
}

/// Numbers that are years without a word that says so.
const YEARS: std::ops::Range<f64> = 1000.0..3000.0;

/// Returns whether an argument can take a number that was said without a unit.
fn can_be(tool: &Tool, name: &str, number: f64) -> bool {
    let unit = tool.annotation(name).and_then(|note| note.unit.as_deref());
    // Prices are said without their currency.
    let unit = unit.filter(|unit| *unit != amount::MONEY);
    let text_too = tool.shape(name).is_some_and(|shape| shape.types.string);
    let timely = !is_year(name) || number.fract() == 0.0 && YEARS.contains(&number);
    unit.is_none() && !text_too && timely && tool.accepts(name, &plain(number))
}

/// Returns whether a number lies within the usual range of an argument.
pub(super) fn is_usual(tool: &Tool, name: &str, number: f64) -> bool {
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
        turn.said.discourse.has_or(one.min(two), one.max(two))
            || claims(*other) && one.start < two.start
    })
}

fn found(tool: &Tool, name: &str, candidate: &Candidate<'_>) -> Match {
    let by = By::Typed(candidate.value.rule);
    let evidence = Evidence::span(candidate.value.text.clone(), by);
    // Both sides of a stretch of years stand in the same words.
    let shared = matches!(candidate.edge, Some(Edge::First | Edge::Last));
    let spans = if shared { Vec::new() } else { vec![candidate.value.span] };
    Match::Found(FilledValue { value: form(tool, name, candidate), evidence, spans })
}

/// The number that a candidate is for an argument, in its unit: as it was said, unless it was converted.
fn form(tool: &Tool, name: &str, candidate: &Candidate<'_>) -> Json {
    let number = amount::fit(tool, name, candidate).map_or(candidate.number, Fit::number);
    let value = match number == candidate.number {
        true => exact(candidate.value).unwrap_or_else(|| plain(number)),
        false => whole(tool, name, number),
    };
    let text = json!(value.to_string());
    if !tool.accepts(name, &value) && tool.accepts(name, &text) { text } else { value }
}

/// A number as an argument takes it: a conversion of units leaves no trace in the last digits.
fn whole(tool: &Tool, name: &str, number: f64) -> Json {
    /// Nine digits behind the point are more than anybody says.
    const DIGITS: f64 = 1e9;
    let rounded = (number * DIGITS).round() / DIGITS;
    let value = plain(rounded);
    if tool.accepts(name, &value) { value } else { plain(number) }
}

/// A number as a schema wants it: 25, not 25.0.
pub(super) fn plain(number: f64) -> Json {
    /// Beyond this, a float of 64 bits does not hold every whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT { json!(number as i64) } else { json!(number) }
}
