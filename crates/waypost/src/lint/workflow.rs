//! Finds gates that nothing opens: flags that only tools set which need the flag themselves.

use std::collections::BTreeSet;

use super::{Finding, Level, Linted};
use crate::pack::spec::{Condition, ToolSpec};

pub(super) fn check(linted: &Linted<'_>) -> Vec<Finding> {
    let tools = &linted.pack.spec.tools;
    let reachable = reachable(tools);
    let mut findings = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        for (step, needed) in tool.requires.iter().enumerate() {
            if reachable.contains(needed.flag.as_str()) {
                continue;
            }
            let message =
                format!("`{}` needs the flag `{}`, which can never be set", tool.name, needed.flag);
            let why = "every tool that sets it needs, in the end, the flag itself";
            let at = format!("/tools/{index}/requires/{step}");
            findings.push(
                linted
                    .at(Level::Error, "gate-never-opens", &at, message)
                    .because(why, "let a tool set it that needs nothing of it"),
            );
        }
    }
    findings
}

/// The flags that some order of calls sets, from none.
fn reachable(tools: &[ToolSpec]) -> BTreeSet<&str> {
    let mut set: BTreeSet<&str> = BTreeSet::new();
    // Each round sets a flag more or is the last.
    loop {
        let before = set.len();
        for tool in tools {
            // A requirement under a condition leaves the tool a way around.
            let mut always =
                tool.requires.iter().filter(|needed| needed.condition == Condition::default());
            if always.all(|needed| set.contains(needed.flag.as_str())) {
                let sets = tool.sets.iter().filter(|flag| flag.keeps.is_none());
                set.extend(sets.map(|flag| flag.flag.as_str()));
            }
        }
        if set.len() == before {
            return set;
        }
    }
}
