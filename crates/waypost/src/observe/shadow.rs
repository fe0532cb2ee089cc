//! Decides once more with a key turned on that is in shadow. Nothing of it runs: the calls that the
//! gates approved of the second decision are dropped here, and its events with them.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use waypost_core::error::{Error, Result};
use waypost_core::ports::model::{Model, Pieces, Prompt, Reply};
use waypost_core::records::event::{Event, Outline, Shadowed};
use waypost_core::records::rollout::{Enabled, Key};

use crate::decide::cascade::DecisionDependencies;
use crate::decide::decide;
use crate::pack::messages::Messages;
use crate::turn::Turn;

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
        let turn = Turn { enabled: *enabled, ..turn.clone() };
        let before = once.map_or(0, Once::calls);
        let Ok(decided) = decide(&turn, dependencies, messages).await else { continue };
        let shadow = Outline::of(&decided.decision);
        events.push(Event::ShadowEvent(Box::new(Shadowed {
            key: key.name().to_owned(),
            text: turn.text.original().to_owned(),
            standing: standing.clone(),
            differs: standing.differences(&shadow),
            shadow,
            llm_calls: once.map_or(0, Once::calls) - before,
        })));
    }
    events
}

/// A model that is asked at most once in a turn, however often the turn is decided: the same prompt
/// gets the same reply again.
#[derive(Debug)]
pub(crate) struct Once<'a> {
    model: &'a dyn Model,
    said: Mutex<Option<(Prompt, Result<Reply>)>>,
}

impl<'a> Once<'a> {
    pub(crate) fn new(model: &'a dyn Model) -> Self {
        Self { model, said: Mutex::new(None) }
    }

    /// The prompt and the model's reply, if it was asked.
    pub(crate) fn said(&self) -> Option<(Prompt, Result<Reply>)> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of times that the model was asked: 0 or 1.
    fn calls(&self) -> u32 {
        u32::from(self.said.lock().unwrap_or_else(PoisonError::into_inner).is_some())
    }
}

#[async_trait]
impl Model for Once<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    async fn complete(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Reply> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match said {
            Some((asked, reply)) if asked == *prompt => return reply,
            Some(_) => return Err(Error::unavailable("the model was asked already in this turn")),
            None => {}
        }
        let reply = self.model.complete(prompt, cancel).await;
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        *said = Some((prompt.clone(), reply.clone()));
        reply
    }

    async fn stream(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Pieces> {
        self.model.stream(prompt, cancel).await
    }
}
