//! `waypost encoder` of a program without the feature `encoder`: it says how to build one that has encoders.

use crate::cli::EncoderCommand;
use crate::config::Config;
use crate::failure::Failure;
use crate::features::ENCODER;

pub(super) async fn run(_: &EncoderCommand, _: &Config) -> Result<u8, Failure> {
    Err(Failure::usage(ENCODER.missing()))
}
