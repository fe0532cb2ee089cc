//! `waypost doctor`: what is there, what can be reached, and what to do about the rest.
//!
//! Every check is bounded in time, all run at once, and none changes anything: no folder and no
//! store is made, nothing is downloaded, no tool is called and no model is asked to write. Only `--models` asks the model
//! that decides, and keeps what it was worth.

mod encoder;
mod machine;
mod outside;
mod pack;
mod place;
mod worth;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::task::JoinSet;
use waypost::pack::Pack;
use waypost::{Code, Error};

use crate::assemble::AssemblyOptions;
use crate::cli::DoctorArgs;
use crate::config::Config;
use crate::failure::{Failure, without_numbers};
use crate::output::{self, Style};
use crate::{packs, progress, sources};

/// The longest that one check takes; what takes longer is as good as not there.
const LIMIT: Duration = Duration::from_secs(15);
/// A training takes longer than anything that is asked over a wire, on a slow machine much longer.
const TRAINING_LIMIT: Duration = Duration::from_secs(300);

/// The state of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Warn,
    Fail,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Warn => "warn",
            State::Fail => "fail",
        }
    }

    fn style(self) -> Style {
        match self {
            State::Ok => Style::GREEN,
            State::Warn => Style::YELLOW,
            State::Fail => Style::RED,
        }
    }
}

/// The finding about one thing.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Finding {
    /// The name of the thing: `store`, `server ocean`.
    what: String,
    state: State,
    /// A sentence about its state.
    says: String,
    /// Advice on what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Finding {
    fn ok(what: impl Into<String>, says: impl Into<String>) -> Self {
        Self { what: what.into(), state: State::Ok, says: says.into(), hint: None }
    }

    fn warn(what: impl Into<String>, says: impl Into<String>, hint: impl Into<String>) -> Self {
        let (what, says) = (what.into(), says.into());
        Self { what, state: State::Warn, says, hint: Some(hint.into()) }
    }

    fn fail(what: impl Into<String>, error: &Error) -> Self {
        let hint = error.hint().map(str::to_owned);
        let says = without_numbers(error.message());
        Self { what: what.into(), state: State::Fail, says, hint }
    }
}

/// The things that the checks look at.
#[derive(Debug)]
struct Patient {
    config: Result<Config, Failure>,
    pack: Result<Pack, Failure>,
    /// The name that the pack was asked for by; nothing where servers were named instead.
    pack_name: Option<String>,
    /// The configuration that was named on the command line.
    config_file: Option<std::path::PathBuf>,
}

type Findings = Pin<Box<dyn Future<Output = Vec<Finding>> + Send>>;

/// A check: what it is about, how long it may take, and how it is made.
struct Check {
    what: &'static str,
    limit: Duration,
    run: fn(Arc<Patient>) -> Findings,
}

const fn quick(what: &'static str, run: fn(Arc<Patient>) -> Findings) -> Check {
    Check { what, limit: LIMIT, run }
}

/// The checks, in the order in which they are told.
const CHECKS: &[Check] = &[
    quick("program", machine::program),
    quick("home", place::home),
    quick("configuration", place::configuration),
    quick("store", place::store),
    quick("pack", pack::pack),
    quick("examples", pack::data),
    Check { what: "student", limit: TRAINING_LIMIT, run: pack::student },
    quick("retrieval", pack::retrieval),
    // Each server has its own limit.
    Check { what: "servers", limit: TRAINING_LIMIT, run: outside::servers },
    quick("models", outside::models),
    quick("encoder", encoder::encoder),
    quick("processor", machine::processor),
];

pub(super) async fn run(
    args: &DoctorArgs,
    config_file: Option<std::path::PathBuf>,
    config: Result<Config, Failure>,
) -> Result<u8, Failure> {
    let (pack, pack_name) = patient_pack(args, config.as_ref().ok()).await;
    let patient = Arc::new(Patient { config, pack, pack_name, config_file });
    let mut findings = examine(&patient).await;
    if args.models {
        findings.extend(worth::worth(Arc::clone(&patient)).await);
    }
    if args.json {
        output::json_pretty(&serde_json::json!({ "checks": findings }))?;
    } else {
        findings.iter().try_for_each(show)?;
    }
    let worst = if args.strict { State::Warn } else { State::Fail };
    let failed = findings.iter().any(|finding| finding.state >= worst);
    Ok(if failed { Code::Unavailable.exit_status() } else { 0 })
}

/// The pack, or what the servers that were named come to.
async fn patient_pack(
    args: &DoctorArgs,
    config: Option<&Config>,
) -> (Result<Pack, Failure>, Option<String>) {
    if args.source.mcp.is_empty() {
        let name = args.source.pack.pack.clone();
        return (packs::load(&name), Some(name));
    }
    let fallback = Config::default();
    let config = config.unwrap_or(&fallback);
    let sourced = sources::load(&args.source, config, &AssemblyOptions::default()).await;
    (sourced.map(|sourced| sourced.pack), None)
}

/// Makes all checks at once and returns what they found in the order of the table.
async fn examine(patient: &Arc<Patient>) -> Vec<Finding> {
    let bar = progress::bar("checking", CHECKS.len());
    // Some checks wait for seconds before the first is done.
    bar.tick();
    let mut running = JoinSet::new();
    for (index, check) in CHECKS.iter().enumerate() {
        let patient = Arc::clone(patient);
        running.spawn(async move {
            let found = tokio::time::timeout(check.limit, (check.run)(patient)).await;
            (index, found.unwrap_or_else(|_| vec![late(check)]))
        });
    }
    let mut found: Vec<(usize, Vec<Finding>)> = Vec::new();
    while let Some(done) = running.join_next().await {
        bar.inc(1);
        // A check that broke off says nothing; the others do.
        found.extend(done);
    }
    bar.finish_and_clear();
    found.sort_by_key(|(index, _)| *index);
    found.into_iter().flat_map(|(_, findings)| findings).collect()
}

fn late(check: &Check) -> Finding {
    let message = format!("no answer within {} s", check.limit.as_secs());
    Finding::fail(check.what, &Error::new(Code::DeadlineExceeded, message))
}

fn show(finding: &Finding) -> Result<(), Failure> {
    let state = output::styled(format!("{:<4}", finding.state.name()), finding.state.style());
    let mut lines = finding.says.lines();
    let first = lines.next().unwrap_or_default();
    output::line(state + format!("  {:<14} {first}", finding.what))?;
    lines.try_for_each(|line| output::line(format!("      {:<14} {line}", "")))?;
    match &finding.hint {
        Some(hint) => output::line(output::dim(&format!("      {:<14} hint: {hint}", ""))),
        None => Ok(()),
    }
}

/// Writes a number of bytes as people read it.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let mut amount = bytes as f64 / 1000.0;
    for unit in UNITS {
        if amount < 1000.0 || unit == "TB" {
            return format!("{amount:.1} {unit}");
        }
        amount /= 1000.0;
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(size(900), "0.9 kB");
        assert_eq!(size(12_345_678), "12.3 MB");
        assert_eq!(size(5_000_000_000_000_000), "5000.0 TB");
    }
}
