//! A call that changes something is recorded before it begins and when it has ended, and its approval
//! is good for one call: what was interrupted is told later, and never done again unasked.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::store::Store;
use waypost_core::records::decision::{Call, Decision};
use waypost_core::records::event::Event;
use waypost_core::records::write::{Write, WriteEnd};

use crate::understand::Turn;

/// The writes of one turn, and where they are recorded.
#[derive(Debug)]
pub struct Writes<'a> {
    store: &'a dyn Store,
    turn: &'a Turn<'a>,
    decision: &'a Decision,
    /// Fires when the client leaves: nothing begins then, and what has begun goes on.
    left: &'a CancellationToken,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The writes that have begun, in that order.
    begun: Vec<Begun>,
    /// The faults of the record of their ends.
    faults: Vec<Error>,
}

#[derive(Debug, Clone)]
struct Begun {
    token: String,
    call: Call,
    ended: bool,
}

/// The way of a call that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteState {
    /// Not begun: its approval was spent before.
    Spent,
    /// Not begun: it could not be recorded.
    Unrecorded,
    /// Begun, and ended so.
    Ended(WriteEnd),
}

impl<'a> Writes<'a> {
    /// The writes of a turn, none yet; `left` fires when its client leaves.
    pub fn new(
        store: &'a dyn Store,
        turn: &'a Turn<'a>,
        decision: &'a Decision,
        left: &'a CancellationToken,
    ) -> Self {
        Self { store, turn, decision, left, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Spends the approval of a call and records that it is about to begin; returns the approval.
    ///
    /// # Errors
    ///
    /// `CANCELLED` if the client has left; `FAILED_PRECONDITION` if the approval was spent before;
    /// those of the store, without whose record nothing begins.
    pub(super) async fn begin(&self, call: &Call) -> Result<String> {
        if self.left.is_cancelled() {
            return Err(Error::new(Code::Cancelled, "the request was stopped"));
        }
        let token = self.token(call);
        self.spend_name(call, &token).await?;
        if !self.store.begin_write(&self.write(call, token.clone())).await? {
            return Err(spent(&call.tool));
        }
        let begun = Begun { token: token.clone(), call: call.clone(), ended: false };
        self.state().begun.push(begun);
        Ok(token)
    }

    /// Spends the name of the request as well, where the call spends the approval of a question: sent again, it finds no question
    /// open and would write by its own right. Nobody is told of it beside the write itself.
    async fn spend_name(&self, call: &Call, token: &str) -> Result<()> {
        let Some(name) = self.turn.request.once.as_ref() else { return Ok(()) };
        let name = self.numbered(name.clone());
        if name == token {
            return Ok(());
        }
        if !self.store.begin_write(&self.write(call, name.clone())).await? {
            return Err(spent(&call.tool));
        }
        self.store.told(&[name]).await
    }

    /// The record of a call that is about to begin.
    fn write(&self, call: &Call, token: String) -> Write {
        let request = &self.turn.request;
        Write {
            token,
            session: request.session.clone(),
            owner: request.owner.clone(),
            owner_name: request.owner_name.clone(),
            decision_id: self.decision.id.clone(),
            pack: self.turn.pack.spec.name.clone(),
            at: self.turn.now.timestamp().to_string(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            era: self.turn.era,
        }
    }

    /// Records the end of a write. Where that fails, the end stays unknown, and the next turn says so.
    pub(super) async fn end(&self, token: &str, end: WriteEnd) {
        let ended = self.store.end_write(token, end).await;
        let mut state = self.state();
        let own = state.begun.iter_mut().filter(|begun| begun.token == token);
        own.for_each(|begun| begun.ended = true);
        state.faults.extend(ended.err());
    }

    /// Records that the end of those that have not ended is not known, as the turn does not wait for
    /// them any longer; returns their tools and what happened as events.
    pub(crate) async fn give_up(&self) -> (Vec<String>, Vec<Event>) {
        let open: Vec<Begun> =
            self.state().begun.iter().filter(|begun| !begun.ended).cloned().collect();
        for begun in &open {
            self.end(&begun.token, WriteEnd::Unknown).await;
        }
        let events = open.iter().map(|begun| Event::WriteEvent {
            tool: begun.call.tool.clone(),
            arguments: begun.call.arguments.clone(),
            approved_by: self.decision.id.clone(),
            end: WriteEnd::Unknown,
        });
        let events = events.collect();
        (open.into_iter().map(|begun| begun.call.tool).collect(), events)
    }

    /// Notes that the answer of this turn tells the ends of its writes, unless nobody is there to
    /// read it; returns the faults of their record.
    pub(crate) async fn tell(&self) -> Vec<Error> {
        let State { begun, mut faults } = std::mem::take(&mut *self.state());
        if !begun.is_empty() && faults.is_empty() && !self.left.is_cancelled() {
            let tokens: Vec<String> = begun.into_iter().map(|begun| begun.token).collect();
            faults.extend(self.store.told(&tokens).await.err());
        }
        faults
    }

    /// The approval that a call spends: that of the question which showed it, or else, where the
    /// platform vouches for it, that of the request by its name, or this turn's. Of several calls in a turn each has its own.
    fn token(&self, call: &Call) -> String {
        let asked = self.turn.shown(&call.tool, &call.arguments).map(|approval| approval.question);
        let own = || self.turn.request.once.clone().unwrap_or_else(|| self.decision.id.clone());
        self.numbered(asked.unwrap_or_else(own))
    }

    /// A token for the next of several writes in a turn.
    fn numbered(&self, token: String) -> String {
        match self.state().begun.len() {
            0 => token,
            before => format!("{token}.{before}"),
        }
    }
}

fn spent(tool: &str) -> Error {
    Error::new(Code::FailedPrecondition, format!("the approval of `{tool}` was used before"))
        .with_hint("check whether it was done; ask for it again if it was not")
}

/// The state of a write that could not begin.
pub(super) fn refused(error: &Error) -> Option<WriteState> {
    match error.code() {
        Code::Cancelled => None,
        Code::FailedPrecondition => Some(WriteState::Spent),
        _ => Some(WriteState::Unrecorded),
    }
}

/// The end of a write by what its call returned: a tool that says itself that it failed, has; where
/// no answer came, or one that was too late or too large, nobody knows.
pub(super) fn end_of<T>(result: &Result<T>) -> WriteEnd {
    use Code::{Cancelled, DeadlineExceeded, ResourceExhausted, Unavailable};
    let Err(error) = result else { return WriteEnd::Done };
    let lost =
        matches!(error.code(), Cancelled | DeadlineExceeded | ResourceExhausted | Unavailable);
    if lost && error.words().is_none() { WriteEnd::Unknown } else { WriteEnd::Failed }
}
