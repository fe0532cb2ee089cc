//! Finds what was said for a tool and fills none of its arguments, where nobody has described the tool
//! but its server: an optional argument that it may be meant for is asked about rather than left out.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::Call;
use waypost_text::extract::{Kind, Reading};
use waypost_text::text::Span;

use super::{question, unknown};
use crate::decide::slots::deal::number;
use crate::decide::slots::matchers::Wanted;
use crate::decide::slots::phrase::Word;
use crate::decide::slots::{DraftCall, Gap, cues, phrase, scope};
use crate::pack::Tool;
use crate::pack::spec::Access;
use crate::pack::suggest::words_of;
use crate::understand::Turn;
use crate::understand::mention::Stance;

/// Words of names that say nothing of the value.
const GENERAL: [&str; 22] = [
    "name", "value", "list", "type", "data", "info", "number", "option", "options", "default",
    "unit", "units", "format", "include", "show", "with", "only", "find", "get", "from", "input",
    "output",
];
/// The shortest word that tells anything.
const TELLING: usize = 4;
/// The shortest word of a listed value that tells it.
const TELLING_VALUE: usize = 5;
/// The most words of a text that are looked at.
const MOST_WORDS: usize = 200;

/// The question for an optional argument that something in the words may be meant for.
pub(in crate::decide::slots) fn ask(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    call: &Call,
    used: &[Span],
) -> Option<Gap> {
    let wanted = Wanted::of(turn, draft, tool, tool.arguments().next()?)?;
    let wanted = &Wanted { used, ..wanted };
    let described = turn.pack.tools.iter().any(|tool| !tool.spec.arguments.is_empty());
    let first = draft.given.is_empty() && turn.asked().is_none() && !draft.skipped;
    if described || !first {
        return None;
    }
    let is_open = |name: &&str| !call.arguments.contains_key(*name) && !tool.requires(name);
    let open: Vec<&str> = tool.arguments().filter(is_open).collect();
    let words = free_words(turn, draft, wanted.used);
    name_gap(wanted, &open)
        .or_else(|| number_gap(wanted, call, &open))
        .or_else(|| {
            let own = |name: &&&str| is_named(tool, name, &words) || is_listed(tool, name, &words);
            let name = open.iter().find(own)?;
            Some(question::open(turn, tool, name, &[]))
        })
        .or_else(|| field_gap(turn, tool, call, &words))
}

/// A name or a quotation that an open argument for text may take.
fn name_gap(wanted: &Wanted<'_>, open: &[&str]) -> Option<Gap> {
    let &Wanted { turn, tool, .. } = wanted;
    let takes = |name: &&&str| {
        let kind = tool.annotation(name).and_then(|note| note.kind);
        let text = tool.shape(name).is_some_and(|shape| {
            shape.types.string || shape.items.as_ref().is_some_and(|items| items.types.string)
        });
        let free = [None, Some(Kind::Text), Some(Kind::Identifier)].contains(&kind);
        text && free && tool.listed(name).is_empty()
    };
    let open: Vec<&&str> = open.iter().filter(takes).collect();
    let quoted = phrase::quoted(wanted).into_iter();
    let names = phrase::capitalized(wanted).into_iter();
    let mut said = quoted.chain(names.filter(|phrase| !tool_says(tool, &phrase.words)));
    let Some(phrase) = said.next() else { return written_gap(wanted, &open) };
    let near = |name: &str| cues::nearest(turn, tool, name, phrase.span, &[]);
    let best = open.iter().max_by(|a, b| near(a).total_cmp(&near(b)))?;
    Some(question::which(turn, tool, best, &[json!(phrase.words)]))
}

/// A word that an open argument of a write may take by its place or as it is written like a code: "the notes of project zebra". Left
/// out, the write would be about more than what was said.
fn written_gap(wanted: &Wanted<'_>, open: &[&&str]) -> Option<Gap> {
    let &Wanted { turn, draft, tool, used, .. } = wanted;
    if turn.access(&tool.spec.name) == Access::Read {
        return None;
    }
    let words = phrase::words(turn);
    let free = |word: &&Word<'_>| {
        scope::takes(draft, word.span)
            && !phrase::is_value(turn, word.span)
            && !used.iter().any(|used| used.overlaps(word.span))
    };
    let beside = open.iter().find_map(|name| {
        let word = unknown::beside_cue(turn, tool, name, &words).filter(free)?;
        Some((name, word))
    });
    let coded = || {
        let word = words.iter().find(|word| unknown::is_code(word.text) && free(word))?;
        Some((open.first()?, word))
    };
    let (name, word) = beside.or_else(coded)?;
    Some(question::which(turn, tool, name, &[json!(word.text)]))
}

/// Returns whether a tool speaks of a name itself, in its own words or those of its arguments.
fn tool_says(tool: &Tool, words: &str) -> bool {
    let described = tool.arguments().filter_map(|name| tool.shape(name));
    let described = described.map(|shape| shape.description.as_str());
    let own = [tool.spec.name.as_str(), tool.spec.summary.as_str()];
    let mut all = own.into_iter().chain(described);
    all.any(|own| own.to_lowercase().contains(&words.to_lowercase()))
}

/// A number, an amount or a time that an open argument for numbers may take.
fn number_gap(wanted: &Wanted<'_>, call: &Call, open: &[&str]) -> Option<Gap> {
    let &Wanted { turn, draft, tool, .. } = wanted;
    let left = scope::leftover(turn, draft, tool, std::slice::from_ref(call), wanted.used);
    let counts = |kind: Kind| {
        matches!(
            kind,
            Kind::Number
                | Kind::Quantity
                | Kind::Money
                | Kind::Percentage
                | Kind::Duration
                | Kind::Time
        )
    };
    let mut values = turn.said.values.iter().filter(|value| left.contains(&value.span));
    // "The other two": a word that counts is seldom a value of its own.
    let written = |text: &str| text.contains(|c: char| c.is_numeric());
    let value = values.find(|value| counts(value.kind) && written(&value.text))?;
    let name = open.iter().find(|name| tool.is_number(name))?;
    let form = match value.reading {
        Reading::Number(number) => Some(number::plain(number)),
        _ => None,
    };
    match form.filter(|form| tool.accepts(name, form)) {
        Some(form) => Some(question::which(turn, tool, name, &[form])),
        None => Some(question::open(turn, tool, name, &[])),
    }
}

/// The words of the text that no argument was read from, in lower case.
fn free_words<'a>(turn: &'a Turn<'_>, draft: &DraftCall, used: &[Span]) -> Vec<&'a str> {
    let text = turn.said.text.normalized();
    let mut at = 0;
    let mut words = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let end = at + word.len();
        if word.chars().count() >= TELLING {
            let span = turn.said.text.span(at, end);
            let taken = used.iter().any(|used| used.overlaps(span));
            // "Without a limit" says that there is none.
            let waived = || turn.said.stance(span) != Stance::Said;
            if !taken && scope::is_here(draft, span) && !waived() {
                words.push(word);
            }
        }
        at = end + text[end..].chars().next().map_or(0, char::len_utf8);
        if words.len() >= MOST_WORDS {
            break;
        }
    }
    words
}

/// Returns whether the words of an argument's name stand in the text, and say more than the tool's.
fn is_named(tool: &Tool, name: &str, words: &[&str]) -> bool {
    let own = format!("{} {}", tool.spec.name, tool.spec.summary).to_lowercase();
    let own: Vec<&str> = own.split(|c: char| !c.is_alphanumeric()).collect();
    let telling = words_of(name)
        .into_iter()
        .filter(|word| word.len() >= TELLING && !GENERAL.contains(&word.as_str()));
    let telling: Vec<String> = telling.collect();
    let says = |words: &[&str], word: &str| words.iter().any(|other| alike(other, word));
    !telling.is_empty()
        && telling.iter().all(|word| says(words, word))
        && !telling.iter().all(|word| own.iter().any(|own| is_one_word(own, word)))
}

/// Returns whether two words are one in singular and plural.
fn is_one_word(one: &str, other: &str) -> bool {
    one.trim_end_matches('s') == other.trim_end_matches('s')
}

/// Returns whether a word of a listed value stands in the text.
fn is_listed(tool: &Tool, name: &str, words: &[&str]) -> bool {
    let mut listed = tool.listed(name).iter().filter_map(Json::as_str);
    listed.any(|value| {
        let lower = value.to_lowercase();
        let mut own = lower.split(|c: char| !c.is_alphanumeric());
        own.any(|own| {
            own.chars().count() >= TELLING_VALUE && words.iter().any(|word| alike(word, own))
        })
    })
}

/// A field of an object that the words name and that has no value.
fn field_gap(turn: &Turn<'_>, tool: &Tool, call: &Call, words: &[&str]) -> Option<Gap> {
    let (name, _) = call.arguments.iter().find(|(name, value)| {
        let (Some(object), Some(shape)) = (value.as_object(), tool.shape(name)) else {
            return false;
        };
        let mut open = shape.fields.iter().filter(|(field, _)| !object.contains_key(field));
        open.any(|(field, _)| {
            let mut telling = words_of(field).into_iter().filter(|word| word.len() >= TELLING);
            telling.any(|word| words.iter().any(|other| alike(other, &word)))
        })
    })?;
    Some(question::open(turn, tool, name, &[]))
}

/// Returns whether two words are forms of one: "director" and "directed".
fn alike(one: &str, other: &str) -> bool {
    /// The most letters of an ending.
    const ENDING: usize = 2;
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let shorter = one.chars().count().min(other.chars().count());
    one == other || shared >= TELLING.max(shorter.saturating_sub(ENDING))
}
