//! What init tells of its work: what it made, what is left to do, and how to go on.

use std::collections::BTreeSet;
use std::path::Path;

use waypost::bootstrap::{Draft, Updated};
use waypost::lint::Level;
use waypost::pack::spec::Access;
use waypost::pack::{Files, Pack};

use super::constants::{self, Settled};
use crate::commands::lint;
use crate::config::Config;
use crate::failure::Failure;
use crate::output;

/// The findings that are shown; `waypost lint` shows all.
const FINDINGS: usize = 5;

/// Tells what a new pack holds.
pub(super) fn made(
    folder: &Path,
    draft: &Draft,
    pack: &Pack,
    settled: &Settled,
) -> Result<(), Failure> {
    let with =
        |access: Access| pack.tools.iter().filter(|tool| tool.spec.access == Some(access)).count();
    let servers = match draft.servers.len() {
        1 => "1 server".to_owned(),
        many => format!("{many} servers"),
    };
    output::line(format!(
        "wrote {}: {} tools of {servers} ({} read, {} write, {} destroy)",
        folder.display(),
        pack.tools.len(),
        with(Access::Read),
        with(Access::Write),
        with(Access::Destructive),
    ))?;
    let mut told = BTreeSet::new();
    for constant in settled.values.iter().filter(|constant| told.insert(&constant.argument)) {
        output::line(format!(
            "{} is {}, for {}",
            constant.argument,
            constant.value,
            scope(&constant.tool)
        ))?;
    }
    for (argument, tools) in &settled.open {
        let option = constants::option(argument);
        output::line(format!(
            "{tools} tools want {argument}, which every request has to name; or say it once: {option}"
        ))?;
    }
    Ok(())
}

fn scope(tool: &str) -> &str {
    if tool == "*" { "all tools" } else { tool }
}

/// Tells what an update changed.
pub(super) fn updated(updated: &Updated, draft: &Draft) -> Result<(), Failure> {
    for (what, names) in [
        ("new", &updated.added),
        ("changed", &updated.changed),
        ("gone", &updated.gone),
        ("kept as edited", &updated.kept),
        (
            "not lowered, though their servers say less (edit `access` if you agree)",
            &updated.not_lowered,
        ),
    ] {
        if !names.is_empty() {
            output::line(format!("{what}: {}", names.join(", ")))?;
        }
    }
    if [&updated.added, &updated.changed, &updated.gone].iter().all(|names| names.is_empty()) {
        output::line("the servers say what they said before")?;
    }
    // Who updates takes these words for looked at.
    for tool in draft.tools.iter().filter(|tool| updated.changed.contains(&tool.name)) {
        output::line(output::bold(&tool.name) + "  says now: " + &tool.description)?;
    }
    Ok(())
}

/// Tells what lint finds, shortly.
pub(super) fn lint(files: &Files, pack: &Pack, config: &Config) -> Result<(), Failure> {
    let findings = lint::findings(files, pack, config)?;
    let count = |level: Level| findings.iter().filter(|finding| finding.level == level).count();
    findings.iter().take(FINDINGS).try_for_each(lint::show)?;
    let (errors, warnings) = (count(Level::Error), count(Level::Warning));
    output::line(format!("lint: {errors} errors, {warnings} warnings"))
}

/// Tells how to go on, with questions that ask for their tools.
pub(super) fn next(folder: &Path, questions: &[String]) -> Result<(), Failure> {
    let folder = folder.display();
    if !questions.is_empty() {
        output::line("try:")?;
    }
    for question in questions {
        output::line(format!(
            "  waypost ask --pack {folder} '{}'",
            question.replace('\'', "'\\''")
        ))?;
    }
    output::line(format!(
        "then: edit {folder}/pack.yaml and examples.jsonl, and talk to it: waypost chat --pack {folder}"
    ))
}
