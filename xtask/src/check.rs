//! Everything that CI checks, in one command, the cheapest first.

use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::{cargo, only, root, say, tidy};

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
    Step {
        name: "clippy",
        advice: "run `cargo clippy --workspace --features full --all-targets`",
        run: clippy,
    },
    Step {
        name: "features",
        advice: "run the command above; `--features NAME` tries one of them alone",
        run: features,
    },
    Step { name: "doc", advice: "run `cargo doc --workspace --features full --no-deps`", run: doc },
    Step {
        name: TEST,
        advice: "run `cargo test --workspace --features full`, or `-p CRATE NAME`",
        run: test,
    },
];

const TEST: &str = "test";
/// The feature that turns on all others.
const FULL: &str = "full";
const CLIPPY: &[&str] = &["clippy", "--quiet"];
const DENIED: &[&str] = &["--", "-D", "warnings"];
const DOC: &[&str] = &["doc", "--quiet", "--no-deps", "--features", FULL];

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
    spawn(&[CLIPPY, &["--workspace", "--features", FULL, "--all-targets"], DENIED].concat(), &[])
}

/// Checks the library alone, the program and its tests as people build it first, and the program with either half of its features:
/// each is compiled without half of the others.
fn features() -> Result<()> {
    let manifest = std::fs::read_to_string(root().join("crates/waypost-server/Cargo.toml"))?;
    let manifest: toml::Table = manifest.parse()?;
    let features = manifest.get("features").and_then(toml::Value::as_table);
    let features = features.context("`waypost-server` has no features")?;
    let names = features.keys().map(String::as_str);
    let names: Vec<&str> = names.filter(|name| !["default", FULL].contains(name)).collect();
    let (first, second) = names.split_at(names.len() / 2);
    let program = ["--package", "waypost-server"];
    spawn(&[CLIPPY, &["--package", "waypost"], DENIED].concat(), &[])?;
    spawn(&[CLIPPY, &program, &["--all-targets"], DENIED].concat(), &[])?;
    for half in [first, second] {
        spawn(&[CLIPPY, &program, &["--features", &half.join(",")], DENIED].concat(), &[])?;
    }
    Ok(())
}

fn doc() -> Result<()> {
    // The program is documented on its own: it has the name of the library, and cargo would write
    // both to one page.
    let warnings = [("RUSTDOCFLAGS", "-D warnings")];
    let library = [DOC, &["--workspace", "--exclude", "waypost-server"]].concat();
    spawn(&library, &warnings)?;
    spawn(&[DOC, &["--package", "waypost-server"]].concat(), &warnings)
}

fn test() -> Result<()> {
    spawn(&["test", "--quiet", "--workspace", "--features", FULL], &[])
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
