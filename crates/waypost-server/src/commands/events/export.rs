//! `waypost events export`: everything that was written down, for other programs: every event as a
//! line of JSON, or every decision as a row of a Parquet table.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use waypost::Error;
use waypost::pack::did_you_mean;
use waypost::ports::store::Filter;
use waypost::printable;

use super::{each, filter, table};
use crate::cli::EventsExportArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::files::{Part, unwritable};
use crate::{assemble, output};

/// The forms that there are.
const FORMATS: [&str; 2] = ["jsonl", "parquet"];

pub(super) async fn run(args: &EventsExportArgs, config: &Config) -> Result<u8, Failure> {
    let filter = filter(&args.filter)?;
    let written = match args.format.as_str() {
        "jsonl" => jsonl(args, &filter, config).await,
        "parquet" => table::write(args, filter, config).await,
        other => {
            let error = Error::invalid(format!("there is no format `{other}`"))
                .with_hint(did_you_mean(other, FORMATS.into_iter()));
            return Err(Failure::usage(error));
        }
    };
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

/// The destination of an export: standard output, or a file for its owner that has its name once it is whole. One that is not
/// is of no use to anybody and goes.
pub(super) enum Out {
    Standard(io::Stdout),
    File { part: Part, name: PathBuf, file: BufWriter<File> },
}

impl Out {
    pub(super) fn open(name: Option<&Path>) -> Result<Self, Failure> {
        let Some(name) = name else { return Ok(Out::Standard(io::stdout())) };
        let (part, file) = Part::private(name).map_err(|error| unwritable(name, &error))?;
        Ok(Out::File { part, name: name.to_owned(), file: BufWriter::new(file) })
    }

    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        let Out::File { part, name, .. } = self else { return Ok(()) };
        part.replace(&name).map_err(|error| unwritable(&name, &error))
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
