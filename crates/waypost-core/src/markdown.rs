//! The code in a Markdown text that is read a character at a time: what is written in it is quoted, and means nothing else.

/// The place in a text, as far as code goes.
#[derive(Debug, Clone, Default)]
pub struct InCode {
    /// The backticks that the text ends with.
    ticks: usize,
    /// True within a block between lines of three backticks.
    is_block: bool,
    /// True between two backticks of a line.
    is_inline: bool,
}

impl InCode {
    /// Reads the next character.
    pub fn read(&mut self, c: char) {
        if c == '`' {
            self.ticks += 1;
            return;
        }
        match std::mem::take(&mut self.ticks) {
            0 | 2 => {}
            1 => self.is_inline = !self.is_inline && !self.is_block,
            _ => self.is_block = !self.is_block,
        }
        if c == '\n' {
            self.is_inline = false;
        }
    }

    /// Returns whether the character that was read last is within code.
    pub fn is_open(&self) -> bool {
        self.is_block || self.is_inline
    }

    /// Returns whether it is within a block of code.
    pub fn is_block(&self) -> bool {
        self.is_block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_told_from_words() {
        let text = "a `b` c\n```\nd\n```\ne `f\ng";
        let mut code = InCode::default();
        let within = text.chars().filter(|c| {
            code.read(*c);
            c.is_alphabetic() && code.is_open()
        });
        assert_eq!(within.collect::<String>(), "bdf");
    }
}
