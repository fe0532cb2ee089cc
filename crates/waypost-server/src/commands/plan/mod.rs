//! `waypost plan`: decides only, and shows the steps that would run, as text or as a picture.

mod picture;

use std::fs;

use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;
use waypost::Error;
use waypost::records::decision::{Decision, PlannedStep};
use waypost::records::request::shorten;

use crate::assemble::{self, AssemblyOptions};
use crate::cli::PlanArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::output::{self, Shown};
use crate::sources;

/// The longest value of a parameter that is shown, in characters.
const SHOWN: usize = 60;

pub(super) async fn run(args: &PlanArgs, config: &Config) -> Result<u8, Failure> {
    let options =
        AssemblyOptions { bundle: args.request.student.file.clone(), ..AssemblyOptions::default() };
    let sourced = sources::load(&args.request.source, config, &options).await?;
    let options = AssemblyOptions { live: sourced.live, ..options };
    let text = super::text(&args.text)?;
    let router = assemble::router(sourced.pack, config, &options).await?;
    if router.pack().spec.plans.is_none() {
        let message = format!("the pack `{}` makes no plans", router.pack().spec.name);
        let hint = "`plans: {}` in pack.yaml has it make some; try `--pack accelerator`";
        return Err(Failure::usage(Error::invalid(message).with_hint(hint)));
    }
    let request = super::request(&args.request, text.clone());
    let decision = router.route(&request, &CancellationToken::new()).await?;
    if args.json {
        output::json_pretty(&decision.steps)?;
    } else {
        for line in lines(&decision) {
            output::line(Shown::text(&line))?;
        }
    }
    if let Some(file) = &args.svg {
        fs::write(file, picture::draw(&text, &decision.steps)).map_err(|error| {
            Failure::usage(Error::invalid(format!("`{}`: {error}", file.display())))
        })?;
        output::note(format!("drawn to {}", file.display()));
    }
    Ok(0)
}

/// The steps by level, and why they do not simply run.
fn lines(decision: &Decision) -> Vec<String> {
    if decision.steps.is_empty() {
        return vec![format!("{}: nothing to plan", decision.decision.name())];
    }
    let mut lines: Vec<String> = decision.steps.iter().map(line).collect();
    if let Some(reason) = &decision.reason {
        lines.push(format!("{} first: {reason}", decision.decision.name()));
    }
    lines
}

fn line(step: &PlannedStep) -> String {
    let mut line = format!("{}. {}", step.level + 1, step.context_key);
    let values = step.parameters.iter().filter(|(name, _)| *name != "task");
    for (name, value) in values {
        line += &format!("  {name}={}", shown(value));
    }
    let inputs: Vec<&str> = step.inputs.values().map(String::as_str).collect();
    if !inputs.is_empty() {
        line += &format!("  <- {}", inputs.join(", "));
    }
    line
}

/// A value as people read it.
fn shown(value: &Json) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    shorten(&text, SHOWN)
}
