//! The values of earlier calls, for arguments that are neither places nor times.

use waypost_core::records::decision::{By, Evidence, Source};
use waypost_text::extract::Kind;

use super::named::pointing;
use super::{FilledValue, Match, Wanted};
use crate::pack::spec::FreeText;

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    of_call(wanted).or_else(|| of_thing(wanted))
}

/// What the last call about such a thing was about, where the words point back and name none: "and its P/E?"
fn of_thing(wanted: &Wanted<'_>) -> Option<Match> {
    let &Wanted { turn, tool, name, annotation, .. } = wanted;
    let gazetteer = annotation.gazetteer.as_ref().filter(|_| annotation.each)?;
    if !tool.requires(name) || !turn.said.points_back() {
        return None;
    }
    turn.context.last_calls.iter().rev().find_map(|past| {
        let tool = turn.pack.tool(&past.tool)?;
        let mut same = tool
            .annotations()
            .filter(|(_, note)| note.each && note.gazetteer.as_ref() == Some(gazetteer));
        let value = same.find_map(|(name, _)| past.arguments.get(name))?;
        let evidence = Evidence::new(Source::Memory, By::Memory(past.tool.clone()));
        Some(Match::Found(FilledValue::new(value.clone(), evidence)))
    })
}

/// What the call says that the turn goes on with.
fn of_call(wanted: &Wanted<'_>) -> Option<Match> {
    let past = wanted.draft.memory.as_ref()?;
    // Places and times of the earlier call were bound; an instant of then is not one of now.
    let bound = [Kind::Point, Kind::Bbox, Kind::Date, Kind::Range, Kind::Datetime];
    if wanted.annotation.kind.is_some_and(|kind| bound.contains(&kind)) {
        return None;
    }
    // What is asked for now is no task of then.
    if wanted.annotation.text == Some(FreeText::Task) {
        return None;
    }
    let value = past.arguments.get(wanted.name)?;
    let evidence = Evidence::new(Source::Memory, By::Memory(past.tool.clone()));
    Some(Match::Found(FilledValue::new(value.clone(), evidence)))
}

/// Values that words point back to: "same as before", "the previous nets", "công ty này".
pub(in crate::decide::slots) fn reference(wanted: &Wanted<'_>) -> Option<Match> {
    let past = wanted.turn.context.last_calls.iter().rev();
    let mut having = past.filter(|past| past.arguments.contains_key(wanted.name));
    // The latest call of this tool says more than one of another that shares the argument's name.
    let latest = having.clone().find(|past| past.tool == wanted.tool.spec.name);
    let value = latest.or_else(|| having.next())?.arguments.get(wanted.name)?;
    let words = pointing(wanted)?;
    let text = Some(words.to_owned());
    let evidence = Evidence { source: Source::Memory, text, by: By::Reference };
    Some(Match::Found(FilledValue::new(value.clone(), evidence)))
}
