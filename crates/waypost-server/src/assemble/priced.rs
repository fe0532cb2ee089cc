//! A model whose calls cost what the configuration says.

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use waypost::Result;
use waypost::ports::model::{Model, Pieces, Prompt, Reply, Usage};

use crate::config::Price;

/// A model with the price of its tokens.
#[derive(Debug)]
pub(super) struct Priced<M> {
    pub(super) inner: M,
    pub(super) price: Option<Price>,
}

#[async_trait]
impl<M: Model> Model for Priced<M> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn cost(&self, usage: Usage) -> f64 {
        self.price.map_or(0.0, |price| price.of(usage))
    }

    async fn complete(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Reply> {
        self.inner.complete(prompt, cancel).await
    }

    async fn stream(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Pieces> {
        self.inner.stream(prompt, cancel).await
    }
}
