//! A program without the feature `elasticsearch`: it has no client for search servers.

use std::sync::Arc;

use waypost::Result;
use waypost::ports::encoder::Encoder;
use waypost::ports::retrieval::Retriever;
use waypost_backends::retrieval::ElasticConfig;

use crate::features::ELASTICSEARCH;

pub(super) fn open(_: &ElasticConfig, _: Option<Arc<dyn Encoder>>) -> Result<Arc<dyn Retriever>> {
    Err(ELASTICSEARCH.missing())
}
