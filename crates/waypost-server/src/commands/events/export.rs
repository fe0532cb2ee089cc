//! `waypost events export`: everything that was written down, for other programs: every event as a
//! line of JSON, or every decision as a row of a Parquet table.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use waypost::Error;
use waypost::pack::did_you_mean;
use waypost::ports::store::Filter;
use waypost::printable;
use waypost::records::event::Record;

use super::columns::Table;
use super::labels::Labels;
use super::{each, filter};
use crate::cli::EventsExportArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::files::{beside, unwritable};
use crate::{assemble, output};

/// The forms that there are.
const FORMATS: [&str; 2] = ["jsonl", "parquet"];

pub(super) async fn run(args: &EventsExportArgs, config: &Config) -> Result<u8, Failure> {
    let filter = filter(&args.filter)?;
    let written = match args.format.as_str() {
        "jsonl" => jsonl(args, &filter, config).await,
        "parquet" => parquet(args, filter, config).await,
        other => {
            let error = Error::invalid(format!("there is no format `{other}`"))
                .with_hint(did_you_mean(other, FORMATS.into_iter()));
            return Err(Failure::usage(error));
        }
    };
    if let (Err(_), Some(out)) = (&written, &args.out) {
        // A file that is not whole is of no use to anybody.
        let _ = fs::remove_file(beside(out));
    }
    let count = written?;
    if count == 0 {
        output::note(format!("there are no events in `{}`", config.home.display()));
    } else if let Some(out) = &args.out {
        output::note(format!("wrote {count} to {}", out.display()));
    }
    Ok(0)
}

/// Writes every event, a line each.
async fn jsonl(args: &EventsExportArgs, filter: &Filter, config: &Config) -> Result<u64, Failure> {
    let mut out = Out::open(args.out.as_deref())?;
    let mut count = 0;
    if let Some(store) = assemble::kept(config).await? {
        each(&store, filter, |record| {
            count += 1;
            let line = serde_json::to_string(record).map_err(io::Error::from)?;
            Ok(writeln!(out, "{}", printable::json(&line))?)
        })
        .await?;
    }
    out.finish()?;
    Ok(count)
}

/// Writes every decision, a row each.
async fn parquet(args: &EventsExportArgs, filter: Filter, config: &Config) -> Result<u64, Failure> {
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

/// The destination of an export: standard output, or a file that has its name once it is whole.
pub(super) enum Out {
    Standard(io::Stdout),
    File { part: PathBuf, name: PathBuf, file: BufWriter<File> },
}

impl Out {
    fn open(name: Option<&Path>) -> Result<Self, Failure> {
        let Some(name) = name else { return Ok(Out::Standard(io::stdout())) };
        let part = beside(name);
        let file = File::create(&part).map_err(|error| unwritable(name, &error))?;
        Ok(Out::File { part, name: name.to_owned(), file: BufWriter::new(file) })
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        let Out::File { part, name, .. } = self else { return Ok(()) };
        fs::rename(&part, &name).map_err(|error| unwritable(&name, &error))
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Standard(out) => out.write(bytes),
            Out::File { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Standard(out) => out.flush(),
            Out::File { file, .. } => file.flush(),
        }
    }
}
