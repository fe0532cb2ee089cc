//! `waypost chat`: one question after another, in one conversation.
//!
//! Lines come from standard input, typed or piped. Answers go to standard output as they come;
//! the banner, prompts' advice and faults go to standard error. Ctrl-C stops the answer under way.

use std::io::{BufRead, IsTerminal, Read, Write};
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use waypost::answer::{Answer, Part};
use waypost::decision::{Call, Decision};
use waypost::pack::did_you_mean;
use waypost::request::{MAX_TEXT_BYTES, Request, shorten};
use waypost::router::{Options, Router};
use waypost::store::Store;
use waypost::{Code, Error};

use crate::assemble::{self, Wish};
use crate::cli::ChatArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{output, packs};

/// How many pieces of an answer may wait for the terminal.
const PIECES: usize = 64;
/// How many characters of a value the debug view shows.
const SHOWN: usize = 40;

/// What can be typed beside questions, with its help.
const COMMANDS: [(&str, &str); 5] = [
    ("/help", "what can be typed here"),
    ("/tools", "what can be called"),
    ("/debug", "show what lies behind answers; /debug:on, /debug:off"),
    ("/new", "forget this conversation and start over"),
    ("/exit", "leave; so does Ctrl-D"),
];

/// A conversation on the terminal.
struct Chat {
    router: Router,
    store: Arc<dyn Store>,
    session: String,
    debug: bool,
}

/// Whether the conversation goes on.
#[derive(PartialEq)]
enum Next {
    Listen,
    Leave,
}

pub(super) async fn run(args: &ChatArgs, config: &Config) -> Result<u8, Failure> {
    let pack = packs::load(&args.pack.pack)?;
    let wish = Wish { now: None, remember: true, show_server_log: args.debug };
    let store = assemble::store(config).await;
    let router = assemble::router_over(pack, config, &wish, Arc::clone(&store)).await?;
    let session = args.session.clone().unwrap_or_else(fresh_session);
    let mut chat = Chat { router, store, session, debug: args.debug };
    output::note(&format!(
        "{}\n/help says what can be typed, /exit or Ctrl-D leaves.",
        chat.router.pack().spec.summary
    ));
    let done = chat.listen().await;
    chat.router.close().await;
    done.map(|()| 0)
}

/// A name that no other conversation of this home has: the microsecond it began in.
fn fresh_session() -> String {
    format!("chat-{}", jiff::Timestamp::now().as_microsecond())
}

impl Chat {
    async fn listen(&mut self) -> Result<(), Failure> {
        let mut lines = lines();
        let mut interrupted = false;
        loop {
            prompt()?;
            let line = tokio::select! {
                line = lines.recv() => line,
                _ = tokio::signal::ctrl_c() => {
                    if interrupted {
                        return Ok(());
                    }
                    interrupted = true;
                    output::note("\nCtrl-C once more, /exit or Ctrl-D leaves.");
                    continue;
                }
            };
            interrupted = false;
            let next = match line {
                None => Next::Leave,
                Some(Ok(line)) => self.take(line.trim()).await?,
                Some(Err(error)) => {
                    complain(error);
                    Next::Listen
                }
            };
            if next == Next::Leave {
                return Ok(());
            }
        }
    }

    /// Does what a line says: a command at its start, then the question behind it.
    async fn take(&mut self, line: &str) -> Result<Next, Failure> {
        let mut question = line;
        if line.starts_with('/') {
            let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if self.command(command).await? == Next::Leave {
                return Ok(Next::Leave);
            }
            question = rest.trim();
        }
        if !question.is_empty() {
            self.ask(question).await?;
        }
        Ok(Next::Listen)
    }

    async fn command(&mut self, typed: &str) -> Result<Next, Failure> {
        let (name, value) = match typed.split_once(':') {
            Some((name, value)) => (name, Some(value)),
            None => (typed, None),
        };
        match (name, value) {
            ("/help", None) => {
                for (name, help) in COMMANDS {
                    output::line(&format!("  {} {help}", output::bold(&format!("{name:<7}"))))?;
                }
                output::line("  A choice can be answered by its number or in words.")?;
            }
            ("/tools", None) => super::tools::list(self.router.pack())?,
            ("/debug", None) => self.set_debug(!self.debug),
            ("/debug", Some("on")) => self.set_debug(true),
            ("/debug", Some("off")) => self.set_debug(false),
            ("/new", None) => self.start_over().await,
            ("/exit", None) => return Ok(Next::Leave),
            _ => complain(unknown(name, typed)),
        }
        Ok(Next::Listen)
    }

    fn set_debug(&mut self, on: bool) {
        self.debug = on;
        output::note(if on { "debug is on" } else { "debug is off" });
    }

    async fn start_over(&mut self) {
        match self.store.forget(&self.session).await {
            Ok(_) => output::note("forgotten; a new conversation begins"),
            Err(error) => complain(error),
        }
        self.session = fresh_session();
    }

    /// Answers a question and prints the answer as it comes; a request that cannot be read is told
    /// and the conversation goes on.
    async fn ask(&self, question: &str) -> Result<(), Failure> {
        let request = Request {
            session: Some(self.session.clone()),
            now: Some(super::now()),
            trusted: true,
            ..Request::new(question)
        };
        let cancel = CancellationToken::new();
        let (out, pieces) = mpsc::channel(PIECES);
        let answering = async {
            let out = out;
            self.router.answer(&request, Options { trace: self.debug }, &out, &cancel).await
        };
        let mut both = std::pin::pin!(async { tokio::join!(answering, print(pieces, self.debug)) });
        let (answer, streamed) = loop {
            tokio::select! {
                done = &mut both => break done,
                // The answer then ends by itself, with the code CANCELLED.
                _ = tokio::signal::ctrl_c() => cancel.cancel(),
            }
        };
        match answer {
            Ok(answer) => self.finish(&answer, &streamed?),
            Err(error) if error.code() == Code::Cancelled => {
                output::note("\nstopped");
                Ok(())
            }
            Err(error) => {
                complain(error);
                Ok(())
            }
        }
    }

    /// Prints what has not been printed yet: the rest of the text and the choices.
    fn finish(&self, answer: &Answer, streamed: &str) -> Result<(), Failure> {
        match answer.text.strip_prefix(streamed) {
            Some(rest) => output::line(rest)?,
            None if streamed.ends_with(&answer.text) => output::line("")?,
            // What came before a fault is not the answer.
            None => output::line(&format!("\n{}", answer.text))?,
        }
        for (index, choice) in answer.choices.iter().enumerate() {
            let number = output::bold(&format!("{}.", index + 1));
            output::line(&format!("  {number} {}", choice.label))?;
        }
        if self.debug {
            output::line(&output::dim(&trailer(answer)))?;
        }
        Ok(())
    }
}

/// Lines of standard input. A thread of its own reads them, since a blocked read can neither be
/// stopped nor waited for when the program ends.
fn lines() -> mpsc::Receiver<Result<String, Error>> {
    let (out, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Some(line) = read_line(&mut input) {
            if out.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// The next line; of one that is too long, one byte more than a question may have.
fn read_line(input: &mut impl BufRead) -> Option<Result<String, Error>> {
    let mut line = Vec::new();
    let most = MAX_TEXT_BYTES as u64 + 2;
    if input.by_ref().take(most).read_until(b'\n', &mut line).ok()? == 0 {
        return None;
    }
    if line.len() as u64 == most && !line.ends_with(b"\n") {
        input.skip_until(b'\n').ok()?;
        return Some(Ok(String::from_utf8_lossy(&line).into_owned()));
    }
    Some(String::from_utf8(line).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::invalid(format!("the line is not UTF-8: byte {at} is not a character"))
            .with_hint("set the terminal to UTF-8")
    }))
}

/// The sign that a line is waited for, where somebody types.
fn prompt() -> Result<(), Failure> {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        piece(&output::bold("> "))?;
    }
    Ok(())
}

fn piece(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints words as they come and returns them. After a fault of the terminal it goes on reading,
/// so that the answer is not held up.
async fn print(mut pieces: mpsc::Receiver<Part>, debug: bool) -> Result<String, Failure> {
    let mut streamed = String::new();
    let mut printed = Ok(());
    while let Some(part) = pieces.recv().await {
        if printed.is_err() {
            continue;
        }
        match part {
            Part::Token(words) => {
                printed = piece(&words);
                streamed.push_str(&words);
            }
            Part::Decided(decision) if debug => {
                printed = output::line(&output::dim(&behind(&decision)));
            }
            _ => {}
        }
    }
    printed.map(|()| streamed)
}

/// What lies behind an answer, in a few lines: who decided, how sure, and the calls with their
/// evidence.
fn behind(decision: &Decision) -> String {
    let head = format!(
        "[{} {:.2}] {}: {}",
        decision.layer.name(),
        decision.confidence,
        decision.route,
        decision.rationale
    );
    let calls = decision.calls.iter().map(call);
    std::iter::once(head).chain(calls).collect::<Vec<_>>().join("\n")
}

fn call(call: &Call) -> String {
    let mut lines = vec![format!("  {}", call.tool)];
    for (name, value) in &call.arguments {
        let from = call.evidence.get(name).map_or_else(String::new, |evidence| {
            let words = evidence.text.as_ref().map(|text| format!(" “{}”", shorten(text, SHOWN)));
            let source = format!("{:?}", evidence.source).to_lowercase();
            format!("  ← {source}{} ({})", words.unwrap_or_default(), evidence.by)
        });
        lines.push(format!("    {name} = {}{from}", shorten(&value.to_string(), SHOWN)));
    }
    lines.join("\n")
}

/// What can be told only afterwards.
fn trailer(answer: &Answer) -> String {
    let mut parts = vec![answer.mode.clone(), answer.source.clone()];
    if let Some(error) = &answer.error {
        parts.push(error.code.to_string());
    }
    let degraded = answer.raw.plan["degraded"].as_array().into_iter().flatten();
    parts.extend(degraded.filter_map(|name| Some(format!("degraded {}", name.as_str()?))));
    let took = answer.raw.trace.as_ref().and_then(|trace| trace["t_total_ms"].as_f64());
    parts.extend(took.map(|took| format!("{took:.1} ms")));
    format!("[{}]", parts.join(", "))
}

fn unknown(name: &str, typed: &str) -> Error {
    if COMMANDS.iter().any(|(known, _)| *known == name) {
        return Error::invalid(format!("`{}` is not what `{name}` takes", shorten(typed, SHOWN)))
            .with_hint("see /help");
    }
    let known = COMMANDS.iter().map(|(known, _)| *known);
    Error::invalid(format!("there is no command `{}`", shorten(name, SHOWN)))
        .with_hint(format!("{} /help lists them", did_you_mean(name, known)))
}

/// Tells a fault; the conversation goes on.
fn complain(error: Error) {
    output::note(&Failure::from(error).to_string());
}
