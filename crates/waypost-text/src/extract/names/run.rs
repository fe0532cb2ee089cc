//! Runs of signs without a space between them, as they were typed: paths, branches and keys.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::value::Reading;

/// No run has more tokens than this.
const LONGEST: usize = 200;

/// No name that a person gives is longer, in bytes.
const LONGEST_BYTES: usize = 1000;

/// Signs that may stand right before a run.
const BEFORE: &str = "\"'`“‘「『«‹([{<,;:=、";

/// Signs at the end of a run that belong to the sentence.
const AFTER: &str = ".,;:!?-";

/// Reads a run of letters, digits and signs that `goes_on` accepts, given what was read before.
///
/// A Han character belongs to it only where `goes_on` says so. Stops and commas at its end are the
/// sentence's.
pub(super) fn run<'a>(
    cursor: &mut Cursor<'a>,
    goes_on: impl Fn(&str, char) -> bool,
) -> Option<&'a str> {
    let start = *cursor;
    if !is_fresh(start) {
        return None;
    }
    while cursor.at - start.at < LONGEST && (cursor.at == start.at || cursor.is_glued()) {
        let is_part = match cursor.shape() {
            None => false,
            Some(Shape::Word | Shape::Digits) => true,
            Some(Shape::Han | Shape::Symbol) => {
                goes_on(typed(start, cursor.at), cursor.character())
            }
        };
        if !is_part || bytes(start, cursor.at) > LONGEST_BYTES {
            break;
        }
        cursor.step()?;
        cursor.at += 1;
    }
    let is_dots = typed(start, cursor.at).bytes().all(|byte| byte == b'.');
    while !is_dots
        && cursor.at > start.at + 1
        && is_sentence_end(Cursor { at: cursor.at - 1, ..start })
    {
        cursor.at -= 1;
    }
    (cursor.at > start.at).then(|| typed(start, cursor.at))
}

/// The words from a cursor up to a token, as they were typed.
pub(super) fn typed<'a>(start: Cursor<'a>, end: usize) -> &'a str {
    let first = start.sentence.token(start.at);
    let last = end.checked_sub(1).filter(|last| *last >= start.at);
    let text = start.sentence.text;
    match (first, last.and_then(|last| start.sentence.token(last))) {
        (Some(first), Some(last)) => text.slice(text.span(first.start, last.end)),
        _ => "",
    }
}

/// Returns whether a run may begin here: behind a space, a mark that opens or a Han character.
/// The number of bytes from where `start` stands up to a token.
fn bytes(start: Cursor<'_>, end: usize) -> usize {
    let begin = |at| start.sentence.token(at).map_or(0, |token| token.start);
    begin(end).saturating_sub(begin(start.at))
}

fn is_fresh(cursor: Cursor<'_>) -> bool {
    let Some(before) = cursor.back().filter(|_| cursor.is_glued()) else { return true };
    match before.shape() {
        Some(Shape::Word | Shape::Digits) => false,
        Some(Shape::Symbol) => before.peek_symbol().is_some_and(|sign| BEFORE.contains(sign)),
        _ => true,
    }
}

fn is_sentence_end(last: Cursor<'_>) -> bool {
    last.peek_symbol().is_some_and(|sign| AFTER.contains(sign))
}

/// Returns whether a word has a meaning in the tables of any language: and, km, off.
pub(super) fn is_table_word(word: &str) -> bool {
    let word = word.to_lowercase();
    [Lexicon::VALUES, Lexicon::CONVERSATION].iter().any(|table| table.word(&word).next().is_some())
}

/// Returns whether the run is no longer than a word of letters or a number.
pub(super) fn is_plain(run: &str) -> bool {
    let letters = run.chars().all(|c| c.is_alphabetic() || c == '\'');
    letters || run.chars().all(|c| c.is_ascii_digit() || ".,:".contains(c))
}

/// A finding that is the run itself.
pub(super) fn found(kind: Kind, run: &str) -> Found {
    Found::new(kind, Reading::Text(run.to_owned()), kind.name())
}
