//! A model that counts how often it is asked.

use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use waypost_core::error::Result;
use waypost_core::ports::model::{Model, Pieces, Prompt, Reply};
use waypost_core::records::usage::Usage;

/// The model of one layer of one turn.
#[derive(Debug)]
pub(super) struct CountedModel<'a> {
    model: &'a dyn Model,
    calls: AtomicU32,
}

impl<'a> CountedModel<'a> {
    pub(super) fn new(model: &'a dyn Model) -> Self {
        Self { model, calls: AtomicU32::new(0) }
    }

    /// The number of times that it was asked.
    pub(super) fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Model for CountedModel<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn cost(&self, usage: Usage) -> f64 {
        self.model.cost(usage)
    }

    async fn complete(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Reply> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.model.complete(prompt, cancel).await
    }

    async fn stream(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Pieces> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.model.stream(prompt, cancel).await
    }
}
