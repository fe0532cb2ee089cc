//! Where a command gets its tools from: a pack, or servers that are named on the command line.

use clap::Args;
use serde::{Deserialize, Serialize};

use super::{Command, PackArgs};

pub(super) const TOOLS_HELP: &str = "\
A pack that init wrote keeps in tools.lock.json what each server said of its tools. A tool of which its server says
something else later does not run until somebody has looked at it:
  waypost tools accept --pack FOLDER [NAME…]
A tool of which its server does not say what it does may change something, so each call is asked about. If you know that
it only reads, say so once; it counts until its server describes it in another way:
  waypost tools reads --mcp 'COMMAND' NAME…";

/// Which pack, or the tools of which servers.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub(crate) struct SourceArgs {
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    /// The tools of an MCP server instead of a pack: a command in quotation marks, or a URL (repeatable)
    #[arg(long, value_name = "[NAME=]COMMAND|URL", conflicts_with = "pack")]
    pub(crate) mcp: Vec<String>,
    /// An environment variable that the servers of --mcp get as well, besides the usual ones (repeatable)
    #[arg(long, value_name = "NAME", requires = "mcp")]
    pub(crate) env: Vec<String>,
}

impl Command {
    /// The servers that were named instead of a pack. `serve` may have both, and is not among these.
    pub(crate) fn mcp(&self) -> &[String] {
        match self {
            Command::Ask(args) => &args.request.source.mcp,
            Command::Route(args) => &args.request.source.mcp,
            Command::Why(args) => &args.request.source.mcp,
            Command::Chat(args) => &args.source.mcp,
            Command::Mcp(source) => &source.mcp,
            Command::Tools(args) => &args.source.mcp,
            Command::Lint(args) => &args.source.mcp,
            Command::Doctor(args) => &args.source.mcp,
            Command::Init(args) => &args.mcp,
            Command::Feedback(args) => &args.mcp,
            _ => &[],
        }
    }
}
