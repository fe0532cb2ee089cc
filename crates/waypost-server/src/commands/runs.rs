//! `waypost runs`: the plans that were cut short; goes on with one, or gives it up.

use serde_json::{Map, Value as Json};
use waypost::ports::runs::{Kept, RunFilter, RunLog};
use waypost::ports::store::Store;
use waypost::records::request::{Request, shorten};
use waypost::records::run::{Run, RunEnd, RunStep};
use waypost::router::AnswerOptions;
use waypost::{Code, Error};

use super::ask;
use crate::assemble::{self, AssemblyOptions};
use crate::cli::{
    PackArgs, RunsAbandonArgs, RunsArgs, RunsCommand, RunsListArgs, RunsResumeArgs, RunsShowArgs,
    SourceArgs,
};
use crate::config::Config;
use crate::failure::Failure;
use crate::output::{self, Shown};
use crate::sources;

/// The most characters of a text or of values that a line shows.
const SHOWN: usize = 80;

pub(super) async fn run(args: &RunsArgs, config: &Config) -> Result<u8, Failure> {
    match &args.command {
        None => list(&args.list, config).await,
        Some(RunsCommand::List(args)) => list(args, config).await,
        Some(RunsCommand::Show(args)) => show(args, config).await,
        Some(RunsCommand::Resume(args)) => resume(args, config).await,
        Some(RunsCommand::Abandon(args)) => abandon(args, config).await,
    }
}

async fn list(args: &RunsListArgs, config: &Config) -> Result<u8, Failure> {
    let filter =
        RunFilter { called: args.session.clone(), open: !args.all, ..RunFilter::default() };
    let kept = match assemble::kept(config).await?.and_then(|store| store.runs()) {
        Some(log) => log.list(&filter, args.limit as usize).await?,
        None => Vec::new(),
    };
    if kept.is_empty() {
        output::note(if args.all { "there are no runs" } else { "no run was cut short" });
    }
    for kept in &kept {
        if args.json {
            output::json_line(&kept.run)?;
        } else {
            output::line(line(kept))?;
        }
    }
    Ok(0)
}

/// A run for people: its id, how it stands, how far it is, and what was asked.
fn line(kept: &Kept) -> Shown {
    let run = &kept.run;
    let at = run.request.now.as_deref().unwrap_or("-");
    let session = shorten(run.session().unwrap_or("-"), SHOWN);
    let far = format!("{} of {} steps", run.finished(), run.calls.len());
    let head = format!("{} {at} {} {session} {}, {far}", run.id, run.pack, state(kept));
    output::dim(&head) + "  " + &shorten(&run.request.text, SHOWN)
}

fn state(kept: &Kept) -> &'static str {
    match kept.run.end {
        Some(end) => end.name(),
        None if kept.at_work => "at work",
        None => "cut short",
    }
}

async fn show(args: &RunsShowArgs, config: &Config) -> Result<u8, Failure> {
    let (_, kept) = found(&args.id, config).await?;
    if args.json {
        output::json_pretty(&kept.run)?;
        return Ok(0);
    }
    output::line(line(&kept))?;
    for step in &kept.run.steps {
        output::line(step_line(step))?;
    }
    for call in &kept.run.calls {
        if kept.run.output(&call.tool, &call.arguments).is_none() {
            output::line(format!("  -  {} {}", call.tool, values(&call.arguments)))?;
        }
    }
    Ok(0)
}

/// A step that ended: when it began, how long it took, what it was called with, and what came of it.
fn step_line(step: &RunStep) -> Shown {
    let came = match (&step.output, step.code) {
        (Some(output), _) => json(output),
        (None, Some(code)) => code.to_string(),
        (None, None) => "a result that is too large to be kept".to_owned(),
    };
    let times = format!("  +{:.0} ms, {:.0} ms  ", step.began_ms, step.took_ms);
    output::dim(&times) + &format!("{} {} -> {came}", step.tool, values(&step.arguments))
}

fn values(arguments: &Map<String, Json>) -> String {
    json(&Json::Object(arguments.clone()))
}

fn json(value: &Json) -> String {
    shorten(&value.to_string(), SHOWN)
}

async fn resume(args: &RunsResumeArgs, config: &Config) -> Result<u8, Failure> {
    let (_, Kept { run, .. }) = found(&args.id, config).await?;
    let pack = args.pack.clone().unwrap_or_else(|| run.pack.clone());
    let source = SourceArgs { pack: PackArgs { pack }, mcp: Vec::new(), env: Vec::new() };
    let options = AssemblyOptions {
        now: run.request.now.clone(),
        remember: true,
        show_server_log: args.debug,
        ..AssemblyOptions::default()
    };
    let sourced = sources::load(&source, config, &options).await?;
    let options = AssemblyOptions { live: sourced.live, ..options };
    let router = assemble::router(sourced.pack, config, &options).await?;
    let request = Request {
        now: Some(super::now()),
        session: run.request.session.clone(),
        resume: Some(run.id.clone()),
        trusted: true,
        ..Request::default()
    };
    let (trace, cancel) = (AnswerOptions { trace: args.debug }, super::cancel_on_interrupt());
    let answer = ask::collect(&router, &request, trace, &cancel).await?;
    router.close().await;
    if args.json {
        output::json_pretty(&answer)?;
    } else {
        ask::show(&answer, args.debug)?;
        super::pictures::show(&answer.images, &config.home)?;
        advise(&run, !answer.choices.is_empty());
    }
    Ok(ask::status(&answer))
}

/// Says how a question that the run came to is answered.
fn advise(run: &Run, asks: bool) {
    match run.session().filter(|_| asks) {
        Some(session) => output::note(format!(
            "answer with `waypost ask --pack {} --session {session} TEXT`",
            run.pack
        )),
        None if asks => output::note(
            "nobody can answer that: the run is part of no conversation; ask anew with --session",
        ),
        None => {}
    }
}

async fn abandon(args: &RunsAbandonArgs, config: &Config) -> Result<u8, Failure> {
    let (log, Kept { run, .. }) = found(&args.id, config).await?;
    if !run.is_open() {
        output::note(format!("it has ended already: {}", run.end.map_or("", RunEnd::name)));
        return Ok(0);
    }
    log.end(&run.id, RunEnd::Abandoned).await?;
    output::line(format!("given up: {}", shorten(&run.request.text, SHOWN)))?;
    Ok(0)
}

/// The run of an id, and the record that it is in.
async fn found(id: &str, config: &Config) -> Result<(std::sync::Arc<dyn RunLog>, Kept), Failure> {
    let missing = || {
        let message = format!("there is no run `{}`", shorten(id, SHOWN));
        let hint = "`waypost runs --all` lists them";
        Failure::from(Error::new(Code::NotFound, message).with_hint(hint))
    };
    let store = assemble::kept(config).await?;
    let log = store.and_then(|store| store.runs()).ok_or_else(missing)?;
    let filter = RunFilter { id: Some(id.to_owned()), ..RunFilter::default() };
    let kept = log.list(&filter, 1).await?.pop().ok_or_else(missing)?;
    Ok((log, kept))
}
