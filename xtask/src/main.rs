//! Checks and benchmarks of this repository: `cargo xtask COMMAND`.

mod acts;
mod bench;
mod budget;
mod check;
mod fuzz;
mod peers;
mod proto;
mod requirements;
mod size;
mod students;
mod tidy;
mod tools;

use std::process::ExitCode;

/// What is measured in this process has the allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A subcommand: its name, what it does, and the function that gets the arguments after the name.
type Command = (&'static str, &'static str, fn(&[String]) -> anyhow::Result<()>);

/// Every subcommand, in the order of the help.
const COMMANDS: &[Command] = &[
    (
        "check",
        "all checks, as in CI: tidy, fmt, clippy, each feature alone, doc, test [--skip-tests]",
        check::run,
    ),
    ("tidy", "the rules that no compiler knows", tidy::run),
    ("proto", "write anew what is made from proto/ [--check]", proto::run),
    ("requirements", "requirements without a test, and tests the table misses", requirements::run),
    ("size", "lines without tests by crate, and the shape of the library [FOLDER]", size::run),
    (
        "budget",
        "what the program costs, counted and held to bounds [--release] [--write]",
        budget::run,
    ),
    ("students", "train the students that the packs come with [--check]", students::run),
    (
        "bench",
        "measure: accuracy, arguments, encoder, extract, flywheel, reliability, routes, seeds, serve, servers, speed, start, tools",
        bench::run,
    ),
    (
        "acts",
        "how well acts are told in sentences not seen [--wrong LANGUAGE]; train: learn them anew",
        acts::run,
    ),
    (
        "tools",
        "how well tools of servers not seen are chosen by what is written about them [--wrong COUNT]; train: learn the weights anew",
        tools::run,
    ),
    (
        "peers",
        "llm: the packs without a model, with one that is always right, and with real ones: llm [PROGRAM MODEL.gguf...]; worth: whether the worth of a model is measured well; clients: the official clients of OpenAI, Anthropic and MCP",
        peers::run,
    ),
    (
        "fuzz",
        "look for inputs that cost more than their length [--minutes N] [--seed S] [--only TARGET] [--panics COUNT]",
        fuzz::run,
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = arguments.first().and_then(|name| COMMANDS.iter().find(|c| c.0 == name));
    let Some((_, _, run)) = command else {
        say("usage: cargo xtask COMMAND");
        for (name, help, _) in COMMANDS {
            say(&format!("  {name:12} {help}"));
        }
        return ExitCode::from(2);
    };
    match run(&arguments[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
fn root() -> std::path::PathBuf {
    let mut root = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}

/// The cargo that runs this program.
fn cargo() -> std::process::Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut cargo = std::process::Command::new(program);
    cargo.current_dir(root());
    cargo
}

/// Refuses arguments that a command does not have.
fn only(arguments: &[String], known: &[&str]) -> anyhow::Result<()> {
    match arguments.iter().find(|argument| !known.contains(&argument.as_str())) {
        None => Ok(()),
        Some(argument) if known.is_empty() => anyhow::bail!("`{argument}` is not expected here"),
        Some(argument) => anyhow::bail!("`{argument}` is unknown: there is {}", known.join(", ")),
    }
}

/// Figures, for people and for programs.
#[expect(clippy::print_stdout, reason = "the figures are what a command that measures is for")]
fn print(text: &str) {
    println!("{text}");
}

#[expect(clippy::print_stderr, reason = "this is the program's one way to speak to people")]
fn say(line: &str) {
    eprintln!("{line}");
}
