//! `waypost ask`: one question, one answer.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use waypost::Code;
use waypost::records::answer::{Answer, Part};
use waypost::records::request::Request;
use waypost::respond::execution::Servers;
use waypost::router::{AnswerOptions, Router};

use super::{pictures, resident};
use crate::assemble::{self, AssemblyOptions};
use crate::cli::AskArgs;
use crate::config::Config;
use crate::failure::{Failure, REFUSED};
use crate::output::Shown;
use crate::{output, progress, sources};

/// The most pieces of an answer that may wait for their reader.
const PIECES: usize = 64;
/// A start of servers that takes longer is worth a word on how to start them once.
const SLOW: Duration = Duration::from_secs(1);

pub(super) async fn run(
    mut args: AskArgs,
    path: Option<&Path>,
    config: impl Fn() -> Result<Config, Failure>,
) -> Result<u8, Failure> {
    if args.stop {
        return resident::stop();
    }
    // Standard input can be read once, whoever answers.
    args.text = vec![super::text(&args.text)?];
    match resident::ask(&args, path).await? {
        Some(status) => Ok(status),
        None => turn(&args, &config()?, None, super::cancel_on_interrupt).await,
    }
}

/// Answers the question. `kept` are servers that run already and outlive it; there the new ones are put.
pub(super) async fn turn(
    args: &AskArgs,
    config: &Config,
    mut kept: Option<&mut Servers>,
    cancel: impl FnOnce() -> CancellationToken,
) -> Result<u8, Failure> {
    let text = super::text(&args.text)?;
    let mut request = super::request(&args.request, text);
    request.session.clone_from(&args.session);
    request.check()?;
    let options = AssemblyOptions {
        now: request.now.clone(),
        remember: true,
        show_server_log: args.debug,
        bundle: args.request.student.file.clone(),
        live: kept.as_deref().cloned().unwrap_or_default(),
        ..AssemblyOptions::default()
    };
    let begun = Instant::now();
    let sourced = sources::load(&args.request.source, config, &options).await?;
    let took = begun.elapsed();
    if let Some(kept) = &mut kept {
        kept.clone_from(&sourced.live);
    }
    let options = AssemblyOptions { live: sourced.live, ..options };
    let router = assemble::router(sourced.pack, config, &options).await?;
    let trace = AnswerOptions { trace: args.debug };
    let answer = collect(&router, &request, trace, &cancel()).await?;
    router.close().await;
    if args.json {
        output::json_pretty(&answer)?;
    } else {
        show(&answer, args.debug)?;
        pictures::show(&answer.images, &config.home)?;
        advise(&answer, sourced.name.as_deref());
        super::reads::advise(&answer, router.pack());
    }
    let is_slow = sourced.name.is_none() && took > SLOW;
    if kept.is_none() && is_slow && io::stderr().is_terminal() {
        let took = took.as_secs_f64();
        output::note(format!(
            "hint: the servers took {took:.1} s to start; `waypost chat` starts them once for many questions"
        ));
    }
    Ok(status(&answer))
}

/// Answers, and shows on standard error how far its tools are; the other pieces go by unread.
pub(super) async fn collect(
    router: &Router,
    request: &Request,
    options: AnswerOptions,
    cancel: &CancellationToken,
) -> Result<Answer, Failure> {
    let (out, mut pieces) = mpsc::channel::<Part>(PIECES);
    let drain = tokio::spawn(async move {
        let waiting = progress::waiting();
        while let Some(part) = pieces.recv().await {
            let message = match part {
                Part::ToolProgress { tool, progress: far } => progress::far(&tool, &far),
                Part::Phase(phase) => phase.content,
                _ => continue,
            };
            waiting.set_message(message);
            waiting.tick();
        }
        waiting.finish_and_clear();
    });
    let answer = router.answer(request, options, &out, cancel).await;
    drop(out);
    let _ = drain.await;
    Ok(answer?)
}

/// The answer for people: the text, the choices, and with `debug` what lies behind them.
pub(super) fn show(answer: &Answer, debug: bool) -> Result<(), Failure> {
    output::line(Shown::text(&answer.text))?;
    for (index, choice) in answer.choices.iter().enumerate() {
        output::line("  " + output::bold(&format!("{}.", index + 1)) + " " + &choice.label)?;
    }
    if debug {
        output::line(output::dim("plan:"))?;
        output::json_pretty(&answer.raw.plan)?;
        if let Some(result) = &answer.raw.tool_result {
            output::line(output::dim("tool_result:"))?;
            output::json_pretty(result)?;
        }
        if let Some(trace) = &answer.raw.trace {
            output::line(output::dim("trace:"))?;
            output::json_pretty(trace)?;
        }
    }
    Ok(())
}

/// Says who can tell why an upstream cannot be reached: the answer is for users, and says no more.
fn advise(answer: &Answer, pack: Option<&str>) {
    let Some(pack) = pack else { return };
    match answer.error.as_ref().map(|error| error.code) {
        Some(Code::Unavailable | Code::DeadlineExceeded) => {
            output::note(format!("hint: `waypost doctor --pack {pack}` tells what is not there"));
        }
        Some(Code::FailedPrecondition) => {
            output::note(format!(
                "hint: `waypost doctor --pack {pack}` tells what is not as it was"
            ));
        }
        _ => {}
    }
}

/// Returns the exit status of an answer: 0 for one that answers or asks back.
pub(super) fn status(answer: &Answer) -> u8 {
    match (&answer.error, answer.mode.as_str()) {
        (Some(error), _) => error.code.exit_status(),
        (None, "refuse" | "rephrase") => REFUSED,
        (None, _) => 0,
    }
}
