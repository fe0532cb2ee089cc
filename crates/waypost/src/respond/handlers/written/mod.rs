//! Has a model write the words of an answer, and holds them to their bounds while they stream: a number that
//! names no passage is left out, and words that go round in circles end after the first round.

mod marks;
mod repetition;

use std::collections::BTreeSet;

use futures_util::StreamExt;
use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::model::{Cut, Model, Piece, Prompt};
use waypost_core::records::answer::Part;
use waypost_core::records::event::Event;

pub(super) use self::marks::Marks;
use super::{HandlerDependencies, Job, Prepared, Work, degrade, withdraw};
use crate::pack::messages::Sentence;

/// The name of a fault: the model said the same again and again.
const REPETITION: &str = "model:repetition";
/// The longest answer, in bytes: a model that does not stop is cut off.
const LONGEST: usize = 64 * 1024;
/// The new bytes after which the end of an answer is looked at for repetition: a look at every token would
/// cost more and stop a loop no sooner than a reader sees it.
const STEP: usize = 64;
/// The mark at the beginning and the end of a block of code.
const FENCE: &str = "```";

/// The end of an attempt to have a model write the words.
#[derive(Debug, PartialEq)]
pub(super) enum Wrote {
    /// They are in the work, and were sent on; they cite the passages of these numbers.
    Whole { cited: BTreeSet<usize> },
    /// There is no model.
    NoModel,
    /// The model failed; the work says that it is degraded.
    Failed(Error),
}

/// Has the model write the words of `work`, if there is one. What was said of the preparation is
/// noted first.
///
/// # Errors
///
/// `CANCELLED`.
pub(super) async fn written(
    job: Job<'_>,
    work: &mut Work,
    prepared: &Prepared,
    dependencies: HandlerDependencies<'_>,
    marks: Marks,
    prompt: impl FnOnce() -> Prompt + Send,
) -> Result<Wrote> {
    prepared.note(work);
    let Some(model) = dependencies.model else { return Ok(Wrote::NoModel) };
    let mut draft = Draft::of(marks);
    match ask_model(model, &prompt(), &mut draft, dependencies).await {
        Ok(()) => {
            if draft.repeats {
                note_repetition(work);
            }
            work.text = draft.text;
            if let Some(cut) = draft.cut {
                note_cut(work, cut);
                let sentence = Sentence::new("answer_cut");
                let said = dependencies.messages.say(job.turn.said.language, &sentence);
                // What was sent stays as it is, so that this is but added to it.
                let gap = match work.text.as_str() {
                    text if text.ends_with("\n\n") => "",
                    text if text.ends_with('\n') => "\n",
                    _ => "\n\n",
                };
                work.text = format!("{}{gap}{said}", work.text);
            }
            Ok(Wrote::Whole { cited: draft.marks.cited() })
        }
        Err(error) if error.code() == Code::Cancelled => Err(error),
        Err(error) => {
            degrade(work, "model", &error);
            withdraw(job, dependencies, draft.sent > 0).await;
            Ok(Wrote::Failed(error))
        }
    }
}

/// Reads a model's reply into a draft and sends it on as it comes. What came before a fault is not an answer.
async fn ask_model(
    model: &dyn Model,
    prompt: &Prompt,
    draft: &mut Draft,
    dependencies: HandlerDependencies<'_>,
) -> Result<()> {
    let mut pieces = model.stream(prompt, dependencies.cancel).await?;
    while let Some(piece) = pieces.next().await {
        match piece? {
            Piece::Words(piece) => {
                let Some(words) = draft.push(&piece) else { break };
                send(dependencies, words).await;
            }
            Piece::Cut(cut) => draft.cut = Some(cut),
            Piece::Usage(_) => {}
        }
    }
    let rest = draft.finish();
    send(dependencies, rest).await;
    if draft.text.trim().is_empty() {
        return Err(Error::unavailable("the model said nothing"));
    }
    Ok(())
}

async fn send(dependencies: HandlerDependencies<'_>, words: String) {
    if !words.is_empty() {
        let _ = dependencies.out.send(Part::Token(words)).await;
    }
}

/// Notes that the answer ends before the model was done.
pub(super) fn note_cut(work: &mut Work, cut: Cut) {
    let (code, detail) = match cut {
        Cut::Length => (Code::ResourceExhausted, "the model's answer was longer than it may be"),
        Cut::Filter => {
            (Code::FailedPrecondition, "the model's server withheld a part of its answer")
        }
    };
    let what = cut.name().to_owned();
    work.outcome.degraded.push(what.clone());
    work.events.push(Event::Degraded { what, code, detail: detail.to_owned() });
}

/// Notes that the answer ends where the model began to say the same again and again.
fn note_repetition(work: &mut Work) {
    work.outcome.degraded.push(REPETITION.to_owned());
    work.events.push(Event::Degraded {
        what: REPETITION.to_owned(),
        code: Code::ResourceExhausted,
        detail: "the model said the same again and again, and was stopped".to_owned(),
    });
}

/// The words of an answer so far.
#[derive(Debug)]
struct Draft {
    text: String,
    marks: Marks,
    /// The bytes of the text that were sent on.
    sent: usize,
    /// The length of the text when it was looked at last.
    looked: usize,
    /// True if it was cut where it repeats itself.
    repeats: bool,
    /// The reason why it ends before the model was done, if it does.
    cut: Option<Cut>,
}

impl Draft {
    fn of(marks: Marks) -> Self {
        Self { text: String::new(), marks, sent: 0, looked: 0, repeats: false, cut: None }
    }

    /// Adds a piece, and returns the words to send on; none if the answer ends here.
    fn push(&mut self, piece: &str) -> Option<String> {
        if self.text.len() + piece.len() > LONGEST {
            self.cut = Some(Cut::Length);
            return None;
        }
        let words = self.marks.push(piece);
        self.text.push_str(&words);
        if self.text.len() - self.looked >= STEP {
            self.looked = self.text.len();
            self.end_where_it_repeats();
        }
        if self.repeats {
            return None;
        }
        self.sent = self.text.len();
        Some(words)
    }

    /// Ends the text, and returns the words that were held back: of a text that was cut those beyond what was sent.
    fn finish(&mut self) -> String {
        if !self.repeats {
            let words = self.marks.finish();
            self.text.push_str(&words);
            self.end_where_it_repeats();
        }
        if self.cut.is_some() && self.text.matches(FENCE).count() % 2 == 1 {
            // What was sent stays as it is, so that this is but added to it.
            let line = if self.text.ends_with('\n') { FENCE } else { "\n```" };
            self.text.push_str(line);
        }
        self.text.get(self.sent..).unwrap_or_default().to_owned()
    }

    fn end_where_it_repeats(&mut self) {
        let Some(kept) = repetition::cut(&self.text, self.marks.is_in_code()) else { return };
        self.text = closed(kept.trim_end().to_owned());
        self.repeats = true;
    }
}

/// A text that was cut, with the end of the block of code that it ends in.
fn closed(mut text: String) -> String {
    if text.matches(FENCE).count() % 2 == 1 {
        text.push('\n');
        text.push_str(FENCE);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The draft of these pieces, and the words that were sent on.
    fn draft(pieces: impl IntoIterator<Item = &'static str>) -> (Draft, String) {
        let mut draft = Draft::of(Marks::of(2));
        let mut sent = String::new();
        for piece in pieces {
            let Some(words) = draft.push(piece) else { break };
            sent += &words;
        }
        sent += &draft.finish();
        (draft, sent)
    }

    #[test]
    fn words_that_are_sent_on_are_the_text() {
        let (draft, sent) = draft(["The sea", " is warm [", "1", "] and", " high [9", "].", " [2"]);
        assert_eq!(sent, "The sea is warm [1] and high. [2");
        assert_eq!((draft.text.as_str(), draft.repeats), (sent.as_str(), false));
        assert_eq!(draft.marks.cited(), BTreeSet::from([1]));
    }

    #[test]
    fn a_loop_is_stopped_and_cut_to_one_round() {
        let pieces =
            ["The sea is warm. "].into_iter().chain(["It is ", "a warm ", "sea. "].repeat(500));
        let (draft, sent) = draft(pieces);
        assert_eq!(draft.text, "The sea is warm. It is a warm sea.");
        assert!(draft.repeats && sent.len() < 200, "{} bytes were sent", sent.len());
    }

    #[test]
    fn a_loop_that_comes_as_one_piece_is_sent_as_it_is_kept() {
        let whole: &'static str = Box::leak("It is a warm sea. ".repeat(200).into_boxed_str());
        let (draft, sent) = draft([whole]);
        assert_eq!(
            (draft.text.as_str(), sent.as_str()),
            ("It is a warm sea.", "It is a warm sea.")
        );
    }

    #[test]
    fn a_block_of_code_that_is_cut_is_closed() {
        let pieces = ["So:\n```\n"].into_iter().chain(["addResult(total_of_all_rows)\n"; 100]);
        let (draft, _) = draft(pieces);
        assert_eq!(draft.text, "So:\n```\naddResult(total_of_all_rows)\n```");
    }

    #[test]
    fn a_model_that_does_not_stop_is_cut_off() {
        let lines: Vec<String> = (0..100_000).map(|n| format!("The number {n}. ")).collect();
        let mut draft = Draft::of(Marks::default());
        let taken = lines.iter().take_while(|line| draft.push(line).is_some()).count();
        assert!(taken < lines.len() && draft.text.len() <= LONGEST && !draft.repeats);
        assert_eq!(draft.cut, Some(Cut::Length));
    }
}
