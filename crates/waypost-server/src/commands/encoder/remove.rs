//! `waypost encoder remove`: removes an encoder from the home.

use crate::cli::encoder::EncoderRemoveArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{encoders, output};

pub(super) fn run(args: &EncoderRemoveArgs, config: &Config) -> Result<u8, Failure> {
    let folder = encoders::find(config, &args.name)?;
    let megabytes = encoders::size(&folder) / 1_000_000;
    encoders::discard(&folder)?;
    output::line("removed " + output::bold(&args.name) + format!(", {megabytes} MB"))?;
    Ok(0)
}
