//! A text of which parts are taken out: they become blanks, so that every position stays.

use std::ops::Range;

/// How surely a part is not the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sure {
    /// Nobody types this: it is gone even if nothing else is left.
    Known,
    /// It looks so beside other words. Alone, it is what the user wrote.
    Beside,
}

/// A text, and what is taken out of it.
#[derive(Debug)]
pub(super) struct Page<'a> {
    original: &'a str,
    /// The text with a space for every byte that is out; lines stay lines.
    words: String,
    /// The text without what nobody types.
    known: String,
}

impl<'a> Page<'a> {
    pub(super) fn new(original: &'a str) -> Self {
        Self { original, words: original.to_owned(), known: original.to_owned() }
    }

    /// What is left, with the bytes of the original where they were.
    pub(super) fn words(&self) -> &str {
        &self.words
    }

    /// Takes parts out. They begin and end between characters, and lie in the order of the text.
    pub(super) fn take(&mut self, parts: &[(Range<usize>, Sure)]) {
        if parts.is_empty() {
            return;
        }
        let all = parts.iter().map(|(part, _)| part.clone());
        self.words = blanked(&self.words, all);
        let known = parts.iter().filter(|(_, sure)| *sure == Sure::Known);
        self.known = blanked(&self.known, known.map(|(part, _)| part.clone()));
    }

    /// The original with a space for every character that is out.
    pub(super) fn into_own(self) -> String {
        let says = self.words.contains(char::is_alphanumeric);
        let left = if says { &self.words } else { &self.known };
        let mut own = String::with_capacity(self.original.len());
        for (at, c) in self.original.char_indices() {
            let stays = left.as_bytes()[at] == self.original.as_bytes()[at];
            // A line break that is out looks like one that is not.
            own.push(if stays { c } else { ' ' });
        }
        own
    }
}

/// A text with spaces for the bytes of some parts of it, but for line breaks.
fn blanked(text: &str, parts: impl Iterator<Item = Range<usize>>) -> String {
    let mut left = String::with_capacity(text.len());
    for part in parts {
        let start = part.start.max(left.len());
        if part.end <= start {
            continue;
        }
        left.push_str(&text[left.len()..start]);
        left.extend(text.as_bytes()[start..part.end].iter().map(|byte| match byte {
            b'\n' => '\n',
            _ => ' ',
        }));
    }
    left.push_str(&text[left.len()..]);
    left
}

/// The lines of a text with their bytes, without the line breaks.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let from = start;
        start += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        (from..from + line.len(), line)
    })
}
