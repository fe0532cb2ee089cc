//! Free text: what stands in quotation marks or behind the verb that asks for it.

use serde_json::json;
use waypost_core::records::decision::{By, Evidence};
use waypost_core::text_match::{find_word, is_han};
use waypost_text::extract::{Kind, ObjectClass};
use waypost_text::text::Span;

use super::{FilledValue, Match, Wanted, name};
use crate::decide::slots::phrase::{Chosen, Phrase};
use crate::decide::slots::{phrase, scope};
use crate::pack::Tool;
use crate::pack::prose;
use crate::pack::spec::FreeText;
use crate::pack::suggest::is_among;
use crate::understand::mention::Stance;

/// The shortest example that is looked for, in characters.
const SHORTEST: usize = 3;
/// The most words of an answer to the question for a text.
const MOST_WORDS: usize = 200;

pub(in crate::decide::slots) fn find(wanted: &Wanted<'_>) -> Option<Match> {
    let shape = wanted.tool.shape(wanted.name)?;
    let is_text = wanted.annotation.kind == Some(Kind::Text) && shape.types.string;
    let said = wanted.annotation.text.is_none_or(|words| words == FreeText::Said);
    if !is_text || !said {
        return None;
    }
    if takes_statement(wanted) {
        let answer = || phrase::answer(wanted, MOST_WORDS);
        return statement(wanted).or_else(answer).and_then(|phrase| found(wanted, &phrase));
    }
    match chosen(wanted) {
        Chosen::None => None,
        Chosen::One(phrase) => found(wanted, &phrase),
        Chosen::Unsure(phrases) => {
            Some(Match::Unsure(phrases.iter().map(|phrase| json!(phrase.words)).collect()))
        }
    }
}

/// The words that may be meant, by the surest sign that there is: the object that the argument is named for, a
/// quotation, the answer to the question for it.
fn chosen(wanted: &Wanted<'_>) -> Chosen {
    let rivals = rivals(wanted);
    // A question is no message: "tell me what it costs" says nothing to anybody.
    let thought = wanted.tool.suggested(wanted.name).is_some_and(|suggested| suggested.thought);
    let searched: &[ObjectClass] = &[ObjectClass::Search];
    let classes = if thought { searched } else { classes(wanted.tool, wanted.name) };
    let objects = phrase::objects(wanted, classes);
    let quoted = phrase::quoted(wanted);
    if let [only] = &objects[..] {
        // "Everything that you have on "Kilimanjaro"": the quotation is meant, and what stands before it leads to it.
        let is_led_to = |inner: &&Phrase| {
            inner.span.start > only.span.start + 1 && inner.span.end + 1 >= only.span.end
        };
        let inner = quoted.iter().find(|inner| only.span.contains(inner.span));
        let meant = inner.filter(is_led_to).filter(|_| quoted.len() == 1).unwrap_or(only);
        return Chosen::One(meant.clone());
    }
    if !quoted.is_empty() {
        return phrase::choose(wanted, quoted, &rivals);
    }
    if !objects.is_empty() {
        return phrase::choose(wanted, objects, &rivals);
    }
    let behind = || behind_colon(wanted).filter(|_| wanted.tool.requires(wanted.name));
    phrase::answer(wanted, MOST_WORDS).or_else(behind).map_or(Chosen::None, Chosen::One)
}

/// The words behind the first colon of a text: "remember this: the key is under the mat". A colon in figures, in an address or
/// in brackets leads to none.
fn behind_colon(wanted: &Wanted<'_>) -> Option<Phrase> {
    let text = wanted.turn.said.text.original();
    let characters: Vec<char> = text.chars().collect();
    let at = characters.iter().position(|c| matches!(c, ':' | '：'))?;
    let next = characters.get(at + 1)?;
    let opens = next.is_whitespace() || characters[at] == '：' || is_han(*next);
    let opens = opens && !characters[..at].contains(&'(');
    let blank = characters[at + 1..].iter().take_while(|c| c.is_whitespace()).count();
    let span = Span { start: at + 1 + blank, end: characters.len() };
    let words = wanted.turn.said.text.slice(span).trim();
    let others = rivals(wanted).len();
    let fits =
        opens && others == 1 && !words.is_empty() && words.split_whitespace().count() <= MOST_WORDS;
    let free =
        !wanted.used.iter().any(|used| used.overlaps(span)) && scope::is_here(wanted.draft, span);
    (fits && free).then(|| Phrase::new(span, words))
}

/// Returns whether an argument takes a statement for a database: that is written, and no other words are one.
fn takes_statement(wanted: &Wanted<'_>) -> bool {
    let described = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|word| word.eq_ignore_ascii_case("sql"))
    };
    wanted.annotation.text.is_none()
        && wanted.tool.shape(wanted.name).is_some_and(|shape| described(&shape.description))
}

/// The first words of statements, each with a word that must follow.
const STATEMENTS: [(&str, &str); 11] = [
    ("select", "from"),
    ("insert", "into"),
    ("replace", "into"),
    ("update", "set"),
    ("delete", "from"),
    ("create", "table"),
    ("create", "index"),
    ("create", "view"),
    ("drop", "table"),
    ("alter", "table"),
    ("with", "as"),
];

/// The statement that a text is, or that stands behind a colon.
fn statement(wanted: &Wanted<'_>) -> Option<Phrase> {
    let text = wanted.turn.said.text.original();
    let is_statement = |words: &str| {
        let lower = words.to_lowercase();
        let mut all = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let first = all.next();
        let is_known = STATEMENTS
            .iter()
            .any(|(begin, next)| first == Some(begin) && all.clone().any(|word| word == *next));
        // "Delete the last order from my list" is a wish.
        let is_written = words.starts_with(|c: char| c.is_uppercase())
            && words.split_whitespace().next().is_some_and(|word| word.to_uppercase() == word);
        is_known && (is_written || words.contains([';', '*', '(', '=']))
    };
    let length = |text: &str| text.chars().count();
    let behind = text.split_once(':').map(|(before, after)| (length(before) + 1, after));
    let starts = std::iter::once((0, text)).chain(behind);
    let places = starts.map(|(start, words)| {
        let blank = length(words) - length(words.trim_start());
        (Span { start: start + blank, end: start + blank + length(words.trim()) }, words.trim())
    });
    let mut statements = places.filter(|(_, words)| is_statement(words));
    statements.next().map(|(span, words)| Phrase::new(span, words))
}

/// The arguments of the tool that take free text.
fn rivals<'a>(wanted: &Wanted<'a>) -> Vec<&'a str> {
    let texts = wanted.tool.annotations().filter(|(_, note)| note.kind == Some(Kind::Text));
    texts.map(|(name, _)| name).collect()
}

/// The classes of objects by the words of an argument's name.
const CLASSES: [(&str, &[ObjectClass]); 4] = [
    ("query q search keyword keywords question term terms phrase", &[ObjectClass::Search]),
    ("title name caption", &[ObjectClass::Name]),
    ("message subject summary", &[ObjectClass::Message, ObjectClass::Say]),
    (
        "text content contents body comment note notes description reason sentence instructions",
        &[ObjectClass::Say, ObjectClass::Message],
    ),
];

fn classes(tool: &Tool, name: &str) -> &'static [ObjectClass] {
    const ANY: &[ObjectClass] = &[ObjectClass::Say, ObjectClass::Message, ObjectClass::Search];
    let is_named = |known: &str| tool.words(name).iter().any(|word| is_among(known, word));
    let found = CLASSES.iter().find(|(known, _)| is_named(known));
    found.map_or(ANY, |(_, classes)| classes)
}

fn found(wanted: &Wanted<'_>, phrase: &Phrase) -> Option<Match> {
    let value = json!(phrase.words);
    wanted.tool.accepts(wanted.name, &value).then(|| {
        let evidence = Evidence::span(phrase.words.clone(), By::Text);
        Match::Found(FilledValue { value, evidence, spans: vec![phrase.span] })
    })
}

/// Values that a description gives as examples, where the words have one of them: "'bitter', 'sweet'".
pub(in crate::decide::slots) fn example(wanted: &Wanted<'_>) -> Option<Match> {
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
    let text = turn.said.text.normalized();
    // "The pod api-0" where the example is "pods".
    let one = example.strip_suffix('s').filter(|one| one.chars().count() >= SHORTEST);
    let (at, length) = std::iter::once(example)
        .chain(one)
        .find_map(|form| Some((find_word(text, form)?, form.len())))?;
    let span = turn.said.text.span(at, at + length);
    let taken = wanted.used.iter().any(|used| used.overlaps(span));
    (!taken && scope::is_here(draft, span) && turn.said.stance(span) == Stance::Said)
        .then_some(span)
}

/// An argument that takes all of the user's own words: a question, a thought.
pub(in crate::decide::slots) fn whole(wanted: &Wanted<'_>) -> Option<Match> {
    let text = &wanted.turn.said.text;
    let is_task = wanted.annotation.text == Some(FreeText::Task);
    // No wish is a statement, but it tells which tool is meant.
    let is_written = takes_statement(wanted) && !wanted.draft.unguessed;
    if !takes_whole(wanted) || is_written || !is_task && !wanted.draft.consumed.is_empty() {
        return None;
    }
    let all = Span { start: 0, end: text.original().chars().count() };
    let words = text.slice(wanted.draft.clause.unwrap_or(all)).trim();
    let value = match wanted.annotation.text {
        Some(FreeText::Task) => json!(wanted.turn.task_of(wanted.draft.clause)),
        _ => json!(words),
    };
    if words.is_empty() || !wanted.tool.accepts(wanted.name, &value) {
        return None;
    }
    Some(Match::Found(FilledValue::new(value, Evidence::span(words, By::Text))))
}

/// Returns whether the pack says that the argument takes the whole, or else the schema says that it is
/// a thought and the tool needs nothing beside it.
pub(super) fn takes_whole(wanted: &Wanted<'_>) -> bool {
    let (tool, name) = (wanted.tool, wanted.name);
    match wanted.annotation.text {
        Some(words) => matches!(words, FreeText::Whole | FreeText::Task),
        None => {
            let thought = tool.suggested(name).is_some_and(|suggested| suggested.thought);
            let mut others = tool.arguments().filter(|other| *other != name);
            // What is to be written in a form is not written so by chance, and a quotation says itself
            // what is meant.
            let formed = tool.shape(name).is_some_and(|shape| shape.description.contains("format"));
            let quotes = wanted.turn.said.values.iter().any(|value| value.kind == Kind::Quoted);
            wanted.annotation.kind == Some(Kind::Text)
                && !formed
                && !quotes
                && thought
                && tool.requires(name)
                && !others.any(|other| tool.requires(other))
        }
    }
}
