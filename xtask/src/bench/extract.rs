//! `cargo xtask bench extract`: the extractors on three public corpora, against their floors.
//!
//! For a choice of cases, and for what failed in them, see `cargo run -p waypost-corpora`.

use std::path::PathBuf;

use anyhow::bail;
use waypost_corpora::{Report, Selection, load, score};

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    super::known(arguments, &["--check", "--json"], &["--data"])?;
    let data = super::option(arguments, "--data")
        .map_or_else(|| crate::root().join("../shared/data"), PathBuf::from);
    let cases = load(&data)?;
    let report = Report::new(&score(&cases, &Selection::default()));
    let shown = if super::flag(arguments, "--json") {
        serde_json::to_string_pretty(&report.json())?
    } else {
        report.table()
    };
    super::print(shown.trim_end());
    let missed = report.missed();
    if super::flag(arguments, "--check") && !missed.is_empty() {
        bail!("{}", missed.join("; "));
    }
    Ok(())
}
