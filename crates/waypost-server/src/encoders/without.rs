//! A program without the feature `encoder`: there are no encoders.

use std::sync::Arc;

use waypost::Result;
use waypost::ports::encoder::Encoder;

use crate::config::Config;
use crate::features::ENCODER;

/// Returns no encoder, or an error if the configuration names one.
pub(crate) fn configured(config: &Config) -> Result<Option<Arc<dyn Encoder>>> {
    match config.encoder.name {
        None => Ok(None),
        Some(_) => Err(ENCODER.missing()),
    }
}
