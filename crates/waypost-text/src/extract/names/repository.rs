//! Repositories by their owner and their name: `owner/name`.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::kind::Kind;

use super::path::ending;
use super::revision::is_branch;
use super::run::{found, is_table_word, run};

/// Finds a repository.
pub(crate) fn repository(cursor: &mut Cursor<'_>) -> Option<Found> {
    let others = cursor.context.wanted;
    let name = run(cursor, |_, sign| "/-.".contains(sign))?;
    let (owner, project) = name.split_once('/')?;
    let is_name = |part: &str| {
        let signs = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        part.chars().all(signs) && part.contains(|c: char| c.is_ascii_alphabetic())
    };
    let says = is_name(owner) && is_name(project);
    // "and/or", "km/h": what tables know is a word; "feature/login" is a branch, if one is wanted.
    let is_words = is_table_word(owner) || is_table_word(project);
    let is_other = others.has(Kind::Revision) && is_branch(name)
        || others.has(Kind::Path) && ending(project).is_some();
    (says && !is_words && !is_other && !owner.contains('.')).then(|| found(Kind::Repository, name))
}
