//! The output of the program: data on standard output, everything else on standard error.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::environment;
use crate::failure::Failure;

/// Returns whether people look at standard output.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns whether standard output is a terminal that wants color.
pub(crate) fn color() -> bool {
    is_terminal() && !environment::NO_COLOR.is_set()
}

/// Text in a style, where color is wanted.
pub(crate) fn styled(text: &str, code: &str) -> String {
    if color() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Dim text, for what stands beside an answer.
pub(crate) fn dim(text: &str) -> String {
    styled(text, "2")
}

/// Bold text.
pub(crate) fn bold(text: &str) -> String {
    styled(text, "1")
}

/// Words that stand out in a text: underlined in color, in brackets without.
pub(crate) fn mark(text: &str) -> String {
    if color() { styled(text, "1;4;36") } else { format!("[{text}]") }
}

/// One line on standard output.
pub(crate) fn line(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

/// A piece of a line on standard output, seen at once.
pub(crate) fn piece(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// One JSON value on one line of standard output.
pub(crate) fn json_line(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(io::Error::other)?;
    line(&text)
}

/// A JSON value for people.
pub(crate) fn json_pretty(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
    line(&text)
}

/// A line for people on standard error; one that cannot be written is lost.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// The current line of the terminal that standard error is, written anew.
pub(crate) fn overwrite(text: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "\r{text}\u{1b}[K").and_then(|()| err.flush());
}

/// A line of a tool server's own log.
pub(crate) fn server_log(text: &str) {
    note(text);
}
