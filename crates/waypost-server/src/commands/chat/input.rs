//! Lines as they come in: edited on a terminal, read as they are from anywhere else.

use std::io::{BufRead, IsTerminal, Read};
use std::path::Path;

use tokio::sync::mpsc;
use waypost::Error;
use waypost::records::request::{Choice, MAX_TEXT_BYTES};

use super::editor::Editor;
use crate::{environment, output};

/// The sign that a line is waited for.
pub(super) const SIGN: &str = "> ";

/// A line as it came in, or what came instead of one.
#[derive(Debug)]
pub(super) enum Line {
    Text(String),
    /// A line that cannot be read.
    Fault(Error),
    /// Ctrl-C, which gave up what was `typed`.
    Interrupt {
        typed: bool,
    },
    /// Ctrl-D, or the end of the input.
    End,
}

/// Standard input. A thread of its own reads it, since a blocked read can neither be stopped nor
/// waited for when the program ends. It reads a line only when one is asked for: while an answer is
/// under way the terminal is in its usual mode, so that Ctrl-C stops the answer.
#[derive(Debug)]
pub(super) struct Input {
    wanted: mpsc::Sender<Vec<Choice>>,
    lines: mpsc::Receiver<Line>,
    /// True if a line was asked for and has not come.
    waiting: bool,
    edits: bool,
}

impl Input {
    /// Opens standard input; where somebody types, with the earlier lines from `history`.
    pub(super) fn open(history: &Path) -> Self {
        let typed = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        // A terminal that calls itself dumb cannot move its cursor.
        let edits = typed && environment::TERM.value().is_none_or(|name| name != "dumb");
        let (wanted, mut asked) = mpsc::channel::<Vec<Choice>>(1);
        let (out, lines) = mpsc::channel(1);
        let history = history.to_owned();
        std::thread::spawn(move || {
            let mut reader = if edits {
                Reader::Edited(Box::new(Editor::open(&history)))
            } else {
                Reader::Plain(typed)
            };
            while let Some(choices) = asked.blocking_recv() {
                if out.blocking_send(reader.line(choices)).is_err() {
                    return;
                }
            }
        });
        Self { wanted, lines, waiting: false, edits }
    }

    /// Returns whether lines are edited, so that Ctrl-C at the prompt is a key and no signal.
    pub(super) fn edits(&self) -> bool {
        self.edits
    }

    /// The next line, while these choices wait for an answer. May be given up and called again.
    pub(super) async fn line(&mut self, choices: &[Choice]) -> Line {
        if !self.waiting {
            if self.wanted.send(choices.to_vec()).await.is_err() {
                return Line::End;
            }
            self.waiting = true;
        }
        let line = self.lines.recv().await;
        self.waiting = false;
        line.unwrap_or(Line::End)
    }
}

/// The source of lines.
enum Reader {
    Edited(Box<Editor>),
    /// Lines as they are; with a sign where somebody types them.
    Plain(bool),
}

impl Reader {
    fn line(&mut self, choices: Vec<Choice>) -> Line {
        if let Reader::Edited(editor) = self {
            match editor.line(choices) {
                Ok(line) => return line,
                // A terminal that does not answer can still give lines.
                Err(_) => *self = Reader::Plain(true),
            }
        }
        if matches!(self, Reader::Plain(true)) {
            let _ = output::piece(SIGN);
        }
        read_line(&mut std::io::stdin().lock())
    }
}

/// The next line; of one that is too long, one byte more than a question may have.
fn read_line(input: &mut impl BufRead) -> Line {
    let mut line = Vec::new();
    let most = MAX_TEXT_BYTES as u64 + 2;
    match input.by_ref().take(most).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => return Line::End,
        Ok(_) => {}
    }
    if line.len() as u64 == most && !line.ends_with(b"\n") {
        if input.skip_until(b'\n').is_err() {
            return Line::End;
        }
        return Line::Text(String::from_utf8_lossy(&line).into_owned());
    }
    match String::from_utf8(line) {
        Ok(line) => Line::Text(line),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let message = format!("the line is not UTF-8: byte {at} is not a character");
            Line::Fault(Error::invalid(message).with_hint("set the terminal to UTF-8"))
        }
    }
}
