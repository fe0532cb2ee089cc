//! Reads the numbers of passages in a model's words while they stream. A number such as `[7]` that names no
//! passage is left out.

use std::collections::BTreeSet;

use waypost_core::markdown::InCode;

/// The longest mark, in bytes: `[1, 2, 3, 4]` and a space before it. What is longer is no mark, so that
/// words are held back for no longer.
const LONGEST: usize = 16;
/// The most digits of a number that is left out: `[2024]` is a year.
const DIGITS: usize = 3;

/// The marks of a text that comes in pieces.
///
/// Code is left as it is: there `[7]` is an index.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The number of passages; marks of a text that is written from none are none.
    passages: usize,
    /// The beginning of what may be a mark, with the space before it.
    held: String,
    cited: BTreeSet<usize>,
    code: InCode,
}

impl Marks {
    /// The marks of a text that is written from so many passages.
    pub(crate) fn of(passages: usize) -> Self {
        Self { passages, ..Self::default() }
    }

    /// Reads a piece, and returns the words that can be said now.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut said = String::with_capacity(self.held.len() + piece.len());
        for c in piece.chars() {
            if !self.held.is_empty() {
                if self.belongs(c) {
                    self.held.push(c);
                    if c == ']' {
                        self.close(&mut said);
                    }
                    continue;
                }
                said.push_str(&std::mem::take(&mut self.held));
            }
            self.code.read(c);
            if c == '[' && self.passages > 0 && !self.code.is_open() {
                // A mark that is left out takes its space with it.
                let space = if said.ends_with(' ') { said.pop() } else { None };
                self.held.extend(space);
                self.held.push(c);
            } else {
                said.push(c);
            }
        }
        said
    }

    /// Returns the words that were held back, at the end of the text.
    pub(super) fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    /// Returns whether the text up to here ends within a block of code.
    pub(super) fn is_in_code(&self) -> bool {
        self.code.is_block()
    }

    /// The numbers of the passages that are cited.
    pub(super) fn cited(self) -> BTreeSet<usize> {
        self.cited
    }

    /// Returns whether a character may go on the mark that is held back.
    fn belongs(&self, c: char) -> bool {
        let fits = self.held.len() + c.len_utf8() <= LONGEST;
        fits && (c.is_ascii_digit() || matches!(c, ',' | '、' | '，' | ' ' | ']'))
    }

    /// Says the mark that is held back, unless it names no passage. Several numbers that are not all of
    /// passages stay, for they may be the ends of an interval.
    fn close(&mut self, said: &mut String) {
        let held = std::mem::take(&mut self.held);
        let inner = held.trim_start().trim_start_matches('[').trim_end_matches(']').trim();
        let numbers = inner.split([',', '、', '，']).map(|number| number.trim().parse().ok());
        let numbers: Option<Vec<usize>> = numbers.collect();
        match numbers {
            Some(numbers) if numbers.iter().all(|n| (1..=self.passages).contains(n)) => {
                self.cited.extend(numbers);
                said.push_str(&held);
            }
            Some(numbers) if numbers.len() == 1 && inner.len() <= DIGITS => {}
            _ => said.push_str(&held),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what is said of a text, whole and a character at a time, and which of five passages it cites.
    #[track_caller]
    fn check(text: &str, wanted: &str, cited: &[usize]) {
        let mut whole = Marks::of(5);
        let said = whole.push(text) + &whole.finish();
        assert_eq!(said, wanted);
        assert_eq!(whole.cited().into_iter().collect::<Vec<_>>(), cited, "{text:?}");
        let mut apart = Marks::of(5);
        let mut said: String = text.chars().map(|c| apart.push(&c.to_string())).collect();
        said += &apart.finish();
        // A space that was said before its mark came stays.
        assert_eq!(said.replace(' ', ""), wanted.replace(' ', ""));
        assert_eq!(apart.cited().into_iter().collect::<Vec<_>>(), cited, "{text:?}");
    }

    #[test]
    fn marks_of_passages_stay_and_others_are_left_out() {
        check("It is so [1]. And so [7].", "It is so [1]. And so.", &[1]);
        check("海溫 [2][9]，潮汐[3]。", "海溫 [2]，潮汐[3]。", &[2, 3]);
        check("It is so [1, 3] and so [2、5].", "It is so [1, 3] and so [2、5].", &[1, 2, 3, 5]);
        check("It is so [0] [6] [12].", "It is so.", &[]);
        check("It ends [4", "It ends [4", &[]);
    }

    #[test]
    fn what_is_no_mark_stays() {
        for text in [
            "from [0, 10] to [3, 40]",
            "Smith [2020], [a link](x), - [ ] to be done, []",
            "a[[7",
            "[1 2] [1,] [ , ] [1, 2, 3, 4, 5, 1, 2, 3] [99999999999999999999]",
        ] {
            check(text, text, &[]);
        }
    }

    #[test]
    fn an_index_in_code_is_no_mark() {
        check("```\nx[7] = y[1]\n```\nIt is so [7].", "```\nx[7] = y[1]\n```\nIt is so.", &[]);
        check("Use `x[7]`, as [2] says.", "Use `x[7]`, as [2] says.", &[2]);
        check("A stray ` here\nand so [7] on [1].", "A stray ` here\nand so on [1].", &[1]);
    }

    #[test]
    fn a_text_without_passages_is_said_as_it_comes() {
        let mut marks = Marks::default();
        assert_eq!(marks.push("x [7"), "x [7");
        assert_eq!(marks.push("] y"), "] y");
        assert_eq!(marks.finish(), "");
    }
}
