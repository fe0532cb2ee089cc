//! Scores the extractors on three public test corpora, each read by its own conventions.
//!
//! The corpora are not part of the repository: a folder is given, and a missing file is an error. One
//! adapter reads each corpus (`recognizers`, `duckling`, `chrono`). It opens with the conventions of that
//! corpus and turns each row into a [`Case`]: a text, a setting, and the values that must be found, in our
//! own form. Scoring then only compares.
//!
//! A positive case is right when for each result that the corpus expects there is a found value
//! with the same words and a reading (the first or an alternative) that is one of the expected
//! values. "The same words" is judged twice: see [`spelling`]. A negative case is a false find
//! when a value is found of a kind that the case rules out.
//!
//! A fifth of the cases is held out: see [`Part`].

mod case;
mod chrono;
mod duckling;
mod expected;
mod interval;
mod recognizers;
mod report;
mod rhythm;
mod score;
pub mod spelling;
mod split;
mod units;

use std::path::Path;

use anyhow::{Context, Result};

pub use case::{Case, Corpus, Expectation, Wanted};
pub use expected::Expected;
pub use report::Report;
pub use score::{Outcome, Selection, failure, score};
pub use split::Part;

/// Reads the cases of all corpora in `data`, in the order of the files.
///
/// # Errors
///
/// A file is missing or holds a line that is not a JSON object of its corpus.
pub fn load(data: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for corpus in Corpus::ALL {
        let path = data.join(corpus.file());
        let content = std::fs::read_to_string(&path).with_context(|| {
            format!("cannot read `{}`; give the folder with --data", path.display())
        })?;
        let read = match corpus {
            Corpus::Recognizers => recognizers::case,
            Corpus::Duckling => duckling::case,
            Corpus::Chrono => chrono::case,
        };
        for (number, line) in content.lines().enumerate() {
            let row = serde_json::from_str(line)
                .with_context(|| format!("line {} of `{}`", number + 1, path.display()))?;
            cases.extend(read(&row));
        }
    }
    Ok(cases)
}
