//! Cuts a command into its words as a shell would: quotation marks and backslashes, nothing else. No shell is run.

use waypost::{Error, Result};

/// The most words of a command.
const MOST: usize = 256;

/// The words of a command.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if a quotation mark is not closed, if nothing is there or too much.
pub(crate) fn words(command: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = command.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"'), '\\') => {
                let next = letters.next();
                let own = word.get_or_insert_default();
                match next {
                    Some(c @ ('"' | '\\' | '$' | '`')) => own.push(c),
                    other => own.extend(['\\'].into_iter().chain(other)),
                }
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(letters.next()),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(Error::invalid(format!("a quotation mark is not closed in `{command}`"))
            .with_hint("write it once more at the end of what it holds"));
    }
    words.extend(word);
    match words.len() {
        0 => Err(Error::invalid("the command of a server is empty")
            .with_hint("write it like `--mcp 'uvx mcp-server-git'`")),
        1..=MOST => Ok(words),
        more => Err(Error::invalid(format!("a command has {more} words, {MOST} are the most"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_cut_as_a_shell_does() {
        for (command, wanted) in [
            ("uvx mcp-server-git", &["uvx", "mcp-server-git"][..]),
            ("  a  'b c' \"d \\\"e\\\" \\n\" f\\ g", &["a", "b c", "d \"e\" \\n", "f g"]),
            ("a --x='y z'\"w\" ''", &["a", "--x=y zw", ""]),
            ("echo $HOME; ls", &["echo", "$HOME;", "ls"]),
        ] {
            assert_eq!(words(command).unwrap(), wanted, "{command}");
        }
        for broken in ["", "  ", "a 'b"] {
            assert!(words(broken).is_err(), "{broken}");
        }
    }
}
