//! A choice that was shown and taken: clicked, by its number, its place in the order, or its words.

use serde_json::Value as Json;
use waypost_core::records::decision::By;
use waypost_core::records::request::Choice;
use waypost_core::text_match::find_word;
use waypost_learning::Bundle;
use waypost_text::extract::{Kind, Operator, Reading, Value};
use waypost_text::text::Span;

use super::super::Proposal;
use super::follow::SURE;
use super::settle::settle;
use crate::pack::Tool;
use crate::student::heads::{NEEDED, likeliest_tool};
use crate::understand::Turn;
use crate::understand::act::Act;
use crate::understand::mention::Stance;
use crate::understand::pointing::{self, Pointed, names};

/// The value of a choice that was clicked.
pub(super) fn clicked(turn: &Turn<'_>) -> Option<Proposal> {
    let value = turn.request.choice.as_ref()?;
    settle(turn, value, &By::Option, "the choice that was clicked")
}

/// The choices that words point at, by their places or their names: "2", "the one in the middle", "not the first, the
/// other one", 第二個. Counted over what the user sees. Source: S1-33.
pub(super) fn pointed(turn: &Turn<'_>, bundle: &Bundle) -> Option<Proposal> {
    let options = &turn.context.options;
    let pointed = pointing::pointed(turn);
    // "Map rainfall first" names something else beside the place.
    let others = turn.said.discourse.mentions.iter().map(|mention| mention.span);
    let others = others.filter(|span| !pointed.spans.iter().any(|own| own.overlaps(*span)));
    let is_alone = others.count() == 0;
    let told = || match pointed.is_counted {
        true => turn.acts().any(ANSWERS) >= SURE,
        false => turn.does_at(&pointed.spans, ANSWERS),
    };
    let taken = pointed.taken.iter().filter_map(|index| options.get(*index));
    let taken: Vec<&Choice> = taken.collect();
    let is_elsewhere = || is_count(turn, &pointed.spans) || asks_elsewhere(turn, bundle, &pointed);
    let chooses = || selects(turn, &pointed.spans) || is_alone && told() && !is_elsewhere();
    if taken.is_empty() || pointed.is_either(turn) || !chooses() {
        return None;
    }
    // The values of an argument are named in more words than a choice shows: matchers know them.
    if pointed.is_named && are_values(turn, options) {
        return None;
    }
    let by = if pointed.is_named { By::Option } else { By::Ordinal };
    // What changes something needs its very name, or its place and nothing else.
    let exact = !pointed.is_named && selects(turn, &pointed.spans);
    let proposal = match taken[..] {
        [choice] if is_consent(choice) && !exact => return None,
        [choice] => settle(turn, &choice.value, &by, &taken_by(choice))?,
        ref several => {
            settle(turn, &joined(turn, several)?, &by, "the choices that were pointed at")?
        }
    };
    Some(proposal.consuming(&pointed.spans))
}

/// Returns whether a number follows a pointer: "top 10" counts something, and takes no first choice.
fn is_count(turn: &Turn<'_>, pointers: &[Span]) -> bool {
    let mut numbers = turn.said.values.iter().filter(|value| value.kind == Kind::Number);
    numbers.any(|number| {
        pointers.iter().any(|pointer| {
            let gap = Span { start: pointer.end, end: number.span.start };
            gap.start <= gap.end && turn.said.text.slice(gap).trim().is_empty()
        })
    })
}

/// Returns whether an order for another tool than the one that asks stands before the pointers: "show me the map of the second one"
/// draws something, and takes no choice of an analysis.
fn asks_elsewhere(turn: &Turn<'_>, bundle: &Bundle, pointed: &Pointed) -> bool {
    let Some(active) = turn.active_tool() else { return false };
    let first = pointed.spans.iter().map(|span| span.start).min().unwrap_or_default();
    if !turn.said.objects().iter().any(|object| object.opener.end <= first) {
        return false;
    }
    let is_own = |tool: &Tool| turn.pack.family(active).any(|own| own.spec.name == tool.spec.name);
    likeliest_tool(turn, bundle)
        .is_some_and(|(tool, sure)| sure >= f64::from(NEEDED) && !is_own(tool))
}

/// The acts by which an open question is answered.
pub(super) const ANSWERS: &[Act] = &[
    Act::Select,
    Act::Prefer,
    Act::Except,
    Act::Only,
    Act::Affirm,
    Act::Replace,
    Act::Add,
    Act::Remove,
];

/// The value that several choices are together: a list, or the one that means exactly these.
fn joined(turn: &Turn<'_>, choices: &[&Choice]) -> Option<Json> {
    let (tool, name) = turn.asked()?;
    let values = || choices.iter().map(|choice| tool.canonical(name, &choice.value));
    if tool.is_list(name) {
        return Some(values().collect());
    }
    let keys: Vec<Json> = values().collect();
    let naming = &tool.annotation(name)?.values;
    let means = |of: &[String]| {
        let has = |key: &Json| key.as_str().is_some_and(|key| of.iter().any(|part| part == key));
        !of.is_empty()
            && of.iter().all(|part| keys.iter().any(|key| key == part))
            && keys.iter().all(|key| {
                has(key)
                    || naming.get(key.as_str().unwrap_or_default()).is_some_and(|own| own.of == of)
            })
    };
    let mut whole = naming.iter().filter(|(_, own)| means(&own.of));
    whole.next().map(|(key, _)| Json::from(key.as_str()))
}

/// The choice that is named: exactly, or as the only one among words of choosing. A denied choice
/// is not taken, and a choice that changes something needs an exact word.
pub(super) fn named(turn: &Turn<'_>) -> Option<Proposal> {
    let options = &turn.context.options;
    let text = turn.said.text.normalized().trim_matches(|c: char| !c.is_alphanumeric());
    let all = Span { start: 0, end: turn.said.text.original().chars().count() };
    let exact = options.iter().find(|choice| names(choice).any(|name| name == text));
    if let Some(exact) = exact.filter(|choice| !is_consent(choice) || !turn.said.text.has_slip(all))
    {
        let proposal = settle(turn, &exact.value, &By::Option, &taken_by(exact))?;
        return Some(proposal.consuming(&[all]));
    }
    // The values of an argument are named in more words than a choice shows: matchers know them.
    if options.is_empty() || are_values(turn, options) {
        return None;
    }
    let choice = by_words(turn, options)?;
    settle(turn, &choice.value, &By::Option, &taken_by(choice))
}

fn are_values(turn: &Turn<'_>, options: &[Choice]) -> bool {
    turn.asked().is_some_and(|(tool, name)| {
        let listed = |choice: &Choice| {
            let proposed = choice.value.as_object().and_then(|object| object.get(name));
            let value = tool.canonical(name, proposed.unwrap_or(&choice.value));
            tool.listed(name).contains(&value)
        };
        options.iter().all(listed)
    })
}

fn by_words<'a>(turn: &Turn<'_>, options: &'a [Choice]) -> Option<&'a Choice> {
    if turn.said.discourse.says(Operator::Question) {
        return None;
    }
    let named = pointing::by_name(turn, options);
    let spans: Vec<Span> = named.iter().map(|(span, _)| *span).collect();
    let mut said: Vec<usize> = Vec::new();
    for (span, index) in &named {
        if turn.said.stance(*span) == Stance::Said && !said.contains(index) {
            said.push(*index);
        }
    }
    let [only] = said[..] else { return None };
    let choice = options.get(only)?;
    let fits = selects(turn, &spans) || is_short(turn, choice) || turn.does_at(&spans, ANSWERS);
    (fits && !is_consent(choice) && !turn.said.negates()).then_some(choice)
}

/// Returns whether little more than the name of the choice was said: "let's take the SST series,
/// please".
fn is_short(turn: &Turn<'_>, choice: &Choice) -> bool {
    /// Room for a polite word or a particle around the name.
    const ROOM: usize = 24;
    let text = turn.said.text.normalized();
    let fits = |name: String| {
        text.chars().count() <= name.chars().count() + ROOM && find_word(text, &name).is_some()
    };
    names(choice).any(fits)
}

/// Returns whether nothing but words of choosing stands beside these spans.
pub(super) fn selects(turn: &Turn<'_>, spans: &[Span]) -> bool {
    turn.said.selects(spans)
}

fn taken_by(choice: &Choice) -> String {
    format!("the choice `{}`", choice.label)
}

/// Returns whether the choice approves or stops something.
fn is_consent(choice: &Choice) -> bool {
    ["approve", "cancel"].iter().any(|key| choice.value.get(key).is_some())
}

/// Returns whether a text is an answer and nothing else: a yes or no, a number, a place in an order,
/// words of choosing. It says nothing where nothing was asked.
pub(super) fn is_bare_answer(turn: &Turn<'_>) -> bool {
    let spans: Vec<Span> = turn.said.values.iter().map(|value| value.span).collect();
    turn.said.text.normalized().contains(char::is_alphanumeric)
        && turn.said.discourse.mentions.is_empty()
        && turn.said.values.iter().all(is_answer)
        && selects(turn, &spans)
}

/// Returns whether a value is one that answers: a yes or no, a number, a place in an order.
pub(super) fn is_answer(value: &Value) -> bool {
    matches!(value.reading, Reading::Boolean(_) | Reading::Ordinal(_) | Reading::Number(_))
}

/// Returns whether a text is a bare answer, and no refusal.
pub(super) fn agrees(turn: &Turn<'_>) -> bool {
    let refuses = |value: &Value| value.reading == Reading::Boolean(false);
    is_bare_answer(turn) && !turn.said.values.iter().any(refuses) && !turn.said.negates()
}

/// Yes or no to the question whether something shall be done: the bare word, in any language.
pub(super) fn consented(turn: &Turn<'_>) -> Option<Proposal> {
    let yes = match turn.said.values.as_slice() {
        [value] => match value.reading {
            Reading::Boolean(yes) => yes,
            _ => return None,
        },
        _ => return None,
    };
    // A word that only slipping made a yes is none.
    let rest = turn.said.residue();
    if !rest.is_empty()
        || turn
            .said
            .text
            .has_slip(Span { start: 0, end: turn.said.text.original().chars().count() })
    {
        return None;
    }
    let key = if yes { "approve" } else { "cancel" };
    let options = &turn.context.options;
    let said = options.iter().find(|choice| choice.value.get(key).is_some());
    let choice = said.or_else(|| if yes { only_offer(options) } else { None })?;
    settle(turn, &choice.value, &By::Option, &taken_by(choice))
}

/// The meaning of a yes where nothing has to be approved: the one choice that goes on, or the value that
/// was proposed. It stands first, with its argument, and the others stand alone.
fn only_offer(options: &[Choice]) -> Option<&Choice> {
    let mut offers = options.iter().filter(|choice| !is_consent(choice));
    let first = offers.next()?;
    let proposed = first.value.is_object();
    offers.all(|other| proposed && !other.value.is_object()).then_some(first)
}
