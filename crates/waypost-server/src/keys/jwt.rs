//! The configuration of JSON web tokens. It is read whether or not they are built in (feature `jwt`).

use schemars::JsonSchema;
use serde::Deserialize;

/// Whose tokens are believed, and what they say.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JwtFile {
    /// The public keys as a JWK set: a file, or an `https` address. They are read again every ten minutes.
    pub(crate) jwks: String,
    /// Who must have issued a token (`iss`).
    pub(crate) issuer: String,
    /// For whom it must be (`aud`).
    pub(crate) audience: String,
    /// The claim with the scopes, separated by spaces or as a list: `ask`, `label`, `trusted`, `admin`, each also as `waypost:ask`.
    #[serde(default = "scope")]
    pub(crate) scope_claim: String,
    /// The most requests a minute of one subject.
    #[serde(default)]
    pub(crate) per_minute: Option<std::num::NonZeroU32>,
}

fn scope() -> String {
    "scope".to_owned()
}
