//! Looks for inputs whose cost grows faster than they do: `cargo xtask fuzz`.
//!
//! An input is made from a recipe at sizes n, 2n and 4n, and given to a part of the program. Steps of the
//! grammar, memory and time of the processor are compared. What is counted is the same on every machine;
//! what is timed is looked at again, alone, before it is a fault.

mod counting;
mod random;
mod recipe;
#[allow(dead_code, reason = "the benchmarks use more of it")]
#[path = "../bench/samples.rs"]
mod samples;
mod scaling;
mod search;
mod structures;
mod targets;
mod terms;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match search::run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}

/// The folder of the workspace.
fn root() -> std::path::PathBuf {
    let mut root = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}

#[expect(clippy::print_stderr, reason = "this is the program's one way to speak to people")]
fn say(line: &str) {
    eprintln!("{line}");
}
