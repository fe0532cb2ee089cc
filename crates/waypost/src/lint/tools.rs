//! Checks the summaries of tools and routes, by which a model and people choose.

use std::collections::BTreeSet;

use waypost_text::text::Text;

use super::{Finding, Level, Linted};

/// The longest summary, in characters: about 50 tokens. Source: DESIGN, the first level of a tool.
const LONGEST: usize = 240;
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
    } else if length > LONGEST {
        let message = format!(
            "the summary of the {kind} `{name}` has {length} characters, more than {LONGEST}"
        );
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
    for (second, (at, name, _)) in all.iter().enumerate() {
        let like = (0..second).find(|first| share(&words[*first], &words[second]) >= ALIKE);
        let Some((_, other, _)) = like.and_then(|first| all.get(first)) else { continue };
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

fn words(summary: &str) -> BTreeSet<String> {
    let text = Text::new(summary);
    crate::pack::words(text.normalized()).map(str::to_owned).collect()
}

fn share(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let both = a.union(b).count();
    a.intersection(b).count() as f64 / both.max(1) as f64
}
