//! Rules for every Rust file, whatever it does.

use super::Fault;
use super::source::{self, Token};
use super::tree::Tree;

/// Every file says first what it is for.
pub(crate) fn module_docs(tree: &Tree) -> Vec<Fault> {
    let missing = tree.ending(".rs").filter(|(_, text)| !text.starts_with("//! "));
    missing
        .map(|(name, _)| Fault::new(name, 1, "the file must open with `//! ` and why it exists"))
        .collect()
}

/// The longest file, in lines: what is longer is two things.
const MAX_LINES: usize = 600;

/// Files that may be longer, each with its reason.
const LONG: &[(&str, &str)] = &[];

/// No file is too long to be read in one go.
pub(crate) fn file_length(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, text) in tree.ending(".rs") {
        let lines = text.lines().count();
        if lines > MAX_LINES && !LONG.iter().any(|(long, _)| *long == name) {
            let message = format!("{lines} lines: a file has at most {MAX_LINES}");
            faults.push(Fault::new(name, 0, message));
        }
    }
    let stale = LONG.iter().filter(|(long, _)| !tree.has(long));
    faults.extend(stale.map(|(long, _)| Fault::new(long, 0, "is gone: remove its exception")));
    faults
}

/// Macros that say that something is not done.
const UNDONE: &[&str] = &["todo", "unimplemented", "dbg"];

/// Notes to oneself; in pieces so that this file does not break its rule.
const NOTES: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Nothing lies half done: no macros for later, no ignored tests, no notes to oneself.
pub(crate) fn marks(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, text) in tree.ending(".rs") {
        let code = source::code(text);
        let tokens = source::tokens(&code);
        for window in tokens.windows(3) {
            let found = match window {
                [
                    (line, Token::Word(word)),
                    (_, Token::Mark('!')),
                    (_, Token::Mark('(' | '{' | '[')),
                ] if UNDONE.contains(word) => {
                    Some((*line, format!("`{word}!` must not be left in")))
                }
                [(_, Token::Mark('#')), (_, Token::Mark('[')), (line, Token::Word("ignore"))] => {
                    Some((*line, "an ignored test proves nothing".to_owned()))
                }
                _ => None,
            };
            faults.extend(found.map(|(line, message)| Fault::new(name, line, message)));
        }
        for (index, line) in text.lines().enumerate() {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric());
            for word in words.filter(|word| NOTES.contains(word)) {
                let message = format!("`{word}`: open an issue instead, or do it");
                faults.push(Fault::new(name, index + 1, message));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_in_code_and_not_in_strings() {
        let text = format!(
            "//! x\nfn a() {{ todo!() }}\nconst A: &str = \"todo!()\";\n#[ignore]\n// {} later\n",
            NOTES[0]
        );
        let lines: Vec<usize> =
            marks(&Tree::of(&[("a.rs", &text)])).iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [2, 4, 5]);
    }
}
