//! Stub.
use crate::cli::PackArgs;
use crate::config::Config;
use crate::failure::Failure;
pub(super) async fn run(_: &PackArgs, _: &Config) -> Result<u8, Failure> {
    Ok(1)
}
