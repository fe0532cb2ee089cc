//! Reads what the condition of a write speaks of, before the write is asked about and again before it is made: a decision calls
//! nothing itself, and is made anew on what was read.

use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Code, Error};
use waypost_core::records::answer::Part;
use waypost_core::records::event::Event;
use waypost_core::records::request::Tested;

use super::Router;
use crate::decide::{Decided, conditions};
use crate::respond::execution::{ExecutionDependencies, Provided, Pulse, Writes, run};
use crate::understand::Turn;

impl Router {
    /// Tests the condition under which the writes of a decision are asked for; `None` where there is none, where it cannot be
    /// tested, or where the reading failed, which then is an event: the condition stays one that is not tested.
    pub(super) async fn tested(
        &self,
        turn: &Turn<'_>,
        decided: &Decided,
        out: &Sender<Part>,
        events: &mut Vec<Event>,
        cancel: &CancellationToken,
    ) -> Option<Tested> {
        let decision = &decided.decision;
        let test = conditions::test(turn, decision, decided.approved.is_some())?;
        let approved = test.approved(turn, decision, &self.messages)?;
        let writes = Writes::new(self.parts.store.as_ref(), turn, decision, cancel);
        let (child, pulse, provided) =
            (cancel.child_token(), Pulse::default(), Provided::default());
        let policy = &turn.pack.spec.policy;
        let dependencies = ExecutionDependencies {
            servers: &self.parts.servers,
            clock: self.parts.clock.as_ref(),
            known: &self.known,
            out,
            pulse: &pulse,
            writes: &writes,
            provided: &provided,
            max_tries: policy.max_tries,
            cancel: &child,
        };
        // A tool that goes on reporting does not hold up the question for ever.
        let limit = self.parts.clock.sleep(Duration::from_millis(policy.turn_timeout_ms));
        let done = match select(std::pin::pin!(run(turn, &approved, dependencies)), limit).await {
            Either::Left((done, _)) => done.into_iter().next()?,
            Either::Right(_) => {
                child.cancel();
                let error =
                    Error::new(Code::DeadlineExceeded, "the condition was not read in time");
                events.push(Event::degraded("condition", &error));
                return None;
            }
        };
        // Something else than what the condition speaks of was read then.
        let is_relaxed =
            matches!(&done.event, Event::ToolEvent { relaxed, .. } if !relaxed.is_empty());
        events.push(done.event);
        match done.result {
            Ok(result) if result.fault.is_none() && !is_relaxed => test.compared(&result.value),
            Ok(_) => None,
            Err(error) => {
                events.push(Event::degraded("condition", &error));
                None
            }
        }
    }
}
