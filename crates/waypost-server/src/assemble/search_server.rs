//! The search server that is asked beside the documents of a pack.

use std::sync::Arc;

use waypost::Result;
use waypost::ports::encoder::Encoder;
use waypost::ports::retrieval::Retriever;
use waypost_backends::retrieval::{Elastic, ElasticConfig};

/// Prepares the client; nothing is sent yet.
pub(super) fn open(
    config: &ElasticConfig,
    encoder: Option<Arc<dyn Encoder>>,
) -> Result<Arc<dyn Retriever>> {
    Ok(Arc::new(Elastic::open(config, encoder)?))
}
