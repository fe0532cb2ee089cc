//! `waypost train`: fits a student and reports what cross-validation says of it.

use std::fs;
use std::path::Path;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Deserialize;
use serde_json::json;
use waypost::Error;
use waypost::learning::{Bundle, Labelled, OUT_OF_SCOPE, Options, Progress, sound, train};
use waypost::text::Text;
use waypost_backends::models::{Card, Registry, Trained, Version};

use crate::cli::TrainArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{assemble, encoders, output, packs};

/// The label of public sets for texts that belong nowhere.
pub(super) const OOS: &str = "oos";

/// A plain labeled line.
#[derive(Debug, Deserialize)]
struct Line {
    text: String,
    label: String,
}

pub(super) fn run(args: &TrainArgs, config: &Config) -> Result<u8, Failure> {
    let (examples, pack) = match &args.examples {
        Some(file) => (read(file)?, String::new()),
        None => {
            let pack = packs::load(&args.pack.pack)?;
            (waypost::student::labelled(&pack)?, pack.id)
        }
    };
    sound::check(&examples).map_err(Failure::usage)?;
    let registry = args.save.then(|| registry(config, &pack)).transpose()?;
    // Before the training, so that the second of two is told at once.
    let _held = registry.as_ref().map(Registry::training).transpose()?;
    let bar = progress_bar();
    let encoder = encoders::configured(config)?;
    let table = assemble::table(config)?;
    let options = Options { seed: args.seed, pack, table, ..Options::default() };
    let started = Instant::now();
    let bundle = train(&examples, &options, encoder.as_deref(), &mut |progress: Progress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
    })
    .map_err(Failure::usage)?;
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    if let Some(out) = &args.out {
        write(out, &bundle)?;
    }
    let version = registry.map(|registry| save(&registry, &bundle)).transpose()?;
    report(args, &examples, &bundle, seconds)?;
    if let Some(version) = version {
        output::note(&format!(
            "kept as version {}; `waypost promote {}` puts it in service",
            version.number, version.number
        ));
    }
    Ok(0)
}

/// The versions of the pack with this id.
fn registry(config: &Config, pack: &str) -> Result<Registry, Error> {
    let name = pack.split_once('@').map_or(pack, |(name, _)| name);
    Registry::open(&config.home, name)
}

/// Keeps a bundle as a version.
fn save(registry: &Registry, bundle: &Bundle) -> Result<Version, Error> {
    let origin = bundle.origin();
    let trained =
        Trained { examples: origin.examples, data: origin.data.clone(), ..Trained::default() };
    let card = Card {
        bundle: bundle.id().to_owned(),
        pack: origin.pack.clone(),
        at: super::now(),
        trained,
        metrics: bundle.metrics().clone(),
        comparison: None,
        sessions: Vec::new(),
    };
    registry.add(&bundle.to_bytes(), card)
}

pub(super) fn read(file: &Path) -> Result<Vec<Labelled>, Failure> {
    let text = fs::read_to_string(file).map_err(|error| {
        Failure::usage(Error::invalid(format!("cannot read `{}`: {error}", file.display())))
    })?;
    let mut examples = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line).map_err(|error| {
            let message = format!("{}:{}: {error}", file.display(), index + 1);
            let hint = "write {\"text\": \"…\", \"label\": \"…\"} on each line";
            Failure::usage(Error::invalid(message).with_hint(hint))
        })?;
        let route = if line.label == OOS { OUT_OF_SCOPE.to_owned() } else { line.label };
        examples.push(Labelled {
            text: Text::new(&line.text).normalized().to_owned(),
            language: None,
            route,
            tools: Vec::new(),
            weight: 1.0,
        });
    }
    Ok(examples)
}

/// A bar on standard error, where people look; nothing where nobody does.
pub(super) fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("training {bar:30} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar
}

/// Writes beside the target and renames, so that nothing is ever half-written.
fn write(out: &Path, bundle: &Bundle) -> Result<(), Failure> {
    let beside = out.with_extension("part");
    let written = fs::write(&beside, bundle.to_bytes()).and_then(|()| fs::rename(&beside, out));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        Failure::usage(Error::invalid(format!("cannot write `{}`: {error}", out.display())))
    })
}

fn report(
    args: &TrainArgs,
    examples: &[Labelled],
    bundle: &Bundle,
    seconds: f64,
) -> Result<(), Failure> {
    let metrics = bundle.metrics();
    if args.json {
        return output::json_pretty(&json!({
            "bundle": bundle.id(),
            "examples": examples.len(),
            "routes": bundle.routes().len(),
            "tools": bundle.tools().len(),
            "seconds": seconds,
            "bytes": bundle.to_bytes().len(),
            "cross_validation": metrics,
        }));
    }
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    output::line(&format!(
        "bundle {}: {} examples, {} routes, {} tools, {:.2} s, {} kB",
        output::bold(bundle.id()),
        examples.len(),
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
    if let Some(out) = &args.out {
        output::note(&format!("written to {}", out.display()));
    }
    Ok(())
}
