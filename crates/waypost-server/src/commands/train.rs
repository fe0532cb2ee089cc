//! `waypost train`: fits a student and reports what cross-validation says of it; one that is kept
//! as a version is compared with the student in service too.

use std::path::Path;
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use waypost::learning::calibrate::threshold::ENOUGH;
use waypost::learning::data::curate::Curated;
use waypost::learning::data::validation;
use waypost::learning::{Bundle, Labelled, OUT_OF_SCOPE, TrainOptions, train};
use waypost::student::heads::train_on;
use waypost::text::Text;

use super::comparison;
use crate::cli::TrainArgs;
use crate::config::Config;
use crate::counts::Counts;
use crate::failure::Failure;
use crate::learning::contradictions::{Contradictions, HINT};
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
    let bar = progress::bar("training", 0);
    let encoder = encoders::configured(config)?;
    let encoder = encoder.as_deref();
    let table = assemble::table(config)?;
    let mut show = |done| progress::show(&bar, done);
    let started = Instant::now();
    let (bundle, counts, contradictions) = match &args.examples {
        Some(file) => {
            let examples = read(file)?;
            validation::check(&examples).map_err(Failure::usage)?;
            let text = |index: usize| examples[index].text.as_str();
            let contradictions = Contradictions::of(&examples, &text);
            tell(&contradictions, args.strict)?;
            let options = TrainOptions { seed: args.seed, table, ..TrainOptions::default() };
            let bundle = train(&examples, &options, encoder, &mut show).map_err(Failure::usage)?;
            (bundle, Counts::of_examples(&examples), contradictions)
        }
        None => {
            let pack = packs::load(&args.pack.pack)?;
            let contradictions = Contradictions::of_pack(&pack)?;
            tell(&contradictions, args.strict)?;
            let bundle =
                train_on(&pack, &Curated::default(), args.seed, table, encoder, &mut show)?;
            (bundle, Counts::of_pack(&pack), contradictions)
        }
    };
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    finish(args, &Done { bundle: &bundle, counts, seconds, kept: None }, &contradictions)
}

/// A training that came to its end.
struct Done<'a> {
    bundle: &'a Bundle,
    counts: Counts,
    seconds: f64,
    kept: Option<&'a Kept>,
}

/// Tells of examples that contradict each other, and fails where that is wanted.
fn tell(contradictions: &Contradictions, strict: bool) -> Result<(), Failure> {
    if contradictions.is_empty() {
        return Ok(());
    }
    if strict {
        return Err(Failure::usage(contradictions.error()));
    }
    output::note(format!("warning: {}", contradictions.sentence()));
    output::note(format!("hint: {HINT}"));
    Ok(())
}

/// Trains a challenger and keeps it as a version.
async fn challenger(args: &TrainArgs, config: &Config) -> Result<u8, Failure> {
    let pack = packs::load(&args.pack.pack)?;
    let contradictions = Contradictions::of_pack(&pack)?;
    tell(&contradictions, args.strict)?;
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
    let kept = training::challenge(material, config, &mut |done| progress::show(&bar, done));
    bar.finish_and_clear();
    let kept = kept?;
    let seconds = started.elapsed().as_secs_f64();
    let counts = Counts::of_pack(&pack);
    let done = Done { bundle: &kept.bundle, counts, seconds, kept: Some(&kept) };
    finish(args, &done, &contradictions)?;
    if config.learning.terms().is_some() && kept.version.card.threshold.is_none() {
        output::note(format!(
            "how sure it must be is what the pack says: fewer than {ENOUGH} questions are there to tell"
        ));
    }
    Ok(0)
}

fn finish(
    args: &TrainArgs,
    done: &Done<'_>,
    contradictions: &Contradictions,
) -> Result<u8, Failure> {
    if let Some(out) = &args.out {
        files::replace(out, done.bundle.to_bytes())?;
    }
    if args.json {
        output::json_pretty(&record(done, contradictions))?;
        return Ok(0);
    }
    report(done)?;
    if let Some(out) = &args.out {
        output::note(format!("written to {}", out.display()));
    }
    done.kept.map_or(Ok(()), challenged)?;
    Ok(0)
}

/// Prints what became of the labels, how the challenger did, and what can be done with it.
fn challenged(kept: &Kept) -> Result<(), Failure> {
    if let Some(report) = &kept.report {
        let sessions = match report.sessions {
            1 => "1 session".to_owned(),
            count => format!("{count} sessions"),
        };
        output::line(format!(
            "labels: {} of {} texts of {sessions} teach, {} of them said by people",
            kept.version.card.trained.texts, report.kept, report.gold
        ))?;
        let reasons = training::reasons(report);
        if !reasons.is_empty() {
            output::line(format!("  do not count: {}", reasons.join(", ")))?;
        }
    }
    if let Some(bar) = &kept.version.card.threshold {
        output::line(comparison::threshold_line(bar))?;
    }
    let Some(compared) = &kept.version.card.comparison else { return Ok(()) };
    comparison::lines(compared).into_iter().try_for_each(output::line)?;
    let number = kept.version.number;
    let pack = kept.bundle.origin().pack.split('@').next().unwrap_or_default();
    output::note(match compared.examined.allows() {
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

fn record(done: &Done<'_>, contradictions: &Contradictions) -> Json {
    let Done { bundle, counts, seconds, kept } = done;
    let mut record = json!({
        "bundle": bundle.id(),
        "examples": counts.examples,
        "texts": bundle.origin().examples,
        "routes": counts.routes,
        "tools": counts.tools,
        "contradictions": contradictions,
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

fn report(done: &Done<'_>) -> Result<(), Failure> {
    let Done { bundle, counts, seconds, .. } = done;
    let metrics = bundle.metrics();
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    let what = format!(
        ": {} ({} texts with what is put beside them), {:.2} s, {} kB",
        counts.line(),
        bundle.origin().examples,
        seconds,
        bundle.to_bytes().len() / 1000
    );
    output::line("bundle " + output::bold(bundle.id()) + what)?;
    output::line("held out by cross-validation:")?;
    output::line(format!("  accuracy              {}", percent(metrics.accuracy)))?;
    output::line(format!("  calibration error     {}", percent(metrics.ece)))?;
    output::line(format!("  decided at 99% right  {}", percent(metrics.coverage_at_99)))?;
    if let Some(auroc) = metrics.auroc_oos {
        output::line(format!("  out-of-scope AUROC    {}", percent(auroc)))?;
    }
    Ok(())
}
