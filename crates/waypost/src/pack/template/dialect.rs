//! The statements and operators that templates may use: none that repeats, doubles or calls itself.
//!
//! The engine has macros, captured blocks and repetition. Each makes much of little in one step, so what
//! says one is no template. Joining is counted: a value is at most [`MOST_GROWTH`] times as large as the
//! values that it was made of.

/// The longest template, in bytes.
const LONGEST: usize = 16 * 1024;
/// The statements; `set` only with an `=`.
const STATEMENTS: [&str; 7] = ["if", "elif", "else", "endif", "for", "endfor", "set"];
/// Words that name no value.
const KEYWORDS: [&str; 12] =
    ["and", "or", "not", "in", "is", "if", "else", "elif", "for", "true", "false", "none"];
/// The most times that a value may be larger than the values that it was made of.
const MOST_GROWTH: usize = 16;

/// A piece of code: a statement, or what is written.
struct Code<'a> {
    statement: bool,
    text: &'a str,
}

/// Checks what a template says.
///
/// # Errors
///
/// The first thing that no template may say, in words.
pub(super) fn check(text: &str) -> Result<(), String> {
    if text.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let (mut grown, mut widest, mut loops) = (1_usize, 1_usize, 0_usize);
    for code in codes(text) {
        let plain = without_texts(code.text);
        let word = named(&plain).filter(|_| code.statement);
        if let Some(word) = &word {
            statement(&plain, word)?;
        }
        let joins = expression(&plain)?;
        match word.as_deref() {
            Some("set") if joins > 1 && loops > 0 => {
                return Err("within a loop `set` cannot join values".to_owned());
            }
            Some("set") => grown = grown.saturating_mul(joins),
            Some("for") => loops += 1,
            Some("endfor") => loops = loops.saturating_sub(1),
            _ => {}
        }
        widest = widest.max(joins);
    }
    if grown.saturating_mul(widest) > MOST_GROWTH * MOST_GROWTH || grown > MOST_GROWTH {
        return Err(format!("it joins values to more than {MOST_GROWTH} times their size"));
    }
    Ok(())
}

fn statement(code: &str, word: &str) -> Result<(), String> {
    if !STATEMENTS.contains(&word) {
        return Err(format!("there is no statement `{word}`"));
    }
    if word == "set" && !code.contains('=') {
        return Err("`set` needs a value behind `=`".to_owned());
    }
    if word == "for" && code.split_whitespace().any(|part| part == "recursive") {
        return Err("a loop cannot call itself".to_owned());
    }
    Ok(())
}

/// Returns how many values of the data an expression may join into one: those that it names, where it joins
/// at all. Texts and numbers that are written out are as long as the template.
fn expression(code: &str) -> Result<usize, String> {
    let mut brackets: Vec<(char, usize)> = Vec::new();
    let mut is_joined = false;
    let mut before = ' ';
    for c in code.chars() {
        match c {
            '*' => return Err("`*` would repeat a text; write `a | times(b)`".to_owned()),
            '+' | '~' => is_joined = true,
            // What stands behind a name are the arguments of a filter, which is bounded itself.
            '(' if before.is_alphanumeric() || before == '_' => brackets.push(('a', 0)),
            '(' | '[' | '{' => brackets.push((c, 0)),
            ')' | ']' | '}' => drop(brackets.pop()),
            ',' if brackets.last().is_none_or(|(open, _)| *open != 'a') => is_joined = true,
            ':' => colon(&mut brackets)?,
            _ => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    Ok(if is_joined { values(code).max(1) } else { 1 })
}

/// Returns how often an expression names a value of the data. What `set` gives a name to, fields, filters and
/// words of the language are none.
fn values(code: &str) -> usize {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let value = if code.trim_start().starts_with("set ") {
        code.split_once('=').map_or(code, |(_, value)| value)
    } else {
        code
    };
    let mut count = 0;
    let mut before = ' ';
    let mut rest = value;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        let is_value = !word.is_empty() && !c.is_ascii_digit() && !KEYWORDS.contains(&word);
        count += usize::from(is_value && !matches!(before, '.' | '|'));
        if !c.is_whitespace() {
            before = c;
        }
        rest = &rest[end.max(c.len_utf8())..];
    }
    count
}

/// Counts the colons of a slice: the engine panics at some steps.
fn colon(brackets: &mut [(char, usize)]) -> Result<(), String> {
    let Some(('[', colons)) = brackets.last_mut() else { return Ok(()) };
    *colons += 1;
    if *colons > 1 {
        return Err("a slice has no step; write `| reverse`".to_owned());
    }
    Ok(())
}

/// The names of the filters in a template; what is in quotes is no code.
pub(super) fn filters(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for code in codes(text) {
        names.extend(without_texts(code.text).split('|').skip(1).filter_map(named));
    }
    names
}

/// The pieces of code of a template, as the engine finds them; one that does not end goes on to the end.
fn codes(text: &str) -> Vec<Code<'_>> {
    let mut codes = Vec::new();
    let mut rest = text;
    while let Some(start) = ["{{", "{%", "{#"].iter().filter_map(|open| rest.find(open)).min() {
        let (open, behind) = rest[start..].split_at(2);
        let close = match open {
            "{{" => end(behind, "}}"),
            "{%" => end(behind, "%}"),
            _ => behind.find("#}").unwrap_or(behind.len()),
        };
        if open != "{#" {
            let code = behind[..close].trim_matches(['-', '+']);
            codes.push(Code { statement: open == "{%", text: code });
        }
        rest = behind.get(close + 2..).unwrap_or_default();
    }
    codes
}

/// The place where code ends: its mark outside of quotes.
fn end(code: &str, mark: &str) -> usize {
    let mut quotes = Quotes::default();
    let found =
        code.char_indices().find(|(at, c)| quotes.is_outside(*c) && code[*at..].starts_with(mark));
    found.map_or(code.len(), |(at, _)| at)
}

/// Code without its texts.
fn without_texts(code: &str) -> String {
    let mut quotes = Quotes::default();
    code.chars().filter(|c| quotes.is_outside(*c)).collect()
}

/// Follows code, character by character, into its quotes and out of them.
#[derive(Default)]
struct Quotes {
    open: Option<char>,
    escaped: bool,
}

impl Quotes {
    /// Returns whether the next character is code; a quotation mark is none.
    fn is_outside(&mut self, c: char) -> bool {
        match self.open {
            None if matches!(c, '\'' | '"') => self.open = Some(c),
            None => return true,
            Some(_) if self.escaped => self.escaped = false,
            Some(open) if c == open => self.open = None,
            Some(_) => self.escaped = c == '\\',
        }
        false
    }
}

/// The name that a piece of code begins with.
fn named(code: &str) -> Option<String> {
    let code = code.trim_start();
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(code.len());
    Some(code[..end].to_owned()).filter(|name| !name.is_empty())
}
