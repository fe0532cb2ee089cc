//! Values that are written of two others, as a description spells them out: `<revision>:<path>`.

use waypost_core::records::decision::{By, Evidence};
use waypost_text::extract::Kind;
use waypost_text::text::Span;

use serde_json::json;

use super::matchers::{FilledValue, Match};
use crate::pack::Tool;
use crate::pack::suggest::kind_of_word;
use crate::understand::Turn;

/// The two kinds of a value that is written of two, with the sign between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Notation {
    pub(super) first: Kind,
    sign: char,
    pub(super) second: Kind,
}

/// The notation that the description of an argument spells out.
pub(super) fn notation(tool: &Tool, name: &str) -> Option<Notation> {
    let prose = tool.shape(name)?.prose.as_str();
    let (before, rest) = prose.split_once('<')?;
    let (first, rest) = rest.split_once('>')?;
    let mut signs = rest.chars();
    let sign = signs.next().filter(|sign| matches!(sign, ':' | '/' | '@' | '#'))?;
    let (second, _) = signs.as_str().strip_prefix('<')?.split_once('>')?;
    // A tag of a markup language has its name within words.
    let apart = before.is_empty() || before.ends_with([' ', '(', '`', '\'', '"']);
    let kind = |word: &str| kind_of_word(&word.to_lowercase());
    let (first, second) = (kind(first)?, kind(second)?);
    (apart && first != second).then_some(Notation { first, sign, second })
}

/// The two values as one; the receipt holds the words from the first to the last.
pub(super) fn joined(
    turn: &Turn<'_>,
    tool: &Tool,
    name: &str,
    notation: Notation,
    parts: [(&str, Span); 2],
) -> Option<Match> {
    let [(first, one), (second, two)] = parts;
    let value = json!(format!("{first}{}{second}", notation.sign));
    let all = Span { start: one.start.min(two.start), end: one.end.max(two.end) };
    let evidence = Evidence::span(turn.said.text.slice(all), By::Text);
    let found = FilledValue { value, evidence, spans: vec![one, two] };
    tool.accepts(name, &found.value).then_some(Match::Found(found))
}
