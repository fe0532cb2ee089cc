//! What `waypost init` takes.

use std::path::PathBuf;

use clap::Args;

pub(super) const INIT_HELP: &str = "\
The file of another client may be given as `--config FILE` too. Values that such a file keeps secret are not copied: the
pack names environment variables instead. On a terminal, init asks for values that every tool of a server wants.
Where a language model is configured, it is told the names, descriptions and arguments of the tools, and writes further
examples: two calls for each tool and language, 400 in all, for 15 minutes at most. Ctrl-C stops it, and the pack is
written with what there is.
  waypost init --mcp 'uvx mcp-server-git' --mcp 'npx -y @modelcontextprotocol/server-filesystem .' tools
  waypost init --from .vscode/mcp.json --lang en,zh-TW
  waypost init --update tools";

#[derive(Debug, Clone, Args)]
pub(crate) struct InitArgs {
    /// An MCP server: a command in quotation marks, or a URL (repeatable)
    #[arg(long, value_name = "[NAME=]COMMAND|URL")]
    pub(crate) mcp: Vec<String>,
    /// An environment variable that the servers of --mcp get as well, besides the usual ones (repeatable)
    #[arg(long, value_name = "NAME", requires = "mcp")]
    pub(crate) env: Vec<String>,
    /// The file of another client, such as claude_desktop_config.json or .vscode/mcp.json (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Vec<PathBuf>,
    /// The languages of the pack and of the examples that a model writes: en, zh-TW, zh-CN, vi, es, … (all, and English examples, by default)
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    pub(crate) lang: Vec<String>,
    /// The value of an argument that nobody should have to say; `*` for all tools (repeatable)
    #[arg(long = "constant", value_name = "TOOL|*.ARGUMENT=VALUE")]
    pub(crate) constants: Vec<String>,
    /// Have no language model write examples, though one is configured
    #[arg(long)]
    pub(crate) no_model: bool,
    /// List the tools again, and keep what people edited
    #[arg(long)]
    pub(crate) update: bool,
    /// The folder to write; the name of the servers by default
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
}
