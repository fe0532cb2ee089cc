//! `waypost chat`: one question after another, in one conversation.
//!
//! Lines come from standard input: edited where somebody types, read as they are where they are
//! piped. Answers go to standard output as they come; the banner, advice and faults go to standard
//! error. Ctrl-C stops the answer under way.

mod columns;
mod editor;
mod input;
mod recall;
mod slash;
mod spinner;
mod turn;
mod view;
mod words;

use std::path::PathBuf;
use std::sync::Arc;

use waypost::Error;
use waypost::feedback::Feedback;
use waypost::pack::Pack;
use waypost::ports::store::Store;
use waypost::records::answer::Answer;
use waypost::records::bounds;
use waypost::records::decision::Decision;
use waypost::records::request::shorten;
use waypost::records::session::Session;
use waypost::router::Router;

pub(super) use self::columns::clean;
use self::input::{Input, Line};
use self::recall::Open;
use self::slash::{Action, COMMANDS, WRONG};
use self::view::Detail;
use crate::assemble::AssemblyOptions;
use crate::cli::ChatArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::output::Shown;
use crate::sources::{self, Sourced};
use crate::{commands, output};

/// The file of the home that remembers lines.
const HISTORY: &str = "history";
/// The longest part of the last turn that the greeting shows, in characters.
const SHOWN: usize = 60;

/// A conversation on the terminal.
struct Chat {
    router: Arc<Router>,
    store: Arc<dyn Store>,
    /// The home, where pictures go.
    home: PathBuf,
    session: String,
    debug: bool,
    /// True if the tool servers' log is shown.
    shows_log: bool,
    /// The question that waits, as it can be shown again.
    open: Option<Open>,
    last: Option<Last>,
    /// True while the user talks to one tool alone.
    in_direct_chat: bool,
}

/// The last decision, with its answer where there was one.
struct Last {
    decision: Box<Decision>,
    answer: Option<Answer>,
}

/// The way on from a line: the conversation goes on or ends.
#[derive(PartialEq)]
enum Next {
    Listen,
    Leave,
}

pub(super) async fn run(args: &ChatArgs, config: &Config) -> Result<u8, Failure> {
    args.session.as_deref().map_or(Ok(()), |name| bounds::name("session", name))?;
    let options = AssemblyOptions {
        remember: true,
        show_server_log: args.debug,
        bundle: args.student.file.clone(),
        ..AssemblyOptions::default()
    };
    let Sourced { pack, name, live, .. } = sources::load(&args.source, config, &options).await?;
    let options = AssemblyOptions { live, ..options };
    let (router, store) = commands::lasting(name.as_deref(), pack, config, &options).await?;
    let mut chat = Chat {
        router,
        store,
        home: config.home.clone(),
        session: args.session.clone().unwrap_or_else(fresh_session),
        debug: args.debug,
        shows_log: args.debug,
        open: None,
        last: None,
        in_direct_chat: false,
    };
    output::note(&chat.router.pack().spec.summary);
    output::note("/help says what can be typed, /exit or Ctrl-D leaves.");
    if args.session.is_some() {
        chat.greet().await;
    }
    let done = chat.listen(&mut Input::open(&config.home.join(HISTORY))).await;
    chat.router.close().await;
    done.map(|()| 0)
}

/// A name that no other conversation of this home has: the microsecond it began in.
fn fresh_session() -> String {
    format!("chat-{}", jiff::Timestamp::now().as_microsecond())
}

impl Chat {
    async fn listen(&mut self, input: &mut Input) -> Result<(), Failure> {
        let mut interrupted = false;
        loop {
            let choices = self.open.as_ref().map_or(&[][..], |open| &open.choices);
            let line = tokio::select! {
                line = input.line(choices) => line,
                _ = tokio::signal::ctrl_c() => {
                    // The line under way belongs to the editor, and so does the terminal; there
                    // Ctrl-C is a key, and this signal came from elsewhere.
                    if input.edits() {
                        continue;
                    }
                    Line::Interrupt { typed: false }
                }
            };
            let empty = matches!(line, Line::Interrupt { typed: false });
            let again = std::mem::replace(&mut interrupted, empty);
            match line {
                // The line was cleared, and that is all.
                Line::Interrupt { typed: true } => {}
                Line::Interrupt { .. } if again => return Ok(()),
                Line::Interrupt { .. } => {
                    output::note(Shown::text("\nCtrl-C once more, /exit or Ctrl-D leaves."));
                }
                Line::End => return Ok(()),
                Line::Fault(error) => complain(error),
                Line::Text(line) => {
                    if self.take(line.trim()).await? == Next::Leave {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Does what a line says: a command at its start, then the question behind it.
    async fn take(&mut self, line: &str) -> Result<Next, Failure> {
        let mut question = line;
        if slash::is_command(line) {
            let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if self.is_of_pack(command) {
                self.ask(line).await?;
                return Ok(Next::Listen);
            }
            if command == WRONG && !rest.trim().is_empty() {
                self.judge(false, Some(rest.trim().to_owned())).await?;
                return Ok(Next::Listen);
            }
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

    /// Returns whether a command is one of the pack: those of this program go before it, but `/exit` first leaves a direct chat.
    fn is_of_pack(&self, command: &str) -> bool {
        let leaves = matches!(slash::read(command), Ok((Action::Exit, None)));
        let own = slash::read(command).is_ok() && !(leaves && self.in_direct_chat);
        self.router.pack().spec.commands && !own
    }

    async fn command(&mut self, typed: &str) -> Result<Next, Failure> {
        let (action, value) = match slash::read(typed) {
            Ok(read) => read,
            Err(error) => {
                complain(error);
                return Ok(Next::Listen);
            }
        };
        match action {
            Action::Help => help(self.router.pack())?,
            Action::Choices => self.show_choices()?,
            Action::Say(words) => self.ask(words).await?,
            Action::Why => self.show_last(Detail::Full)?,
            Action::Judge(right) => self.judge(right, None).await?,
            Action::Flags => self.show_flags().await?,
            Action::Debug => self.set_debug(value.map_or(!self.debug, |value| value == "on")),
            Action::Tools => super::tools::list(self.router.pack())?,
            Action::New => self.start_over().await,
            Action::Exit => return Ok(Next::Leave),
        }
        Ok(Next::Listen)
    }

    fn set_debug(&mut self, on: bool) {
        self.debug = on;
        output::note(if on { "debug is on" } else { "debug is off" });
    }

    fn show_choices(&self) -> Result<(), Failure> {
        let Some(open) = &self.open else {
            output::note("no question is open");
            return Ok(());
        };
        output::line(Shown::text(&open.question))?;
        for line in recall::choices(&open.choices, &output::bold) {
            output::line(line)?;
        }
        Ok(())
    }

    fn show_last(&self, detail: Detail) -> Result<(), Failure> {
        let Some(last) = &self.last else {
            output::note("nothing has been decided yet");
            return Ok(());
        };
        let rows = view::rows(&last.decision, last.answer.as_ref(), detail);
        output::line(columns::lines(&rows, &output::dim))
    }

    /// Says of the last decision whether it was right, and which route would have been.
    async fn judge(&self, right: bool, route: Option<String>) -> Result<(), Failure> {
        let Some(last) = &self.last else {
            output::note("nothing has been decided yet");
            return Ok(());
        };
        let said = Feedback {
            decision_id: last.decision.id.clone(),
            right,
            route,
            session: Some(self.session.clone()),
            now: Some(super::now()),
            ..Feedback::default()
        };
        match self.router.feedback(&said).await {
            Ok(label) => output::line(super::feedback::noted(
                self.router.pack(),
                &said.decision_id,
                label.as_ref(),
            ))?,
            Err(error) => complain(error),
        }
        Ok(())
    }

    async fn show_flags(&self) -> Result<(), Failure> {
        let rows = recall::rows(&self.remembered().await);
        if rows.is_empty() {
            output::note("no flag is set and nothing was called yet");
            return Ok(());
        }
        output::line(columns::lines(&rows, &output::dim))
    }

    /// Says what a conversation that goes on remembers, the question that waits last.
    async fn greet(&mut self) {
        let session = self.remembered().await;
        let Some(topic) = session.history.back() else {
            output::note(format!("`{}` is a new conversation.", self.session));
            return;
        };
        let last = shorten(&topic.topic, SHOWN);
        output::note(format!("`{}` goes on after “{last}”.", self.session));
        let rows = recall::rows(&session);
        if !rows.is_empty() {
            output::note(columns::lines(&rows, &output::plain));
        }
        if let Some(decision) = recall::last_decision(self.store.as_ref(), &self.session).await {
            self.last = Some(Last { decision, answer: None });
        }
        self.open = recall::open(&session);
        if let Some(open) = &self.open {
            output::note(Shown::text(&open.question));
            for line in recall::choices(&open.choices, &output::plain) {
                output::note(line);
            }
        }
    }

    /// The memory of this conversation; without a store that can be read, an empty one.
    async fn remembered(&self) -> Session {
        let session = self.store.session(&self.session).await.unwrap_or_default();
        session.for_turn(&self.router.pack().spec.name, None)
    }

    async fn start_over(&mut self) {
        match self.store.forget(&self.session).await {
            Ok(_) => output::note("forgotten; a new conversation begins"),
            Err(error) => {
                complain(error);
                // A conversation that could not be forgotten must not be continued.
                self.session = fresh_session();
            }
        }
        (self.open, self.last) = (None, None);
    }
}

fn help(pack: &Pack) -> Result<(), Failure> {
    for slash in COMMANDS {
        let name = output::bold(&format!("{:<8}", slash.name));
        output::line("  " + name + " " + slash.help)?;
    }
    if pack.spec.commands {
        let own: Vec<String> = waypost::understand::commands().collect();
        output::line(format!("  Of this pack, before a request or alone: {}", own.join(" ")))?;
    }
    output::line("  A choice can be answered by its number or in words.")?;
    output::line("  Tab completes, Ctrl-R searches earlier lines, Alt-Enter begins a new line.")
}

/// Reports a fault; the conversation goes on.
fn complain(error: Error) {
    output::note(Failure::from(error).shown());
}
