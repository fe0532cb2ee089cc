//! Counts judgments by set and part, and shows them.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use super::Judged;
use super::matching::Fault;

/// The part of a set that a row belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Looked at while something is mended.
    Development,
    /// Looked at by nobody.
    HeldOut,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Part::Development => "dev",
            Part::HeldOut => "held out",
        }
    }
}

/// The number of rows of each judgement.
#[derive(Debug, Clone, Default)]
struct Counts {
    rows: usize,
    tool: usize,
    right: usize,
    asked: usize,
    refused: usize,
    wrong: BTreeMap<Fault, usize>,
}

impl Counts {
    fn wrong(&self) -> usize {
        self.wrong.values().sum()
    }

    /// A share of the rows, in percent.
    fn percent(&self, part: usize) -> f64 {
        100.0 * part as f64 / self.rows.max(1) as f64
    }

    fn join(&mut self, other: &Counts) {
        self.rows += other.rows;
        self.tool += other.tool;
        self.right += other.right;
        self.asked += other.asked;
        self.refused += other.refused;
        for (fault, count) in &other.wrong {
            *self.wrong.entry(*fault).or_default() += count;
        }
    }

    fn json(&self) -> Value {
        let wrong = Fault::ALL.map(|fault| {
            (fault.name().to_owned(), json!(self.wrong.get(&fault).copied().unwrap_or_default()))
        });
        json!({
            "rows": self.rows,
            "right_tool": self.tool,
            "right": self.right,
            "asked": self.asked,
            "refused": self.refused,
            "wrong_run": self.wrong(),
            "wrong_by_fault": Value::Object(wrong.into_iter().collect()),
        })
    }
}

/// The judgments of all sets.
#[derive(Debug, Default)]
pub(super) struct Tally {
    sets: Vec<(String, BTreeMap<Part, Counts>)>,
}

impl Tally {
    /// Counts a row.
    pub(super) fn add(&mut self, set: &str, part: Part, judged: &Judged, tool: bool) {
        if self.sets.last().is_none_or(|(last, _)| last != set) {
            self.sets.push((set.to_owned(), BTreeMap::new()));
        }
        let Some((_, parts)) = self.sets.last_mut() else { return };
        let counts = parts.entry(part).or_default();
        counts.rows += 1;
        counts.tool += usize::from(tool);
        match judged {
            Judged::Right => counts.right += 1,
            Judged::Asked => counts.asked += 1,
            Judged::Refused => counts.refused += 1,
            Judged::Wrong(mismatch) => *counts.wrong.entry(mismatch.kind).or_default() += 1,
        }
    }

    /// The counts of each part of each set, and of its parts together.
    fn lines(&self) -> impl Iterator<Item = (&str, &'static str, Counts)> {
        self.sets.iter().flat_map(|(set, parts)| {
            let mut all = Counts::default();
            parts.values().for_each(|counts| all.join(counts));
            let parts = parts.iter().map(|(part, counts)| (part.name(), counts.clone()));
            parts.chain([("all", all)]).map(|(part, counts)| (set.as_str(), part, counts))
        })
    }

    /// For people: shares in percent of the rows, and what was wrong as counts.
    pub(super) fn table(&self) -> String {
        let faults = Fault::ALL.map(Fault::name).join(" | ");
        let mut out = format!(
            "| set | rows of it | rows | right tool % | fully right % | asked % | refused % | wrong, would run % | {faults} |\n"
        );
        out.push_str("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        for (set, part, counts) in self.lines() {
            let shares = [counts.tool, counts.right, counts.asked, counts.refused, counts.wrong()]
                .map(|count| format!("{:.1}", counts.percent(count)));
            let wrong = Fault::ALL
                .map(|fault| counts.wrong.get(&fault).copied().unwrap_or_default().to_string());
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "| {set} | {part} | {} | {} | {} |",
                counts.rows,
                shares.join(" | "),
                wrong.join(" | ")
            );
        }
        out
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        let mut sets: BTreeMap<&str, BTreeMap<&str, Value>> = BTreeMap::new();
        for (set, part, counts) in self.lines() {
            sets.entry(set).or_default().insert(part, counts.json());
        }
        json!(sets)
    }
}
