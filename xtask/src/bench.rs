//! The benchmarks, one file each; they run optimized whatever profile `xtask` was built with.

mod accuracy;
mod sets;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};

/// A benchmark: its name and the function that gets the arguments after the name.
type Bench = (&'static str, fn(&[String]) -> anyhow::Result<()>);

const BENCHES: &[Bench] = &[("accuracy", accuracy::run)];

/// Runs the benchmark named by the first argument.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let name = arguments.first().map_or("", String::as_str);
    let Some((_, bench)) = BENCHES.iter().find(|b| b.0 == name) else {
        let names: Vec<&str> = BENCHES.iter().map(|b| b.0).collect();
        bail!("`{name}` is no benchmark: choose one of {}", names.join(", "));
    };
    if cfg!(debug_assertions) { again_optimized(arguments) } else { bench(&arguments[1..]) }
}

/// Builds and runs the same command in the release profile: figures of a debug build mean nothing.
fn again_optimized(arguments: &[String]) -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench"])
        .args(arguments)
        .current_dir(root())
        .status()
        .context("cargo could not be run")?;
    if status.success() { Ok(()) } else { bail!("the optimized run failed: {status}") }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}

/// The value after `--name`.
fn option<'a>(arguments: &'a [String], name: &str) -> Option<&'a str> {
    let at = arguments.iter().position(|argument| argument == name)?;
    arguments.get(at + 1).map(String::as_str)
}
