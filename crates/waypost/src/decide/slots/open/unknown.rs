//! Finds a name that was said for an argument of a write and that nobody knows: the Q7 of "set the quad Q7 to 3". It is asked about.
//! Neither the family whose word stands beside it nor "all" is meant by it, so neither is taken or offered in its place.

use serde_json::Value as Json;
use waypost_core::records::decision::{Call, Source};
use waypost_core::text_match::{find_word, is_han};
use waypost_text::extract::Kind;
use waypost_text::text::Span;

use super::question;
use crate::decide::slots::matchers::named;
use crate::decide::slots::phrase::Word;
use crate::decide::slots::{DraftCall, Gap, phrase, scope};
use crate::pack::Tool;
use crate::pack::messages::Sentence;
use crate::pack::spec::Access;
use crate::pack::suggest::words_of;
use crate::understand::Turn;

/// The question for the first argument for which an unknown name was said; `None` for a look-up.
pub(in crate::decide::slots) fn ask(
    turn: &Turn<'_>,
    draft: &DraftCall,
    tool: &Tool,
    calls: &[Call],
    used: &[Span],
) -> Option<Gap> {
    if turn.access(&tool.spec.name) == Access::Read {
        return None;
    }
    let words = phrase::words(turn);
    let free = |word: &Word<'_>| {
        scope::is_named(draft, word.span)
            && !turn.said.discourse.contents.iter().any(|content| content.overlaps(word.span))
            && !is_taken(turn, calls, used, word.span)
    };
    let named = tool.arguments().filter(|name| names_things(tool, name));
    let mut open = named.filter(|name| !draft.given.contains_key(*name));
    open.find_map(|name| {
        // Right beside a name it says which one, though elsewhere Q1 would be a quarter of the year.
        let is_period = |word: &Word<'_>| {
            let values = turn.said.values.iter().filter(|value| value.span.overlaps(word.span));
            values.into_iter().all(|value| matches!(value.kind, Kind::Date | Kind::Range))
        };
        let beside = beside_name(turn, tool, name, &words)
            .filter(|word| free(word) && (!phrase::is_value(turn, word.span) || is_period(word)));
        let free = |word: &&Word<'_>| free(word) && !phrase::is_value(turn, word.span);
        let alone = || {
            let is_missing = calls.iter().all(|call| is_open(call, name));
            let code = || words.iter().find(|word| is_code(word.text) && free(word));
            let cued = || beside_cue(turn, tool, name, &words).filter(free);
            cued().or_else(|| code().filter(|_| tool.requires(name))).filter(|_| is_missing)
        };
        let word = beside.or_else(alone)?;
        Some(which(turn, tool, name, word))
    })
}

/// Returns whether the values of an argument are names that somebody listed.
fn names_things(tool: &Tool, name: &str) -> bool {
    let gazetteer = tool.annotation(name).is_some_and(|note| note.gazetteer.is_some());
    let flag = tool.listed(name).iter().all(Json::is_boolean);
    gazetteer || !tool.is_number(name) && !flag
}

/// The word that says which one right beside a name of the argument's values: "quad Q7", "the Q7 quad".
fn beside_name<'w>(
    turn: &Turn<'_>,
    tool: &Tool,
    name: &str,
    words: &'w [Word<'w>],
) -> Option<&'w Word<'w>> {
    let vocabulary = named::vocabulary(tool, name);
    let names = turn.said.discourse.mentions.iter().filter(|mention| {
        !mention.typo && mention.key(vocabulary).any(|key| tool.lists(name, key))
    });
    let mut beside = names.flat_map(|mention| {
        let touches = move |word: &&Word<'_>| {
            let (start, end) = match word.span.start >= mention.span.end {
                true => (mention.span.end, word.span.start),
                false => (word.span.end, mention.span.start),
            };
            let joins = |c: char| c.is_whitespace() || matches!(c, '#' | '-' | '№');
            start <= end && turn.said.text.slice(Span { start, end }).chars().all(joins)
        };
        words.iter().filter(touches)
    });
    beside.find(|word| is_code(word.text))
}

/// The word beside a word for the argument itself that is none of the language or the tool: "the folder zebra", "the cellar lamp".
pub(in crate::decide::slots) fn beside_cue<'w>(
    turn: &Turn<'_>,
    tool: &Tool,
    name: &str,
    words: &'w [Word<'w>],
) -> Option<&'w Word<'w>> {
    let own = tool_words(tool);
    let is_name = |word: &&Word<'_>| {
        let lower = word.text.to_lowercase();
        !turn.said.has_word(&lower)
            && !lower.chars().any(is_han)
            && find_word(&own, &lower).is_none()
    };
    let text = turn.said.text.normalized();
    tool.cues(name).iter().find_map(|cue| {
        let at = find_word(text, cue)?;
        let cue = turn.said.text.span(at, at + cue.len());
        let index = words.iter().position(|word| word.span.overlaps(cue))?;
        let behind = words.get(index + 1).filter(|_| !words[index].ends);
        let before = index.checked_sub(1).map(|at| &words[at]).filter(|word| !word.ends);
        behind.filter(is_name).or_else(|| before.filter(is_name))
    })
}

/// The words in which a tool and its arguments are described, in lower case.
fn tool_words(tool: &Tool) -> String {
    let shapes = tool.arguments().filter_map(|name| tool.shape(name));
    let described = shapes.map(|shape| shape.description.as_str());
    let own = [tool.spec.name.as_str(), tool.spec.summary.as_str()].into_iter().chain(described);
    let own = own.chain(tool.arguments()).collect::<Vec<_>>().join(" ");
    own.replace(['_', '-'], " ").to_lowercase()
}

/// Returns whether a word is written as codes are: with a letter and a digit.
pub(in crate::decide::slots) fn is_code(word: &str) -> bool {
    let has = |is: fn(char) -> bool| word.chars().any(is);
    let latin =
        word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    latin && has(|c| c.is_ascii_alphabetic()) && has(|c| c.is_ascii_digit())
}

/// Returns whether an argument was read from a word, or a name of the pack has it.
fn is_taken(turn: &Turn<'_>, calls: &[Call], used: &[Span], word: Span) -> bool {
    // What is only nearly a name is none of a write.
    let names = turn.said.discourse.mentions.iter().filter(|mention| !mention.typo);
    let mut spans = used.iter().copied().chain(names.map(|mention| mention.span));
    let words = turn.said.text.slice(word);
    // A task takes the whole text: its receipt says nothing of one word.
    let whole = |text: &str| text.chars().count() * 2 > turn.said.text.original().chars().count();
    let receipts = calls.iter().flat_map(|call| call.evidence.values());
    let mut texts = receipts.filter_map(|receipt| receipt.text.as_deref());
    spans.any(|span| span.overlaps(word)) || texts.any(|text| !whole(text) && text.contains(words))
}

/// Returns whether nobody but a default or an earlier call says what an argument is.
fn is_open(call: &Call, name: &str) -> bool {
    let receipt = call.evidence.get(name);
    receipt.is_none_or(|receipt| matches!(receipt.source, Source::Default | Source::Memory))
}

/// The question which one is meant, without the values that stand for several.
fn which(turn: &Turn<'_>, tool: &Tool, name: &str, word: &Word<'_>) -> Gap {
    let gap = question::open(turn, tool, name, &[]);
    let sentence = Sentence::new("unread_name")
        .with("text", word.text)
        .with("what", turn.pack.argument_label(tool, name, turn.said.language));
    let one = |value: &Json| !is_wide(tool, name, value);
    let choices = gap.choices.into_iter().filter(|choice| one(&choice.value)).collect();
    Gap { sentence, choices, ..gap }
}

/// The words by which schemas name the values that stand for all others; their values are codes, whatever the user speaks.
const ALL: [&str; 7] = ["all", "any", "both", "each", "every", "everyone", "everything"];

/// Returns whether a value stands for several others: it says so, it is a word for all, or it has a star.
fn is_wide(tool: &Tool, name: &str, value: &Json) -> bool {
    let Some(value) = value.as_str() else { return false };
    let naming = tool.annotation(name).and_then(|note| note.values.get(value));
    naming.is_some_and(|naming| !naming.of.is_empty())
        || value.contains('*')
        || words_of(value).iter().any(|word| ALL.contains(&word.as_str()))
}
