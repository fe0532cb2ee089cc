//! The inner loop of the extractors: scores a choice of the corpora's cases and shows what failed.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use waypost_corpora::{Report, Selection, failure, load, score};

const USAGE: &str = "waypost-corpora [--data DIR] [--corpus recognizers|duckling|chrono] \
[--lang TAG] [--kind KIND] [--text WORDS] [--negatives] [--asked] [--failures N] [--right] [--json] [--check]";

struct Options {
    data: PathBuf,
    selection: Selection,
    failures: usize,
    right: bool,
    json: bool,
    check: bool,
}

fn main() -> Result<()> {
    let options = options(std::env::args().skip(1))?;
    let cases = load(&options.data)?;
    let outcomes = score(&cases, &options.selection);
    let shown = outcomes.iter().filter(|outcome| outcome.right == options.right);
    for block in shown.filter_map(failure).take(options.failures) {
        print(&block);
        print("");
    }
    let report = Report::new(&outcomes);
    print(&if options.json { report.json().to_string() } else { report.table() });
    let missed = report.missed();
    if options.check && !missed.is_empty() {
        bail!("{}", missed.join("; "));
    }
    Ok(())
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options> {
    let mut options = Options {
        data: PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        selection: Selection::default(),
        failures: 0,
        right: false,
        json: false,
        check: false,
    };
    while let Some(name) = arguments.next() {
        let mut value =
            || arguments.next().with_context(|| format!("`{name}` wants a value\n{USAGE}"));
        match name.as_str() {
            "--data" => options.data = PathBuf::from(value()?),
            "--corpus" => options.selection.corpus = Some(value()?),
            "--lang" => options.selection.lang = Some(value()?),
            "--kind" => options.selection.kind = Some(value()?),
            "--text" => options.selection.text = Some(value()?),
            "--asked" => options.selection.asked = true,
            "--negatives" => options.selection.negatives = true,
            "--failures" => options.failures = value()?.parse()?,
            "--right" => options.right = true,
            "--json" => options.json = true,
            "--check" => options.check = true,
            _ => bail!("`{name}` is unknown\n{USAGE}"),
        }
    }
    Ok(options)
}

#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn print(text: &str) {
    println!("{text}");
}
