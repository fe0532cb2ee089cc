//! The memory of a conversation, read when the turn of the conversation has come, and held until what
//! the turn adds to it is written.

use std::time::Duration;

use futures_util::future::{Either, join, select};
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::turns::TurnPermit;
use waypost_core::records::event::Event;
use waypost_core::records::request::Request;
use waypost_core::records::run::Run;
use waypost_core::records::session::Session;
use waypost_core::records::write::Untold;

use super::Router;
use crate::observe::ledger::Ledger;

/// The longest wait for the turns of a conversation before this one: most take less than a second, and
/// a client gives up after about as long.
const TURN_WAIT: Duration = Duration::from_secs(60);

/// The turn of a conversation, for the answer to one request; see [`Router::wait_for_turn`].
#[derive(Debug)]
#[must_use = "the turn ends when this is dropped"]
pub struct SessionTurn {
    /// When it was asked for, by the clock of the router.
    pub(super) since: Duration,
    /// The turn, or why the store gave none; nothing for a request of no conversation.
    turn: Option<Result<TurnPermit>>,
}

/// The memory of a conversation, for one turn.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The memory, as it was read.
    pub(super) session: Session,
    /// True if it may be written back: a memory that could not be read is not overwritten.
    pub(super) durable: bool,
    /// The writes of earlier turns whose end nobody was told.
    pub(super) untold: Vec<Untold>,
    /// The runs of earlier turns that were cut short, which nobody was told.
    pub(super) cut: Vec<Run>,
    /// The turn of the conversation: nobody else reads or writes it meanwhile.
    pub(super) turn: Option<TurnPermit>,
}

impl Router {
    /// Waits for the turn of the request's conversation, as the first part of [`Router::answer`]: whoever has so many places
    /// for work waits without one, and goes on with [`Router::answer_in_turn`].
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a request beyond its bounds; `CANCELLED`; `RESOURCE_EXHAUSTED` if the turns before this one take
    /// longer than a minute, or too many wait.
    pub async fn wait_for_turn(
        &self,
        request: &Request,
        cancel: &CancellationToken,
    ) -> Result<SessionTurn> {
        request.check()?;
        let since = self.parts.clock.elapsed();
        let Some(id) = &request.session else { return Ok(SessionTurn { since, turn: None }) };
        match self.turn(id, cancel).await {
            Err(error) if error.code() != Code::Unavailable => Err(error),
            turn => Ok(SessionTurn { since, turn: Some(turn) }),
        }
    }

    /// Reads what the conversation remembers; a store that fails costs the memory, not the answer.
    pub(super) async fn memory(
        &self,
        request: &Request,
        turn: SessionTurn,
        ledger: &mut Ledger,
    ) -> Memory {
        let (Some(id), Some(turn)) = (&request.session, turn.turn) else {
            return Memory::default();
        };
        let turn = match turn {
            Ok(turn) => turn,
            Err(error) => {
                ledger.note_failure("store", &error);
                return Memory::default();
            }
        };
        let (remembered, cut) =
            join(self.remembered(id, request.after.as_deref()), self.cut(id)).await;
        let cut = cut.unwrap_or_else(|error| {
            ledger.note_failure("runs", &error);
            Vec::new()
        });
        let (session, untold) = match remembered {
            Ok(remembered) => remembered,
            Err(error) => {
                ledger.note_failure("store", &error);
                return Memory { turn: Some(turn), ..Memory::default() };
            }
        };
        Memory { session, durable: true, untold, cut, turn: Some(turn) }
    }

    /// The runs of a conversation that were cut short; a pack without plans has none.
    async fn cut(&self, session: &str) -> Result<Vec<Run>> {
        let log = self.parts.pack.spec.plans.as_ref().and_then(|_| self.parts.store.runs());
        let Some(log) = log else { return Ok(Vec::new()) };
        let mut cut = log.untold(session).await?;
        cut.retain(|run| run.pack == self.parts.pack.spec.name);
        Ok(cut)
    }

    /// The session after the decision that the request goes on from, and the writes of this pack that nobody was told of. A
    /// question for an approval that one of them spent is no longer open.
    async fn remembered(&self, id: &str, after: Option<&str>) -> Result<(Session, Vec<Untold>)> {
        let (store, pack) = (&self.parts.store, &self.parts.pack.spec.name);
        let (session, untold) = join(store.session(id), store.untold(id)).await;
        let (mut session, mut untold) = (session?.for_turn(pack, after), untold?);
        // What was done with another pack is told where that is asked again.
        untold.retain(|untold| untold.write.pack == *pack);
        let spent: Vec<&str> = untold.iter().map(|untold| untold.write.token.as_str()).collect();
        session.close_spent(&spent);
        Ok((session, untold))
    }

    /// Waits for the turn of a conversation.
    async fn turn(&self, id: &str, cancel: &CancellationToken) -> Result<TurnPermit> {
        let limit = self.parts.clock.sleep(TURN_WAIT);
        let stopped = std::pin::pin!(cancel.cancelled());
        match select(self.parts.store.turn(id), select(limit, stopped)).await {
            Either::Left((turn, _)) => turn,
            Either::Right((Either::Left(_), _)) => {
                let message = "the conversation is still at work on another request";
                Err(Error::new(Code::ResourceExhausted, message)
                    .with_hint("send it again when that one is answered"))
            }
            Either::Right((Either::Right(_), _)) => {
                Err(Error::new(Code::Cancelled, "the request was stopped"))
            }
        }
    }

    /// Notes, as events and in the store, that this turn tells the ends of earlier writes.
    pub(super) async fn note_told(&self, untold: Vec<Untold>, ledger: &mut Ledger) {
        if untold.is_empty() {
            return;
        }
        let tokens: Vec<String> = untold.iter().map(|untold| untold.write.token.clone()).collect();
        ledger.note(untold.into_iter().map(|Untold { write, end }| Event::WriteEvent {
            tool: write.tool,
            arguments: write.arguments,
            approved_by: write.decision_id,
            end,
        }));
        if let Err(error) = self.parts.store.told(&tokens).await {
            ledger.note_failure("writes", &error);
        }
    }
}
