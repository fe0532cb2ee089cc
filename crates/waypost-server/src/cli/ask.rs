//! What `waypost ask` takes, and the process that it leaves to keep tool servers ready.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::RequestArgs;

#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// Print the whole answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Show the decision, the tool's result and its log as well
    #[arg(long)]
    pub(crate) debug: bool,
    /// Remember this conversation under a name
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Keep the servers of --mcp ready for 10 minutes after the answer; without it only on a terminal
    #[arg(long, value_name = "yes|no", value_parser = ["yes", "no"], hide_possible_values = true)]
    pub(crate) keep: Option<String>,
    /// End the servers that are kept ready, and ask nothing
    #[arg(long, conflicts_with = "text")]
    pub(crate) stop: bool,
    /// The question; standard input by default
    #[arg(value_name = "TEXT", allow_negative_numbers = true)]
    pub(crate) text: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct KeepReadyArgs {
    /// The file of the socket on standard input, where questions come in
    #[arg(value_name = "FILE")]
    pub(crate) socket: PathBuf,
}
