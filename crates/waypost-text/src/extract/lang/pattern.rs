//! Reads patterns: one line that stands for many phrases.
//!
//! `go (with|for)?` is "go", "go with" and "go for": brackets hold alternatives, parted by `|`, and
//! a question mark behind them says that all of them may be left out. Alternatives may stand
//! outside of brackets as well, and within others. A backslash takes a sign for itself. Spaces only
//! part words, so that what is left out leaves none behind.

/// The most phrases of one pattern; more is a bracket in the wrong place.
const MOST: usize = 4000;

/// A fault in a pattern: what is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) message: String,
    pub(crate) hint: &'static str,
}

impl Problem {
    pub(crate) fn new(message: impl Into<String>, hint: &'static str) -> Self {
        Self { message: message.into(), hint }
    }
}

/// Lists the phrases that a pattern stands for, in the order of its alternatives.
///
/// # Errors
///
/// A [`Problem`] if brackets do not match, an alternative is empty, a sign of patterns stands where
/// it says nothing, or there are more phrases than anybody can have meant.
pub(crate) fn expand(pattern: &str) -> Result<Vec<String>, Problem> {
    let mut reader = Reader { rest: pattern.chars().peekable() };
    let found = reader.alternatives()?;
    if reader.rest.next().is_some() {
        return Err(Problem::new("`)` closes nothing", "write `\\)` for the sign itself"));
    }
    found.iter().map(|phrase| tidied(phrase)).collect()
}

/// A phrase with one space between words and none around them.
fn tidied(phrase: &str) -> Result<String, Problem> {
    let words: Vec<&str> = phrase.split_whitespace().collect();
    if words.is_empty() {
        let hint = "leave one part outside of `(…)?`";
        return Err(Problem::new("everything may be left out", hint));
    }
    Ok(words.join(" "))
}

/// A pattern, and how much of it was read.
struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
}

impl Reader<'_> {
    /// Reads up to the end or to a closing bracket, which stays.
    fn alternatives(&mut self) -> Result<Vec<String>, Problem> {
        let mut all = Vec::new();
        loop {
            let found = self.sequence()?;
            if found.iter().all(|phrase| phrase.trim().is_empty()) {
                let hint = "take out the `|`, or write `(…)?` around what may be left out";
                return Err(Problem::new("an alternative is empty", hint));
            }
            all.extend(found);
            if all.len() > MOST {
                let message = format!("the pattern stands for more than {MOST} phrases");
                return Err(Problem::new(message, "write it as several patterns"));
            }
            if self.rest.next_if_eq(&'|').is_none() {
                return Ok(all);
            }
        }
    }

    /// Reads parts that follow each other.
    fn sequence(&mut self) -> Result<Vec<String>, Problem> {
        let mut found = vec![String::new()];
        while let Some(&sign) = self.rest.peek() {
            if matches!(sign, '|' | ')') {
                break;
            }
            self.rest.next();
            let part = match sign {
                '(' => self.group()?,
                '\\' => vec![self.escaped()?.to_string()],
                '?' => {
                    let hint =
                        "write `(…)?` around what may be left out, `\\?` for the sign itself";
                    return Err(Problem::new("`?` stands behind no bracket", hint));
                }
                '[' | ']' => {
                    let message = format!("`{sign}` stands within a pattern");
                    return Err(Problem::new(message, "write `\\[` for the sign itself"));
                }
                _ => vec![sign.to_string()],
            };
            if found.len() * part.len() > MOST {
                let message = format!("the pattern stands for more than {MOST} phrases");
                return Err(Problem::new(message, "write it as several patterns"));
            }
            let joined =
                found.iter().flat_map(|head| part.iter().map(move |tail| head.clone() + tail));
            found = joined.collect();
        }
        Ok(found)
    }

    /// Reads what stands in brackets, the opening one of which was read.
    fn group(&mut self) -> Result<Vec<String>, Problem> {
        let mut found = self.alternatives()?;
        if self.rest.next() != Some(')') {
            let hint = "close it, or write `\\(` for the sign itself";
            return Err(Problem::new("`(` is never closed", hint));
        }
        if self.rest.next_if_eq(&'?').is_some() {
            found.push(String::new());
        }
        Ok(found)
    }

    fn escaped(&mut self) -> Result<char, Problem> {
        let hint = "put the sign behind it, or write `\\\\` for itself";
        self.rest.next().ok_or_else(|| Problem::new("`\\` stands at the end", hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pattern: &str) -> String {
        match expand(pattern) {
            Ok(phrases) => phrases.join(", "),
            Err(problem) => format!("! {}", problem.message),
        }
    }

    #[test]
    fn a_pattern_stands_for_its_phrases() {
        for (pattern, phrases) in [
            ("yes", "yes"),
            ("yes|yeah | yep", "yes, yeah, yep"),
            ("go (with|for|ahead with)?", "go with, go for, go ahead with, go"),
            (
                "(the)? same (one(s)?)?",
                "the same ones, the same one, the same, same ones, same one, same",
            ),
            ("(我|俺)(要|想)", "我要, 我想, 俺要, 俺想"),
            ("((a|b) c|d) e", "a c e, b c e, d e"),
            ("u\\(s\\) \\| \\?", "u(s) | ?"),
            ("  two   words ", "two words"),
        ] {
            assert_eq!(shown(pattern), phrases, "{pattern}");
        }
    }

    #[test]
    fn a_faulty_pattern_is_refused() {
        for (pattern, message) in [
            ("", "! an alternative is empty"),
            ("a|", "! an alternative is empty"),
            ("(a||b)", "! an alternative is empty"),
            ("()", "! an alternative is empty"),
            ("(a)?", "! everything may be left out"),
            ("(a", "! `(` is never closed"),
            ("a)", "! `)` closes nothing"),
            ("why?", "! `?` stands behind no bracket"),
            ("a [b]", "! `[` stands within a pattern"),
            ("a\\", "! `\\` stands at the end"),
            (&"(a|b)".repeat(13), "! the pattern stands for more than 4000 phrases"),
        ] {
            assert_eq!(shown(pattern), message, "{pattern}");
        }
    }
}
