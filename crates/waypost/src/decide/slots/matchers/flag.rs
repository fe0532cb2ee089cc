//! Yes or no by the words of the argument: "including hidden files", "without a header", "recursive".

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::find_word;
use waypost_text::extract::{Kind, Reading};
use waypost_text::text::Span;

use super::{FilledValue, Match, Wanted};
use crate::decide::slots::scope;
use crate::pack::suggest::words_of;
use crate::understand::mention::Stance;

/// Words of the names of flags that say nothing of what they are about.
const GENERAL: [&str; 17] = [
    "is", "has", "include", "includes", "show", "use", "with", "enable", "enabled", "only",
    "should", "allow", "want", "get", "return", "flag", "add",
];

/// Words of the names of flags that turn them around.
const TURNED: [&str; 8] = ["no", "not", "without", "exclude", "skip", "disable", "ignore", "hide"];

/// Nouns of names that may stay unsaid: any flag may be about them.
const THINGS: [&str; 18] = [
    "file", "files", "item", "items", "entry", "entries", "result", "results", "data", "info",
    "details", "mode", "record", "records", "row", "rows", "line", "lines",
];

/// The shortest word of a name that is looked for.
const TELLING: usize = 3;

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    if wanted.annotation.kind != Some(Kind::Boolean) || wanted.tool.is_list(wanted.name) {
        return None;
    }
    let (yes, span) = asked(wanted).or_else(|| named(wanted))?;
    let words = wanted.turn.said.text.slice(span).to_owned();
    let evidence = Evidence::span(words, By::Words);
    let value = Json::Bool(yes);
    let fits = wanted.tool.accepts(wanted.name, &value);
    fits.then(|| Match::Found(FilledValue { value: json!(yes), evidence, spans: vec![span] }))
}

/// Yes or no where this argument was asked for.
fn asked(wanted: &Wanted<'_>) -> Option<(bool, Span)> {
    if !wanted.turn.asks_for(wanted.tool, wanted.name) {
        return None;
    }
    let values =
        wanted.turn.said.values.iter().filter(|value| scope::is_here(wanted.draft, value.span));
    let mut answers = values.filter_map(|value| match value.reading {
        Reading::Boolean(yes) => Some((yes, value.span)),
        _ => None,
    });
    answers.next()
}

/// The flag's own words, and whether they are denied.
fn named(wanted: &Wanted<'_>) -> Option<(bool, Span)> {
    let words = words_of(wanted.name);
    let turned = words.first().is_some_and(|word| TURNED.contains(&word.as_str()));
    let telling = words.iter().filter(|word| {
        word.len() >= TELLING
            && !GENERAL.contains(&word.as_str())
            && !TURNED.contains(&word.as_str())
    });
    let telling: Vec<&String> = telling.collect();
    let text = &wanted.turn.said.text;
    let cues = wanted.annotation.cues.iter().filter_map(|cue| {
        let cue = cue.to_lowercase();
        let at = find_word(text.normalized(), &cue)?;
        Some(text.span(at, at + cue.len()))
    });
    if let Some(span) = cues.into_iter().find(|span| scope::is_here(wanted.draft, *span)) {
        return stated(wanted, span, turned);
    }
    // Every word of the name stands: "hidden" alone is not `hidden_files`, but `file` may be `files`.
    let mut span: Option<Span> = None;
    for (index, word) in telling.iter().enumerate() {
        let forms = [(*word).clone(), format!("{word}s"), word.trim_end_matches('s').to_owned()];
        let at = forms.iter().find_map(|form| {
            let at = find_word(text.normalized(), form)?;
            Some(text.span(at, at + form.len()))
        });
        match (at.filter(|at| scope::is_here(wanted.draft, *at)), span) {
            (Some(at), None) => span = Some(at),
            (Some(at), Some(known)) => {
                span = Some(Span { start: known.start.min(at.start), end: known.end.max(at.end) });
            }
            // The noun of a name may stay unsaid: "including hidden".
            (None, Some(_)) if index + 1 == telling.len() && THINGS.contains(&word.as_str()) => {}
            (None, _) => return None,
        }
    }
    stated(wanted, span?, turned)
}

/// The sense in which the words of a flag are meant: as a literal right after them says, or else as they are.
fn stated(wanted: &Wanted<'_>, span: Span, turned: bool) -> Option<(bool, Span)> {
    if let Some(literal) = literal(wanted, span) {
        return Some(literal);
    }
    let yes = match wanted.turn.said.stance(span) {
        Stance::Withdrawn => return None,
        Stance::Denied => false,
        Stance::Said => true,
    };
    Some((yes != turned, span))
}

/// What a literal right after the words says: "detailed false", "detailed = true".
fn literal(wanted: &Wanted<'_>, span: Span) -> Option<(bool, Span)> {
    let text = wanted.turn.said.text.original();
    let at = text.char_indices().nth(span.end).map_or(text.len(), |(at, _)| at);
    let rest = &text[at..];
    let after = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '=' || c == ':');
    let word = after.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let yes = ["false", "true"].iter().position(|literal| word.eq_ignore_ascii_case(literal))? == 1;
    let between = rest[..rest.len() - after.len()].chars().count();
    Some((yes, Span { start: span.start, end: span.end + between + word.len() }))
}
