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
    /// The packs and tools of a token without the claims `waypost_packs` and `waypost_tools`. The models to which its requests
    /// may be passed on are those of `waypost_models`; without that claim all if its packs and tools are all, else none.
    #[serde(default)]
    pub(crate) default: Unclaimed,
    /// The most requests a minute of one subject.
    #[serde(default)]
    pub(crate) per_minute: Option<std::num::NonZeroU32>,
    /// The most tokens a day of configured models for one subject.
    #[serde(default)]
    pub(crate) tokens_per_day: Option<std::num::NonZeroU64>,
}

/// What a token may use that does not say it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unclaimed {
    /// Nothing.
    #[default]
    None,
    /// All packs and tools.
    All,
}

fn scope() -> String {
    "scope".to_owned()
}
