//! The questions for arguments: in the pack's words where it has some, with choices that lead on.

use serde_json::{Value as Json, json};
use waypost_core::records::request::Choice;
use waypost_text::extract::Kind;

use crate::decide::slots::Gap;
use crate::decide::slots::bind::Bound;
use crate::pack::messages::Sentence;
use crate::pack::places;
use crate::pack::{Tool, localized};
use crate::understand::Turn;

/// The question for an argument that nothing fills.
pub(crate) fn open(turn: &Turn<'_>, tool: &Tool, name: &str, unusable: &[Bound]) -> Gap {
    let note = tool.annotation(name).cloned().unwrap_or_default();
    let mut choices = turn.pack.entry_choices(&note.suggest, turn.said.language);
    let own = localized(&note.ask, turn.said.language);
    let sentence = match (own, note.kind) {
        (Some(own), _) => Sentence::own("missing", own),
        (None, Some(Kind::Point)) if !unusable.is_empty() => {
            choices = centers(turn, unusable);
            Sentence::new("needs_point")
        }
        (None, Some(Kind::Point | Kind::Bbox)) => Sentence::new("missing_place"),
        (None, Some(Kind::Range | Kind::Date)) => Sentence::new("missing_time"),
        (None, kind) if localized(&note.label, turn.said.language).is_none() => {
            repository(tool, name, kind).unwrap_or_else(|| missing(turn, tool, name))
        }
        _ => missing(turn, tool, name),
    };
    if choices.is_empty() {
        choices = listed(turn, tool, name);
    }
    choices.truncate(turn.pack.spec.policy.max_choices.max(LISTED));
    Gap { tool: tool.spec.name.clone(), argument: name.to_owned(), sentence, choices }
}

/// The question for an argument by its name, with what its schema says of it.
fn missing(turn: &Turn<'_>, tool: &Tool, name: &str) -> Sentence {
    let language = turn.said.language;
    let sentence =
        Sentence::new("missing").with("what", turn.pack.argument_label(tool, name, language));
    match tool.argument_summary(name, language) {
        Some(about) => sentence.with("about", about),
        None => sentence,
    }
}

/// The question for the only repository that a tool works on: as a folder, or as hosts of repositories name it.
fn repository(tool: &Tool, name: &str, kind: Option<Kind>) -> Option<Sentence> {
    let says = |name: &str| tool.words(name).iter().any(|word| word.starts_with("repo"));
    let alone = tool.arguments().filter(|own| says(own)).eq([name]);
    match kind {
        Some(Kind::Path) if alone => {
            Some(Sentence::new("missing_repository").with("folder", "yes"))
        }
        Some(Kind::Repository) if alone => Some(Sentence::new("missing_repository")),
        _ => None,
    }
}

/// The question for one of several sets of arguments, which names them all. It asks for the first one; an answer may be for
/// any of them (`Turn::asked_names`).
pub(crate) fn either(turn: &Turn<'_>, tool: &Tool, sets: &[Vec<String>]) -> Gap {
    let sets = &sets[..sets.len().min(LISTED)];
    let first = sets.first().and_then(|set| set.first()).map_or("", String::as_str);
    if let [_] = sets {
        return open(turn, tool, first, &[]);
    }
    let label = |name: &String| turn.pack.argument_label(tool, name, turn.said.language);
    let label = |set: &Vec<String>| set.iter().map(label).collect::<Vec<_>>().join(" + ");
    let mut labels: Vec<String> = sets.iter().map(label).collect();
    labels.dedup();
    Gap {
        tool: tool.spec.name.clone(),
        argument: first.to_owned(),
        sentence: Sentence::new("missing_either").with("what", labels.join(" / ")),
        choices: Vec::new(),
    }
}

/// The most values of a schema that are offered: more of them are a list, not a choice.
pub(in crate::decide::slots) const LISTED: usize = 9;

/// The question that asks which of several values is meant.
pub(crate) fn which(turn: &Turn<'_>, tool: &Tool, name: &str, values: &[Json]) -> Gap {
    let values = &values[..values.len().min(LISTED)];
    Gap {
        tool: tool.spec.name.clone(),
        argument: name.to_owned(),
        sentence: Sentence::new("which")
            .with("what", turn.pack.argument_label(tool, name, turn.said.language)),
        choices: turn.pack.value_choices(tool, name, values, turn.said.language),
    }
}

/// The values that the schema lists, as choices.
pub(crate) fn listed(turn: &Turn<'_>, tool: &Tool, name: &str) -> Vec<Choice> {
    let values = tool.listed(name);
    turn.pack.value_choices(tool, name, &values[..values.len().min(LISTED)], turn.said.language)
}

/// The middle of each box that was said where a point is wanted.
fn centers(turn: &Turn<'_>, unusable: &[Bound]) -> Vec<Choice> {
    let boxes = unusable.iter().filter_map(|bound| places::area(turn.pack, &bound.reading));
    boxes
        .map(|area| {
            let point = places::center(area);
            let (longitude, latitude) = (point.longitude, point.latitude);
            Choice {
                label: format!("{longitude}, {latitude}"),
                value: json!({ "longitude": longitude, "latitude": latitude }),
            }
        })
        .collect()
}
