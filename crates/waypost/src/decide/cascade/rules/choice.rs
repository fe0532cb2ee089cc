//! A choice that was shown and taken: clicked, by its number, its place in the order, or its words.

use waypost_core::records::decision::By;
use waypost_core::records::request::Choice;
use waypost_core::text_match::find_word;
use waypost_text::extract::{self, Gazetteer, Operator, Reading, Value};
use waypost_text::text::{Span, Text};

use super::super::Draft;
use super::settle::settle;
use crate::turn::Turn;
use crate::turn::mention::Stance;

/// The value of a choice that was clicked.
pub(super) fn clicked(turn: &Turn<'_>) -> Option<Draft> {
    let value = turn.request.choice.as_ref()?;
    settle(turn, value, &By::Option, "the choice that was clicked")
}

/// "2", "#2", "the second one", "第二個": counted over what the user sees. Source: S1-33.
pub(super) fn numbered(turn: &Turn<'_>) -> Option<Draft> {
    let options = &turn.context.options;
    let [value] = turn.values.as_slice() else { return None };
    let place = match value.reading {
        Reading::Ordinal(place) => place,
        Reading::Number(number) if number.fract() == 0.0 => number as i64,
        _ => return None,
    };
    if !turn.discourse.mentions.is_empty() || !selects(turn, &[value.span]) {
        return None;
    }
    let index = match place {
        -1 => options.len().checked_sub(1)?,
        place => usize::try_from(place).ok()?.checked_sub(1)?,
    };
    let choice = options.get(index)?;
    if turn.stance(value.span) == Stance::Denied {
        return None;
    }
    let draft = settle(turn, &choice.value, &By::Ordinal, &taken(choice))?;
    Some(draft.consuming(&[value.span]))
}

/// The choice that is named: exactly, or as the only one among words of choosing. A denied choice
/// is not taken, and a choice that changes something needs an exact word.
pub(super) fn named(turn: &Turn<'_>) -> Option<Draft> {
    let options = &turn.context.options;
    let text = turn.text.normalized().trim_matches(|c: char| !c.is_alphanumeric());
    if let Some(exact) = options.iter().find(|choice| names(choice).any(|name| name == text)) {
        let all = Span { start: 0, end: turn.text.original().chars().count() };
        let draft = settle(turn, &exact.value, &By::Option, &taken(exact))?;
        return Some(draft.consuming(&[all]));
    }
    // The values of an argument are named in more words than a choice shows: matchers know them.
    if options.is_empty() || are_values(turn, options) {
        return None;
    }
    let choice = by_words(turn, options)?;
    settle(turn, &choice.value, &By::Option, &taken(choice))
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
    if turn.discourse.says(Operator::Question) {
        return None;
    }
    let named = named_options(turn, options);
    let spans: Vec<Span> = named.iter().map(|(span, _)| *span).collect();
    let mut said: Vec<usize> = Vec::new();
    for (span, index) in &named {
        if turn.stance(*span) == Stance::Said && !said.contains(index) {
            said.push(*index);
        }
    }
    let [only] = said[..] else { return None };
    let choice = options.get(only)?;
    let fits = selects(turn, &spans) || is_short(turn, choice);
    (fits && !is_consent(choice) && !extract::negates(&turn.text, turn.language)).then_some(choice)
}

/// Returns the options that the words name, and where.
fn named_options(turn: &Turn<'_>, options: &[Choice]) -> Vec<(Span, usize)> {
    let entries =
        options.iter().enumerate().map(|(index, choice)| (index.to_string(), names(choice)));
    let gazetteer = Gazetteer::new("option", entries);
    let mentions = extract::mentions(&turn.text, turn.language, std::slice::from_ref(&gazetteer));
    let indexes = mentions.iter().flat_map(|mention| {
        mention.entries.iter().filter_map(|(_, key)| Some((mention.span, key.parse().ok()?)))
    });
    indexes.collect()
}

/// Returns whether little more than the name of the choice was said: "let's take the SST series,
/// please".
fn is_short(turn: &Turn<'_>, choice: &Choice) -> bool {
    /// Room for a polite word or a particle around the name.
    const ROOM: usize = 24;
    let text = turn.text.normalized();
    let fits = |name: String| {
        text.chars().count() <= name.chars().count() + ROOM && find_word(text, &name).is_some()
    };
    names(choice).any(fits)
}

fn names(choice: &Choice) -> impl Iterator<Item = String> {
    let names = [Some(choice.label.as_str()), choice.value.as_str()];
    names.into_iter().flatten().map(|name| Text::new(name).normalized().to_owned())
}

/// Returns whether nothing but words of choosing stands beside these spans.
pub(super) fn selects(turn: &Turn<'_>, spans: &[Span]) -> bool {
    extract::selects(&turn.text, spans, turn.language)
}

fn taken(choice: &Choice) -> String {
    format!("the choice `{}`", choice.label)
}

/// Returns whether the choice approves or stops something.
fn is_consent(choice: &Choice) -> bool {
    ["approve", "cancel"].iter().any(|key| choice.value.get(key).is_some())
}

/// Returns whether a text is an answer and nothing else: a yes or no, a number, a place in an order,
/// words of choosing. It says nothing where nothing was asked.
pub(super) fn is_bare_answer(turn: &Turn<'_>) -> bool {
    let answers = |value: &Value| {
        matches!(value.reading, Reading::Boolean(_) | Reading::Ordinal(_) | Reading::Number(_))
    };
    let spans: Vec<Span> = turn.values.iter().map(|value| value.span).collect();
    turn.text.normalized().contains(char::is_alphanumeric)
        && turn.discourse.mentions.is_empty()
        && turn.values.iter().all(answers)
        && selects(turn, &spans)
}

/// Returns whether a text is a bare answer, and no refusal.
pub(super) fn agrees(turn: &Turn<'_>) -> bool {
    let refuses = |value: &Value| value.reading == Reading::Boolean(false);
    is_bare_answer(turn)
        && !turn.values.iter().any(refuses)
        && !extract::negates(&turn.text, turn.language)
}

/// Yes or no to the question whether something shall be done: the bare word, in any language.
pub(super) fn consented(turn: &Turn<'_>) -> Option<Draft> {
    let yes = match turn.values.as_slice() {
        [value] => match value.reading {
            Reading::Boolean(yes) => yes,
            _ => return None,
        },
        _ => return None,
    };
    if !extract::residue(&turn.text, &turn.values, turn.language).is_empty() {
        return None;
    }
    let key = if yes { "approve" } else { "cancel" };
    let options = &turn.context.options;
    let said = options.iter().find(|choice| choice.value.get(key).is_some());
    let choice = said.or_else(|| if yes { only_offer(options) } else { None })?;
    settle(turn, &choice.value, &By::Option, &taken(choice))
}

/// The meaning of a yes where nothing has to be approved: the one choice that goes on, or the value that
/// was proposed. It stands first, with its argument, and the others stand alone.
fn only_offer(options: &[Choice]) -> Option<&Choice> {
    let mut offers = options.iter().filter(|choice| !is_consent(choice));
    let first = offers.next()?;
    let proposed = first.value.is_object();
    offers.all(|other| proposed && !other.value.is_object()).then_some(first)
}
