//! A model's words on their way to the user: sentence by sentence, each once its figures were checked.

use super::figures::Figures;

/// The longest answer, in bytes.
const LONGEST: usize = 16 * 1024;
/// The most bytes without an end that wait for one; they are checked as a sentence then.
const WAITING: usize = 2 * 1024;

/// An answer as it is written.
#[derive(Debug)]
pub(super) struct Written<'f> {
    figures: &'f Figures,
    waiting: String,
    /// The sentences that were sent on.
    pub(super) text: String,
    /// The number of sentences that were left out.
    pub(super) left_out: usize,
}

impl<'f> Written<'f> {
    pub(super) fn new(figures: &'f Figures) -> Self {
        Self { figures, waiting: String::new(), text: String::new(), left_out: 0 }
    }

    /// Adds a piece, and returns the words to send on; `None` once the answer is too long.
    pub(super) fn push(&mut self, piece: &str) -> Option<String> {
        if self.text.len() + self.waiting.len() + piece.len() > LONGEST {
            return None;
        }
        self.waiting.push_str(piece);
        let mut sent = String::new();
        while let Some(end) = end(&self.waiting).or_else(|| full(&self.waiting)) {
            let sentence: String = self.waiting.drain(..end).collect();
            sent += &self.check(sentence);
        }
        Some(sent)
    }

    /// Ends the answer, and returns the words that were still to be sent on.
    pub(super) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.waiting);
        let rest = self.check(rest);
        let kept = self.text.trim_end().len();
        self.text.truncate(kept);
        rest
    }

    fn check(&mut self, sentence: String) -> String {
        if !self.figures.bear(&sentence) {
            self.left_out += 1;
            return String::new();
        }
        self.text.push_str(&sentence);
        sentence
    }
}

/// The place behind the first sentence that is whole: what follows shows that it has ended.
fn end(text: &str) -> Option<usize> {
    text.char_indices().find_map(|(at, c)| {
        let after = at + c.len_utf8();
        match c {
            '\n' | '。' | '！' | '？' => Some(after),
            '.' | '!' | '?' => text[after..].starts_with([' ', '\n']).then_some(after + 1),
            _ => None,
        }
    })
}

/// The end of what has waited for long enough.
fn full(text: &str) -> Option<usize> {
    (text.len() > WAITING).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sentence_is_sent_once_its_figures_were_checked() {
        let mut figures = Figures::default();
        figures.add(&json!({ "price": 231.5 }));
        let mut words = Written::new(&figures);
        let pieces = ["Apple is at 23", "1.5. Tes", "la is at 999. Both", " move.\n", "End"];
        let sent: Vec<String> = pieces.iter().filter_map(|piece| words.push(piece)).collect();
        assert_eq!(sent, ["", "Apple is at 231.5. ", "", "Both move.\n", ""]);
        assert_eq!(words.finish(), "End");
        assert_eq!(words.text, "Apple is at 231.5. Both move.\nEnd");
        assert_eq!(words.left_out, 1);
    }

    #[test]
    fn an_answer_has_an_end() {
        let figures = Figures::default();
        let mut words = Written::new(&figures);
        let taken = (0..100_000).take_while(|_| words.push("word without end ").is_some()).count();
        assert!(taken < 2_000 && words.text.len() <= LONGEST);
    }
}
