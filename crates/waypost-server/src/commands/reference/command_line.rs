//! The page of commands, from their definitions.

use clap::{Arg, Command, CommandFactory};
use waypost::Code;

use super::{ORIGIN, cell};
use crate::cli::Cli;
use crate::features::FEATURES;

/// Options that every command has and no section repeats.
const EVERYWHERE: [&str; 3] = ["help", "version", "config"];

/// The codes of errors, in the order of the exit statuses.
const CODES: [Code; 10] = [
    Code::Internal,
    Code::Cancelled,
    Code::InvalidArgument,
    Code::PermissionDenied,
    Code::FailedPrecondition,
    Code::Unimplemented,
    Code::NotFound,
    Code::ResourceExhausted,
    Code::DeadlineExceeded,
    Code::Unavailable,
];

pub(super) fn page() -> String {
    let mut root = Cli::command();
    root.build();
    let mut page = format!("# Command line\n\n{ORIGIN}\n\n{}\n", fenced(&usage(&root)));
    page.push_str(
        "`waypost help COMMAND` prints the same. `--config FILE` goes with every command. A text that \
         begins with a dash goes behind `--`. Data go to standard output, everything else to standard \
         error.\n\n| command | use |\n|---|---|\n",
    );
    for command in shown(&root) {
        let name = command.get_name();
        page.push_str(&format!("| [`{name}`](#waypost-{name}) | {} |\n", about(command)));
    }
    if let Some(help) = root.get_after_help() {
        page.push_str(&format!("\n{}", fenced(&help.to_string())));
    }
    page.push_str(&features());
    page.push_str(&statuses());
    shown(&root).for_each(|command| section(command, "waypost", &mut page));
    page
}

/// The features that a build can have. The page is the same in every build.
fn features() -> String {
    let mut text = "\n## Features\n\nThe default build leaves these out. `cargo build --release --features full` has all of them, \
                    `--features grpc,otlp` some. `waypost --version` tells which a program has. A command or a key that \
                    needs another one ends with an error that names the build.\n\n| feature | what it adds |\n|---|---|\n"
        .to_owned();
    for feature in FEATURES {
        text.push_str(&format!("| `{}` | {} |\n", feature.name, cell(feature.adds)));
    }
    text
}

/// The exit status and the HTTP status of each code.
fn statuses() -> String {
    let mut text =
        "\n## Status of an error\n\nAn error has a code, which `--json`, MCP and HTTP show. It \
                    decides the exit status of a command and the HTTP status.\n\n\
                    | code | exit status | HTTP status |\n|---|--:|--:|\n"
            .to_owned();
    for code in CODES {
        let (name, exit, http) = (code.name(), code.exit_status(), code.http_status());
        text.push_str(&format!("| `{name}` | {exit} | {http} |\n"));
    }
    text
}

/// The section of a command, and those of its own commands.
fn section(command: &Command, parent: &str, page: &mut String) {
    let name = format!("{parent} {}", command.get_name());
    let level = if parent == "waypost" { "##" } else { "###" };
    page.push_str(&format!(
        "\n{level} `{name}`\n\n{}\n\n{}",
        sentence(&about(command)),
        fenced(&usage(command))
    ));
    let rows: Vec<String> = command.get_arguments().filter_map(row).collect();
    if !rows.is_empty() {
        page.push_str(&format!("\n| argument | meaning |\n|---|---|\n{}", rows.concat()));
    }
    if let Some(help) = command.get_after_help() {
        page.push_str(&format!("\n{}", fenced(&help.to_string())));
    }
    shown(command).for_each(|inner| section(inner, &name, page));
}

fn row(argument: &Arg) -> Option<String> {
    let everywhere = EVERYWHERE.iter().any(|name| argument.get_long() == Some(name));
    if argument.is_hide_set() || everywhere {
        return None;
    }
    let names = argument.get_value_names().unwrap_or_default();
    let values = names.iter().map(clap::builder::Str::as_str).collect::<Vec<_>>().join(" ");
    let written = match argument.get_long() {
        Some(long) if argument.get_action().takes_values() => format!("--{long} {values}"),
        Some(long) => format!("--{long}"),
        None => values,
    };
    let mut meaning = argument.get_help().map(|help| cell(&help.to_string())).unwrap_or_default();
    // A flag without a value is `false` by default, which is nothing to say.
    let defaults = argument.get_default_values().iter().filter_map(|value| value.to_str());
    let defaults: Vec<&str> = defaults.collect();
    if !defaults.is_empty() && argument.get_action().takes_values() {
        meaning.push_str(&format!("; default: `{}`", defaults.join(" ")));
    }
    Some(format!("| `{}` | {meaning} |\n", cell(&written)))
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
}

fn about(command: &Command) -> String {
    command.get_about().map(|about| cell(&about.to_string())).unwrap_or_default()
}

/// A short help with the full stop that a page wants.
fn sentence(help: &str) -> String {
    if help.ends_with('…') { help.to_owned() } else { format!("{help}.") }
}

fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    usage.trim_start_matches("Usage: ").to_owned()
}

fn fenced(text: &str) -> String {
    format!("```text\n{}\n```\n", text.trim_end())
}
