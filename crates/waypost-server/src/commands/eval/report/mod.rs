//! `waypost eval --report`: one HTML file that needs no network. What it shows is computed by the
//! library; here it is put on a page.

mod chart;
mod errors;
mod figures;
mod page;
mod tables;
mod words;

use std::path::Path;

use waypost::Error;
use waypost::learning::Bundle;
use waypost::learning::evaluate::Report;
use waypost::router::Router;

use self::figures::Threshold;
use super::case::Case;
use super::tally::Tally;
use crate::cli::EvalArgs;
use crate::failure::Failure;
use crate::files;

/// The pack or the student that was measured.
#[derive(Debug)]
pub(super) struct Subject {
    /// The pack and the hash of its content, or the file of a student alone.
    name: String,
    bundle: String,
    /// The thresholds that a confidence must pass, the highest first.
    thresholds: Vec<Threshold>,
    kind: Kind,
}

/// A pack with all its layers, or a student alone.
#[derive(Debug)]
enum Kind {
    Pack(Box<Router>),
    Student(Box<Bundle>),
}

impl Subject {
    /// A pack, decided by a student of this id.
    pub(super) fn of_pack(router: Router, bundle: String) -> Self {
        let policy = &router.pack().spec.policy;
        let learned = router.bundle().threshold().map(|learned| learned.at.max(policy.run));
        let named = [
            ("student", learned.unwrap_or(policy.student)),
            ("run", policy.run),
            ("ask", policy.ask),
        ];
        let mut thresholds: Vec<Threshold> = Vec::new();
        for (name, at) in named {
            match thresholds.iter_mut().find(|known| known.at.total_cmp(&at).is_eq()) {
                Some(known) => known.name = format!("{}, {name}", known.name),
                None => thresholds.push(Threshold { name: name.to_owned(), at }),
            }
        }
        thresholds.sort_by(|a, b| b.at.total_cmp(&a.at));
        let name = router.pack().id.clone();
        Self { name, bundle, thresholds, kind: Kind::Pack(Box::new(router)) }
    }

    /// A student that learned from plain texts.
    pub(super) fn of_bundle(args: &EvalArgs, bundle: Bundle) -> Self {
        let file = args.student.file.as_deref().and_then(Path::file_name);
        let name = file.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let id = bundle.id().to_owned();
        Self { name, bundle: id, thresholds: Vec::new(), kind: Kind::Student(Box::new(bundle)) }
    }
}

/// Fails if the report could not be written, before anything is measured.
pub(super) fn writable(file: &Path) -> Result<(), Failure> {
    if file.is_dir() {
        let message = format!("cannot write `{}`: it is a folder", file.display());
        let error = Error::invalid(message).with_hint("name a file in it, such as report.html");
        return Err(Failure::usage(error));
    }
    files::writable(file).map_err(|error| files::unwritable(file, &error))
}

/// Writes the report.
pub(super) fn write(
    file: &Path,
    args: &EvalArgs,
    cases: &[Case],
    tally: &Tally,
    measured: &Report,
    subject: &Subject,
) -> Result<(), Failure> {
    files::replace(file, page::page(args, cases, tally, measured, subject)?)
}
