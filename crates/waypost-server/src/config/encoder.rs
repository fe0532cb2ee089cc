//! The sentence encoder in the configuration. It is read whether or not encoders are built in (feature `encoder`).

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// The form in which the weights of an encoder are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Precision {
    /// Floats of 32 bits.
    #[default]
    F32,
    /// Integers of 8 bits.
    Int8,
}

/// The sentence encoder. `waypost encoder` adds, lists and removes them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct EncoderFile {
    /// The encoder, as `waypost encoder list` names it; none, if it is not given.
    pub(crate) name: Option<String>,
    /// How its weights are kept: `f32` (the default) or `int8`, which is faster.
    #[serde(deserialize_with = "precision")]
    #[schemars(with = "String")]
    pub(crate) precision: Precision,
    /// The address that `waypost encoder add NAME` downloads from.
    pub(crate) hub: String,
}

impl Default for EncoderFile {
    fn default() -> Self {
        let hub = "https://huggingface.co".to_owned();
        Self { name: None, precision: Precision::default(), hub }
    }
}

fn precision<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Precision, D::Error> {
    let name = String::deserialize(from)?;
    match name.as_str() {
        "f32" => Ok(Precision::F32),
        "int8" => Ok(Precision::Int8),
        _ => Err(D::Error::custom(format!("unknown precision `{name}`, known: f32, int8"))),
    }
}
