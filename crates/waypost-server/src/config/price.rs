//! The prices of models, as a file sets them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use waypost::ports::model::{Slot, Usage};

use super::Config;

/// The number of tokens that a price is for.
const TOKENS: f64 = 1e6;

/// The price of a model, in your currency, for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Price {
    /// The price of the tokens of prompts.
    #[serde(deserialize_with = "amount")]
    prompt: f64,
    /// The price of those that the server found in its cache; as of any others, if it is not given.
    #[serde(default, deserialize_with = "some_amount")]
    cached: Option<f64>,
    /// The price of the tokens of replies.
    #[serde(deserialize_with = "amount")]
    reply: f64,
}

impl Price {
    /// Returns what these tokens cost.
    pub(crate) fn of(&self, usage: Usage) -> f64 {
        let read = usage.prompt.saturating_sub(usage.cached) as f64 * self.prompt;
        let cached = usage.cached as f64 * self.cached.unwrap_or(self.prompt);
        (read + cached + usage.reply as f64 * self.reply) / TOKENS
    }
}

impl Config {
    /// The prices of the models by slot, as far as they are given.
    pub(crate) fn prices(&self) -> BTreeMap<Slot, Price> {
        self.models.iter().filter_map(|(slot, file)| Some((*slot, file.price?))).collect()
    }

    /// The price of a model of a slot; `None` for one that the slot had before, whose price is not known.
    pub(crate) fn price(&self, slot: Slot, model: &str) -> Option<Price> {
        self.models.get(&slot).filter(|file| file.model_name() == model)?.price
    }
}

fn amount<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<f64, D::Error> {
    let amount = f64::deserialize(from)?;
    let wrong = || D::Error::custom(format!("`{amount}` is no price"));
    (amount.is_finite() && amount >= 0.0).then_some(amount).ok_or_else(wrong)
}

fn some_amount<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<f64>, D::Error> {
    amount(from).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USAGE: Usage = Usage { prompt: 1_000_000, cached: 400_000, reply: 500_000 };

    fn config(price: &str) -> Config {
        let text = format!("[models.main]\nurl = \"http://h\"\nmodel = \"m\"\nprice = {price}\n");
        toml::from_str(&text).unwrap()
    }

    fn cost(price: &str) -> f64 {
        config(price).price(Slot::Main, "m").unwrap().of(USAGE)
    }

    #[test]
    fn a_price_is_for_a_million_tokens_of_each_kind() {
        assert_eq!(cost("{ prompt = 1, reply = 2 }"), 2.0);
        assert_eq!(cost("{ prompt = 1.0, cached = 0.5, reply = 2.0 }"), 1.8);
        assert_eq!(cost("{ prompt = 0, reply = 0 }"), 0.0);
    }

    #[test]
    fn another_model_than_the_configured_one_has_no_price() {
        let config = config("{ prompt = 1, reply = 2 }");
        assert_eq!(config.price(Slot::Main, "other"), None);
        assert_eq!(config.price(Slot::Light, "m"), None);
        assert_eq!(config.prices().len(), 1);
    }

    #[test]
    fn what_is_no_price_is_a_fault() {
        for price in ["-1", "inf", "nan", "\"1\""] {
            let text = format!("prompt = {price}\nreply = 1");
            assert!(toml::from_str::<Price>(&text).is_err(), "{price}");
        }
        assert!(toml::from_str::<Price>("prompt = 1").is_err());
        assert!(toml::from_str::<Price>("prompt = 1\nreply = 1\nthinking = 1").is_err());
    }
}
