//! Rows in three columns: the subject, what is said of it, and where that comes from.

use unicode_width::UnicodeWidthStr;
use waypost::printable;

use crate::output::Shown;

/// The widest label that others are lined up with, in columns of the terminal.
const WIDEST_LABEL: usize = 24;
/// The widest text that others are lined up with.
const WIDEST_TEXT: usize = 44;

/// A row; any column may be empty.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    label: String,
    text: String,
    from: String,
}

impl Row {
    /// A row.
    pub(super) fn new(label: &str, text: &str, from: &str) -> Self {
        Self { label: clean(label), text: clean(text), from: clean(from) }
    }
}

/// A text for one line, of which the width is known.
pub(in crate::commands) fn clean(text: &str) -> String {
    printable::line(text).into_owned()
}

/// The rows as lines, what stands beside the text in a style of its own.
pub(super) fn lines(rows: &[Row], beside: &dyn Fn(&str) -> Shown) -> Shown {
    let widest = |wide: &mut dyn Iterator<Item = &str>, most: usize| {
        wide.map(UnicodeWidthStr::width).filter(|width| *width <= most).max().unwrap_or_default()
    };
    let labels = widest(&mut rows.iter().map(|row| row.label.as_str()), WIDEST_LABEL);
    let with_source = rows.iter().filter(|row| !row.from.is_empty());
    let texts = widest(&mut with_source.map(|row| row.text.as_str()), WIDEST_TEXT);
    let line = |row: &Row| {
        let line = "  " + beside(&row.label) + gap(&row.label, labels) + &row.text;
        if row.from.is_empty() {
            return line.trimmed();
        }
        line + gap(&row.text, texts) + beside(&row.from)
    };
    Shown::below_each_other(rows.iter().map(line))
}

/// The space between a text and the next column.
fn gap(text: &str, column: usize) -> String {
    " ".repeat(column.saturating_sub(text.width()) + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::plain;

    #[test]
    fn columns_line_up_in_wide_scripts_and_nothing_steers_the_terminal() {
        let rows = [
            Row::new("地點", "台灣海峽", "here"),
            Row::new("a", "\u{1b}[2Jb\n", "there"),
            Row::new("long", &"x".repeat(WIDEST_TEXT + 1), "far"),
            Row::new("", "alone", ""),
        ];
        let expected = format!(
            "  地點  台灣海峽  here\n  a     ␛[2Jb␊    there\n  long  {}  far\n        alone",
            "x".repeat(WIDEST_TEXT + 1)
        );
        assert_eq!(lines(&rows, &plain).as_str(), expected);
    }
}
