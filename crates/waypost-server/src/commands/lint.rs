//! `waypost lint`: faults of a valid pack that make it route badly.

use serde_json::json;
use waypost::lint::{Finding, Level, lint};
use waypost::pack::{Files, Pack};

use crate::assemble::AssemblyOptions;
use crate::cli::LintArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{output, progress, sources};

/// The status of a pack with findings that fail.
const FOUND: u8 = 1;

pub(super) async fn run(args: &LintArgs, config: &Config) -> Result<u8, Failure> {
    let sourced = sources::load(&args.source, config, &AssemblyOptions::default()).await?;
    let (files, pack) = (sourced.files, sourced.pack);
    let findings = findings(&files, &pack, config)?;
    let count = |level: Level| findings.iter().filter(|finding| finding.level == level).count();
    let (errors, warnings) = (count(Level::Error), count(Level::Warning));
    if args.json {
        output::json_pretty(&json!({
            "pack": pack.id,
            "errors": errors,
            "warnings": warnings,
            "findings": findings,
        }))?;
    } else {
        findings.iter().try_for_each(show)?;
        output::line(format!("{}: {errors} errors, {warnings} warnings", pack.spec.name))?;
    }
    let fails = errors > 0 || args.strict && warnings > 0;
    Ok(if fails { FOUND } else { 0 })
}

/// What is found in a pack.
pub(super) fn findings(
    files: &Files,
    pack: &Pack,
    config: &Config,
) -> Result<Vec<Finding>, Failure> {
    let bar = progress::bar("checking", 0);
    let findings = lint(files, pack, !config.models.is_empty(), &mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    })
    .map_err(Failure::usage)?;
    bar.finish_and_clear();
    Ok(findings)
}

pub(super) fn show(finding: &Finding) -> Result<(), Failure> {
    let text = finding.to_string();
    let mut lines = text.lines();
    output::line(output::bold(lines.next().unwrap_or_default()))?;
    lines.try_for_each(|line| output::line(output::dim(line)))
}
