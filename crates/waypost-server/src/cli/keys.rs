//! The words behind `waypost keys`.

use std::num::{NonZeroU32, NonZeroU64};

use clap::{Args, Subcommand};

use crate::keys::Scope;

pub(super) const KEYS_HELP: &str = "\
Once there is a key, callers of `waypost serve` need one: `Authorization: Bearer KEY`. A key is shown once, when it is made;
a server that runs takes changes up within a second.
  waypost keys add 'web page' --scope ask --per-minute 60
  waypost keys rotate 1f2e3d4c --overlap 24h";

#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: Option<KeysCommand>,
    #[command(flatten)]
    pub(crate) list: KeysListArgs,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum KeysCommand {
    /// List the keys (the same as without a command)
    List(KeysListArgs),
    /// Make a key, and show it this once
    Add(KeysAddArgs),
    /// Give a key a new secret, and show it this once
    Rotate(KeysRotateArgs),
    /// Let nobody in by a key any more
    Revoke(KeysRevokeArgs),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct KeysListArgs {
    /// Print each key as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct KeysAddArgs {
    /// What the key may do (repeatable)
    #[arg(long = "scope", value_enum, value_name = "SCOPE", default_value = "ask")]
    pub(crate) scopes: Vec<Scope>,
    /// A pack that it may ask (repeatable); all by default
    #[arg(long = "pack", value_name = "NAME")]
    pub(crate) packs: Vec<String>,
    /// A tool that it may use (repeatable); all by default
    #[arg(long = "tool", value_name = "NAME")]
    pub(crate) tools: Vec<String>,
    /// A configured model that its requests may be passed on to (repeatable); all by default, none with `--pack` or `--tool`
    #[arg(long = "model", value_name = "NAME")]
    pub(crate) models: Vec<String>,
    /// The most requests a minute
    #[arg(long, value_name = "NUMBER")]
    pub(crate) per_minute: Option<NonZeroU32>,
    /// The most requests a day, given back evenly over it
    #[arg(long, value_name = "NUMBER")]
    pub(crate) per_day: Option<NonZeroU32>,
    /// The most tokens a day of configured models, given back evenly over it
    #[arg(long, value_name = "NUMBER")]
    pub(crate) tokens_per_day: Option<NonZeroU64>,
    /// The time for which it counts, such as 90d; for good by default
    #[arg(long, value_name = "TIME")]
    pub(crate) expires: Option<String>,
    /// Print the key with what it may do as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// What it is for
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct KeysRotateArgs {
    /// The time for which the secret of before still counts, such as 24h
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub(crate) overlap: String,
    /// The id of the key, as `waypost keys` shows it
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct KeysRevokeArgs {
    /// The id of the key, as `waypost keys` shows it
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}
