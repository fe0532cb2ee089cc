//! `waypost feedback`: a word on a decision.

use clap::Args;

/// The word on a decision.
#[derive(Debug, Clone, Args)]
#[command(group(clap::ArgGroup::new("word").required(true).args(["right", "wrong"])))]
pub(crate) struct FeedbackArgs {
    /// The id of the decision, as `events` and answers show it
    #[arg(value_name = "DECISION_ID")]
    pub(crate) decision_id: String,
    /// It was right
    #[arg(long)]
    pub(crate) right: bool,
    /// It was wrong
    #[arg(long)]
    pub(crate) wrong: bool,
    /// The route that would have been right, or out_of_scope
    #[arg(long, value_name = "ROUTE", conflicts_with = "right")]
    pub(crate) route: Option<String>,
    /// A tool that would have been right (repeatable)
    #[arg(long = "tool", value_name = "TOOL", conflicts_with = "right")]
    pub(crate) tools: Vec<String>,
    /// The pack: a name, or a folder that holds a pack.yaml; by default that of the decision
    #[arg(long, value_name = "NAME|FOLDER")]
    pub(crate) pack: Option<String>,
    /// The servers of the decision, where it was asked with --mcp: as they were named there (repeatable)
    #[arg(long, value_name = "[NAME=]COMMAND|URL", conflicts_with = "pack")]
    pub(crate) mcp: Vec<String>,
    /// An environment variable that the servers of --mcp get as well, besides the usual ones (repeatable)
    #[arg(long, value_name = "NAME", requires = "mcp")]
    pub(crate) env: Vec<String>,
    /// Print the label as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
