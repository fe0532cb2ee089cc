//! Patterns of paths: `*.py`, `docs/**`, `src/*.{ts,tsx}`, `test_[0-9].txt`, and in words: "markdown files" is `*.md`.

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

/// The types of files that people name in words, with their endings. A type whose name is its ending needs no other.
const TYPES: [(&str, &str); 36] = [
    ("markdown", "md"),
    ("md", "md"),
    ("python", "py"),
    ("py", "py"),
    ("rust", "rs"),
    ("javascript", "js"),
    ("js", "js"),
    ("typescript", "ts"),
    ("java", "java"),
    ("golang", "go"),
    ("ruby", "rb"),
    ("shell", "sh"),
    ("text", "txt"),
    ("texto", "txt"),
    ("txt", "txt"),
    ("json", "json"),
    ("yaml", "yaml"),
    ("toml", "toml"),
    ("xml", "xml"),
    ("html", "html"),
    ("css", "css"),
    ("sql", "sql"),
    ("csv", "csv"),
    ("pdf", "pdf"),
    ("word", "docx"),
    ("docx", "docx"),
    ("excel", "xlsx"),
    ("xlsx", "xlsx"),
    ("powerpoint", "pptx"),
    ("png", "png"),
    ("jpg", "jpg"),
    ("jpeg", "jpeg"),
    ("svg", "svg"),
    ("gif", "gif"),
    ("zip", "zip"),
    ("log", "log"),
];

/// Words for several files, without accents: those that stand behind the type, and those that stand before it.
const FILES_BEHIND: [&str; 4] = ["files", "documents", "dateien", "scripts"];
const FILES_BEFORE: [&str; 7] =
    ["archivos", "ficheros", "documentos", "fichiers", "arquivos", "tep", "berkas"];

/// Words between two types.
const JOINS: [&str; 8] = ["and", "or", "y", "o", "và", "和", "或", "及"];
/// The longest ending of a file name.
const LONGEST_ENDING: usize = 5;

/// Finds the files of a type: "markdown files", ".xlsx files", "archivos PDF", "PDFs".
pub(crate) fn of_type(cursor: &mut Cursor<'_>) -> Option<Found> {
    // Of two types one alone would be half of what was said.
    let joined = cursor
        .back()
        .is_some_and(|before| JOINS.contains(&before.typed()) || before.peek_symbol() == Some(','));
    if joined {
        return None;
    }
    let ending = cursor.first_of(&[type_before, type_behind, type_alone])?;
    Some(found(Kind::Glob, &format!("*.{ending}")))
}

fn type_before(cursor: &mut Cursor<'_>) -> Option<String> {
    let is_marked = cursor.peek_symbol() == Some('.');
    let ending = ending(cursor)?;
    let is_han = |cursor: &Cursor<'_>, text: &str| cursor.typed() == text;
    if is_han(cursor, "的") {
        cursor.at += 1;
    }
    for (first, second) in [("檔", "案"), ("档", "案"), ("文", "件")] {
        if is_han(cursor, first) {
            cursor.at += 1;
            if is_han(cursor, second) {
                cursor.at += 1;
                return Some(ending);
            }
            return (first != "文").then_some(ending);
        }
    }
    let word = cursor.word()?;
    (FILES_BEHIND.contains(&word) || is_marked && word == "file").then_some(ending)
}

fn type_behind(cursor: &mut Cursor<'_>) -> Option<String> {
    let is_files = FILES_BEFORE.contains(&cursor.word()?);
    let mut past = *cursor;
    if matches!(past.word(), Some("de" | "en" | "di")) {
        *cursor = past;
    }
    is_files.then(|| ending(cursor)).flatten()
}

/// A type in the plural: "all PDFs".
fn type_alone(cursor: &mut Cursor<'_>) -> Option<String> {
    let name = cursor.word()?.strip_suffix('s')?;
    let (_, ending) = TYPES.iter().find(|(known, ending)| *known == name && known == ending)?;
    (*ending != "log" && *ending != "zip").then(|| (*ending).to_owned())
}

/// A type of file, by its name or its ending.
fn ending(cursor: &mut Cursor<'_>) -> Option<String> {
    if cursor.symbol(".").is_some() {
        let ending = cursor.is_glued().then(|| cursor.word()).flatten()?;
        let is_ending = ending.len() <= LONGEST_ENDING && ending.is_ascii() && ending != "git";
        return is_ending.then(|| ending.to_owned());
    }
    let name = cursor.word()?;
    let (_, ending) = TYPES.iter().find(|(known, _)| *known == name)?;
    Some((*ending).to_owned())
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
