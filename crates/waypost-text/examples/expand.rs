//! Prints the phrases that patterns stand for, or those of a whole file by meaning:
//! `cargo run -p waypost-text --example expand -- 'go (with|for)?'`, or
//! `… --example expand -- crates/waypost-text/lang/en/select.txt`.

#![expect(clippy::disallowed_methods, reason = "a tool reads its arguments and files")]

use std::process::ExitCode;

use extract::lang::file::{Fault, read};
use extract::lang::pattern::expand;

#[allow(
    dead_code,
    reason = "this reads files and patterns, and leaves meanings to the build script"
)]
#[path = "../src/extract"]
mod extract {
    pub(crate) mod lang {
        pub(crate) mod file;
        pub(crate) mod pattern;
    }
}

fn main() -> ExitCode {
    let mut faults = 0;
    for argument in std::env::args().skip(1) {
        faults += if argument.ends_with(".txt") { file(&argument) } else { pattern(&argument) };
    }
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints what a pattern stands for, and returns how many faults it has.
fn pattern(pattern: &str) -> usize {
    match expand(pattern) {
        Ok(phrases) => {
            phrases.iter().for_each(|phrase| say(phrase));
            0
        }
        Err(problem) => {
            say(&format!("{pattern}: {}; {}", problem.message, problem.hint));
            1
        }
    }
}

/// Prints the phrases of a file below their meanings, and returns how many faults it has.
fn file(path: &str) -> usize {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            say(&format!("{path}: {error}"));
            return 1;
        }
    };
    let (groups, faults) = read(&text);
    for group in &groups {
        let accents = if group.keeps_accents { ", accents required" } else { "" };
        say(&format!("[{}] {} phrases{accents}", group.header, group.phrases.len()));
        group.phrases.iter().for_each(|(_, phrase)| say(&format!("  {phrase}")));
    }
    for Fault { line, message, hint } in &faults {
        say(&format!("{path}:{line}: {message}; {hint}"));
    }
    faults.len()
}

#[expect(clippy::print_stdout, reason = "an example prints what it finds")]
fn say(line: &str) {
    println!("{line}");
}
