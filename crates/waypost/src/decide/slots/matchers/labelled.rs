//! Words that stand beside the word for what they are: "in namespace payments", "the pod api-0", "task 7".
//!
//! It is for the tools of any server, whose authors say nothing of how people name such values. A word that is usual elsewhere is
//! taken only if a preposition leads to the word for the argument. Behind a word of the tool only codes are values.

use serde_json::json;
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::find_word;
use waypost_text::extract::{Kind, Role, Value};
use waypost_text::text::Span;

use super::{FilledValue, Match, Wanted, name};
use crate::decide::slots::open::unknown::is_code;
use crate::decide::slots::phrase::{self, Word};
use crate::decide::slots::scope;
use crate::pack::is_usual;

/// Words that lead to what something is in: "in namespace x", "del namespace x".
const PREPOSITIONS: [&str; 10] =
    ["in", "from", "within", "inside", "under", "en", "del", "trong", "dans", "im"];
/// The shortest word of a name that says what its value is.
const SHORTEST: usize = 4;

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let kind = wanted.annotation.kind;
    let is_plain = kind.is_none_or(|kind| kind == Kind::Identifier);
    if !is_plain || wanted.tool.is_list(wanted.name) || !name::is_open_name(wanted, wanted.name) {
        return None;
    }
    let words = phrase::words(wanted.turn);
    let own = |word: &Word<'_>| Some((word.span, word.text.to_owned()));
    let contained = || phrase::in_role(wanted, Role::Container).into_iter();
    let is_name = |phrase: &phrase::Phrase| {
        let lower = phrase.words.to_lowercase();
        let is_label = wanted.tool.cues(wanted.name).contains(&lower);
        lower == phrase.words && !is_label && !wanted.turn.said.has_word(&lower)
    };
    let contained = || contained().filter(is_name).map(|phrase| (phrase.span, phrase.words));
    let found = behind_label(wanted, &words)
        .and_then(own)
        .or_else(|| holds(wanted).then(contained)?.next())
        .or_else(|| behind_noun(wanted, &words).and_then(own))
        .or_else(|| number(wanted))?;
    let value = json!(found.1);
    wanted.tool.accepts(wanted.name, &value).then(|| {
        let evidence = Evidence::span(found.1, By::Text);
        Match::Found(FilledValue { value, evidence, spans: vec![found.0] })
    })
}

/// Words of the names of arguments for what holds other things: "in staging" is the namespace of a pod.
const HOLDERS: [&str; 8] = [
    "namespace",
    "workspace",
    "environment",
    "cluster",
    "collection",
    "bucket",
    "database",
    "worksheet",
];

/// Returns whether an argument is the only one of its tool for what holds other things.
fn holds(wanted: &Wanted<'_>) -> bool {
    let is_holder =
        |name: &str| wanted.tool.words(name).iter().any(|word| HOLDERS.contains(&word.as_str()));
    is_holder(wanted.name) && wanted.tool.arguments().filter(|name| is_holder(name)).count() == 1
}

/// The part of `owner/name` for a tool that takes both apart.
pub(in crate::decide::slots) fn repository(wanted: &Wanted<'_>) -> Option<Match> {
    let (span, words) = of_repository(wanted)?;
    let value = json!(words);
    wanted.tool.accepts(wanted.name, &value).then(|| {
        let evidence = Evidence::span(words, By::Text);
        Match::Found(FilledValue { value, evidence, spans: vec![span] })
    })
}

fn of_repository(wanted: &Wanted<'_>) -> Option<(Span, String)> {
    const OWNERS: [&str; 3] = ["owner", "org", "organization"];
    const NAMES: [&str; 3] = ["repo", "repository", "project"];
    let tool = wanted.tool;
    let place = [&OWNERS, &NAMES].iter().position(|names| names.contains(&wanted.name))?;
    let has = |names: &[&str]| tool.arguments().any(|name| names.contains(&name));
    if !(has(&OWNERS) && has(&NAMES)) {
        return None;
    }
    let codes = phrase::codes(wanted.turn);
    let pairs = codes.iter().filter_map(|(span, code)| {
        let (owner, name) = code.split_once('/').filter(|(_, name)| !name.contains('/'))?;
        let is_pair = !owner.is_empty() && !name.is_empty() && !owner.contains(['.', ':']);
        is_pair.then_some((*span, [owner, name]))
    });
    let mut pairs: Vec<(Span, [&str; 2])> = pairs.collect();
    // "docs/a.md in ana/shop": what has an ending is rather a file, if the tool takes one.
    let takes_file = tool.annotations().any(|(_, note)| note.kind == Some(Kind::Path));
    pairs.retain(|(_, [_, name])| !takes_file || !name.contains('.'));
    let [(span, pair)] = pairs[..] else { return None };
    let start = span.start + if place == 0 { 0 } else { pair[0].chars().count() + 1 };
    let span = Span { start, end: start + pair[place].chars().count() };
    scope::is_here(wanted.draft, span).then(|| (span, pair[place].to_owned()))
}

/// The word right behind a word of the argument's own name.
fn behind_label<'w>(wanted: &Wanted<'_>, words: &'w [Word<'w>]) -> Option<&'w Word<'w>> {
    let cues = wanted.tool.cues(wanted.name);
    let is_label = |word: &Word<'_>| {
        word.text.len() >= SHORTEST && cues.iter().any(|cue| *cue == word.text.to_lowercase())
    };
    let at = words.iter().position(is_label).filter(|at| !words[*at].ends)?;
    let word = words.get(at + 1).filter(|word| is_value(wanted, word))?;
    let led = at
        .checked_sub(1)
        .is_some_and(|before| PREPOSITIONS.contains(&words[before].text.to_lowercase().as_str()));
    let goes_on = words.get(at + 2).filter(|_| !word.ends);
    let is_last = goes_on.is_none_or(|next| wanted.turn.said.leads(next.span));
    let lower = word.text.to_lowercase();
    let is_name = is_code(word.text) || !wanted.turn.said.has_word(&lower) && !is_usual(&lower);
    (is_name || led && is_last).then_some(word)
}

/// For an argument that is a name or an id, the code right behind a word of the tool: "the pod api-0". Behind the word for another
/// argument it is that argument's value.
fn behind_noun<'w>(wanted: &Wanted<'_>, words: &'w [Word<'w>]) -> Option<&'w Word<'w>> {
    let last = wanted.tool.words(wanted.name).last()?;
    if !["name", "id"].contains(&last.as_str()) {
        return None;
    }
    let own = words_of_tool(wanted);
    let others = || wanted.tool.arguments().filter(|other| *other != wanted.name);
    words.windows(2).find_map(|pair| {
        let (noun, word) = (pair[0].text.to_lowercase(), &pair[1]);
        // A value of another argument is no word for it: "pod" says the sort, and "pod api-0" the name.
        let is_label = others().any(|other| wanted.tool.words(other).contains(&noun));
        let is_own = || find_word(&own, &noun).or_else(|| find_word(&own, &format!("{noun}s")));
        let is_noun = !pair[0].ends && noun.len() >= SHORTEST - 1 && is_own().is_some();
        let is_name = is_code(word.text) || word.text.contains(['-', '_']);
        let fits = is_noun && !is_label && is_name && !wanted.turn.said.leads(pair[0].span);
        (fits && is_value(wanted, word) && find_word(&own, &word.text.to_lowercase()).is_none())
            .then_some(word)
    })
}

/// The only number of a text, for the only id that a tool needs and that is written as text: "task 7".
fn number(wanted: &Wanted<'_>) -> Option<(Span, String)> {
    let last = wanted.tool.words(wanted.name).last()?;
    let counts = wanted.tool.arguments().any(|other| wanted.tool.is_number(other));
    if last != "id" || !wanted.tool.requires(wanted.name) || counts {
        return None;
    }
    let values = scope::values(wanted.turn, wanted.draft);
    let counts = |value: &&&Value| matches!(value.kind, Kind::Number | Kind::Ordinal);
    let mut numbers = values.iter().filter(counts);
    let only = numbers.next().filter(|_| numbers.next().is_none())?;
    let digits: String = only.text.chars().filter(char::is_ascii_digit).collect();
    let is_free = !wanted.used.iter().any(|used| used.overlaps(only.span));
    let is_whole = !only.text.contains(['.', ',', '-']) && !digits.is_empty();
    (is_whole && is_free).then_some((only.span, digits))
}

/// Returns whether a word may be the value of an argument: it is about this call, leads to nothing and is no value of another.
fn is_value(wanted: &Wanted<'_>, word: &Word<'_>) -> bool {
    let is_taken = wanted.used.iter().any(|used| used.overlaps(word.span));
    !is_taken
        && scope::is_here(wanted.draft, word.span)
        && !wanted.turn.said.leads(word.span)
        && !phrase::is_value(wanted.turn, word.span)
}

/// The words in which a tool and its arguments are described, in lower case.
fn words_of_tool(wanted: &Wanted<'_>) -> String {
    let tool = wanted.tool;
    let shapes = tool.arguments().filter_map(|name| tool.shape(name));
    let described: Vec<&str> = shapes.map(|shape| shape.description.as_str()).collect();
    let own = format!("{} {} {}", tool.spec.name, tool.spec.summary, described.join(" "));
    own.replace(['_', '-', '.'], " ").to_lowercase()
}
