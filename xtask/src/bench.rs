//! The benchmarks, one file each; those that take long or measure time run optimized whatever
//! profile `xtask` was built with.

mod accuracy;
mod arguments;
mod encoder;
mod extract;
mod flywheel;
pub(crate) mod program;
mod prune;
mod reliability;
mod routes;
pub(crate) mod samples;
mod seeds;
mod serve;
mod servers;
mod sets;
mod speed;
mod start;
mod timing;
mod tokens;
mod tools;
pub(crate) mod vectors;

use std::fs;

use anyhow::{Context, Result, bail};

use crate::{cargo, print};

/// A benchmark: its name, whether it runs optimized, and the function that gets the arguments after
/// the name.
type Bench = (&'static str, bool, fn(&[String]) -> Result<()>);

const BENCHES: &[Bench] = &[
    ("accuracy", true, accuracy::run),
    // Shares do not depend on how it was built.
    ("arguments", false, arguments::run),
    // It builds for itself the examples that it measures.
    ("encoder", false, encoder::run),
    ("extract", false, extract::run),
    ("flywheel", true, flywheel::run),
    ("prune", true, prune::run),
    // It builds the program, and what it counts is no time.
    ("reliability", false, reliability::run),
    ("routes", true, routes::run),
    // Shares do not depend on how it was built.
    ("seeds", false, seeds::run),
    ("serve", true, serve::run),
    ("servers", false, servers::run),
    ("speed", true, speed::run),
    // It times processes, not itself.
    ("start", false, start::run),
    // The estimate and the tokenizer do not depend on how it was built.
    ("tokens", false, tokens::run),
    ("tools", true, tools::run),
];

/// Runs the benchmark named by the first argument.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let name = arguments.first().map_or("", String::as_str);
    let Some((_, optimized, bench)) = BENCHES.iter().find(|b| b.0 == name) else {
        let names: Vec<&str> = BENCHES.iter().map(|b| b.0).collect();
        bail!("`{name}` is no benchmark: choose one of {}", names.join(", "));
    };
    // Floors are shares, which do not depend on how it was built; a release build of this program takes minutes.
    let again = *optimized && cfg!(debug_assertions) && !flag(arguments, "--check");
    if again { again_optimized(arguments) } else { bench(&arguments[1..]) }
}

/// Builds and runs the same command in the release profile: figures of a debug build mean nothing.
fn again_optimized(arguments: &[String]) -> Result<()> {
    let status = cargo()
        .args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench"])
        .args(arguments)
        .status()
        .context("cargo could not be run")?;
    if status.success() { Ok(()) } else { bail!("the optimized run failed: {status}") }
}

/// The processor and its cores, as the system names them.
fn machine() -> String {
    let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = known.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (model, system) = (model.unwrap_or("unknown processor"), std::env::consts::OS);
    format!("{model}, {cores} cores, {system}, {}", std::env::consts::ARCH)
}

/// Refuses arguments that a benchmark does not have: `flags` alone, `options` with a value.
pub(crate) fn known(arguments: &[String], flags: &[&str], options: &[&str]) -> Result<()> {
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(argument) = rest.next() {
        if options.contains(&argument) {
            rest.next().with_context(|| format!("`{argument}` wants a value"))?;
        } else if !flags.contains(&argument) {
            let all = [flags, options].concat().join(", ");
            bail!("`{argument}` is unknown: there is {all}");
        }
    }
    Ok(())
}

/// Returns whether `--name` is given.
pub(crate) fn flag(arguments: &[String], name: &str) -> bool {
    arguments.iter().any(|argument| argument == name)
}

/// The value after `--name`.
fn option<'a>(arguments: &'a [String], name: &str) -> Option<&'a str> {
    let at = arguments.iter().position(|argument| argument == name)?;
    arguments.get(at + 1).map(String::as_str)
}
