//! An answer as it comes, as the messages of a stream. It ends with `done`, or with the fault and a status that says the same.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::{BoxStream, unfold};
use tokio::sync::mpsc::Receiver;
use tonic::Status;
use waypost::records::answer::{Answer, Part};
use waypost::records::request::Request;
use waypost::router::Router;

use super::super::problem::Problem;
use super::super::sse::{self, Frame};
use super::super::{Begun, intake};
use super::deadline::{Deadline, late};
use super::generated::AnswerEvent;
use super::{Turn, in_message, records, status};

/// The messages of a stream.
pub(super) type Events = BoxStream<'static, Result<AnswerEvent, Status>>;

/// The state of a stream: the parts that are still to come. Dropping it stops the turn.
struct Streamed {
    pieces: Receiver<Part>,
    turn: Option<Begun<Answer>>,
    deadline: Deadline,
    request: Arc<Request>,
    router: Arc<Router>,
    waiting: VecDeque<Result<AnswerEvent, Status>>,
    /// The number of the last event.
    sent: u64,
}

/// The messages of a turn.
pub(super) fn events(turn: Turn) -> Events {
    let Turn { begun, pieces, deadline, request, router } = turn;
    let waiting = VecDeque::new();
    let mut streamed =
        Streamed { pieces, turn: Some(begun), deadline, request, router, waiting, sent: 0 };
    streamed.push(sse::begun());
    let events = unfold(streamed, |mut streamed| async {
        let event = streamed.next().await?;
        Some((event, streamed))
    });
    events.boxed()
}

impl Streamed {
    async fn next(&mut self) -> Option<Result<AnswerEvent, Status>> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            self.turn.as_ref()?;
            let part = tokio::select! {
                biased;
                part = self.pieces.recv() => Ok(part),
                () = self.deadline.passed() => Err(late()),
            };
            match part {
                Ok(Some(part)) => {
                    if let Some(frame) = sse::frame(part) {
                        self.push(frame);
                    }
                }
                Ok(None) => self.end().await,
                Err(problem) => self.refuse(&problem),
            }
        }
    }

    /// Waits until the turn ends, and adds the last events.
    async fn end(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        match self.deadline.within(turn.end()).await {
            Ok(Ok(answer)) => {
                for frame in sse::last(Ok(answer), |error: &waypost::Error| Problem::from(error)) {
                    self.push(frame);
                }
            }
            Ok(Err(error)) => {
                let problem = intake::refused(&error, &self.request, self.router.pack());
                self.refuse(&in_message(problem));
            }
            Err(problem) => self.refuse(&problem),
        }
    }

    /// Ends with a fault; a turn that is still under way is stopped.
    fn refuse(&mut self, problem: &Problem) {
        self.turn = None;
        self.push(Frame { name: "error", data: problem.record() });
        self.waiting.push_back(Err(status::of(problem)));
    }

    fn push(&mut self, frame: Frame) {
        self.sent += 1;
        self.waiting.push_back(Ok(records::event(self.sent, frame.name, frame.data)));
    }
}
