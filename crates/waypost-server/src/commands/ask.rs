//! `waypost ask`: one question, one answer.

use tokio::sync::mpsc;
use waypost::Code;
use waypost::records::answer::{Answer, Part};
use waypost::records::request::Request;
use waypost::router::{AnswerOptions, Router};

use super::pictures;
use crate::assemble::{self, AssemblyOptions};
use crate::cli::AskArgs;
use crate::config::Config;
use crate::failure::{Failure, REFUSED};
use crate::output::Shown;
use crate::{output, progress, sources};

/// The most pieces of an answer that may wait for their reader.
const PIECES: usize = 64;

pub(super) async fn run(args: &AskArgs, config: &Config) -> Result<u8, Failure> {
    let text = super::text(&args.text)?;
    let mut request = super::request(&args.request, text);
    request.session.clone_from(&args.session);
    request.check()?;
    let options = AssemblyOptions {
        now: request.now.clone(),
        remember: true,
        show_server_log: args.debug,
        bundle: args.request.student.file.clone(),
        ..AssemblyOptions::default()
    };
    let sourced = sources::load(&args.request.source, config, &options).await?;
    let options = AssemblyOptions { live: sourced.live, ..options };
    let router = assemble::router(sourced.pack, config, &options).await?;
    let answer = collect(&router, &request, AnswerOptions { trace: args.debug }).await?;
    router.close().await;
    if args.json {
        output::json_pretty(&answer)?;
    } else {
        show(&answer, args.debug)?;
        pictures::show(&answer.images, &config.home)?;
        advise(&answer, sourced.name.as_deref());
    }
    Ok(status(&answer))
}

/// Answers, and shows on standard error how far its tools are; the other pieces go by unread.
pub(super) async fn collect(
    router: &Router,
    request: &Request,
    options: AnswerOptions,
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
    let cancel = super::cancel_on_interrupt();
    let answer = router.answer(request, options, &out, &cancel).await;
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
        Some(Code::Unavailable) => {
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
