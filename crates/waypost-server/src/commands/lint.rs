//! `waypost lint`: faults of a valid pack that make it route badly.

use serde_json::json;
use waypost::lint::{Finding, Level, lint};

use crate::cli::LintArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{output, packs, progress};

/// The status of a pack with findings that fail.
const FOUND: u8 = 1;

pub(super) fn run(args: &LintArgs, config: &Config) -> Result<u8, Failure> {
    let (files, pack) = packs::with_files(&args.pack.pack)?;
    let bar = progress::bar("checking", 0);
    let findings = lint(&files, &pack, !config.models.is_empty(), &mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    })
    .map_err(Failure::usage)?;
    bar.finish_and_clear();
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

fn show(finding: &Finding) -> Result<(), Failure> {
    let text = finding.to_string();
    let mut lines = text.lines();
    output::line(output::bold(lines.next().unwrap_or_default()))?;
    lines.try_for_each(|line| output::line(output::dim(line)))
}
