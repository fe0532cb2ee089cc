//! Free text: what stands in quotation marks or behind the verb that asks for it, and the whole of
//! what the user wrote only where the pack or the schema says that a thought is wanted.

use serde_json::json;
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::Kind;
use waypost_text::text::Span;

use super::phrase::{self, Phrase};
use super::{FilledValue, Match, Wanted};
use crate::pack::spec::Words;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let shape = wanted.tool.shape(wanted.name)?;
    if wanted.annotation.kind != Some(Kind::Text) || !shape.types.string {
        return None;
    }
    match words(wanted) {
        Words::Never => None,
        Words::Whole => whole(wanted),
        Words::Said => said(wanted),
    }
}

/// Says which words an argument takes: as the pack has it, or else the whole where it is a thought
/// and the tool needs nothing else.
fn words(wanted: &Wanted<'_>) -> Words {
    let thought = wanted.tool.suggested(wanted.name).is_some_and(|suggested| suggested.thought);
    let alone = wanted.tool.arguments().all(|name| name == wanted.name || !wanted.tool.requires(name));
    let open = if thought && alone && wanted.tool.requires(wanted.name) {
        Words::Whole
    } else {
        Words::Said
    };
    wanted.annotation.words.unwrap_or(open)
}

/// Everything that the user wrote; words that only say what is to be done are left out where the
/// object of them is known.
fn whole(wanted: &Wanted<'_>) -> Option<Match> {
    if wanted.annotation.words != Some(Words::Whole)
        && let Some(found) = said(wanted)
    {
        return Some(found);
    }
    let text = &wanted.turn.text;
    let end = text.original().chars().count();
    let span = wanted.draft.clause.unwrap_or(Span { start: 0, end });
    let is_consumed = wanted.draft.consumed.iter().any(|consumed| consumed.overlaps(span));
    let words = text.slice(span).trim();
    (!is_consumed && !words.is_empty()).then(|| found(wanted, &Phrase::new(span, words)))?
}

/// The text that the words single out for this argument.
fn said(wanted: &Wanted<'_>) -> Option<Match> {
    let phrases = phrase::phrases(wanted);
    match phrase::meant(wanted, &phrases)[..] {
        [] => None,
        [only] => found(wanted, only),
        ref several => {
            Some(Match::Unsure(several.iter().map(|phrase| json!(phrase.words)).collect()))
        }
    }
}

fn found(wanted: &Wanted<'_>, phrase: &Phrase) -> Option<Match> {
    let value = if wanted.tool.is_list(wanted.name) {
        json!([phrase.words])
    } else {
        json!(phrase.words)
    };
    wanted.tool.accepts(wanted.name, &value).then(|| {
        let evidence = Evidence::span(phrase.words.clone(), By::Text);
        Match::Found(FilledValue { value, evidence, spans: vec![phrase.span] })
    })
}
