//! What can be typed behind `waypost events`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{PackArgs, number};

#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct EventsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<EventsCommand>,
    #[command(flatten)]
    pub(crate) list: EventsListArgs,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum EventsCommand {
    /// Show the latest events (the same as without a command)
    List(EventsListArgs),
    /// Count: turns, layers, questions, choices, times, faults
    Stats(EventsStatsArgs),
    /// Show how keys in shadow would have decided otherwise
    Compare(EventsCompareArgs),
    /// Export every event, oldest first, for other programs
    Export(EventsExportArgs),
    /// Show which turns are worth a label, and on a terminal label them with one key each
    Triage(EventsTriageArgs),
}

/// Which events.
#[derive(Debug, Clone, Args)]
pub(crate) struct EventsFilterArgs {
    /// Only those of this conversation
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Only those of this type, such as tool_event
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    #[command(flatten)]
    pub(crate) of: EventsOfArgs,
}

/// Of which pack and since when.
#[derive(Debug, Clone, Args)]
pub(crate) struct EventsOfArgs {
    /// Only those of this pack
    #[arg(long, value_name = "NAME")]
    pub(crate) pack: Option<String>,
    /// Only those of the last 7d, 24h or 30m, or since a date or instant
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EventsListArgs {
    #[command(flatten)]
    pub(crate) filter: EventsFilterArgs,
    /// The most events to show
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = number::within::<0, 10_000>)]
    pub(crate) limit: u32,
    /// Print each event as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EventsStatsArgs {
    #[command(flatten)]
    pub(crate) of: EventsOfArgs,
    /// Print the figures as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EventsCompareArgs {
    #[command(flatten)]
    pub(crate) of: EventsOfArgs,
    /// Only this key, such as layer.linear
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// The most examples for each key, latest first
    #[arg(long, value_name = "NUMBER", default_value_t = 5, value_parser = number::within::<0, 1_000>)]
    pub(crate) limit: u32,
    /// Print the comparison as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EventsTriageArgs {
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    /// Only those of the last 7d, 24h or 30m, or since a date or instant
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// The most turns to show, the most useful first
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = number::within::<1, 200>)]
    pub(crate) limit: u32,
    /// Print the list as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EventsExportArgs {
    #[command(flatten)]
    pub(crate) filter: EventsFilterArgs,
    /// The form: jsonl (a line for each event) or parquet (a row for each decision)
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    pub(crate) format: String,
    /// Write to this file; standard output by default
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}
