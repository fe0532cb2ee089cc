//! Fills the arguments of a tool, each with its evidence.
//!
//! An argument is a slot; its name, kind, unit, words and role are known since the pack was loaded. Filling a call goes one way:
//!
//! 1. `scope` says which words are about the call, and how they are meant;
//! 2. `bind` settles where and when, and so how many calls there are;
//! 3. `deal` gives the values, numbers and names that were said to the arguments that take them, all at once, by one table of what
//!    speaks for a value as that of an argument;
//! 4. `matchers` are asked for every argument, surest first: what was dealt is one of them, beside what was settled, named, remembered
//!    or assumed;
//! 5. `open` turns what is left into the one question of the turn: an argument that stays open, a tie, words that nothing took.
//!
//! `trace` shows of each argument all values that were weighed.

mod bind;
mod compose;
mod convert;
mod cues;
mod deal;
mod each;
mod fit;
pub(crate) mod matchers;
mod notation;
mod open;
mod phrase;
mod roles;
mod scope;
mod settable;
mod siblings;
pub(crate) mod trace;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json};
use waypost_core::records::decision::{Call, Evidence, Source};
use waypost_core::records::request::{Choice, PastCall};
use waypost_text::extract::{Kind, Reading, Value};
use waypost_text::text::Span;

use self::deal::{names, said};
use self::matchers::named::vocabulary;
pub(crate) use self::matchers::receipt;
use self::matchers::{FilledValue, Match, Wanted, answers, likely};
pub(in crate::decide) use self::open::either;
pub(crate) use self::open::question;
pub(in crate::decide) use self::scope::is_when;
use crate::pack::messages::Sentence;
use crate::pack::spec::Condition;
use crate::pack::{Pack, Tool};
use crate::understand::mention::Mention;
use crate::understand::{Section, Turn};

/// A tool that a layer proposes, with what it knows of the arguments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DraftCall {
    /// The tool, or any of its family.
    pub tool: String,
    /// Values that are settled: a choice, an answer.
    pub given: BTreeMap<String, Given>,
    /// Values that a model proposes: they fill nothing that nothing else bears out.
    pub proposed: Map<String, Json>,
    /// The earlier call that this one follows.
    pub memory: Option<PastCall>,
    /// An argument that is to be asked for, whatever is known of it.
    pub ask: Option<String>,
    /// True if the user passed over what was asked.
    pub skipped: bool,
    /// True if this very tool is meant, not another of its family.
    pub exact: bool,
    /// The part of the text that asks for it, where the text asks for several things.
    pub clause: Option<Span>,
    /// The section of the text that asks for it, where each section is a question of its own.
    pub section: Option<Arc<Section>>,
    /// The parts of the text that only tell something: a place or a day there counts only where none is named outside.
    pub told: Vec<Span>,
    /// The words that a choice was taken by, such as the digit of a menu: they say nothing else.
    pub consumed: Vec<Span>,
    /// The conditions of the text, for a call that changes something: no value in one is a value of the call.
    pub conditions: Vec<Span>,
    /// True if only plain signs fill arguments: what is likely meant says little of which tool is.
    pub unguessed: bool,
}

/// A value that is settled, with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The value.
    pub value: Json,
    /// The source of the value.
    pub evidence: Evidence,
}

/// An argument that nothing fills, or that several values would.
#[derive(Debug, Clone, PartialEq)]
pub struct Gap {
    /// The tool.
    pub tool: String,
    /// The argument.
    pub argument: String,
    /// The question.
    pub sentence: Sentence,
    /// Choices that lead on.
    pub choices: Vec<Choice>,
}

/// The result of filling a tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filled {
    /// The calls, as far as they are known.
    pub calls: Vec<Call>,
    /// The arguments that are missing, in the order of the schema.
    pub gaps: Vec<Gap>,
    /// True if the words go on with the call that was asked about but do not answer the question.
    pub unanswered: bool,
    /// The sentences for values that were assumed rather than said.
    pub assumptions: Vec<Sentence>,
    /// Values and names that were said for the tool and fill none of its arguments, in the order of
    /// the text.
    pub leftover: Vec<Span>,
    /// The section that it was filled from, if that is not the whole text.
    pub section: Option<Arc<Section>>,
    /// The clause that it was filled from, if that is not the whole text.
    pub clause: Option<Span>,
    /// The misfit between the tool and what was said; in a family the least cost wins.
    pub cost: f64,
}

/// Fills the tool of `draft`, or the one of its family that fits what was said best.
///
/// Returns `None` if the pack has no such tool.
pub fn fill(turn: &Turn<'_>, draft: &DraftCall) -> Option<Filled> {
    let Some(section) = &draft.section else { return fill_whole(turn, draft) };
    let mut filled = fill_whole(&turn.of_section(section), draft)?;
    filled.leftover = filled.leftover.iter().filter_map(|span| section.place(*span)).collect();
    filled.section = Some(Arc::clone(section));
    Some(filled)
}

fn fill_whole(turn: &Turn<'_>, draft: &DraftCall) -> Option<Filled> {
    let tool = turn.pack.tool(&draft.tool)?;
    let draft = &scope::under_conditions(turn, draft);
    if draft.exact {
        return Some(fill_tool(turn, draft, tool));
    }
    // The named tool stands first, so that it wins where all fit alike.
    let others = turn.pack.family(tool).filter(|other| other.spec.name != tool.spec.name);
    let mut best = (tool, fill_tool(turn, draft, tool));
    for other in others {
        let filled = fill_tool(turn, draft, other);
        if filled.cost < best.1.cost {
            best = (other, filled);
        }
    }
    let (tool, best) = best;
    Some(siblings::join(turn, draft, tool, best))
}

/// Returns whether values were said that the tool of `draft` has no use for and that another of its
/// family takes: the words may have been misread.
pub(crate) fn leaves_values(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool) -> bool {
    turn.pack.family(tool).count() > 1
        && unused(turn, tool, &fill_tool(turn, draft, tool).leftover) > 0
}

fn fill_tool(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool) -> Filled {
    let bindings = bind::bind(turn, draft, tool);
    let dealt = said::deal(turn, draft, tool);
    let each = each::values(turn, draft, tool);
    let mut filled = Filled {
        cost: bindings.cost,
        assumptions: bindings.assumptions,
        clause: draft.clause,
        ..Filled::default()
    };
    let mut used = Vec::new();
    let limit = turn.pack.spec.policy.max_calls + 1;
    let (places, times, each) =
        (optional(&bindings.places), optional(&bindings.times), optional(&each));
    let (times, each) = (&times, &each);
    let abouts = places.iter().flat_map(|place| {
        let times = times.iter();
        times.flat_map(move |time| each.iter().map(move |each| (*place, *time, *each)))
    });
    for (place, time, each) in abouts.take(limit) {
        let about = About { place, time, each, dealt: &dealt };
        let one = fill_call(turn, draft, tool, &about);
        filled.calls.push(one.call);
        used.extend(one.used);
        // Several calls ask the same once.
        let known = |gap: &Gap| filled.gaps.contains(gap);
        let new: Vec<Gap> = one.unsure.into_iter().filter(|gap| !known(gap)).collect();
        filled.gaps.extend(new);
    }
    if let Some(name) = &draft.ask {
        filled.gaps.push(question::open(turn, tool, name, &bindings.unusable));
        open::reopen(&mut filled.calls, name);
    }
    open::add(turn, draft, tool, &mut filled, &used, &bindings.unusable);
    if filled.gaps.is_empty()
        && let [call] = &filled.calls[..]
    {
        let gap = open::unsaid::ask(turn, draft, tool, call, &used);
        filled.gaps.extend(gap);
    }
    if let Some(name) = unanswered(turn, draft, tool, &filled) {
        filled.gaps.push(question::open(turn, tool, name, &bindings.unusable));
        filled.unanswered = true;
    }
    let time = bindings.unusable_times.first();
    if let Some(gap) = time.and_then(|time| bind::day_gap(turn, tool, time)) {
        // A range of days does not silently become today.
        open::reopen(&mut filled.calls, &gap.argument);
        filled.gaps.push(gap);
    }
    filled.cost += filled.gaps.len() as f64 + unfit(turn, draft, tool, filled.calls.first());
    filled.leftover = scope::leftover(turn, draft, tool, &filled.calls, &used);
    filled.cost += LEFT * unused(turn, tool, &filled.leftover) as f64;
    filled
}

/// The argument that was asked for, where the words go on with its tool and say nothing of it: it
/// would be asked for again by the tool, which would have run for nothing.
fn unanswered<'a>(
    turn: &'a Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    filled: &Filled,
) -> Option<&'a str> {
    let (active, name) = turn.asked()?;
    let goes_on = active.spec.name == tool.spec.name && draft.given.is_empty() && !draft.skipped;
    (goes_on && filled.gaps.is_empty() && !news(filled)).then_some(name)
}

/// A value of a kind that another tool of the family would take.
const LEFT: f64 = 1.0;

/// Counts the values that a tool has no use for and that another of its family would take: two places
/// and a time are no question for the time of one. Where and when are counted as they are bound.
fn unused(turn: &Turn<'_>, tool: &Tool, leftover: &[Span]) -> usize {
    let others = || turn.pack.family(tool).filter(|other| other.spec.name != tool.spec.name);
    let takes = |value: &&Value| {
        others().any(|other| {
            let mut notes = other.annotations();
            notes.any(|(_, note)| note.kind.is_some_and(|kind| said::is_for(value.kind, kind)))
        })
    };
    let left = turn.said.values.iter().filter(|value| leftover.contains(&value.span));
    left.filter(takes).count()
}

/// Returns how badly a tool suits what was named and the state of the workflow: a name that it has
/// no use for, a flag that is not set yet, or a value that only a default fills.
fn unfit(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool, call: Option<&Call>) -> f64 {
    /// Less than a value that is bent to fit.
    const USELESS: f64 = 0.3;
    /// Less than a missing argument: a closed gate leads on, a gap has to be asked about.
    const CLOSED: f64 = 0.5;
    let can_name = |tool: &Tool, mention: &Mention| {
        let mut names = tool.arguments();
        names.any(|name| mention.key(vocabulary(tool, name)).any(|key| tool.lists(name, key)))
    };
    // A name that another tool takes says more than a closed gate: "the PCA map" is not the map of a column.
    let others = || turn.pack.family(tool).filter(|other| other.spec.name != tool.spec.name);
    let of_mention = |mention: &Mention| {
        let is_of_another = tool.spec.own_head && others().any(|other| can_name(other, mention));
        if is_of_another { LEFT } else { USELESS }
    };
    let mentions = turn.said.discourse.mentions.iter();
    let mentions =
        mentions.filter(|mention| draft.clause.is_none_or(|own| own.contains(mention.span)));
    let useless: f64 = mentions.filter(|mention| !can_name(tool, mention)).map(of_mention).sum();
    // A closed gate tells tools with a head of their own apart; values tell a point from a box.
    let closed = tool.spec.own_head
        && tool
            .spec
            .requires
            .iter()
            .any(|needed| needed.condition == Condition::default() && !turn.flag(&needed.flag));
    let guessed = call.is_some_and(|call| {
        call.evidence.values().any(|receipt| receipt.source == Source::Default)
    });
    // A tool that a default has to fill is the weaker meaning.
    let guessed = if guessed && turn.pack.family(tool).count() > 1 { 0.1 } else { 0.0 };
    useless + if closed { CLOSED } else { 0.0 } + guessed
}

/// Every item, or one `None` where there is none: a call is made either way.
fn optional<T>(items: &[T]) -> Vec<Option<&T>> {
    if items.is_empty() { vec![None] } else { items.iter().map(Some).collect() }
}

/// What one call is about, and what was said for its arguments.
#[derive(Clone, Copy)]
struct About<'a> {
    place: Option<&'a bind::Bound>,
    time: Option<&'a bind::Bound>,
    each: Option<&'a each::Each>,
    dealt: &'a said::Values,
}

/// One call as far as it is known.
struct FilledCall {
    call: Call,
    unsure: Vec<Gap>,
    used: Vec<Span>,
}

/// The arguments of a tool in the order in which they are filled: those that take words as they are
/// come last, when the words that mean something else are gone.
fn by_reach(tool: &Tool) -> Vec<&str> {
    let mut names: Vec<&str> = tool.arguments().collect();
    // Of two that may take the same words, the one that is needed is asked first.
    names.sort_by_key(|name| (reach(tool, name), !tool.requires(name)));
    names
}

/// The number of sorts of words that an argument may take: those of [`NAMES`] take names, and those behind them
/// anything.
fn reach(tool: &Tool, name: &str) -> u8 {
    let kind = tool.annotation(name).and_then(|note| note.kind);
    match kind {
        Some(Kind::Text) => NAMES + 1,
        None if tool.listed(name).is_empty() => match tool.shape(name) {
            Some(shape) if shape.types.string => NAMES,
            Some(shape) if shape.types.array => NAMES + 1,
            _ => 1,
        },
        _ => 0,
    }
}

/// The reach of an argument for names.
const NAMES: u8 = 2;

/// Visits the arguments of a call in the order in which they are filled, and those that plain signs fill first. `visit` returns the
/// words that the argument took, or `None` if nothing fills it yet.
fn walk(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    about: &About<'_>,
    mut visit: impl FnMut(&Wanted<'_>) -> Option<Vec<Span>>,
) -> Vec<Span> {
    let mut used: Vec<Span> = Vec::new();
    let mut named: Option<names::Named> = None;
    let guesses = OnceCell::new();
    let mut open = by_reach(tool);
    for last in [false, true] {
        let mut left = Vec::new();
        for name in open {
            let Some(wanted) = Wanted::of(turn, draft, tool, name) else { continue };
            let &About { place, time, each, dealt } = about;
            let wanted = Wanted { place, time, each, dealt: Some(dealt), used: &used, ..wanted };
            let wanted = Wanted { last, guesses: Some(&guesses), ..wanted };
            if named.is_none() && reach(tool, name) == NAMES {
                named = Some(names::deal(&wanted));
            }
            match visit(&Wanted { named: named.as_ref(), ..wanted }) {
                Some(taken) => used.extend(taken),
                None => left.push(name),
            }
        }
        open = left;
    }
    used
}

fn fill_call(turn: &Turn<'_>, draft: &DraftCall, tool: &Tool, about: &About<'_>) -> FilledCall {
    let mut values: BTreeMap<&str, FilledValue> = BTreeMap::new();
    let mut unsure: Vec<Gap> = Vec::new();
    let mut undecided: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    let names: BTreeMap<&str, &str> = tool.arguments().map(|name| (name, name)).collect();
    let used = walk(turn, draft, tool, about, |wanted| {
        let before = undecided.remove(wanted.name);
        let wanted = &Wanted { undecided: before.is_some(), ..*wanted };
        let answer = match (answers(wanted).next(), before) {
            // What is likely meant settles what plain signs leave undecided.
            (Some((likely::NAME, found)), _) => Some(found),
            (_, Some(values)) => Some(Match::Unsure(values)),
            (answer, None) => answer.map(|(_, answer)| answer),
        };
        match answer {
            Some(Match::Unsure(values))
                if !wanted.last && values.len() > 1 && wanted.guesses().is_some() =>
            {
                undecided.insert(wanted.name.to_owned(), values);
                return None;
            }
            Some(Match::Found(found)) if is_denied(wanted, &found) => {
                unsure.push(question::open(turn, tool, wanted.name, &[]));
            }
            Some(Match::Found(found)) => {
                let spans = found.spans.clone();
                if let Some(name) = names.get(wanted.name) {
                    values.insert(name, found);
                }
                return Some(spans);
            }
            Some(Match::Unsure(values)) => {
                unsure.push(question::which(turn, tool, wanted.name, &values));
            }
            None => return None,
        }
        Some(Vec::new())
    });
    settable::fit(turn, draft, tool, &mut values);
    let mut call =
        Call { tool: tool.spec.name.clone(), arguments: Map::new(), evidence: BTreeMap::new() };
    for name in tool.arguments() {
        if let Some(found) = values.remove(name) {
            call.arguments.insert(name.to_owned(), found.value);
            call.evidence.insert(name.to_owned(), found.evidence);
        }
    }
    let place = |gap: &Gap| tool.arguments().position(|name| name == gap.argument);
    unsure.sort_by_key(place);
    FilledCall { call, unsure, used }
}

/// Returns whether a default or an earlier call says what the words deny: "not today", where nothing else
/// is said of the day, does not mean today.
fn is_denied(wanted: &Wanted<'_>, found: &FilledValue) -> bool {
    let &Wanted { turn, draft, tool, name, .. } = wanted;
    let assumed = matches!(found.evidence.source, Source::Default | Source::Memory);
    assumed
        && scope::denied(turn, draft)
            .into_iter()
            .any(|value| fit::fit(turn, tool, name, value).as_ref() == Some(&found.value))
}

/// Returns the spans of the numbers in a turn; empty where the tool takes none of them.
pub(crate) fn number_spans(turn: &Turn<'_>, tool: &Tool, memory: Option<&PastCall>) -> Vec<Span> {
    let draft =
        DraftCall { tool: tool.spec.name.clone(), memory: memory.cloned(), ..DraftCall::default() };
    let dealt = said::deal(turn, &draft, tool);
    match dealt.keys().any(|name| deal::number::takes(tool, name)) {
        true => deal::number::spans(turn),
        false => Vec::new(),
    }
}

/// Returns the spans of words that belong to a tool's numbers, so that "200k nets" is one answer.
pub(crate) fn cue_spans(turn: &Turn<'_>, tool: &Tool) -> Vec<Span> {
    let text = turn.said.text.normalized();
    let cues =
        tool.arguments().filter(|name| tool.is_number(name)).flat_map(|name| tool.cues(name));
    let spans = cues.filter_map(|cue| {
        let at = waypost_core::text_match::find_word(text, cue)?;
        Some(turn.said.text.span(at, at + cue.len()))
    });
    spans.collect()
}

/// Returns whether the words fill anything of a call that was not known before.
pub(crate) fn adds(turn: &Turn<'_>, draft: &DraftCall) -> bool {
    fill(turn, draft).is_some_and(|filled| !filled.unanswered)
}

/// Returns whether the words of a call fill any of its arguments.
fn news(filled: &Filled) -> bool {
    filled.calls.iter().flat_map(|call| call.evidence.values()).any(|receipt| {
        // A value that the words point back to is said as much as one that they name.
        receipt.text.is_some() || matches!(receipt.source, Source::Option | Source::Llm)
    })
}

/// Returns the values that cannot be real, such as February 30th, each with the sentence for it.
pub fn faults<'a>(turn: &'a Turn<'_>) -> Vec<(Sentence, &'a Value)> {
    turn.said
        .values
        .iter()
        .filter_map(|value| match &value.reading {
            Reading::Fault(fault) => {
                Some((Sentence::new(fault.name()).with("text", &value.text), value))
            }
            _ => None,
        })
        .collect()
}

/// The label of the place that a call is about, in the user's language, for its answer.
pub fn place_label(pack: &Pack, turn: &Turn<'_>, call: &Call) -> String {
    bind::label(pack, turn, call)
}
