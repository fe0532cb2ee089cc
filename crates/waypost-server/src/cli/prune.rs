//! What can be typed behind `waypost prune`.

use std::path::PathBuf;

use clap::Args;

pub(super) const PRUNE_HELP: &str = "\
A line of the log is the body of a request as OpenAI's chat completions and responses or Anthropic's messages
have it, or {\"request\": BODY, \"response\": ANSWER}. Each tool that the answer, or an earlier answer of the same
conversation, called for the first time must be among those left before. No model is asked.
Exit status: 1 if one would have been left out.
  waypost prune --check requests.jsonl";

#[derive(Debug, Clone, Args)]
pub(crate) struct PruneArgs {
    /// Say which tools that were called would have been left out of these requests, one a line
    #[arg(long, value_name = "LOG", required = true)]
    pub(crate) check: PathBuf,
    /// Leave as many tools at least, as `x-waypost-keep` does
    #[arg(long, value_name = "COUNT")]
    pub(crate) keep: Option<usize>,
}
