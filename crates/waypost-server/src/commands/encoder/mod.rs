//! `waypost encoder`: the sentence encoders in the home.

mod add;
mod list;
mod remove;

use crate::cli::EncoderCommand;
use crate::config::Config;
use crate::failure::Failure;

pub(super) async fn run(command: &EncoderCommand, config: &Config) -> Result<u8, Failure> {
    match command {
        EncoderCommand::Add(args) => add::run(args, config).await,
        EncoderCommand::List(args) => list::run(args, config),
        EncoderCommand::Remove(args) => remove::run(args, config),
    }
}
