//! Texts that mean something only after what was said before: the value that was asked for, the
//! last call with something changed, the last call again.

use waypost_core::records::decision::{By, Evidence};
use waypost_core::records::request::PastCall;
use waypost_core::text_match::find_word;
use waypost_text::extract::{Kind, Mark, Operator, Reading, Value};
use waypost_text::text::Span;

use super::super::{Arguments, Proposal};
use super::bare;
use super::choice::{ANSWERS, is_bare_answer, selects};
use super::settle::{self, call, memory_of};
use crate::decide::slots::{DraftCall, Given};
use crate::pack::Tool;
use crate::pack::suggest::words_of;
use crate::understand::Turn;
use crate::understand::act::Act;

/// A bare value of the kind that was asked for, or of another argument of the same tool.
pub(super) fn answered(turn: &Turn<'_>, arguments: &dyn Arguments) -> Option<Proposal> {
    let tool = turn.active_tool()?;
    let spans = stated(turn, arguments, tool, None);
    let typed = turn.asked_names().is_some_and(|(tool, names)| {
        let kinds = names.into_iter().filter_map(|name| tool.annotation(name)?.kind);
        let mut kinds =
            kinds.filter(|kind| turn.said.values.iter().any(|value| fits(value, *kind)));
        kinds.next().is_some()
    });
    let points = turn.asked().is_some() && turn.said.has_reference();
    let says_which = || says_which(turn, arguments);
    let says = typed || points || !spans.is_empty() || says_which();
    let told = || {
        let answers = match spans.iter().all(|span| counts(turn, *span)) {
            true => turn.acts().share(Act::Select) >= SURE,
            false => turn.does_at(&spans, ANSWERS),
        };
        !spans.is_empty() && turn.asked().is_some() && answers
    };
    let is_meant =
        || is_answer(turn, &spans) || is_number_asked_for(turn, &spans) || told() || says_which();
    if !says || !is_meant() {
        return None;
    }
    let memory = memory_of(turn, &tool.spec.name);
    let proposal = DraftCall { tool: tool.spec.name.clone(), memory, ..DraftCall::default() };
    call(turn.pack, proposal, "an answer to what was asked")
}

/// "The subject is rope", where a number or a subject was asked for: the text begins with the name of one of them, and says
/// something of it.
fn says_which(turn: &Turn<'_>, arguments: &dyn Arguments) -> bool {
    /// "The", "its": more words in front are of a request.
    const WORDS_BEFORE: usize = 1;
    let Some((tool, names)) = turn.asked_names().filter(|(_, names)| names.len() > 1) else {
        return false;
    };
    let text = turn.said.text.normalized();
    let begins = |name: &&str| {
        let at = find_word(text, &words_of(name).join(" "));
        at.is_some_and(|at| text[..at].split_whitespace().count() <= WORDS_BEFORE)
    };
    let name = tool.spec.name.clone();
    names.iter().any(begins)
        && !turn.said.discourse.says(Operator::Question)
        && arguments.adds(turn, &DraftCall { tool: name, exact: true, ..DraftCall::default() })
}

/// Returns whether a name stands for several values together, as "all" does, which may count anything: "list all columns".
fn counts(turn: &Turn<'_>, span: Span) -> bool {
    let Some((tool, name)) = turn.asked() else { return false };
    let Some(note) = tool.annotation(name) else { return false };
    let named = turn.said.discourse.mentions.iter().filter(|mention| mention.span == span);
    let mut keys = named.flat_map(|mention| mention.key(name));
    keys.any(|key| note.values.get(key).is_some_and(|naming| !naming.of.is_empty()))
}

/// The words as the value that was asked for, beside what was known of the call.
pub(super) fn told(turn: &Turn<'_>, words: &str) -> Option<Proposal> {
    let (tool, name) = turn.asked_for_words()?;
    let name_of = &tool.spec.name;
    let known = turn.context.active_arguments.clone();
    let past = PastCall { tool: name_of.clone(), arguments: known, text: None };
    let kind = tool.annotation(name).and_then(|note| note.kind);
    let value = bare::value(turn, tool, name, words);
    // "It's app12": a code says what "it" is.
    let is_code = value.len() < words.len() && !value.contains(char::is_whitespace);
    if bare::is_name(tool, name) && (denies(turn, kind) || !is_code && names_nothing(turn)) {
        return None;
    }
    let mut named = turn.said.values.iter().filter(|value| Some(value.kind) == kind);
    if named.next().is_some() && named.next().is_none() {
        // "In src/main.rs, I think": the words name one value of the kind.
        let read = DraftCall { tool: name_of.clone(), memory: Some(past), ..DraftCall::default() };
        return call(turn.pack, read, "an answer that names what was asked for");
    }
    let mut given = settle::as_given(&past);
    let evidence = Evidence::span(value, By::Text);
    given.insert(name.to_owned(), Given { value: value.into(), evidence });
    // The words are this value: they fill nothing else.
    let clause = Some(Span { start: 0, end: 0 });
    let proposal =
        DraftCall { tool: name_of.clone(), given, exact: true, clause, ..DraftCall::default() };
    call(turn.pack, proposal, "an answer in words to what was asked")
}

/// Returns whether an answer says no, leaves a choice, or says something of another kind than is wanted, such as a place in an
/// order, or a pattern where a path is asked for: "not 82-N0pq", "a or b", "the second one".
fn denies(turn: &Turn<'_>, wanted: Option<Kind>) -> bool {
    let discourse = &turn.said.discourse;
    // The slash of a path is no "or".
    let is_word = |mark: &Mark| turn.said.text.slice(mark.span).contains(char::is_alphabetic);
    let offers = |mark: &Mark| mark.operator == Operator::Or && is_word(mark);
    let is_other = |value: &Value| {
        value.kind == Kind::Ordinal || value.kind == Kind::Glob && wanted != Some(Kind::Glob)
    };
    discourse.says(Operator::Not)
        || discourse.marks.iter().any(offers)
        || turn.said.values.iter().any(is_other)
}

/// Returns whether an answer to a question for a name points at something, or means all.
fn names_nothing(turn: &Turn<'_>) -> bool {
    turn.said.has_reference() || turn.said.points_back() || turn.said.means_all()
}

/// Returns whether nothing is said beside these spans but how they are meant.
fn is_answer(turn: &Turn<'_>, spans: &[Span]) -> bool {
    !turn.said.discourse.says(Operator::Question)
        && (selects(turn, spans) || turn.said.is_elliptical())
}

/// "We have 75000 in the store": the one number of a short text, where a number was asked for.
fn is_number_asked_for(turn: &Turn<'_>, spans: &[Span]) -> bool {
    /// Words beside the number; more of them may be about something else.
    const FEW: usize = 5;
    let asked = turn.asked_names();
    let asked = asked.is_some_and(|(tool, names)| names.iter().any(|name| tool.is_number(name)));
    let one = turn.said.values.iter().filter(|value| value.kind == Kind::Number).count() == 1;
    let words = turn.said.residue();
    asked
        && one
        && !spans.is_empty()
        && turn.said.discourse.mentions.is_empty()
        && !turn.has_unknown_words()
        && !turn.said.discourse.says(Operator::Question)
        && words.split_whitespace().count() <= FEW
}

/// Returns the spans that name or count something that the tool takes.
fn stated(
    turn: &Turn<'_>,
    arguments: &dyn Arguments,
    tool: &Tool,
    memory: Option<&PastCall>,
) -> Vec<Span> {
    let mentions = turn.said.discourse.mentions.iter().filter(|mention| {
        let mut names = tool.arguments();
        names.any(|name| {
            let note = tool.annotation(name).and_then(|note| note.gazetteer.as_deref());
            mention.key(note.unwrap_or(name)).any(|key| tool.lists(name, key))
        })
    });
    let mut spans: Vec<Span> = mentions.map(|mention| mention.span).collect();
    spans.extend(arguments.counted(turn, tool, memory));
    spans.sort();
    spans
}

fn says_when_or_where(turn: &Turn<'_>) -> bool {
    let is = |value: &Value| [Kind::Point, Kind::Date].into_iter().any(|kind| fits(value, kind));
    turn.said.values.iter().any(is)
}

fn fits(value: &Value, kind: Kind) -> bool {
    let reading = &value.reading;
    match kind {
        Kind::Point | Kind::Bbox => {
            matches!(reading, Reading::Point(_) | Reading::Bbox(_) | Reading::Entity { .. })
        }
        Kind::Date | Kind::Range => matches!(reading, Reading::Date(_) | Reading::Range(..)),
        Kind::Number => {
            matches!(reading, Reading::Number(_) | Reading::Quantity { .. } | Reading::Money { .. })
        }
        // A zone, a path, a branch.
        kind => value.kind == kind,
    }
}

/// "那昨天呢", "what about Kaohsiung?", "the maximum", "no, I meant 30k": the last call with the
/// stated values changed.
pub(super) fn followed(turn: &Turn<'_>, arguments: &dyn Arguments) -> Option<Proposal> {
    let past = turn.context.last_calls.last()?;
    let tool = turn.pack.tool(&past.tool)?;
    let typed = says_when_or_where(turn);
    let named = stated(turn, arguments, tool, Some(past));
    if !typed && named.is_empty() || asks_of_a_time(turn) {
        return None;
    }
    let bare =
        turn.said.is_elliptical_with(named.iter().copied()) || !typed && is_answer(turn, &named);
    bare.then(|| follow(turn, past, "follows the last call with what was stated changed")).flatten()
}

/// Returns whether the words name a time, and no call of before takes any: "QF1 yesterday at noon" after a reading of now is
/// another question.
fn asks_of_a_time(turn: &Turn<'_>) -> bool {
    let kinds = [Kind::Date, Kind::Range, Kind::Datetime];
    let takes = |past: &PastCall| {
        turn.pack.tool(&past.tool).is_some_and(|tool| {
            tool.annotations().any(|(_, note)| note.kind.is_some_and(|kind| kinds.contains(&kind)))
        })
    };
    let names = |value: &Value| kinds.contains(&value.kind) && !value.rule.is_now();
    turn.said.values.iter().any(names) && !turn.context.last_calls.iter().any(takes)
}

/// The acts that change the last request, or ask for it again.
const CHANGES: &[Act] =
    &[Act::Add, Act::Remove, Act::Only, Act::Except, Act::Replace, Act::Repeat, Act::Prefer];

/// Returns whether the text is likelier a change of the last request than a request of its own.
pub(in crate::decide::cascade) fn changes(turn: &Turn<'_>) -> bool {
    may_change(turn) && turn.acts().any(CHANGES) + chosen(turn) > 0.5
}

/// Returns whether there is something to change. Who says that something else was meant asks for that, unless it is
/// another value: "I meant November 1st". A yes to nothing changes nothing.
fn may_change(turn: &Turn<'_>) -> bool {
    let last = !turn.context.last_calls.is_empty();
    let is_new = turn.said.objection.is_some() && !turn.said.wishes_a_value();
    last && !is_new && !is_bare_answer(turn)
}

/// The probability that a text takes something, which where nothing is asked means that in place of the last.
fn chosen(turn: &Turn<'_>) -> f32 {
    if turn.active_tool().is_some() { 0.0 } else { turn.acts().share(Act::Select) }
}

/// Returns whether it surely is one: what it leaves open is then as it was.
pub(in crate::decide::cascade) fn surely_changes(turn: &Turn<'_>) -> bool {
    changes(turn) && turn.acts().any(CHANGES) >= SURE
}

/// The last call with something changed, told by how the words put it; where they say something of it, and are
/// surer to change it than `confidence`. A part of them may do so where they do nothing else: "one day says little, make it
/// the whole month".
pub(in crate::decide::cascade) fn changed(
    turn: &Turn<'_>,
    arguments: &dyn Arguments,
    confidence: f64,
    in_part: bool,
) -> Option<Proposal> {
    let past = turn.context.last_calls.last()?;
    let mut share = turn.acts().any(CHANGES) + chosen(turn);
    if in_part {
        share = share.max(turn.share_in_parts(CHANGES));
    }
    let share = f64::from(share);
    if !may_change(turn) || share <= confidence.max(0.5) {
        return None;
    }
    let tool = turn.pack.tool(&past.tool)?;
    let says = says_when_or_where(turn)
        || !turn.said.discourse.parts.is_empty()
        || !stated(turn, arguments, tool, Some(past)).is_empty();
    let mut proposal = follow(turn, past, "changes the last request").filter(|_| says)?;
    proposal.confidence = share;
    Some(proposal)
}

/// The least probability of an act that is done with the words for nothing else.
pub(in crate::decide::cascade) const SURE: f32 = 0.8;

/// "再查一次", "again": the last call as it was.
pub(super) fn repeated(turn: &Turn<'_>) -> Option<Proposal> {
    let past = turn.context.last_calls.last()?;
    let rest = turn.said.residue();
    let bare = turn.said.values.is_empty() && rest.chars().count() <= 2;
    // "Run it again with both" repeats nothing.
    let is_same = turn.said.discourse.mentions.is_empty();
    let is_act = || turn.said.act() == Some(Operator::Repeat);
    let is_told = || {
        turn.said.values.is_empty()
            && !is_bare_answer(turn)
            && turn.acts().share(Act::Repeat) >= SURE
    };
    let again = is_same && (is_act() || is_told());
    let points = bare && turn.said.has_reference();
    if !again && !points {
        return None;
    }
    let mut proposal = follow(turn, past, "repeats the last call")?;
    // 再來一次 says no number: everything is as it was.
    for call in &mut proposal.calls {
        let past = call.memory.take();
        call.given = past.as_ref().map(settle::as_given).unwrap_or_default();
        call.exact = true;
    }
    Some(proposal)
}

fn follow(turn: &Turn<'_>, past: &PastCall, rationale: &str) -> Option<Proposal> {
    // A session remembers the calls of one turn; a caller may send those of several.
    let all = turn.context.remembered || turn.said.means_all();
    let followed =
        if all { turn.context.last_calls.as_slice() } else { std::slice::from_ref(past) };
    let mut proposal: Option<Proposal> = None;
    for past in followed {
        let next = DraftCall {
            tool: past.tool.clone(),
            memory: Some(past.clone()),
            ..DraftCall::default()
        };
        match &mut proposal {
            Some(proposal) => proposal.calls.push(next),
            None => proposal = call(turn.pack, next, rationale),
        }
    }
    proposal
}
