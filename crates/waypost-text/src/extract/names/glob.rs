//! Patterns of paths: `*.py`, `docs/**`, `src/*.{ts,tsx}`, `test_[0-9].txt`.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::kind::Kind;

use super::path;
use super::run::{found, run};

/// Finds a pattern of paths.
pub(crate) fn glob(cursor: &mut Cursor<'_>) -> Option<Found> {
    let pattern = run(cursor, goes_on)?;
    is_glob(pattern).then(|| found(Kind::Glob, pattern))
}

fn goes_on(before: &str, sign: char) -> bool {
    let is_open = |open: char, close: char| {
        before.rfind(open).is_some_and(|at| !before[at..].contains(close))
    };
    match sign {
        '*' | '[' | '{' => true,
        ']' => is_open('[', ']'),
        '}' | ',' => is_open('{', '}'),
        '!' | '^' => before.ends_with('['),
        // A mark of interrogation is one letter only amid a name.
        '?' => before.contains(['*', '/']),
        sign => path::goes_on(before, sign),
    }
}

/// Returns whether a run is a pattern of paths, and no multiplication and no emphasis.
fn is_glob(run: &str) -> bool {
    let has_set = |open: char, close: char, sign: char| {
        run.split(open).skip(1).any(|rest| {
            rest.split_once(close).is_some_and(|(set, _)| set.contains(sign) || sign == close)
        })
    };
    let has_sets = has_set('{', '}', ',') || has_set('[', ']', ']') && has_name(run);
    if !run.contains('*') {
        return has_sets && path::is_path(&run.replace(['[', ']', '{', '}', ','], "x"), false);
    }
    if run.contains(['/', '.', '\\']) && !is_sum(run) {
        return true;
    }
    // **important** is emphasis, 3*4 a product, and test_* a pattern.
    let inner = run.trim_matches('*');
    let is_emphasis = run.starts_with('*') && run.ends_with('*') && !inner.is_empty();
    run == "*" || run == "**" || (!is_emphasis && has_name(run) && inner.contains(['_', '-']))
}

fn has_name(run: &str) -> bool {
    run.contains(char::is_alphabetic)
}

/// Returns whether a run is nothing but numbers and signs of calculation.
fn is_sum(run: &str) -> bool {
    let is_number = |c: char| c.is_ascii_digit() || "*./".contains(c);
    run.contains(|c: char| c.is_ascii_digit()) && run.chars().all(is_number)
}
