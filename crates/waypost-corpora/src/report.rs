//! The figures of both parts: by corpus, language and kind, then the false finds, then the floors.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value as Json, json};

use crate::case::Corpus;
use crate::score::Outcome;
use crate::split::Part;

/// Kinds that share a floor, and the floor in percent.
const GROUPS: &[(&str, &[&str], f64)] = &[
    ("numbers", &["number", "ordinal", "percentage"], 88.0),
    ("times", &["date", "time", "datetime", "range", "duration", "recurring"], 72.0),
    ("units", &["quantity", "temperature", "age", "money"], 75.0),
];

/// Kinds without a floor, behind the others in tables.
const OTHERS: &[&str] = &["number range", "boolean", "email", "url", "phone"];

/// The largest share of negative cases that may have a false find, in percent.
const FALSE_FINDS: f64 = 5.0;

/// The least number of cases for which a floor is checked.
const ENOUGH: usize = 50;

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    cases: usize,
    right: usize,
    exact: usize,
}

impl Count {
    fn add(&mut self, outcome: &Outcome<'_>) {
        self.cases += 1;
        self.right += usize::from(outcome.right);
        self.exact += usize::from(outcome.exact);
    }

    fn percent(self) -> f64 {
        100.0 * self.right as f64 / self.cases.max(1) as f64
    }

    fn exact_percent(self) -> f64 {
        100.0 * self.exact as f64 / self.cases.max(1) as f64
    }

    fn wrong(self) -> usize {
        self.cases - self.right
    }

    fn json(self) -> Json {
        json!({"cases": self.cases, "right": self.right, "exact": self.exact,
            "percent": self.percent()})
    }
}

/// The figures of both parts.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    shown: Count,
    held_out: Count,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome<'_>) {
        match outcome.case.part() {
            Part::Shown => self.shown.add(outcome),
            Part::HeldOut => self.held_out.add(outcome),
        }
    }

    fn parts(self) -> [(&'static str, Count); 2] {
        [("shown", self.shown), ("held out", self.held_out)]
    }

    /// The cells of a table: the shown part with its exact share, then the held-out one.
    fn cells(self) -> String {
        let Self { shown, held_out } = self;
        format!(
            "{} | {} | {:.1} | {:.1} | {} | {} | {:.1}",
            shown.cases,
            shown.right,
            shown.percent(),
            shown.exact_percent(),
            held_out.cases,
            held_out.right,
            held_out.percent()
        )
    }

    /// The cells of a table of false finds.
    fn false_cells(self) -> String {
        let cells = |count: Count| {
            let share = if count.cases == 0 { 0.0 } else { 100.0 - count.percent() };
            format!("{} | {} | {share:.1}", count.cases, count.wrong())
        };
        format!("{} | {}", cells(self.shown), cells(self.held_out))
    }

    fn is_below(self, floor: f64) -> bool {
        self.parts().iter().any(|(_, count)| is_below(*count, floor))
    }
}

type Row = (Option<Corpus>, String, usize);

/// The figures of a run.
#[derive(Debug, Default)]
pub struct Report {
    kinds: BTreeMap<Row, Counts>,
    negatives: BTreeMap<(Option<Corpus>, String), Counts>,
    groups: BTreeMap<(usize, String, Option<Corpus>), Counts>,
}

impl Report {
    /// Counts the outcomes.
    pub fn new(outcomes: &[Outcome<'_>]) -> Self {
        let mut report = Self::default();
        for outcome in outcomes {
            let (case, corpus) = (outcome.case, Some(outcome.case.corpus));
            let language = case.main_language().to_owned();
            if case.is_negative() {
                for corpus in [corpus, None] {
                    report.negatives.entry((corpus, language.clone())).or_default().add(outcome);
                }
                continue;
            }
            let row = (corpus, case.lang.clone(), kind_rank(case.kind));
            report.kinds.entry(row).or_default().add(outcome);
            let group = GROUPS.iter().position(|group| group.1.contains(&case.kind));
            for (group, corpus) in
                group.into_iter().flat_map(|group| [(group, corpus), (group, None)])
            {
                report.groups.entry((group, language.clone(), corpus)).or_default().add(outcome);
            }
        }
        report
    }

    /// The tables, for people.
    pub fn table(&self) -> String {
        let mut out = String::from(
            "| corpus | language | kind | cases | right | % | exact % | held out | right | % |\n\
             |---|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        // Writing to a string cannot fail.
        for ((corpus, lang, kind), counts) in &self.kinds {
            let (corpus, kind) = (corpus_name(*corpus), kind_name(*kind));
            let _ = writeln!(out, "| {corpus} | {lang} | {kind} | {} |", counts.cells());
        }
        if !self.negatives.is_empty() {
            out.push_str(
                "\n| negatives of | language | cases | false finds | % | held out | false finds | % |\n\
                 |---|---|--:|--:|--:|--:|--:|--:|\n",
            );
        }
        for ((corpus, lang), counts) in &self.negatives {
            let _ =
                writeln!(out, "| {} | {lang} | {} |", corpus_name(*corpus), counts.false_cells());
        }
        out.push_str(
            "\n| group | language | corpus | cases | right | % | exact % | held out | right | % | floor |\n\
             |---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for ((group, lang, corpus), counts) in &self.groups {
            let (name, _, floor) = GROUPS[*group];
            let corpus = corpus_name(*corpus);
            let missed = if counts.is_below(floor) { " missed" } else { "" };
            let cells = counts.cells();
            let _ = writeln!(out, "| {name} | {lang} | {corpus} | {cells} | {floor:.0}{missed} |");
        }
        out
    }

    /// The figures, for programs.
    pub fn json(&self) -> Json {
        let kinds: Vec<Json> = self
            .kinds
            .iter()
            .map(|((corpus, lang, kind), counts)| {
                json!({"corpus": corpus_name(*corpus), "language": lang, "kind": kind_name(*kind),
                "shown": counts.shown.json(), "held_out": counts.held_out.json()})
            })
            .collect();
        let negatives: Vec<Json> = self
            .negatives
            .iter()
            .map(|((corpus, lang), counts)| {
                let part =
                    |count: Count| json!({"cases": count.cases, "false_finds": count.wrong()});
                json!({"corpus": corpus_name(*corpus), "language": lang,
                "shown": part(counts.shown), "held_out": part(counts.held_out)})
            })
            .collect();
        let groups: Vec<Json> = self
            .groups
            .iter()
            .map(|((group, lang, corpus), counts)| {
                json!({"group": GROUPS[*group].0, "language": lang, "corpus": corpus_name(*corpus),
                "shown": counts.shown.json(), "held_out": counts.held_out.json(),
                "floor": GROUPS[*group].2})
            })
            .collect();
        json!({"kinds": kinds, "negatives": negatives, "groups": groups})
    }

    /// The figures below their floors, one sentence each.
    pub fn missed(&self) -> Vec<String> {
        let mut missed = Vec::new();
        for ((group, lang, corpus), counts) in &self.groups {
            let (name, _, floor) = GROUPS[*group];
            let corpus = corpus_name(*corpus);
            for (part, count) in counts.parts() {
                if is_below(count, floor) {
                    let share = count.percent();
                    missed.push(format!(
                        "{name} in {lang} of {corpus}, {part}, are {share:.1}% right, not {floor}%"
                    ));
                }
            }
        }
        for ((corpus, lang), counts) in &self.negatives {
            let corpus = corpus_name(*corpus);
            for (part, count) in counts.parts() {
                let share = 100.0 - count.percent();
                if count.cases >= ENOUGH && share > FALSE_FINDS {
                    missed.push(format!(
                        "false finds in {lang} of {corpus}, {part}, are {share:.1}%, over {FALSE_FINDS}%"
                    ));
                }
            }
        }
        missed
    }
}

fn is_below(count: Count, floor: f64) -> bool {
    count.cases >= ENOUGH && count.percent() < floor
}

fn corpus_name(corpus: Option<Corpus>) -> &'static str {
    corpus.map_or("all", Corpus::name)
}

fn all_kinds() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(|group| group.1).chain(OTHERS).copied()
}

fn kind_rank(kind: &str) -> usize {
    all_kinds().position(|known| known == kind).unwrap_or(usize::MAX)
}

fn kind_name(rank: usize) -> &'static str {
    all_kinds().nth(rank).unwrap_or("other")
}
