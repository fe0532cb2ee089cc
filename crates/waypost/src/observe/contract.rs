//! Watches the routing contract while it runs: tells, as events, which of its rules a turn broke.
//!
//! Rules that the flow keeps by its build are watched all the same: a handler or a configuration
//! that breaks one is seen the first time. Nothing here changes what is decided; a search that a
//! route may not make is not made.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use waypost_core::error::Result;
use waypost_core::ports::model::{Model, Pieces, Prompt, Reply, Slot, Usage};
use waypost_core::ports::retrieval::{Found, Passage, Retriever};
use waypost_core::records::decision::{Decision, LayerName};
use waypost_core::records::event::{ContractRule, Event};
use waypost_learning::{Bundle, Scratch};
use waypost_text::language::Language;

use crate::decide::cascade::shown_history;
use crate::pack::spec::RouteSpec;
use crate::understand::Turn;

/// From this probability the student's own reading speaks against the model's.
const SPEAKS: f32 = 0.5;
/// Fewer lines of history than this dominate nothing.
const LEAST_LINES: usize = 2;

/// Returns an event if a model's decision mirrors most of the history, against what the words say.
///
/// This is a sign and no proof. To ask the model once more without the history would prove it, and
/// would be a second call in the turn. The student stands in for it: it has never seen a history, so
/// what it reads is what the words alone say.
pub(crate) fn mirrored(turn: &Turn<'_>, decision: &Decision, bundle: &Bundle) -> Option<Event> {
    if decision.layer != LayerName::Llm {
        return None;
    }
    let shown = shown_history(turn);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in shown {
        *counts.entry(line.route.to_lowercase()).or_default() += 1;
    }
    let (dominant, lines) = counts.into_iter().max_by_key(|(_, lines)| *lines)?;
    if lines < LEAST_LINES || 2 * lines <= shown.len() || decision.route.to_lowercase() != dominant
    {
        return None;
    }
    let scores = bundle.score(turn.said.input(), &mut Scratch::default());
    let (best, probability) = scores.best()?;
    let own = bundle.routes().get(best).filter(|own| own.to_lowercase() != dominant)?;
    (probability >= SPEAKS).then(|| Event::ContractEvent {
        rule: ContractRule::Rc03,
        detail: format!(
            "the model chose `{}`, the route of {lines} of {} lines of history; the words alone \
             read like `{own}` ({probability:.2})",
            decision.route,
            shown.len()
        ),
    })
}

/// Compares what a handler does with what its route may do.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    route: &'a RouteSpec,
    /// The slot that may answer.
    slot: Option<Slot>,
    broken: Mutex<Vec<Event>>,
}

impl<'a> Watch<'a> {
    /// Watches the work of a route; `configured` says which slots have a model.
    pub(crate) fn new(route: &'a RouteSpec, configured: impl Fn(Slot) -> bool) -> Self {
        let slot = route.model.map(|slot| if configured(slot) { slot } else { Slot::Main });
        Self { route, slot, broken: Mutex::default() }
    }

    /// The retriever as the route may use it.
    pub(crate) fn retriever<'b>(&'b self, inner: &'b dyn Retriever) -> WatchedRetriever<'b> {
        WatchedRetriever { watch: self, inner }
    }

    /// The model of a slot as the route may use it.
    pub(crate) fn model<'b>(&'b self, slot: Slot, inner: &'b dyn Model) -> WatchedModel<'b> {
        WatchedModel { watch: self, slot, inner }
    }

    /// Takes the events that were noted so far; each rule once.
    pub(crate) fn take(&self) -> Vec<Event> {
        std::mem::take(&mut self.broken.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, rule: ContractRule, detail: String) {
        let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        let known = broken.iter().any(
            |event| matches!(event, Event::ContractEvent { rule: known, .. } if *known == rule),
        );
        if !known {
            broken.push(Event::ContractEvent { rule, detail });
        }
    }

    fn answers(&self, slot: Slot) {
        if self.slot != Some(slot) {
            let wanted = self.slot.map_or("no slot", Slot::name);
            let detail = format!("`{}` answered `{}`, not {wanted}", slot.name(), self.route.name);
            self.note(ContractRule::Rc05, detail);
        }
    }
}

/// A retriever that notes a search which its route may not make, and does not make it.
#[derive(Debug)]
pub(crate) struct WatchedRetriever<'a> {
    watch: &'a Watch<'a>,
    inner: &'a dyn Retriever,
}

#[async_trait]
impl Retriever for WatchedRetriever<'_> {
    async fn search(
        &self,
        question: &str,
        language: Language,
        limit: usize,
    ) -> Result<Vec<Passage>> {
        Ok(self.find(question, language, limit).await?.passages)
    }

    async fn find(&self, question: &str, language: Language, limit: usize) -> Result<Found> {
        if self.watch.route.retrieval {
            return self.inner.find(question, language, limit).await;
        }
        let detail =
            format!("`{}` looks up no documents, and its handler did", self.watch.route.name);
        self.watch.note(ContractRule::Rc04, detail);
        Ok(Found::default())
    }
}

/// A model that notes when it answers a route of another slot.
#[derive(Debug)]
pub(crate) struct WatchedModel<'a> {
    watch: &'a Watch<'a>,
    slot: Slot,
    inner: &'a dyn Model,
}

#[async_trait]
impl Model for WatchedModel<'_> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn cost(&self, usage: Usage) -> f64 {
        self.inner.cost(usage)
    }

    async fn complete(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Reply> {
        self.watch.answers(self.slot);
        self.inner.complete(prompt, cancel).await
    }

    async fn stream(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Pieces> {
        self.watch.answers(self.slot);
        self.inner.stream(prompt, cancel).await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use waypost_core::error::Error;

    use super::*;
    use crate::pack::spec::HandlerName;

    /// Counts what reaches it.
    #[derive(Debug, Default)]
    struct Counting(Mutex<u32>);

    impl Counting {
        fn count(&self) -> u32 {
            *self.0.lock().unwrap()
        }
    }

    #[async_trait]
    impl Retriever for Counting {
        async fn search(&self, _: &str, _: Language, _: usize) -> Result<Vec<Passage>> {
            *self.0.lock().unwrap() += 1;
            Ok(Vec::new())
        }
    }

    #[async_trait]
    impl Model for Counting {
        fn name(&self) -> &'static str {
            "counting"
        }

        async fn complete(&self, _: &Prompt, _: &CancellationToken) -> Result<Reply> {
            *self.0.lock().unwrap() += 1;
            Err(Error::unavailable("it only counts"))
        }

        async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
            Err(Error::unavailable("it only counts"))
        }
    }

    fn route(retrieval: bool, model: Option<Slot>) -> RouteSpec {
        RouteSpec {
            name: "platform".to_owned(),
            handler: HandlerName::Explain,
            summary: String::new(),
            label: BTreeMap::new(),
            retrieval,
            model,
            run: None,
            max_tokens: None,
            timeout_ms: None,
        }
    }

    /// A handler that searches twice and asks a model, whatever its route says.
    async fn faulty(retriever: &dyn Retriever, model: &dyn Model) {
        for _ in 0..2 {
            assert_eq!(retriever.search("x", Language::En, 3).await.unwrap(), []);
        }
        let prompt = Prompt {
            messages: Vec::new(),
            schema: None,
            tool_tokens: 0,
            max_tokens: 1,
            temperature: 0.0,
            timeout: Duration::ZERO,
        };
        let cancel = CancellationToken::new();
        let _ = model.complete(&prompt, &cancel).await;
    }

    /// The rules that a faulty handler breaks, and how many searches it made.
    async fn broken(
        route: &RouteSpec,
        configured: &[Slot],
        used: Slot,
    ) -> (Vec<&'static str>, u32) {
        let (retriever, model) = (Counting::default(), Counting::default());
        let watch = Watch::new(route, |slot| configured.contains(&slot));
        faulty(&watch.retriever(&retriever), &watch.model(used, &model)).await;
        assert_eq!(model.count(), 1, "an answer from the wrong model is better than none");
        let rules = watch.take().into_iter().map(|event| match event {
            Event::ContractEvent { rule, .. } => rule.name(),
            other => panic!("{other:?}"),
        });
        (rules.collect(), retriever.count())
    }

    #[tokio::test]
    async fn s4_17_s4_20_a_search_that_the_route_may_not_make_is_seen_and_not_made() {
        let both = [Slot::Main, Slot::Light];
        let light = Some(Slot::Light);
        assert_eq!(broken(&route(false, light), &both, Slot::Light).await, (vec!["RC-04"], 0));
        assert_eq!(broken(&route(true, light), &both, Slot::Light).await, (vec![], 2));
    }

    #[tokio::test]
    async fn s4_18_s4_20_a_model_of_another_slot_is_seen() {
        let both = [Slot::Main, Slot::Light];
        let of = |model| route(true, model);
        let light = of(Some(Slot::Light));
        assert_eq!(broken(&light, &both, Slot::Main).await.0, ["RC-05"]);
        assert_eq!(broken(&of(Some(Slot::Main)), &both, Slot::Light).await.0, ["RC-05"]);
        assert_eq!(broken(&of(None), &both, Slot::Main).await.0, ["RC-05"]);
        let none: [&str; 0] = [];
        assert_eq!(
            broken(&light, &[Slot::Main], Slot::Main).await.0,
            none,
            "the fallback is right"
        );
    }
}
