//! One turn: sends a question, prints the answer as it comes, and what is behind it.

use std::io::IsTerminal;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use waypost::printable;
use waypost::records::answer::{Answer, Part};
use waypost::records::decision::Decision;
use waypost::records::request::Request;
use waypost::router::AnswerOptions;
use waypost::{Code, Error};

use super::super::pictures;
use super::spinner::Spinner;
use super::view::Detail;
use super::{Chat, Last, complain, recall};
use crate::failure::Failure;
use crate::output::{self, Shown};
use crate::progress::far;

/// The most pieces of an answer that may wait for the terminal.
const PIECES: usize = 64;

/// The words that were printed, and the decision that was made, while the answer came.
#[derive(Debug, Default)]
struct Streamed {
    text: String,
    /// The text as far as it was printed: a piece may end anywhere.
    printed: printable::Stream,
    decision: Option<Box<Decision>>,
}

impl Chat {
    /// Answers a question and prints the answer as it comes; a request that cannot be read is
    /// reported, and the conversation goes on.
    pub(super) async fn ask(&mut self, question: &str) -> Result<(), Failure> {
        let request = Request {
            session: Some(self.session.clone()),
            now: Some(super::super::now()),
            trusted: true,
            ..Request::new(question)
        };
        let (answer, streamed) = self.stream(&request).await;
        let streamed = streamed?;
        if let Some(decision) = streamed.decision {
            // Pictures go to files; megabytes of them need not be kept as well.
            let kept = answer.as_ref().ok().map(|it| Answer { images: Vec::new(), ..it.clone() });
            if let Some(with) = decision.switches.get("chat") {
                self.in_direct_chat = with != "off";
            }
            self.last = Some(Last { decision, answer: kept });
        }
        match answer {
            Ok(answer) => {
                finish(&answer, &streamed.text, streamed.printed)?;
                pictures::show(&answer.images, &self.home)?;
                super::super::reads::advise(&answer, self.router.pack());
            }
            Err(error) if error.code() == Code::Cancelled => output::note(Shown::text("\nstopped")),
            Err(error) => {
                complain(error);
                return Ok(());
            }
        }
        if self.debug {
            self.show_last(Detail::Short)?;
        }
        self.open = recall::open(&self.remembered().await);
        Ok(())
    }

    /// The answer, printed as it comes. Ctrl-C stops it.
    async fn stream(
        &self,
        request: &Request,
    ) -> (Result<Answer, Error>, Result<Streamed, Failure>) {
        let cancel = CancellationToken::new();
        let (out, pieces) = mpsc::channel(PIECES);
        let answering = async {
            let out = out;
            self.router.answer(request, AnswerOptions { trace: true }, &out, &cancel).await
        };
        // The servers' log goes to the same place as the line that moves.
        let waits =
            !self.shows_log && std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        let printing = print(pieces, Spinner::new(waits));
        let mut both = std::pin::pin!(async { tokio::join!(answering, printing) });
        loop {
            tokio::select! {
                done = &mut both => break done,
                // The answer then ends by itself, with the code CANCELLED.
                _ = tokio::signal::ctrl_c() => cancel.cancel(),
            }
        }
    }
}

/// Prints words as they come and returns them with the decision. After a fault of the terminal it
/// goes on reading, so that the answer is not held up.
async fn print(
    mut pieces: mpsc::Receiver<Part>,
    mut spinner: Spinner,
) -> Result<Streamed, Failure> {
    let mut streamed = Streamed::default();
    let mut printed = Ok(());
    spinner.say("deciding");
    loop {
        let part = tokio::select! {
            part = pieces.recv() => part,
            () = spinner.due() => {
                spinner.draw();
                continue;
            }
        };
        match part {
            None => break,
            Some(Part::Decided(decision)) => {
                spinner.say("answering");
                streamed.decision = Some(decision);
            }
            Some(Part::Phase(phase)) => spinner.say(&phase.content),
            Some(Part::ToolStarted { tool }) => spinner.say(&tool),
            Some(Part::ToolProgress { tool, progress }) => {
                spinner.say(&far(&tool, &progress));
            }
            Some(Part::Prepared { .. } | Part::ToolDone { .. }) => {}
            Some(Part::Token(words)) => {
                spinner.stop();
                if printed.is_ok() {
                    printed = output::piece(Shown::piece(&mut streamed.printed, &words));
                }
                streamed.text.push_str(&words);
            }
            Some(Part::Withdrawn(sentence)) => {
                let words = format!("\n\n{sentence}\n\n");
                if printed.is_ok() {
                    printed = output::piece(Shown::piece(&mut streamed.printed, &words));
                }
                streamed.text.clear();
            }
        }
    }
    spinner.stop();
    printed.map(|()| streamed)
}

/// Prints what has not been printed yet: the rest of the text and the choices.
fn finish(answer: &Answer, streamed: &str, mut printed: printable::Stream) -> Result<(), Failure> {
    match answer.text.strip_prefix(streamed) {
        Some(rest) => output::line(Shown::piece(&mut printed, rest) + printed.end())?,
        None if streamed.ends_with(&answer.text) => output::line(printed.end())?,
        // The words that came before a fault are not the answer.
        None => output::line(Shown::text(&format!("\n{}", answer.text)))?,
    }
    for line in recall::choices(&answer.choices, &output::bold) {
        output::line(line)?;
    }
    Ok(())
}
