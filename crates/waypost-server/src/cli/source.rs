//! Where a command gets its tools from: a pack, or servers that are named on the command line.

use clap::Args;

use super::{Command, PackArgs};

pub(super) const TOOLS_HELP: &str = "\
A pack that init wrote keeps in tools.lock.json what each server said of its tools. A tool of which its server says
something else later does not run until somebody has looked at it:
  waypost tools accept --pack FOLDER [NAME…]";

/// Which pack, or the tools of which servers.
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceArgs {
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    /// The tools of an MCP server instead of a pack: a command in quotation marks, or a URL (repeatable)
    #[arg(long, value_name = "[NAME=]COMMAND|URL", conflicts_with = "pack")]
    pub(crate) mcp: Vec<String>,
}

impl Command {
    /// The servers that were named instead of a pack.
    pub(crate) fn mcp(&self) -> &[String] {
        match self {
            Command::Ask(args) => &args.request.source.mcp,
            Command::Route(args) => &args.request.source.mcp,
            Command::Why(args) => &args.request.source.mcp,
            Command::Chat(args) => &args.source.mcp,
            Command::Mcp(source) => &source.mcp,
            Command::Serve(args) => &args.mcp,
            Command::Tools(args) => &args.source.mcp,
            Command::Lint(args) => &args.source.mcp,
            Command::Doctor(args) => &args.source.mcp,
            Command::Init(args) => &args.mcp,
            _ => &[],
        }
    }
}
