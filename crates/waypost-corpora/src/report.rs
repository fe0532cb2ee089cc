//! The figures: by corpus, language and kind, then the false finds, then the floors.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value as Json, json};

use crate::case::Corpus;
use crate::score::Outcome;

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
}

type Row = (Option<Corpus>, String, usize);

/// The figures of a run.
#[derive(Debug, Default)]
pub struct Report {
    kinds: BTreeMap<Row, Count>,
    negatives: BTreeMap<(Option<Corpus>, String), Count>,
    groups: BTreeMap<(usize, String, Option<Corpus>), Count>,
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
        let mut out = String::from("| corpus | language | kind | cases | right | % | exact % |\n");
        out.push_str("|---|---|---|--:|--:|--:|--:|\n");
        // Writing to a string cannot fail.
        for ((corpus, lang, kind), count) in &self.kinds {
            let _ = writeln!(
                out,
                "| {} | {lang} | {} | {} | {} | {:.1} | {:.1} |",
                corpus_name(*corpus),
                kind_name(*kind),
                count.cases,
                count.right,
                count.percent(),
                count.exact_percent()
            );
        }
        if !self.negatives.is_empty() {
            out.push_str(
                "\n| negatives of | language | cases | false finds | % |\n|---|---|--:|--:|--:|\n",
            );
        }
        for ((corpus, lang), count) in &self.negatives {
            let _ = writeln!(
                out,
                "| {} | {lang} | {} | {} | {:.1} |",
                corpus_name(*corpus),
                count.cases,
                count.cases - count.right,
                100.0 - count.percent()
            );
        }
        out.push_str("\n| group | language | corpus | cases | right | % | exact % | floor |\n|---|---|---|--:|--:|--:|--:|--:|\n");
        for ((group, lang, corpus), count) in &self.groups {
            let (name, _, floor) = GROUPS[*group];
            let missed = if is_below(*count, floor) { " missed" } else { "" };
            let _ = writeln!(
                out,
                "| {name} | {lang} | {} | {} | {} | {:.1} | {:.1} | {floor:.0}{missed} |",
                corpus_name(*corpus),
                count.cases,
                count.right,
                count.percent(),
                count.exact_percent()
            );
        }
        out
    }

    /// The figures, for programs.
    pub fn json(&self) -> Json {
        let kinds: Vec<Json> = self
            .kinds
            .iter()
            .map(|((corpus, lang, kind), count)| {
                json!({"corpus": corpus_name(*corpus), "language": lang, "kind": kind_name(*kind),
                "cases": count.cases, "right": count.right, "exact": count.exact})
            })
            .collect();
        let negatives: Vec<Json> = self
            .negatives
            .iter()
            .map(|((corpus, lang), count)| {
                json!({"corpus": corpus_name(*corpus), "language": lang,
                "cases": count.cases, "false_finds": count.cases - count.right})
            })
            .collect();
        let groups: Vec<Json> = self
            .groups
            .iter()
            .map(|((group, lang, corpus), count)| {
                json!({"group": GROUPS[*group].0, "language": lang, "corpus": corpus_name(*corpus),
                "cases": count.cases, "right": count.right, "exact": count.exact,
                "percent": count.percent(), "floor": GROUPS[*group].2})
            })
            .collect();
        json!({"kinds": kinds, "negatives": negatives, "groups": groups})
    }

    /// The figures below their floors, one sentence each.
    pub fn missed(&self) -> Vec<String> {
        let groups = self.groups.iter().filter_map(|((group, lang, corpus), count)| {
            let (name, _, floor) = GROUPS[*group];
            let corpus = corpus_name(*corpus);
            is_below(*count, floor).then(|| {
                format!(
                    "{name} in {lang} of {corpus} are {:.1}% right, not {floor}%",
                    count.percent()
                )
            })
        });
        let negatives = self.negatives.iter().filter_map(|((corpus, lang), count)| {
            let share = 100.0 - count.percent();
            (count.cases >= ENOUGH && share > FALSE_FINDS).then(|| {
                let corpus = corpus_name(*corpus);
                format!("false finds in {lang} of {corpus} are {share:.1}%, over {FALSE_FINDS}%")
            })
        });
        groups.chain(negatives).collect()
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
