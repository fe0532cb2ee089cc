//! `waypost train`: fits a student and reports what cross-validation says of it; one that is kept
//! as a version is compared with the student in service too.

use std::path::Path;
use std::time::Instant;

use indicatif::ProgressBar;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use waypost::learning::calibrate::threshold::ENOUGH;
use waypost::learning::data::validation;
use waypost::learning::{Bundle, Labelled, OUT_OF_SCOPE, Progress, TrainOptions, train};
use waypost::text::Text;

use super::comparison;
use crate::cli::TrainArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::learning::training::{self, Kept, Material};
use crate::{assemble, encoders, files, output, packs, progress};

/// The label of public sets for texts that belong nowhere.
pub(super) const OOS: &str = "oos";

/// A plain labeled line.
#[derive(Debug, Deserialize)]
struct Line {
    text: String,
    label: String,
}

pub(super) async fn run(args: &TrainArgs, config: &Config) -> Result<u8, Failure> {
    if args.save || args.labels {
        return challenger(args, config).await;
    }
    let (examples, pack) = match &args.examples {
        Some(file) => (read(file)?, String::new()),
        None => {
            let pack = packs::load(&args.pack.pack)?;
            (waypost::student::heads::labelled(&pack)?, pack.id)
        }
    };
    validation::check(&examples).map_err(Failure::usage)?;
    let bar = progress::bar("training", 0);
    let encoder = encoders::configured(config)?;
    let table = assemble::table(config)?;
    let options = TrainOptions { seed: args.seed, pack, table, ..TrainOptions::default() };
    let started = Instant::now();
    let bundle =
        train(&examples, &options, encoder.as_deref(), &mut |progress| show(&bar, progress))
            .map_err(Failure::usage)?;
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    finish(args, &bundle, seconds, None)
}

/// Trains a challenger and keeps it as a version.
async fn challenger(args: &TrainArgs, config: &Config) -> Result<u8, Failure> {
    let pack = packs::load(&args.pack.pack)?;
    let cases = training::questions(&packs::cases(&args.pack.pack)?);
    let store = assemble::kept(config).await?;
    let (mut labels, mut heard) = (args.labels.then(Vec::new), Vec::new());
    if let Some(store) = &store {
        heard = training::heard(store, &pack, config).await?;
        if let Some(labels) = &mut labels {
            *labels = training::labels(store, &pack).await?;
        }
    }
    let at = super::now();
    let material = Material {
        pack: &pack,
        cases: &cases,
        labels: labels.as_deref(),
        heard: &heard,
        seed: args.seed,
        at: &at,
    };
    let bar = progress::bar("training", 0);
    let started = Instant::now();
    let kept = training::challenge(material, config, &mut |progress| show(&bar, progress));
    bar.finish_and_clear();
    let kept = kept?;
    finish(args, &kept.bundle, started.elapsed().as_secs_f64(), Some(&kept))?;
    if config.learning.terms().is_some() && kept.version.card.threshold.is_none() {
        output::note(&format!(
            "how sure it must be is what the pack says: fewer than {ENOUGH} questions are there to tell"
        ));
    }
    Ok(0)
}

fn finish(
    args: &TrainArgs,
    bundle: &Bundle,
    seconds: f64,
    kept: Option<&Kept>,
) -> Result<u8, Failure> {
    if let Some(out) = &args.out {
        files::replace(out, bundle.to_bytes())?;
    }
    if args.json {
        output::json_pretty(&record(bundle, seconds, kept))?;
        return Ok(0);
    }
    report(bundle, seconds)?;
    if let Some(out) = &args.out {
        output::note(&format!("written to {}", out.display()));
    }
    kept.map_or(Ok(()), challenged)?;
    Ok(0)
}

/// Prints what became of the labels, how the challenger did, and what can be done with it.
fn challenged(kept: &Kept) -> Result<(), Failure> {
    if let Some(report) = &kept.report {
        let sessions = match report.sessions {
            1 => "1 session".to_owned(),
            count => format!("{count} sessions"),
        };
        output::line(&format!(
            "labels: {} of {} texts of {sessions} teach, {} of them said by people",
            kept.version.card.trained.texts, report.kept, report.gold
        ))?;
        let reasons = training::reasons(report);
        if !reasons.is_empty() {
            output::line(&format!("  do not count: {}", reasons.join(", ")))?;
        }
    }
    if let Some(bar) = &kept.version.card.threshold {
        output::line(&comparison::threshold_line(bar))?;
    }
    let Some(compared) = &kept.version.card.comparison else { return Ok(()) };
    comparison::lines(compared).iter().try_for_each(|line| output::line(line))?;
    let number = kept.version.number;
    let pack = kept.bundle.origin().pack.split('@').next().unwrap_or_default();
    output::note(&match compared.examined.allows() {
        Ok(()) => format!("kept as version {number}: `waypost promote --pack {pack} {number}`"),
        Err(_) => format!("kept as version {number}, which is not to be promoted"),
    });
    Ok(())
}

pub(super) fn read(file: &Path) -> Result<Vec<Labelled>, Failure> {
    let hint = "write {\"text\": \"…\", \"label\": \"…\"} on each line";
    let example = |line: Line| Labelled {
        text: Text::new(&line.text).normalized().to_owned(),
        language: None,
        route: if line.label == OOS { OUT_OF_SCOPE.to_owned() } else { line.label },
        tools: Vec::new(),
        weight: 1.0,
    };
    Ok(super::lines(file, hint)?.into_iter().map(example).collect())
}

fn show(bar: &ProgressBar, progress: Progress) {
    bar.set_length(progress.total as u64);
    bar.set_position(progress.done as u64);
}

fn record(bundle: &Bundle, seconds: f64, kept: Option<&Kept>) -> Json {
    let mut record = json!({
        "bundle": bundle.id(),
        "examples": bundle.origin().examples,
        "routes": bundle.routes().len(),
        "tools": bundle.tools().len(),
        "seconds": seconds,
        "bytes": bundle.to_bytes().len(),
        "cross_validation": bundle.metrics(),
    });
    if let (Some(kept), Some(map)) = (kept, record.as_object_mut()) {
        map.insert("version".to_owned(), json!(kept.version));
        map.insert("labels".to_owned(), json!(kept.report));
    }
    record
}

fn report(bundle: &Bundle, seconds: f64) -> Result<(), Failure> {
    let metrics = bundle.metrics();
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    output::line(&format!(
        "bundle {}: {} examples, {} routes, {} tools, {:.2} s, {} kB",
        output::bold(bundle.id()),
        bundle.origin().examples,
        bundle.routes().len(),
        bundle.tools().len(),
        seconds,
        bundle.to_bytes().len() / 1000
    ))?;
    output::line("held out by cross-validation:")?;
    output::line(&format!("  accuracy              {}", percent(metrics.accuracy)))?;
    output::line(&format!("  calibration error     {}", percent(metrics.ece)))?;
    output::line(&format!("  decided at 99% right  {}", percent(metrics.coverage_at_99)))?;
    if let Some(auroc) = metrics.auroc_oos {
        output::line(&format!("  out-of-scope AUROC    {}", percent(auroc)))?;
    }
    Ok(())
}
