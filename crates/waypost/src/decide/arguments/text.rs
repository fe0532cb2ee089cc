//! Free text: what stands in quotation marks or behind the verb that asks for it.

use serde_json::json;
use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::Kind;

use super::phrase::{self, Phrase};
use super::{FilledValue, Match, Wanted};
use crate::pack::spec::FreeText;

/// The most words of an answer to the question for a text.
const MOST_WORDS: usize = 200;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let shape = wanted.tool.shape(wanted.name)?;
    let is_text = wanted.annotation.kind == Some(Kind::Text) && shape.types.string;
    let said = wanted.annotation.text.is_none_or(|words| words == FreeText::Said);
    if !is_text || !said {
        return None;
    }
    match &phrases(wanted)[..] {
        [] => None,
        [only] => found(wanted, only),
        several => Some(Match::Unsure(several.iter().map(|phrase| json!(phrase.words)).collect())),
    }
}

/// The stretches that may be meant, by the surest sign that there is.
fn phrases(wanted: &Wanted<'_>) -> Vec<Phrase> {
    let quoted = phrase::nearest(wanted, phrase::quoted(wanted));
    if !quoted.is_empty() {
        return quoted;
    }
    phrase::answer(wanted, MOST_WORDS).into_iter().collect()
}

fn found(wanted: &Wanted<'_>, phrase: &Phrase) -> Option<Match> {
    let value = json!(phrase.words);
    wanted.tool.accepts(wanted.name, &value).then(|| {
        let evidence = Evidence::span(phrase.words.clone(), By::Text);
        Match::Found(FilledValue { value, evidence, spans: vec![phrase.span] })
    })
}
