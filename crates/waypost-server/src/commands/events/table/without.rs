//! A program without the feature `parquet`: it writes no tables.

use waypost::ports::store::Filter;

use crate::cli::EventsExportArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::features::PARQUET;

pub(super) async fn write(_: &EventsExportArgs, _: Filter, _: &Config) -> Result<u64, Failure> {
    Err(Failure::usage(PARQUET.missing()))
}
