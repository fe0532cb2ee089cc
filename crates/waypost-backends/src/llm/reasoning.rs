//! Takes a model's thinking out of its reply: a `<think>…</think>` block at the beginning.
//!
//! Only the beginning is looked at, so that a reply may speak about the tag.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";
/// The most blanks before the first word that are kept, in bytes.
const MOST_BLANKS: usize = 1_000;

/// Removes the thinking from a whole reply.
///
/// Some chat templates write the opening tag themselves, so that the reply has only the closing
/// one; whatever stands before that is thinking too, unless the reply begins as JSON.
pub(super) fn strip(text: &str) -> String {
    let start = text.trim_start();
    if let Some((before, after)) = start.split_once(CLOSE)
        && !before.contains(OPEN)
        && !start.starts_with(['{', '['])
    {
        return after.trim_start().to_owned();
    }
    let mut filter = Filter::default();
    let mut said = filter.push(text);
    said.push_str(&filter.finish());
    said
}

/// Removes the thinking from a reply that comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Filter {
    state: State,
    held: String,
}

#[derive(Debug, Default, PartialEq)]
enum State {
    /// Nothing was said yet; a tag may come.
    #[default]
    Before,
    /// The model thinks.
    Thinking,
    /// The model speaks; nothing is held back any more.
    Speaking,
}

impl Filter {
    /// Takes the next piece and returns what can be shown of everything taken so far.
    pub(super) fn push(&mut self, piece: &str) -> String {
        if self.state == State::Speaking {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        while let Some(said) = self.step() {
            if self.state == State::Speaking {
                return said;
            }
        }
        String::new()
    }

    /// Returns what is still held back when the reply ends.
    pub(super) fn finish(&mut self) -> String {
        match self.state {
            State::Before => std::mem::take(&mut self.held),
            State::Thinking | State::Speaking => String::new(),
        }
    }

    /// Makes one change of state, if the held text allows it.
    fn step(&mut self) -> Option<String> {
        match self.state {
            State::Before => {
                let start = self.held.trim_start();
                if let Some(thinking) = start.strip_prefix(OPEN) {
                    self.held = thinking.to_owned();
                    self.state = State::Thinking;
                } else if OPEN.starts_with(start) {
                    // Nothing but blanks, for ever, is looked through with each piece.
                    if start.is_empty() && self.held.len() > MOST_BLANKS {
                        self.held.clear();
                    }
                    return None;
                } else {
                    self.state = State::Speaking;
                    return Some(std::mem::take(&mut self.held));
                }
            }
            State::Thinking => {
                let Some(end) = self.held.find(CLOSE) else {
                    self.forget_thoughts();
                    return None;
                };
                self.held = self.held[end + CLOSE.len()..].trim_start().to_owned();
                self.state = State::Before;
            }
            State::Speaking => return None,
        }
        Some(String::new())
    }

    /// Keeps only as much as may be the beginning of the closing tag.
    fn forget_thoughts(&mut self) {
        let mut keep = self.held.len().saturating_sub(CLOSE.len());
        while !self.held.is_char_boundary(keep) {
            keep -= 1;
        }
        self.held.drain(..keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, said: &str) {
        assert_eq!(strip(text), said, "whole: {text}");
    }

    #[test]
    fn blanks_without_end_are_not_kept() {
        let mut filter = Filter::default();
        assert!((0..100_000).all(|_| filter.push(" ").is_empty() && filter.held.len() <= 1_001));
        assert_eq!(filter.push("x").trim_start(), "x");
    }

    #[test]
    fn thinking_is_not_shown() {
        check("hello", "hello");
        check(" {\"a\":1}", " {\"a\":1}");
        check("<think>\nhm 想\n</think>\n\n{\"a\":1}", "{\"a\":1}");
        check("<think></think>a<think>b</think>", "a<think>b</think>");
        check("<think>a</think><think>b</think>c", "c");
        check("so the answer is\n</think>\nfour", "four");
        check("<think>cut off in the middle", "");
        check("{\"tag\":\"</think>\"}", "{\"tag\":\"</think>\"}");
        check("<th", "<th");
        check("", "");
    }

    #[test]
    fn pieces_of_any_size_give_the_same() {
        let text = "  <think>deep 思考 </think>\n答案是四 <think>";
        let characters: Vec<char> = text.chars().collect();
        for size in 1..characters.len() {
            let mut filter = Filter::default();
            let mut said = String::new();
            for piece in characters.chunks(size) {
                said.push_str(&filter.push(&piece.iter().collect::<String>()));
            }
            said.push_str(&filter.finish());
            assert_eq!(said.trim_start(), "答案是四 <think>", "pieces of {size}");
        }
    }
}
