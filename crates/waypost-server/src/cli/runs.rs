//! What can be typed behind `waypost runs`.

use clap::{Args, Subcommand};

use super::number;

pub(super) const RUNS_HELP: &str = "\
A plan is recorded while it runs: each step with its input, its result and its time. One that was cut short goes
on from its last finished step, or is given up. What changes something is approved anew.
  waypost runs
  waypost runs resume 1f2e3d4c5b6a7980";

#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,
    #[command(flatten)]
    pub(crate) list: RunsListArgs,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum RunsCommand {
    /// List the runs that were cut short (the same as without a command)
    List(RunsListArgs),
    /// Show a run: its request, and each step with its input, result and time
    Show(RunsShowArgs),
    /// Go on with a run from its last finished step
    Resume(RunsResumeArgs),
    /// Give a run up
    Abandon(RunsAbandonArgs),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RunsListArgs {
    /// Only those of this conversation
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Those that have ended, too
    #[arg(long)]
    pub(crate) all: bool,
    /// The most runs to show, latest first
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = number::within::<0, 10_000>)]
    pub(crate) limit: u32,
    /// Print each run as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RunsShowArgs {
    /// The id of the run, as `waypost runs` shows it
    #[arg(value_name = "RUN")]
    pub(crate) id: String,
    /// Print the whole record as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RunsResumeArgs {
    /// The id of the run, as `waypost runs` shows it
    #[arg(value_name = "RUN")]
    pub(crate) id: String,
    /// The pack: a name, or a folder that holds a pack.yaml; by default the one of the run's name
    #[arg(long, value_name = "NAME|FOLDER")]
    pub(crate) pack: Option<String>,
    /// Print the whole answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Show the decision, the tools' results and their log as well
    #[arg(long)]
    pub(crate) debug: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RunsAbandonArgs {
    /// The id of the run, as `waypost runs` shows it
    #[arg(value_name = "RUN")]
    pub(crate) id: String,
}
