//! Names in one word as programs give them: `ABC-123`, `my-new-branch`, `snake_case`, a UUID.
//!
//! No ordinary word is one, no number and no day: "state-of-the-art" and "well-known" are words.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::kind::Kind;

use super::path::ending;
use super::revision::is_hash;
use super::run::{found, is_plain, run};

/// The lengths of the parts of a UUID.
const UUID: [usize; 5] = [8, 4, 4, 4, 12];

/// From so many digits on, letters with digits behind them are a number of a case: INC0012345.
const LONG_NUMBER: usize = 4;

/// From so many parts on, words with hyphens are the name of something.
const SLUG: usize = 3;

/// Finds a name in one word.
pub(crate) fn identifier(cursor: &mut Cursor<'_>) -> Option<Found> {
    let others = cursor.context.wanted;
    let name = run(cursor, |_, sign| "-._".contains(sign))?;
    let is_other = (others.has(Kind::Path) && ending(name).is_some())
        || (others.has(Kind::Revision) && is_hash(name));
    let fits = !is_plain(name) && !is_other && !name.contains('.');
    (fits && is_identifier(name)).then(|| found(Kind::Identifier, name))
}

fn is_identifier(run: &str) -> bool {
    is_uuid(run) || is_key(run) || is_snake(run) || is_slug(run) || is_case(run) || is_hash(run)
}

fn is_uuid(run: &str) -> bool {
    let parts: Vec<&str> = run.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == UUID && parts.iter().all(|part| part.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Returns whether a run is the key of an issue: ABC-123.
fn is_key(run: &str) -> bool {
    run.split_once('-').is_some_and(|(project, number)| {
        let is_project = project.len() > 1
            && project.starts_with(|c: char| c.is_ascii_uppercase())
            && project.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        is_project && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Returns whether a run is the number of a case: INC0012345.
fn is_case(run: &str) -> bool {
    let letters = run.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &run[letters..];
    letters > 1 && digits.len() >= LONG_NUMBER && digits.bytes().all(|b| b.is_ascii_digit())
}

fn is_snake(run: &str) -> bool {
    let mut parts = run.split('_').filter(|part| !part.is_empty());
    let is_part = |part: &str| part.chars().all(|c| c.is_alphanumeric() || c == '-');
    run.contains('_')
        && run.contains(char::is_alphabetic)
        && parts.clone().count() > 1
        && parts.all(is_part)
}

/// Returns whether a run is words and numbers with hyphens between them that no language writes.
fn is_slug(run: &str) -> bool {
    let parts: Vec<&str> = run.split('-').collect();
    let is_part = |part: &&str| !part.is_empty() && part.chars().all(char::is_alphanumeric);
    let letters = |part: &&str| part.chars().all(char::is_alphabetic);
    if parts.len() < 2 || !parts.iter().all(is_part) || !parts.iter().any(letters) {
        return false;
    }
    let is_known = |part: &&str| Lexicon::knows(&part.to_lowercase(), None);
    let unknown = parts.iter().filter(|part| letters(part) && !is_known(part)).count();
    let is_word = is_joined(&parts);
    match parts.len() {
        // "well-known", "co-operate", "covid-19": two parts say too little.
        2 => false,
        // A language joins three words by small ones: "state-of-the-art", "twenty-five-year-old".
        SLUG.. => !is_word && (unknown > 0 || parts.len() > SLUG || !parts.iter().all(letters)),
        _ => false,
    }
}

/// Returns whether the parts are joined by a word that joins: of, to, the, in.
fn is_joined(parts: &[&str]) -> bool {
    const JOINING: &[&str] = &[
        "a", "and", "at", "by", "de", "en", "in", "la", "of", "on", "or", "the", "to", "up",
        "year", "y",
    ];
    let inner = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
    inner.iter().any(|part| JOINING.contains(&part.to_lowercase().as_str()))
}
