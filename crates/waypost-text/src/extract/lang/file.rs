//! Reads files of words: a meaning in square brackets, and below it the patterns of its phrases.
//!
//! ```text
//! # A comment.
//! [weekday 5] friday
//! [yes]
//! yes | yeah | of course
//! @accents required
//! [to] tới
//! ```
//!
//! `@accents required` holds for the lines below it: those phrases are something else without
//! their accents. What a header means is for `header`; which tables read a file, for `settings`.

use std::collections::HashSet;

use super::pattern::{Problem, expand};

/// A fault in a line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// From 1.
    pub(crate) line: usize,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Fault {
    pub(crate) fn new(line: usize, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { line, message: message.into(), hint: hint.into() }
    }

    pub(crate) fn of(line: usize, problem: Problem) -> Self {
        Self::new(line, problem.message, problem.hint)
    }
}

/// A meaning and its phrases.
#[derive(Debug)]
pub(crate) struct Group {
    /// The words in the brackets.
    pub(crate) header: String,
    /// The line of the header, from 1.
    pub(crate) line: usize,
    /// Set if the accents of the phrases may not be left out.
    pub(crate) keeps_accents: bool,
    /// The phrases, each with its line.
    pub(crate) phrases: Vec<(usize, String)>,
}

/// Reads all groups of a file, and all its faults.
pub(crate) fn read(text: &str) -> (Vec<Group>, Vec<Fault>) {
    let mut file = File::default();
    for (at, line) in text.lines().enumerate() {
        if let Err(fault) = file.line(at + 1, without_comment(line).trim()) {
            file.faults.push(fault);
        }
    }
    for group in &file.groups {
        if group.phrases.is_empty() && file.faults.is_empty() {
            let message = format!("`[{}]` has no phrase", group.header);
            file.faults.push(Fault::new(group.line, message, "write one below it"));
        }
    }
    (file.groups, file.faults)
}

/// Returns what stands before a `#` without a backslash.
pub(crate) fn without_comment(line: &str) -> &str {
    let mut escaped = false;
    for (at, sign) in line.char_indices() {
        match sign {
            '#' if !escaped => return &line[..at],
            _ => escaped = sign == '\\' && !escaped,
        }
    }
    line
}

/// The part of a file that was read so far.
#[derive(Default)]
struct File {
    groups: Vec<Group>,
    faults: Vec<Fault>,
    keeps_accents: bool,
    /// Each header with each of its phrases, and whether that keeps its accents.
    seen: HashSet<(String, String, bool)>,
}

impl File {
    fn line(&mut self, line: usize, text: &str) -> Result<(), Fault> {
        if let Some(header) = text.strip_prefix('[') {
            return self.header(line, header);
        }
        match text {
            "" => Ok(()),
            "@accents required" => {
                self.keeps_accents = true;
                Ok(())
            }
            _ if text.starts_with('@') => {
                let message = format!("`{text}` is unknown");
                Err(Fault::new(
                    line,
                    message,
                    "only `@accents required` is known; `\\@` is the sign",
                ))
            }
            _ => self.patterns(line, text),
        }
    }

    fn header(&mut self, line: usize, text: &str) -> Result<(), Fault> {
        let Some((header, rest)) = text.split_once(']') else {
            return Err(Fault::new(line, "`[` is never closed", "write `[meaning]`"));
        };
        let header = header.split_whitespace().collect::<Vec<_>>().join(" ");
        let keeps_accents = self.keeps_accents;
        self.groups.push(Group { header, line, keeps_accents, phrases: Vec::new() });
        match rest.trim() {
            "" => Ok(()),
            patterns => self.patterns(line, patterns),
        }
    }

    fn patterns(&mut self, line: usize, text: &str) -> Result<(), Fault> {
        let Some(group) = self.groups.last_mut() else {
            return Err(Fault::new(
                line,
                "a phrase stands before any header",
                "write `[meaning]` above it",
            ));
        };
        for phrase in expand(text).map_err(|problem| Fault::of(line, problem))? {
            if phrase.to_lowercase() != phrase {
                let hint = "write it in lower case: texts are compared so";
                return Err(Fault::new(line, format!("`{phrase}` is not in lower case"), hint));
            }
            if !self.seen.insert((group.header.clone(), phrase.clone(), group.keeps_accents)) {
                let message = format!("`{phrase}` stands twice under `[{}]`", group.header);
                return Err(Fault::new(line, message, "take one of them out"));
            }
            group.phrases.push((line, phrase));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_with_their_lines() {
        let text = "# Words.\n[weekday 5] friday # and more\n\n[yes]\nyes|yeah\n\\#1\n\
                    @accents required\n[to] tới\n";
        let (groups, faults) = read(text);
        assert_eq!(faults, []);
        let shown: Vec<String> = groups
            .iter()
            .map(|group| {
                let phrases: Vec<String> =
                    group.phrases.iter().map(|(line, phrase)| format!("{line}:{phrase}")).collect();
                format!("{} {} {}", group.header, phrases.join(","), group.keeps_accents)
            })
            .collect();
        assert_eq!(
            shown,
            ["weekday 5 2:friday false", "yes 5:yes,5:yeah,6:#1 false", "to 8:tới true"]
        );
    }

    #[test]
    fn each_fault_has_its_line() {
        for (text, line, message) in [
            ("\nyes", 2, "a phrase stands before any header"),
            ("[yes] yes\n[no\nno", 2, "`[` is never closed"),
            ("[yes]\n\n[no] no", 1, "`[yes]` has no phrase"),
            ("[yes]\nyes\nYes", 3, "`Yes` is not in lower case"),
            ("[yes]\nyes\n[no] no\n[yes] (yes|yeah)", 4, "`yes` stands twice under `[yes]`"),
            ("[yes]\n(ye|)s", 2, "an alternative is empty"),
            ("[yes]\n(yes", 2, "`(` is never closed"),
            ("@accent required\n[yes] yes", 1, "`@accent required` is unknown"),
        ] {
            let (_, faults) = read(text);
            let found: Vec<(usize, &str)> =
                faults.iter().map(|fault| (fault.line, fault.message.as_str())).collect();
            assert_eq!(found, [(line, message)], "{text}");
        }
    }
}
