//! On systems without Unix sockets no process keeps tool servers ready: each question starts its own.

use std::path::Path;

use waypost::{Code, Error};

use crate::cli::{AskArgs, KeepReadyArgs};
use crate::failure::Failure;

pub(super) async fn ask(_: &AskArgs, _: Option<&Path>) -> Result<Option<u8>, Failure> {
    Ok(None)
}

pub(super) fn stop() -> Result<u8, Failure> {
    Err(Error::new(Code::Unimplemented, "no servers are kept ready on this system").into())
}

pub(super) async fn run(_: &KeepReadyArgs) -> Result<u8, Failure> {
    stop()
}
