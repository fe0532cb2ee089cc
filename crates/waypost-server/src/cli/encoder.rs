//! What can be typed behind `waypost encoder`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::number;

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum EncoderCommand {
    /// Copy an encoder from a folder, or download it from the model hub
    Add(EncoderAddArgs),
    /// List the encoders that were added
    List(EncoderListArgs),
    /// Make a static table from an encoder: a part of its meaning, for microseconds
    Distill(EncoderDistillArgs),
    /// Remove an encoder
    Remove(EncoderRemoveArgs),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EncoderDistillArgs {
    /// The encoder
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Write the table to this file; NAME.table in this folder by default
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The length of a vector
    #[arg(long, default_value_t = 128, value_name = "N", value_parser = number::whole::<usize>)]
    pub(crate) dimensions: usize,
    /// Leave out pieces of words with other than ASCII characters
    #[arg(long)]
    pub(crate) ascii: bool,
    /// Print what was made as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EncoderAddArgs {
    /// A folder with config.json, tokenizer.json and model.safetensors, or a model such as owner/name
    #[arg(value_name = "PATH|NAME")]
    pub(crate) source: String,
    /// The name of the encoder; by default the last part of the source
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EncoderListArgs {
    /// Print them as one JSON list
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EncoderRemoveArgs {
    /// The encoder
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}
