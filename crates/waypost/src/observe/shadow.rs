//! Decides once more with a key turned on that is in shadow. Nothing of it runs: the calls that the
//! gates approved of the second decision are dropped here, and its events with them.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Error, Result};
use waypost_core::ports::model::{Model, Pieces, Prompt, Reply};
use waypost_core::records::event::{Event, Outline, Shadowed};
use waypost_core::records::rollout::{Enabled, Key};

use super::events::schema_name;
use crate::decide::cascade::{DecisionDependencies, NEEDED_REPLY};
use crate::decide::decide;
use crate::decide::planner::PLAN_REPLY;
use crate::decide::task::TASK_REPLY;
use crate::pack::messages::Messages;
use crate::understand::{Permits, Turn};

/// The events that compare what each key in shadow would have decided with the standing decision.
///
/// A shadow that fails leaves no event: it does not touch the decision that stands.
pub(crate) async fn shadow_events(
    turn: &Turn<'_>,
    standing: &Outline,
    shadows: &[(Key, Enabled)],
    once: Option<&Once<'_>>,
    dependencies: &DecisionDependencies<'_>,
    messages: &Messages,
) -> Vec<Event> {
    let mut events = Vec::new();
    for (key, enabled) in shadows {
        let turn =
            Turn { permits: Permits { enabled: *enabled, ..turn.permits.clone() }, ..turn.clone() };
        let before = once.map_or(0, Once::calls);
        let Ok(decided) = decide(&turn, dependencies, messages).await else { continue };
        let shadow = Outline::of(&decided.decision);
        events.push(Event::ShadowEvent(Box::new(Shadowed {
            key: key.name().to_owned(),
            text: turn.said.text.original().to_owned(),
            standing: standing.clone(),
            differs: standing.differences(&shadow),
            shadow,
            llm_calls: once.map_or(0, Once::calls) - before,
        })));
    }
    events
}

/// A model that is asked at most once in a turn, however often the turn is decided: the same prompt
/// gets the same reply again. Where it judges each tool by itself, it is asked once of each, and once to write the task.
#[derive(Debug)]
pub(crate) struct Once<'a> {
    model: &'a dyn Model,
    said: Mutex<Vec<(Prompt, Result<Reply>)>>,
}

/// The most judgements of a turn.
const MOST_JUDGED: usize = 256;

impl<'a> Once<'a> {
    pub(crate) fn new(model: &'a dyn Model) -> Self {
        Self { model, said: Mutex::new(Vec::new()) }
    }

    /// The prompts and the model's replies, as far as it was asked.
    pub(crate) fn said(&self) -> Vec<(Prompt, Result<Reply>)> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of times that the model was asked.
    fn calls(&self) -> u32 {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner).len();
        u32::try_from(said).unwrap_or(u32::MAX)
    }

    /// The reply to a prompt, where there is one already, or else whether the model may still be asked.
    fn again(&self, prompt: &Prompt) -> Result<Option<Reply>> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, reply)) = said.iter().find(|(asked, _)| asked == prompt) {
            return reply.clone().map(Some);
        }
        let is = |prompt: &Prompt, kind: &str| schema_name(prompt) == kind;
        let judges = is(prompt, NEEDED_REPLY) && said.iter().all(|(p, _)| is(p, NEEDED_REPLY));
        let mut kinds = [TASK_REPLY, PLAN_REPLY].into_iter();
        let writes = kinds.any(|kind| is(prompt, kind) && !said.iter().any(|(p, _)| is(p, kind)));
        if said.is_empty() || said.len() < MOST_JUDGED && (judges || writes) {
            return Ok(None);
        }
        Err(Error::unavailable("the model was asked already in this turn"))
    }
}

#[async_trait]
impl Model for Once<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn complete(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Reply> {
        if let Some(reply) = self.again(prompt)? {
            return Ok(reply);
        }
        let reply = self.model.complete(prompt, cancel).await;
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.push((prompt.clone(), reply.clone()));
        reply
    }

    async fn stream(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Pieces> {
        self.model.stream(prompt, cancel).await
    }
}
