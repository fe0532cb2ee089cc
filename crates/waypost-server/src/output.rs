//! The output of the program: data on standard output, everything else on standard error.
//!
//! Nothing leaves it but [`Shown`], which can hold no character that steers a terminal, whoever wrote
//! the text: what comes from outside is cleaned where it becomes one, and the styles are its own.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::ops::Add;

use serde::Serialize;
use waypost::printable::{self, Stream};

use crate::failure::Failure;
use crate::{environment, stderr};

/// Text that can be printed. A plain text becomes one line of it, newlines shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shown(String);

impl Shown {
    /// Text of several lines.
    pub(crate) fn text(text: &str) -> Self {
        Self(printable::lines(text).into_owned())
    }

    /// A piece of a text that comes in pieces.
    pub(crate) fn piece(of: &mut Stream, piece: &str) -> Self {
        Self(of.push(piece))
    }

    /// Texts below each other.
    pub(crate) fn below_each_other(texts: impl IntoIterator<Item = Shown>) -> Self {
        let lines: Vec<String> = texts.into_iter().map(|text| text.0).collect();
        Self(lines.join("\n"))
    }

    /// The same without spaces at its end.
    pub(crate) fn trimmed(mut self) -> Self {
        self.0.truncate(self.0.trim_end_matches(' ').len());
        self
    }

    /// The text as it is printed, styles included.
    #[cfg(test)]
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Shown {
    fn from(text: &str) -> Self {
        Self(printable::line(text).into_owned())
    }
}

impl From<&String> for Shown {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<String> for Shown {
    fn from(text: String) -> Self {
        match printable::line(&text) {
            Cow::Owned(clean) => Self(clean),
            Cow::Borrowed(_) => Self(text),
        }
    }
}

impl<T: Into<Shown>> Add<T> for Shown {
    type Output = Shown;

    fn add(mut self, next: T) -> Shown {
        self.0.push_str(&next.into().0);
        self
    }
}

impl Add<Shown> for &str {
    type Output = Shown;

    fn add(self, next: Shown) -> Shown {
        Shown::from(self) + next
    }
}

/// Returns whether people look at standard output.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns whether standard output is a terminal that wants color.
pub(crate) fn color() -> bool {
    is_terminal() && !environment::NO_COLOR.is_set()
}

/// A style, by its codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style(&'static str);

impl Style {
    pub(crate) const BOLD: Style = Style("1");
    pub(crate) const DIM: Style = Style("2");
    pub(crate) const UNDERLINED: Style = Style("1;4;36");
    pub(crate) const CYAN: Style = Style("36");
    pub(crate) const GREEN: Style = Style("32");
    pub(crate) const YELLOW: Style = Style("33");
    pub(crate) const RED: Style = Style("1;31");
}

/// Text in a style, where color is wanted.
pub(crate) fn styled(text: impl Into<Shown>, style: Style) -> Shown {
    let Shown(text) = text.into();
    Shown(if color() { format!("\u{1b}[{}m{text}\u{1b}[0m", style.0) } else { text })
}

/// Text as it is.
pub(crate) fn plain(text: &str) -> Shown {
    Shown::from(text)
}

/// Dim text, for what stands beside an answer.
pub(crate) fn dim(text: &str) -> Shown {
    styled(text, Style::DIM)
}

/// Bold text.
pub(crate) fn bold(text: &str) -> Shown {
    styled(text, Style::BOLD)
}

/// Words that stand out in a text: underlined in color, in brackets without.
pub(crate) fn mark(text: &str) -> Shown {
    if color() { styled(text, Style::UNDERLINED) } else { "[" + Shown::from(text) + "]" }
}

/// One line on standard output; a text that is more is given as [`Shown::text`].
pub(crate) fn line(text: impl Into<Shown>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", text.into().0)?;
    Ok(out.flush()?)
}

/// A piece of a line on standard output, seen at once.
pub(crate) fn piece(text: impl Into<Shown>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.into().0.as_bytes())?;
    Ok(out.flush()?)
}

/// One JSON value on one line of standard output. Characters that steer a terminal are escaped as
/// JSON has it, so that the value is the same.
pub(crate) fn json_line(value: &impl Serialize) -> Result<(), Failure> {
    json(&serde_json::to_string(value).map_err(io::Error::other)?)
}

/// A JSON value for people, escaped likewise.
pub(crate) fn json_pretty(value: &impl Serialize) -> Result<(), Failure> {
    json(&serde_json::to_string_pretty(value).map_err(io::Error::other)?)
}

fn json(text: &str) -> Result<(), Failure> {
    line(Shown(printable::json(text).into_owned()))
}

/// A line for people on standard error; one that cannot be written is lost.
pub(crate) fn note(text: impl Into<Shown>) {
    stderr::write(text.into().0);
}

/// The current line of the terminal that standard error is, written anew.
pub(crate) fn overwrite(text: impl Into<Shown>) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "\r{}\u{1b}[K", text.into().0).and_then(|()| err.flush());
}

/// A line of a tool server's own log.
pub(crate) fn server_log(text: &str) {
    stderr::log(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_from_outside_is_clean_however_it_is_put_together() {
        let evil = "x\u{1b}]0;t\u{7}\ny";
        let shown = "- " + dim(evil) + " " + evil + &evil.to_owned() + evil.to_owned();
        assert_eq!(
            shown.as_str(),
            ["- ", " ", "", ""].map(|gap| format!("{gap}x␛]0;t␇␊y")).concat()
        );
        assert_eq!(Shown::text(evil).as_str(), "x␛]0;t␇\ny");
        let two = Shown::below_each_other([plain("a\n"), plain("b  ").trimmed()]);
        assert_eq!(two.as_str(), "a␊\nb");
    }
}
