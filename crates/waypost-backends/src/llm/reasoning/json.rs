//! The end of a JSON value in a reply: until there, what looks like a mark is a part of its texts.

/// The place within a value.
#[derive(Debug, Default)]
pub(super) struct InJson {
    depth: usize,
    quoted: bool,
    escaped: bool,
}

impl InJson {
    /// Returns whether a text begins with an object, or with a list of values. `[1]` is a mark of a passage.
    pub(super) fn begins(text: &str) -> bool {
        let inner = text.strip_prefix('[').map(str::trim_start);
        text.starts_with('{') || inner.is_some_and(|inner| inner.starts_with(['{', '"', '[', ']']))
    }

    /// Reads on, and returns how many bytes belong to the value, and whether it ends there.
    pub(super) fn read(&mut self, text: &str) -> (usize, bool) {
        for (at, c) in text.char_indices() {
            match c {
                _ if self.escaped => self.escaped = false,
                '\\' if self.quoted => self.escaped = true,
                '"' => self.quoted = !self.quoted,
                '{' | '[' if !self.quoted => self.depth += 1,
                '}' | ']' if !self.quoted => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return (at + c.len_utf8(), true);
                    }
                }
                _ => {}
            }
        }
        (text.len(), false)
    }
}
