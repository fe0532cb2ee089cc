//! Everything that CI checks, in one command, the cheapest first.

use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::{cargo, only, say, tidy};

/// One step: its name, what to do when it fails, and the work.
struct Step {
    name: &'static str,
    advice: &'static str,
    run: fn() -> Result<()>,
}

/// The steps in their order: what fails in a second comes before what takes minutes.
const STEPS: &[Step] = &[
    Step { name: "tidy", advice: "each line above names a file and a rule", run: tidy_up },
    Step { name: "fmt", advice: "run `cargo fmt --all`", run: fmt },
    Step { name: "clippy", advice: "run `cargo clippy --workspace --all-targets`", run: clippy },
    Step { name: "doc", advice: "run `cargo doc --workspace --no-deps`", run: doc },
    Step { name: TEST, advice: "run `cargo test --workspace`, or `-p CRATE NAME`", run: test },
];

const TEST: &str = "test";

/// Runs every step and says at the end which ones failed; `--skip-tests` leaves the tests out.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--skip-tests"])?;
    let skip = arguments.iter().any(|argument| argument == "--skip-tests");
    let mut failed = Vec::new();
    for step in STEPS.iter().filter(|step| !(skip && step.name == TEST)) {
        say(&format!("── {} ", step.name));
        let started = Instant::now();
        let result = (step.run)();
        let seconds = started.elapsed().as_secs_f64();
        match result {
            Ok(()) => say(&format!("   {} passed in {seconds:.1} s", step.name)),
            Err(error) => {
                say(&format!("   {} FAILED after {seconds:.1} s: {error:#}", step.name));
                say(&format!("   {}", step.advice));
                failed.push(step.name);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("failed: {}", failed.join(", ")) }
}

fn tidy_up() -> Result<()> {
    tidy::run(&[])
}

fn fmt() -> Result<()> {
    spawn(&["fmt", "--all", "--check", "--", "-l"], &[])
}

fn clippy() -> Result<()> {
    let arguments = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
    spawn(&arguments, &[])
}

fn doc() -> Result<()> {
    // The program is documented on its own: it has the name of the library, and cargo would write
    // both to one page.
    let warnings = [("RUSTDOCFLAGS", "-D warnings")];
    let library = ["doc", "--quiet", "--workspace", "--no-deps", "--exclude", "waypost-server"];
    spawn(&library, &warnings)?;
    let program = ["doc", "--quiet", "--package", "waypost-server", "--no-deps"];
    spawn(&program, &warnings)
}

fn test() -> Result<()> {
    spawn(&["test", "--quiet", "--workspace"], &[])
}

fn spawn(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let status = cargo()
        .args(arguments)
        .envs(environment.iter().copied())
        .stdin(std::process::Stdio::null())
        .status()
        .context("cargo could not be run")?;
    if status.success() { Ok(()) } else { bail!("`cargo {}`: {status}", arguments.join(" ")) }
}
