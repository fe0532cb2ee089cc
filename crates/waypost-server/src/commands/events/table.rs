//! Every decision as a row of a Parquet table, with its label.

mod columns;
mod labels;

use std::io::{self, IsTerminal};

use waypost::Error;
use waypost::ports::store::Filter;
use waypost::records::event::Record;

use super::each;
use super::export::Out;
use crate::assemble;
use crate::cli::EventsExportArgs;
use crate::config::Config;
use crate::failure::Failure;
use columns::Table;
use labels::Labels;

/// Writes every decision, a row each.
pub(super) async fn write(
    args: &EventsExportArgs,
    filter: Filter,
    config: &Config,
) -> Result<u64, Failure> {
    if filter.kind.as_deref().is_some_and(|kind| kind != "router_event") {
        let error = Error::invalid("a Parquet table holds decisions alone")
            .with_hint("leave `--type` out, or use `--format jsonl`");
        return Err(Failure::usage(error));
    }
    if args.out.is_none() && io::stdout().is_terminal() {
        let error = Error::invalid("a Parquet table is nothing to look at")
            .with_hint("say where it goes with `--out FILE`");
        return Err(Failure::usage(error));
    }
    let filter = Filter { kind: Some("router_event".to_owned()), ..filter };
    let mut table = Table::new(Out::open(args.out.as_deref())?)?;
    let mut count = 0;
    if let Some(store) = assemble::kept(config).await? {
        let labels = Labels::read(&store, &filter).await?;
        each(&store, &filter, |record: &Record| {
            count += 1;
            table.add(record, labels.of(&record.decision_id))
        })
        .await?;
    }
    table.finish()?.finish()?;
    Ok(count)
}
