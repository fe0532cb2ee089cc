//! The options that words take: named, or pointed at by their places, and not denied.
//!
//! "Not the first, the one below", "b and d", "everything but microscopy". It does not decide whether the words
//! choose at all.

use waypost_core::records::request::Choice;
use waypost_text::extract::{self, Gazetteer, Operator, Target};
use waypost_text::text::{Span, Text};

use super::Turn;
use super::mention::Stance;

/// The options that the words speak of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pointed {
    /// The places of those that are taken, in the order of the list.
    pub(crate) taken: Vec<usize>,
    /// The words that speak of options.
    pub(crate) spans: Vec<Span>,
    /// True if only names were said, and no place of the list.
    pub(crate) is_named: bool,
    /// True if all are taken by a word that counts them, which may count anything.
    pub(crate) is_counted: bool,
}

/// Reads which of the options that were shown the words take.
pub(crate) fn pointed(turn: &Turn<'_>) -> Pointed {
    let options = &turn.context.options;
    if options.is_empty() {
        return Pointed::default();
    }
    let mut named = by_name(turn, options);
    named.extend(by_mention(turn, options));
    let names: Vec<Span> = named.iter().map(|(span, _)| *span).collect();
    let (text, language) = (&turn.said.text, turn.said.language);
    let pointers = extract::pointers(text, &turn.said.values, &names, language, options.len());
    let is_named = pointers.is_empty();
    let mut spoken: Vec<(Span, Target)> =
        named.into_iter().map(|(span, index)| (span, Target::Places(vec![index]))).collect();
    spoken.extend(pointers.into_iter().map(|pointer| (pointer.span, pointer.target)));
    spoken.sort_by_key(|(span, _)| *span);
    let is_counted = spoken.iter().all(|(_, target)| *target == Target::All);
    let taken = taken(turn, &spoken, options.len());
    Pointed { taken, spans: spans(&spoken), is_named, is_counted }
}

fn spans(spoken: &[(Span, Target)]) -> Vec<Span> {
    let mut spans: Vec<Span> = spoken.iter().map(|(span, _)| *span).collect();
    spans.dedup();
    spans
}

/// The places that are taken: those that are said, else what denials and "the rest" leave.
fn taken(turn: &Turn<'_>, spoken: &[(Span, Target)], count: usize) -> Vec<usize> {
    let mut said = vec![false; count];
    let mut denied = vec![false; count];
    let (mut all, mut rest) = (false, false);
    for (span, target) in spoken {
        let stance = turn.said.stance(*span);
        match (target, stance) {
            (Target::Places(places), Stance::Said) => places.iter().for_each(|at| said[*at] = true),
            (Target::Places(places), Stance::Denied) => {
                places.iter().for_each(|at| denied[*at] = true);
            }
            (Target::All, Stance::Said) => all = true,
            (Target::Rest, Stance::Said) => rest = true,
            _ => {}
        }
    }
    let speaks_of = |at: &usize| said[*at] || denied[*at];
    let is_taken = |at: &usize| match (rest, all) {
        // "Not the first, the other one"; "the other one" of nothing says nothing.
        (true, _) => !speaks_of(at) && (0..count).any(|other| speaks_of(&other)),
        // "Both the first and the third" counts what it names.
        (_, true) if !said.contains(&true) => !denied[*at],
        _ => said[*at] && !denied[*at],
    };
    let taken: Vec<usize> = (0..count).filter(is_taken).collect();
    let only_denies = taken.is_empty() && !rest && denied.contains(&true) && !said.contains(&true);
    if only_denies { (0..count).filter(|at| !denied[*at]).collect() } else { taken }
}

/// The options that the words name by their labels and values, each with where.
pub(crate) fn by_name(turn: &Turn<'_>, options: &[Choice]) -> Vec<(Span, usize)> {
    if options.is_empty() {
        return Vec::new();
    }
    let entries =
        options.iter().enumerate().map(|(index, choice)| (index.to_string(), names(choice)));
    let gazetteer = Gazetteer::new("option", entries);
    let mentions =
        extract::mentions(&turn.said.text, turn.said.language, std::slice::from_ref(&gazetteer));
    let indexes = mentions.iter().flat_map(|mention| {
        mention.entries.iter().filter_map(|(_, key)| Some((mention.span, key.parse().ok()?)))
    });
    indexes.collect()
}

/// The options that the words name by the pack's words for the values of what was asked for.
fn by_mention(turn: &Turn<'_>, options: &[Choice]) -> Vec<(Span, usize)> {
    let Some((tool, name)) = turn.asked() else { return Vec::new() };
    let gazetteer = tool.annotation(name).and_then(|note| note.gazetteer.as_deref());
    let vocabulary = gazetteer.unwrap_or(name);
    let named = turn.said.discourse.mentions.iter().flat_map(|mention| {
        let indexes = mention.key(vocabulary).filter_map(|key| {
            options.iter().position(|choice| tool.canonical(name, &choice.value) == *key)
        });
        indexes.map(|index| (mention.span, index))
    });
    named.collect()
}

/// The names of an option, normalized.
pub(crate) fn names(choice: &Choice) -> impl Iterator<Item = String> {
    let names = [Some(choice.label.as_str()), choice.value.as_str()];
    names.into_iter().flatten().map(|name| Text::new(name).normalized().to_owned())
}

impl Pointed {
    /// Returns whether the words offer alternatives, which nobody may take for a choice: "the first or the third".
    pub(crate) fn is_either(&self, turn: &Turn<'_>) -> bool {
        self.taken.len() > 1
            && self.spans.windows(2).any(|pair| turn.said.discourse.has_or(pair[0], pair[1]))
            && !turn.said.discourse.says(Operator::Except)
    }
}
