//! States of a repository: hashes, `HEAD~2`, tags such as `v1.2.3`, branches such as `feature/login`.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::kind::Kind;

use super::path::{self, ending};
use super::run::{found, is_table_word, run};

/// Folders that branches are kept in.
const FOLDERS: &[&str] = &[
    "bug",
    "bugfix",
    "build",
    "chore",
    "ci",
    "dependabot",
    "dev",
    "develop",
    "docs",
    "exp",
    "experiment",
    "feat",
    "feature",
    "features",
    "fix",
    "fork",
    "heads",
    "hotfix",
    "issue",
    "origin",
    "patch",
    "perf",
    "personal",
    "refactor",
    "refs",
    "release",
    "releases",
    "remotes",
    "renovate",
    "spike",
    "support",
    "task",
    "test",
    "topic",
    "upstream",
    "user",
    "users",
    "wip",
];

/// Branches that nearly every repository has, and that are hardly words of a request.
const USUAL: &[&str] = &["gh-pages", "main", "master", "develop", "trunk"];

/// Git shortens hashes to so many digits.
const SHORTEST_HASH: usize = 7;

/// The lengths of hashes that are not shortened: SHA-1 and SHA-256.
const WHOLE_HASHES: [usize; 2] = [40, 64];

/// Finds a state of a repository.
pub(crate) fn revision(cursor: &mut Cursor<'_>) -> Option<Found> {
    let others = cursor.context.wanted;
    let name = run(cursor, |before, sign| match sign {
        '/' | '-' | '.' | '~' | '^' => true,
        '@' => !before.ends_with('@'),
        '{' => before.ends_with('@'),
        '}' => before.contains("@{"),
        sign => path::is_han_part(before, sign),
    })?;
    let is_one = is_revision(name);
    let ends = || name.split_once("...").or_else(|| name.split_once(".."));
    let is_stretch = || {
        let is_end = |end: &str| is_revision(end) || is_plain_branch(end);
        ends().is_some_and(|(from, to)| is_end(from) && is_end(to) && !name.ends_with('.'))
    };
    // Without anything else that has a slash, whatever has one is a branch.
    let slashed = || {
        !others.has(Kind::Repository)
            && !others.has(Kind::Path)
            && ending(name).is_none()
            && name.contains('/')
            && path::is_path(name, true)
            && !name.starts_with(['/', '.', '~'])
    };
    let fits = is_one || USUAL.contains(&name) || is_branch(name) || is_stretch() || slashed();
    fits.then(|| found(Kind::Revision, name))
}

/// Returns whether a run is a hash, a tag of a version, or counted from another state.
fn is_revision(run: &str) -> bool {
    is_hash(run) || is_version(run) || is_counted(run)
}

/// Returns whether a run is a branch in one of the folders that branches are kept in.
pub(super) fn is_branch(run: &str) -> bool {
    let (base, _) = counted(run);
    base.split_once('/').is_some_and(|(folder, name)| {
        let is_name = !name.is_empty() && !name.ends_with('/') && !name.contains("..");
        is_name && FOLDERS.contains(&folder) && (ending(name).is_none() || folder == "refs")
    })
}

/// Returns whether a run can be the name of a branch at an end of a stretch: `main..dev`.
fn is_plain_branch(run: &str) -> bool {
    let signs = |c: char| c.is_ascii_alphanumeric() || "-_/".contains(c);
    run.starts_with(|c: char| c.is_ascii_alphabetic()) && run.chars().all(signs)
}

/// Returns whether a run is a hash: figures of base sixteen, shortened or whole.
pub(super) fn is_hash(run: &str) -> bool {
    let lower = run.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let upper = run.bytes().all(|b| b.is_ascii_digit() || (b'A'..=b'F').contains(&b));
    if !(lower || upper) || run.len() < SHORTEST_HASH || run.len() > WHOLE_HASHES[1] {
        return false;
    }
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    // 1234567 is a number, 12e4567 one in scientific notation, and "defaced" a word.
    let letters: Vec<u8> = run.bytes().filter(u8::is_ascii_alphabetic).collect();
    let is_number =
        letters.is_empty() || matches!(letters.as_slice(), [b'e' | b'E']) && run.len() < 10;
    WHOLE_HASHES.contains(&run.len()) || (digits > 0 && !is_number)
}

/// Returns whether a run is the tag of a version: `v2`, `v1.2.3-rc.1`.
fn is_version(run: &str) -> bool {
    let Some(numbers) = run.strip_prefix(['v', 'V']) else { return false };
    let (numbers, suffix) = numbers.split_once('-').unwrap_or((numbers, "x"));
    let mut parts = numbers.split('.');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    parts.all(is_number)
        && suffix.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c))
        && !suffix.is_empty()
}

/// Returns whether a run is HEAD, or counted from a branch or a tag: `main~3`, `HEAD^`, `dev@{1}`.
fn is_counted(run: &str) -> bool {
    if matches!(run, "HEAD" | "FETCH_HEAD" | "ORIG_HEAD" | "MERGE_HEAD" | "@") {
        return run.len() > 1;
    }
    let (base, steps) = counted(run);
    let is_steps = steps.chars().all(|c| c.is_ascii_alphanumeric() || "~^@{}".contains(c));
    let is_base = !base.is_empty()
        && base.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
        && base.starts_with(|c: char| c.is_ascii_alphanumeric());
    !steps.is_empty()
        && is_steps
        && (is_base || base.is_empty() && steps.starts_with("@{"))
        && !(is_table_word(base) && steps.contains('@'))
}

/// A run in two: what it counts from, and the steps (`~2`, `^`, `@{1}`).
fn counted(run: &str) -> (&str, &str) {
    let at = run.find(['~', '^']).or_else(|| run.find("@{")).unwrap_or(run.len());
    run.split_at(at)
}
