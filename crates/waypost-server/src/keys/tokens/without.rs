//! A program without the feature `jwt`: only keys let callers in.

use std::path::Path;
use std::sync::Arc;

use waypost::Result;

use super::{JwtFile, Key, Refused};
use crate::features::JWT;

/// The tokens of one issuer. There are none.
#[derive(Debug)]
pub(crate) enum Tokens {}

impl Tokens {
    pub(crate) async fn open(_: &JwtFile, _: &Path) -> Result<Arc<Self>> {
        Err(JWT.missing())
    }

    pub(crate) fn admit(&self, _: &str) -> std::result::Result<Arc<Key>, Refused> {
        match *self {}
    }
}
