//! The pack, its student and its documents.

use std::sync::Arc;
use std::time::Instant;

use waypost::learning::Bundle;
use waypost::pack::Pack;
use waypost::ports::encoder::Encoder;
use waypost::ports::retrieval::Retriever;
use waypost_backends::retrieval::Bm25Index;
use waypost_backends::students::{CacheContents, Registry};

use super::{Finding, Findings, Patient, size};
use crate::assemble::{self, AssemblyOptions};
use crate::config::Config;
use crate::counts::Counts;
use crate::failure::Failure;
use crate::learning::contradictions::{Contradictions, HINT};
use crate::learning::own_student::OwnStudent;
use crate::learning::training;
use crate::{encoders, packs};

/// The share of held-out examples below which a student is rather a guess.
const POOR: f64 = 0.8;

pub(super) fn pack(patient: Arc<Patient>) -> Findings {
    Box::pin(async move {
        vec![match &patient.pack {
            Ok(pack) => {
                let says = format!(
                    "{}: {}, {} cases, {} documents",
                    pack.id,
                    Counts::of_pack(pack).line(),
                    cases_of(&patient)
                        .unwrap_or_default()
                        .lines()
                        .filter(|line| !line.trim().is_empty())
                        .count(),
                    pack.documents.len()
                );
                Finding::ok("pack", says)
            }
            Err(failure) => {
                let mut finding = Finding::fail("pack", failure.error());
                finding.hint.get_or_insert_with(|| match &patient.pack_name {
                    Some(name) => format!("mend what is said of `{name}`"),
                    None => "run the command of the server by itself".to_owned(),
                });
                finding
            }
        }]
    })
}

/// Examples that contradict each other, and cases that cannot be read.
pub(super) fn data(patient: Arc<Patient>) -> Findings {
    Box::pin(async move {
        let checked = tokio::task::spawn_blocking(move || {
            let Ok(pack) = &patient.pack else { return Vec::new() };
            [examples(pack), cases(&patient)].into_iter().flatten().collect()
        });
        checked.await.unwrap_or_default()
    })
}

fn examples(pack: &Pack) -> Option<Finding> {
    const WHAT: &str = "examples";
    match Contradictions::of_pack(pack) {
        Ok(found) if found.is_empty() => None,
        Ok(found) => Some(Finding::warn(WHAT, found.sentence(), HINT)),
        Err(error) => Some(Finding::fail(WHAT, &error)),
    }
}

/// The text of the cases; servers have none.
fn cases_of(patient: &Patient) -> Result<String, Failure> {
    patient.pack_name.as_deref().map_or_else(|| Ok(String::new()), packs::cases)
}

fn cases(patient: &Patient) -> Option<Finding> {
    const WHAT: &str = "cases";
    match cases_of(patient) {
        Err(failure) => Some(Finding::fail(WHAT, failure.error())),
        Ok(text) => {
            let says = training::unreadable_cases(&text)?;
            Some(Finding::warn(WHAT, says, "`waypost eval` names what is wrong with a line"))
        }
    }
}

pub(super) fn student(patient: Arc<Patient>) -> Findings {
    Box::pin(async move {
        const WHAT: &str = "student";
        if patient.pack.is_err() || patient.config.is_err() {
            return Vec::new();
        }
        let said = patient.pack.as_ref().map(said_by_people).unwrap_or_default();
        // Training is a matter of the processor: it leaves the others the thread.
        let trained = tokio::task::spawn_blocking(move || {
            let (Ok(pack), Ok(config)) = (&patient.pack, &patient.config) else { return None };
            let started = Instant::now();
            // An encoder that cannot be opened has a line of its own.
            let encoder = encoders::configured(config).ok().flatten();
            let encoder = encoder.as_deref();
            let (found, cache) = cache(pack, encoder, config);
            let options = AssemblyOptions { look_only: true, ..AssemblyOptions::default() };
            let bundle = assemble::student(pack, encoder, config, &options);
            let how = bundle.as_ref().map(|bundle| origin(config, pack, bundle, found));
            let how = how.unwrap_or_default();
            Some((bundle, how, started.elapsed(), cache))
        });
        let Ok(Some((bundle, how, took, cache))) = trained.await else { return Vec::new() };
        let bundle = match bundle {
            Ok(bundle) => bundle,
            Err(error) => return vec![Finding::fail(WHAT, &error), cache],
        };
        if said < ENOUGH {
            let says = format!(
                "{} {how} in {:.1} s; how often it is right is not known: {said} examples of what people say, and {ENOUGH} would tell",
                bundle.id(),
                took.as_secs_f64(),
            );
            return vec![Finding::ok(WHAT, says), cache];
        }
        let metrics = bundle.metrics();
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        let mut says = format!(
            "{} {how} in {:.1} s; held out: {} right, calibration error {}, {} decided at 99% right",
            bundle.id(),
            took.as_secs_f64(),
            percent(metrics.accuracy),
            percent(metrics.ece),
            percent(metrics.coverage_at_99)
        );
        if let Some(auroc) = metrics.auroc_oos {
            says.push_str(&format!(", out-of-scope AUROC {}", percent(auroc)));
        }
        let student = if metrics.accuracy < POOR {
            Finding::warn(WHAT, says, "`waypost lint` tells which routes and tools are confused")
        } else {
            Finding::ok(WHAT, says)
        };
        vec![student, cache]
    })
}

/// The examples by which a share of right answers says anything.
const ENOUGH: usize = 20;

/// The number of examples that are not the words of a tool on itself, which say nothing of how people ask.
fn said_by_people(pack: &Pack) -> usize {
    let is_own = |text: &str| pack.tools.iter().any(|tool| tool.spec.summary == text);
    pack.examples.iter().filter(|example| !is_own(&example.text)).count()
}

/// Returns whether a start finds the pack's own student without training, and the lines about all kept students.
fn cache(
    pack: &Pack,
    encoder: Option<&dyn Encoder>,
    config: &Config,
) -> (Option<&'static str>, Finding) {
    const WHAT: &str = "student cache";
    // A static table that cannot be read fails the student too, which says so.
    let table = assemble::table(config).ok().flatten();
    let own = OwnStudent::new(pack, table.as_deref(), encoder, &config.home);
    let is_shipped = matches!(own.shipped(), Ok(Some(_)));
    let is_kept = own.kept().is_some();
    let CacheContents { entries, bytes } = own.cache().contents();
    let students = if entries == 1 { "student" } else { "students" };
    let says = match entries {
        0 if is_shipped => "empty: the pack came with its student".to_owned(),
        0 => "none yet; a pack's student is kept when it is first trained".to_owned(),
        _ => format!(
            "`{}` holds {entries} {students}, {}; this pack's is {}there",
            own.cache().folder().display(),
            size(bytes),
            if is_kept { "" } else { "not " }
        ),
    };
    let found = match (is_shipped, is_kept) {
        (true, _) => Some("(came with the pack) read"),
        (false, true) => Some("(kept from an earlier start) read"),
        (false, false) => None,
    };
    (found, Finding::ok(WHAT, says))
}

/// Returns where a student comes from: a file that is named, a version that was promoted, where it was `found`, or a
/// training.
fn origin(config: &Config, pack: &Pack, bundle: &Bundle, found: Option<&'static str>) -> String {
    if config.student.bundle.is_some() {
        return "read".to_owned();
    }
    let champion =
        Registry::open(&config.home, &pack.spec.name).and_then(|registry| registry.champion());
    match champion.ok().flatten().filter(|version| version.card.bundle == bundle.id()) {
        Some(version) => format!("(version {}) read", version.number),
        None => found.unwrap_or("trained").to_owned(),
    }
}

pub(super) fn retrieval(patient: Arc<Patient>) -> Findings {
    Box::pin(async move {
        const WHAT: &str = "retrieval";
        let Ok(pack) = &patient.pack else { return Vec::new() };
        let Some(document) = pack.documents.first() else {
            return vec![Finding::ok(WHAT, "the pack has no documents")];
        };
        let index = match Bm25Index::open(pack.documents.clone()).await {
            Ok(index) => index,
            Err(error) => return vec![Finding::fail(WHAT, &error)],
        };
        // The first line of a document is about that document.
        let question = document.text.lines().next().unwrap_or_default();
        vec![match index.search(question, document.language, 1).await {
            Ok(found) if found.is_empty() => Finding::warn(
                WHAT,
                format!("the index finds nothing for the title of `{}`", document.name),
                "give the document a title that says what it is about",
            ),
            Ok(_) => {
                Finding::ok(WHAT, format!("BM25 over {} documents finds", pack.documents.len()))
            }
            Err(error) => Finding::fail(WHAT, &error),
        }]
    })
}
