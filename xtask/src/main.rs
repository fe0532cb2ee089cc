//! Checks and benchmarks of this repository: `cargo xtask COMMAND`.

mod bench;

use std::process::ExitCode;

/// A subcommand: its name, what it does, and the function that gets the arguments after the name.
type Command = (&'static str, &'static str, fn(&[String]) -> anyhow::Result<()>);

/// Every subcommand, in the order of the help.
const COMMANDS: &[Command] =
    &[("bench", "make the tables of docs/: bench accuracy [--data DIR] [--json]", bench::run)];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = arguments.first().and_then(|name| COMMANDS.iter().find(|c| c.0 == name));
    let Some((_, _, run)) = command else {
        say("usage: cargo xtask COMMAND");
        for (name, help, _) in COMMANDS {
            say(&format!("  {name:8} {help}"));
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

#[expect(clippy::print_stderr, reason = "this is the program's one way to speak to people")]
fn say(line: &str) {
    eprintln!("{line}");
}
