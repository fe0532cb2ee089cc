//! `cargo xtask bench reliability`: that nothing is done twice and nothing grows. Races of approvals
//! between two servers, servers killed in the middle of a write, and a long mixed load.
//!
//! The tools are those of the sample server for `ocean`, of which a forecast counts as a change here and
//! needs an approval. It notes each call in a journal, by which they are counted.

mod client;
mod kills;
mod races;
mod scene;
mod soak;

use anyhow::{Context, Result};

use super::program::Program;

/// The numbers of a run where no others are given.
const RACES: usize = 1_000;
const KILLS: usize = 200;
const REQUESTS: usize = 1_000_000;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    super::known(arguments, &[], &["--races", "--kills", "--requests", "--program"])?;
    let number = |name: &str, default: usize| -> Result<usize> {
        let given = value(arguments, name);
        given.map_or(Ok(default), |it| it.parse().with_context(|| format!("`{name} {it}`")))
    };
    let (races, kills) = (number("--races", RACES)?, number("--kills", KILLS)?);
    let requests = number("--requests", REQUESTS)?;
    let program = match value(arguments, "--program") {
        Some(file) => Program::at(file.into()),
        None => Program::build()?,
    };
    super::print(&format!("machine: {}\n", super::machine()));
    super::print("| what | number | result |\n|---|---:|---|");
    if races > 0 {
        super::print(&races::run(&program, races)?);
    }
    if kills > 0 {
        super::print(&kills::run(&program, kills)?);
    }
    if requests > 0 {
        super::print(&soak::run(&program, requests, None)?);
        super::print(&soak::run(&program, requests / 10, Some("third:UNAVAILABLE"))?);
    }
    Ok(())
}

fn value<'a>(arguments: &'a [String], name: &str) -> Option<&'a str> {
    let at = arguments.iter().position(|argument| argument == name)?;
    arguments.get(at + 1).map(String::as_str)
}
