//! License expressions, and whether the licenses that we allow satisfy them.

/// Returns whether an expression such as `(MIT OR GPL-3.0) AND ISC` can be met with `allowed`
/// alone.
///
/// # Errors
///
/// A sentence that says what cannot be read.
pub(crate) fn allows(expression: &str, allowed: &[String]) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, at: 0, allowed };
    let result = reader.any()?;
    match reader.peek() {
        None => Ok(result),
        Some(word) => Err(format!("`{word}` is not expected in `{expression}`")),
    }
}

struct Reader<'a> {
    words: &'a [&'a str],
    at: usize,
    allowed: &'a [String],
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }

    /// Steps over `word` if it is next.
    fn eat(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|next| next.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    fn any(&mut self) -> Result<bool, String> {
        let mut result = self.all()?;
        while self.eat("OR") {
            result |= self.all()?;
        }
        Ok(result)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut result = self.one()?;
        while self.eat("AND") {
            result &= self.one()?;
        }
        Ok(result)
    }

    fn one(&mut self) -> Result<bool, String> {
        if self.eat("(") {
            let result = self.any()?;
            return if self.eat(")") { Ok(result) } else { Err("a `)` is missing".to_owned()) };
        }
        let mut license = self.name()?.to_owned();
        if self.eat("WITH") {
            license = format!("{license} WITH {}", self.name()?);
        }
        Ok(self.allowed.contains(&license))
    }

    fn name(&mut self) -> Result<&'a str, String> {
        match self.peek() {
            Some(word) if !["(", ")", "OR", "AND", "WITH"].contains(&word) => {
                self.at += 1;
                Ok(word)
            }
            Some(word) => Err(format!("a license is expected before `{word}`")),
            None => Err("a license is expected at the end".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str) -> Result<bool, String> {
        let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        allows(expression, &allowed)
    }

    #[test]
    fn expressions_are_read_with_their_precedence() {
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("GPL-3.0-only OR MIT", true),
            ("GPL-3.0-only/MIT", true),
            ("MIT AND GPL-3.0-only", false),
            ("MIT OR GPL-3.0-only AND Zlib", true),
            ("(MIT OR GPL-3.0-only) AND Zlib", false),
            ("(MIT OR Zlib) AND (ISC)", true),
            ("Apache-2.0", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0 WITH LLVM-exception OR Zlib", true),
        ] {
            assert_eq!(check(expression), Ok(expected), "{expression}");
        }
    }

    #[test]
    fn what_is_no_expression_is_a_fault() {
        for expression in ["", "MIT OR", "(MIT", "MIT)", "MIT ISC", "WITH MIT"] {
            assert!(check(expression).is_err(), "{expression}");
        }
    }
}
