//! Finds faults of a valid pack that make it route badly: loading cannot call them wrong, but
//! nobody would want them. Each comes with its place, why it matters, and what to do.

mod documents;
mod examples;
mod policy;
mod rules;
mod student;
mod tools;
mod words;
mod workflow;

use std::fmt;

use serde::Serialize;
use waypost_core::error::Result;
use waypost_learning::Labelled;
use waypost_learning::data::confusion::{HeldOut, held_out};

use crate::pack::{Files, Pack, Source};
use crate::student::heads::labelled;

/// The level of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Something cannot work as it is written.
    Error,
    /// Something works worse than it could.
    Warning,
}

impl Level {
    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
        }
    }
}

/// A fault of a valid pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its level: an error or a warning.
    pub level: Level,
    /// The check that found it: `confusable`, `same-text`, …
    pub check: &'static str,
    /// The file in the pack.
    pub file: String,
    /// From 1; 0 where it is of the whole file.
    pub line: u64,
    /// The fault, in one sentence.
    pub message: String,
    /// The reason why it matters.
    pub why: &'static str,
    /// Advice on what to do about it.
    pub hint: String,
    /// The examples that it is about, where it is about several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<At>,
}

/// An example and its line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct At {
    /// From 1.
    pub line: u64,
    /// The text of the example.
    pub text: String,
}

/// The most examples that a finding holds.
const MOST_TEXTS: usize = 100;

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {} [{}]: {}", self.level.name(), self.check, self.message)?;
        write!(f, "\n  why: {}\n  hint: {}", self.why, self.hint)
    }
}

/// The material that the checks look at.
struct Linted<'a> {
    pack: &'a Pack,
    /// `pack.yaml` with the place of every node.
    source: Source,
    /// The examples as the student sees them, in the order of the pack's.
    labelled: Vec<Labelled>,
    /// The line of each example.
    lines: Vec<u64>,
    /// The texts of the pack's cases.
    cases: Vec<String>,
    /// The answers of students on examples that they were not trained on.
    held_out: Vec<HeldOut>,
    /// True if a teacher is configured.
    has_teacher: bool,
}

/// The file of the examples.
const EXAMPLES: &str = "examples.jsonl";
/// The file of the cases.
const CASES: &str = "cases.jsonl";

impl Linted<'_> {
    /// A finding at a node of `pack.yaml`.
    fn at(&self, level: Level, check: &'static str, pointer: &str, message: String) -> Finding {
        let place = self.source.fault(pointer, "");
        new(level, check, (place.file, place.line), message)
    }

    /// A finding at an example; at the whole file without one.
    fn example(
        &self,
        level: Level,
        check: &'static str,
        index: Option<usize>,
        message: String,
    ) -> Finding {
        let line = index.map_or(0, |index| self.line(index));
        new(level, check, (EXAMPLES.to_owned(), line), message)
    }

    /// Examples for a finding to hold.
    fn texts(&self, indices: &[usize]) -> Vec<At> {
        let text = |index: &usize| self.pack.examples[*index].text.clone();
        let at = |index: &usize| At { line: self.line(*index), text: text(index) };
        indices.iter().take(MOST_TEXTS).map(at).collect()
    }

    fn line(&self, index: usize) -> u64 {
        self.lines.get(index).copied().unwrap_or_default()
    }
}

fn new(level: Level, check: &'static str, (file, line): (String, u64), message: String) -> Finding {
    let (why, hint, texts) = ("", String::new(), Vec::new());
    Finding { level, check, file, line, message, why, hint, texts }
}

impl Finding {
    /// The same finding with why it matters and what to do.
    fn because(mut self, why: &'static str, hint: impl Into<String>) -> Self {
        self.why = why;
        self.hint = hint.into();
        self
    }
}

/// A check: what it finds, in the order of the file.
type Check = fn(&Linted<'_>) -> Vec<Finding>;

/// The checks, the costliest faults first.
fn checks() -> &'static [(&'static str, Check)] {
    &[
        ("examples", examples::check),
        ("student", student::check),
        ("rules", rules::check),
        ("workflow", workflow::check),
        ("policy", policy::check),
        ("tools", tools::check),
        ("documents", documents::check),
        ("words", words::check),
    ]
}

/// Returns every finding of every check; errors first. `progress` is told how many of how many
/// students are trained.
///
/// # Errors
///
/// As training, for examples that no student can be trained on. Examples that contradict each other
/// are a finding, and teach those students nothing.
pub fn lint(
    files: &Files,
    pack: &Pack,
    has_teacher: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<Finding>> {
    let text = files.get("pack.yaml").map(String::as_str).unwrap_or_default();
    let source = Source::parse("pack.yaml", text)
        .map_err(|fault| waypost_core::Error::invalid(fault.to_string()))?;
    let examples = files.get(EXAMPLES).map(String::as_str).unwrap_or_default();
    let filled = examples.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let labelled = labelled(pack)?;
    let held_out = held_out(&labelled, 0, progress)?;
    let linted = Linted {
        pack,
        source,
        lines: filled.map(|(index, _)| index as u64 + 1).collect(),
        labelled,
        cases: cases(files),
        held_out,
        has_teacher,
    };
    let mut findings: Vec<Finding> =
        checks().iter().flat_map(|(_, check)| check(&linted)).collect();
    findings.sort_by_key(|finding| finding.level);
    Ok(findings)
}

/// The texts of the cases; a line that is no case is not a matter of these checks.
fn cases(files: &Files) -> Vec<String> {
    let text = |line: &str| {
        let case: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(case.get("text")?.as_str()?.to_owned())
    };
    files.get(CASES).map(String::as_str).unwrap_or_default().lines().filter_map(text).collect()
}

#[cfg(test)]
mod tests;
