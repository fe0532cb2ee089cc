//! Just enough of Rust's grammar to look for words and paths: what is a comment, what a string,
//! what belongs to tests, and what a path is.

use std::collections::BTreeSet;

use super::tree::Tree;

/// The marker of an item that only tests see.
const TEST_ONLY: &str = "#[cfg(test)]";

/// `text` with comments, strings and characters blanked; every line stays where it was.
pub(crate) fn code(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = opaque(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        let blank = |c: &char| if *c == '\n' { '\n' } else { ' ' };
        out.extend(chars[at..end].iter().map(blank));
        at = end;
    }
    out
}

/// Returns the end of the comment, string or character that starts at `at`; `at` itself if none
/// does.
fn opaque(chars: &[char], at: usize) -> usize {
    let next = |offset: usize| chars.get(at + offset).copied().unwrap_or('\0');
    let inside_word = at > 0 && is_word(chars[at - 1]);
    match chars[at] {
        '/' if next(1) == '/' => position(chars, at, |c| c == '\n'),
        '/' if next(1) == '*' => block_comment(chars, at),
        '"' => string(chars, at),
        '\'' => character(chars, at),
        'r' | 'b' | 'c' if !inside_word => raw_string(chars, at).unwrap_or(at),
        _ => at,
    }
}

fn position(chars: &[char], from: usize, is: impl Fn(char) -> bool) -> usize {
    chars[from..].iter().position(|c| is(*c)).map_or(chars.len(), |offset| from + offset)
}

fn block_comment(chars: &[char], start: usize) -> usize {
    let mut depth = 0;
    let mut at = start;
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

fn string(chars: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

/// A character literal, not a lifetime.
fn character(chars: &[char], start: usize) -> usize {
    if chars.get(start + 1) == Some(&'\\') {
        return (position(chars, start + 3, |c| c == '\'') + 1).min(chars.len());
    }
    if chars.get(start + 2) == Some(&'\'') { start + 3 } else { start }
}

/// `r"…"`, `r#"…"#`, with `b` or `c` before; other prefixed strings end like plain ones.
fn raw_string(chars: &[char], start: usize) -> Option<usize> {
    let mut at = start;
    if matches!(chars[at], 'b' | 'c') {
        at += 1;
    }
    if chars.get(at) != Some(&'r') {
        return None;
    }
    at += 1;
    let hashes = chars[at..].iter().take_while(|c| **c == '#').count();
    at += hashes;
    if chars.get(at) != Some(&'"') {
        return None;
    }
    at += 1;
    while at < chars.len() {
        let closed = chars[at] == '"' && chars[at + 1..].iter().take(hashes).all(|c| *c == '#');
        if closed && chars.len() - at > hashes {
            return Some(at + 1 + hashes);
        }
        at += 1;
    }
    Some(chars.len())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Code without the items that only tests see.
pub(crate) fn shipped(text: &str) -> String {
    split(&code(text)).0
}

/// Counts the lines of `text` that are not of items that only tests see.
pub(crate) fn shipped_lines(text: &str) -> usize {
    let code = code(text);
    let mut lines = text.lines().count();
    let mut rest = code.as_str();
    while let Some(start) = rest.find(TEST_ONLY) {
        let item = &rest[start..start + item_length(&rest[start..])];
        lines -= item.lines().count();
        rest = &rest[start + item.len()..];
    }
    lines
}

/// Code without its test-only items, and the names of the test-only modules in files of their own.
fn split(code: &str) -> (String, Vec<String>) {
    let mut left = String::with_capacity(code.len());
    let mut modules = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.find(TEST_ONLY) {
        left.push_str(&rest[..start]);
        let item = &rest[start..start + item_length(&rest[start..])];
        if let Some((_, name)) = item.trim_end().trim_end_matches(';').rsplit_once("mod ")
            && item.ends_with(';')
        {
            modules.push(name.trim().to_owned());
        }
        left.extend(item.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[start + item.len()..];
    }
    left.push_str(rest);
    (left, modules)
}

/// The length of the item at the start of `code`: to its `;` or to the end of its braces.
fn item_length(code: &str) -> usize {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        match c {
            ';' if depth == 0 => return at + 1,
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// The files that hold test-only modules, and everything in the folders of tests.
pub(crate) fn test_files(tree: &Tree) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, text) in tree.ending(".rs") {
        if name.contains("/tests/") || name.contains("/benches/") {
            found.insert(name.to_owned());
        }
        let stem = name.trim_end_matches(".rs");
        let folder = match stem.rsplit_once('/') {
            Some((folder, "mod" | "lib" | "main")) => folder,
            _ => stem,
        };
        for module in split(&code(text)).1 {
            found.insert(format!("{folder}/{module}.rs"));
            found.insert(format!("{folder}/{module}/mod.rs"));
        }
    }
    found
}

/// A path such as `crate::pack::Pack`, at a line from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Path<'a> {
    pub(crate) line: usize,
    pub(crate) parts: Vec<&'a str>,
}

/// Every path of the code; groups such as `use crate::{a, b::C}` are written out.
pub(crate) fn paths(code: &str) -> Vec<Path<'_>> {
    let tokens = tokens(code);
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        at = match tokens[at].1 {
            Token::Word(_) => path(&tokens, at, &[], &mut paths),
            _ => at + 1,
        };
    }
    paths
}

/// A piece of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    Word(&'a str),
    /// `::`
    Into,
    Mark(char),
}

/// The pieces of code with their lines.
pub(crate) fn tokens(code: &str) -> Vec<(usize, Token<'_>)> {
    let mut tokens = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let length = if is_word(first) {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                tokens.push((index + 1, Token::Word(&rest[..end])));
                end
            } else if rest.starts_with("::") {
                tokens.push((index + 1, Token::Into));
                2
            } else {
                if !first.is_whitespace() {
                    tokens.push((index + 1, Token::Mark(first)));
                }
                first.len_utf8()
            };
            rest = &rest[length..];
        }
    }
    tokens
}

fn path<'a>(
    tokens: &[(usize, Token<'a>)],
    start: usize,
    prefix: &[&'a str],
    paths: &mut Vec<Path<'a>>,
) -> usize {
    let mut parts = prefix.to_vec();
    let mut at = start;
    while let Some((line, Token::Word(word))) = tokens.get(at) {
        parts.push(word);
        let into = matches!(tokens.get(at + 1), Some((_, Token::Into)));
        match tokens.get(at + 2) {
            Some((_, Token::Word(_))) if into => at += 2,
            Some((_, Token::Mark('{'))) if into => return group(tokens, at + 3, &parts, paths),
            _ => {
                paths.push(Path { line: *line, parts });
                return at + 1;
            }
        }
    }
    at + 1
}

fn group<'a>(
    tokens: &[(usize, Token<'a>)],
    start: usize,
    prefix: &[&'a str],
    paths: &mut Vec<Path<'a>>,
) -> usize {
    let mut at = start;
    loop {
        at = match tokens.get(at) {
            Some((_, Token::Word(_))) => path(tokens, at, prefix, paths),
            None | Some((_, Token::Mark('}'))) => return at + 1,
            Some(_) => at + 1,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_are_blank() {
        let text = "a /* b /* c */ d */ e // f\ng(\"h\\\"i\", r#\"j\"k\"#, 'l', '\\'', b\"m\") 'n";
        assert_eq!(code(text).split_whitespace().collect::<String>(), "aeg(,,,,b)'n");
        assert_eq!(code(text).lines().count(), 2);
    }

    #[test]
    fn test_items_are_not_shipped() {
        let text = "fn a() {}\n#[cfg(test)]\nmod spec;\nfn b() {}\n#[cfg(test)]\nmod tests { fn c() { {} } }\nfn d() {}";
        let left = shipped(text);
        assert_eq!(
            left.split_whitespace().collect::<Vec<_>>().join(" "),
            "fn a() {} fn b() {} fn d() {}"
        );
        let tree = Tree::of(&[("x/src/extract/mod.rs", text), ("x/src/sqlite.rs", text)]);
        let files = test_files(&tree);
        assert!(files.contains("x/src/extract/spec.rs") && files.contains("x/src/sqlite/spec.rs"));
        assert!(!files.contains("x/src/extract/tests.rs"));
    }

    #[test]
    fn groups_are_written_out() {
        let found = paths("use crate::{a, b::{C, D}, e::*};\nlet x = std::fs::read::<T>(y);");
        let lines: Vec<String> =
            found.iter().map(|path| format!("{}:{}", path.line, path.parts.join("::"))).collect();
        let expected =
            ["1:use", "1:crate::a", "1:crate::b::C", "1:crate::b::D", "1:crate::e", "2:let", "2:x"];
        assert_eq!(lines[..7], expected);
        assert!(lines.contains(&"2:std::fs::read".to_owned()));
    }
}
