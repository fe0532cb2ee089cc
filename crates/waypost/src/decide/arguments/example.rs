//! Values that a description gives as examples, where the words have one of them: "'bitter', 'sweet'".

use serde_json::json;
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::find_word;
use waypost_text::text::Span;

use super::{FilledValue, Match, Wanted, name, scope};
use crate::pack::prose;
use crate::understand::mention::Stance;

/// The shortest example that is looked for, in characters.
const SHORTEST: usize = 3;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let &Wanted { turn, tool, name, .. } = wanted;
    let plain = wanted.annotation.kind.is_none() && !tool.is_annotated(name);
    if !plain || tool.is_list(name) || !name::is_open_name(wanted, name) {
        return None;
    }
    let examples = prose::examples(&tool.shape(name)?.prose);
    let long = examples.into_iter().filter(|example| example.chars().count() >= SHORTEST);
    let said = long.filter_map(|example| {
        let span = place(wanted, &example.to_lowercase())?;
        Some((span, turn.said.text.slice(span).to_owned()))
    });
    let mut said: Vec<(Span, String)> = said.collect();
    said.dedup();
    match &said[..] {
        [] => None,
        [(span, words)] => {
            let evidence = Evidence::span(words.clone(), By::Text);
            let value = json!(words);
            Some(Match::Found(FilledValue { value, evidence, spans: vec![*span] }))
        }
        // "Between bitter and sweet": nobody guesses.
        several if tool.requires(name) => {
            Some(Match::Unsure(several.iter().map(|(_, words)| json!(words)).collect()))
        }
        _ => None,
    }
}

/// The place of an example in words that are free and meant.
fn place(wanted: &Wanted<'_>, example: &str) -> Option<Span> {
    let &Wanted { turn, draft, .. } = wanted;
    let at = find_word(turn.said.text.normalized(), example)?;
    let span = turn.said.text.span(at, at + example.len());
    let taken = wanted.used.iter().any(|used| used.overlaps(span));
    (!taken && scope::is_here(draft, span) && turn.said.stance(span) == Stance::Said)
        .then_some(span)
}
