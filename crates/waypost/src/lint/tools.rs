//! Checks the summaries of tools and routes, by which a model and people choose.

use std::collections::{BTreeSet, HashMap};

use waypost_text::text::Text;

use super::{Finding, Level, Linted};
use crate::tokens;

/// The longest summary, in tokens: the first level of a tool. Source: S2-5.
const LONGEST: usize = 60;
/// The shortest that says anything, in characters.
const SHORTEST: usize = 8;
/// From this share of common words on, two summaries say the same.
const ALIKE: f64 = 0.8;

pub(super) fn check(linted: &Linted<'_>) -> Vec<Finding> {
    let spec = &linted.pack.spec;
    let routes = spec.routes.iter().enumerate();
    let routes: Vec<_> = routes
        .map(|(i, r)| (format!("/routes/{i}/summary"), r.name.as_str(), r.summary.as_str()))
        .collect();
    let tools = spec.tools.iter().enumerate();
    let tools: Vec<_> = tools
        .map(|(i, t)| (format!("/tools/{i}/summary"), t.name.as_str(), t.summary.as_str()))
        .collect();
    let mut findings = Vec::new();
    for (kind, all) in [("route", &routes), ("tool", &tools)] {
        for (at, name, summary) in all {
            findings.extend(alone(linted, kind, at, name, summary));
        }
        findings.extend(alike(linted, kind, all));
    }
    findings
}

fn alone(linted: &Linted<'_>, kind: &str, at: &str, name: &str, summary: &str) -> Option<Finding> {
    let length = summary.trim().chars().count();
    let cut = summary.trim_end().ends_with(['…', ',']) || summary.trim_end().ends_with("...");
    let (message, hint) = if length < SHORTEST {
        let message = format!("the summary of the {kind} `{name}` says nothing: `{summary}`");
        (message, "say in one sentence what it is for")
    } else if tokens::count(summary) > LONGEST {
        let long = tokens::count(summary);
        let message =
            format!("the summary of the {kind} `{name}` has {long} tokens, more than {LONGEST}");
        (message, "say it in one sentence; details belong to the schema")
    } else if cut {
        (format!("the summary of the {kind} `{name}` is cut off"), "end the sentence")
    } else {
        return None;
    };
    let why = "it is what a model chooses by, and what every question of it costs";
    Some(linted.at(Level::Warning, "summary", at, message).because(why, hint))
}

fn alike(linted: &Linted<'_>, kind: &str, all: &[(String, &str, &str)]) -> Vec<Finding> {
    let words: Vec<BTreeSet<String>> = all.iter().map(|(.., summary)| words(summary)).collect();
    let mut findings = Vec::new();
    for (second, first) in twins(&words) {
        let ((_, other, _), (at, name, _)) = (&all[first], &all[second]);
        let message =
            format!("the summaries of the {kind}s `{other}` and `{name}` are nearly the same");
        let why = "neither a model nor people can choose between them";
        findings.push(
            linted
                .at(Level::Warning, "summary", at, message)
                .because(why, "say first what only this one does"),
        );
    }
    findings
}

/// The places of the summaries that say nearly the same as an earlier one, each with the first such. Only those that share a
/// word are compared, so that thousands of tools are linted in seconds.
fn twins(words: &[BTreeSet<String>]) -> Vec<(usize, usize)> {
    let mut standing: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut twins = Vec::new();
    for (second, own) in words.iter().enumerate() {
        let mut shared = vec![0usize; second];
        for first in own.iter().filter_map(|word| standing.get(word.as_str())).flatten() {
            shared[*first] += 1;
        }
        let is_twin = |first: &usize| {
            let all = own.len() + words[*first].len() - shared[*first];
            shared[*first] as f64 >= ALIKE * all.max(1) as f64
        };
        twins.extend((0..second).find(is_twin).map(|first| (second, first)));
        own.iter().for_each(|word| standing.entry(word).or_default().push(second));
    }
    twins
}

fn words(summary: &str) -> BTreeSet<String> {
    let text = Text::new(summary);
    crate::pack::words(text.normalized()).map(str::to_owned).collect()
}
