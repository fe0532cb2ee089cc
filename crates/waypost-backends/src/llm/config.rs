//! The configuration of a model: where it is and how it is asked, checked.

use std::fmt;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use waypost_core::{Error, Result};

/// A secret that does not print itself.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Keeps `secret`.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// The secret itself, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// The way a server is made to answer in JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResponseFormat {
    /// The strictest one that the server accepts.
    #[default]
    Auto,
    /// `response_format: {"type": "json_schema", …}`.
    JsonSchema,
    /// `response_format: {"type": "json_object", "schema": …}`, which llama-cpp-python knows, and some servers with it.
    JsonObjectSchema,
    /// `response_format: {"type": "json_object"}`: any JSON object.
    JsonObject,
    /// None: the prompt alone asks for JSON.
    Text,
}

impl ResponseFormat {
    /// The name in configuration.
    pub fn name(self) -> &'static str {
        match self {
            ResponseFormat::Auto => "auto",
            ResponseFormat::JsonSchema => "json_schema",
            ResponseFormat::JsonObjectSchema => "json_object_schema",
            ResponseFormat::JsonObject => "json_object",
            ResponseFormat::Text => "text",
        }
    }
}

/// A model at an OpenAI-compatible address.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// The server, such as `http://127.0.0.1:11434/v1`; `/v1` is added where it is missing.
    pub url: String,
    /// The model's name there.
    pub model: String,
    /// The key that the server wants, if it wants one.
    #[serde(default)]
    pub key: Option<Secret>,
    /// The longest wait for a reply; a prompt may ask for less. In configuration, in seconds.
    #[serde(default, deserialize_with = "seconds")]
    pub timeout: Option<Duration>,
    /// The way the server is made to answer in JSON.
    #[serde(default)]
    pub response_format: ResponseFormat,
}

impl ModelConfig {
    /// A model that needs no key.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            model: model.into(),
            key: None,
            timeout: None,
            response_format: ResponseFormat::Auto,
        }
    }

    /// Returns the address that chat completions are asked for at.
    pub(super) fn endpoint(&self) -> Result<Url> {
        let mut url = Url::parse(self.url.trim()).ok().filter(is_web).ok_or_else(|| {
            Error::invalid("the address of the language model is no `http` or `https` URL")
                .with_hint("write it like `http://127.0.0.1:11434/v1`")
        })?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::invalid("the address of the language model holds a password")
                .with_hint("give the password as the model's key"));
        }
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix("/chat/completions").unwrap_or(path);
        let version = if path.ends_with("/v1") { "" } else { "/v1" };
        url.set_path(&format!("{path}{version}/chat/completions"));
        Ok(url)
    }

    pub(super) fn authorization(&self) -> Result<Option<HeaderValue>> {
        let Some(key) = &self.key else { return Ok(None) };
        let value = HeaderValue::from_str(&format!("Bearer {}", key.expose().trim()));
        let mut value = value.map_err(|_| {
            Error::invalid("the key of the language model holds characters that no key can hold")
                .with_hint("check the key for line breaks")
        })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

fn seconds<'de, D>(deserializer: D) -> std::result::Result<Option<Duration>, D::Error>
where
    D: Deserializer<'de>,
{
    let Some(seconds) = Option::<f64>::deserialize(deserializer)? else { return Ok(None) };
    match Duration::try_from_secs_f64(seconds) {
        Ok(timeout) if !timeout.is_zero() => Ok(Some(timeout)),
        _ => Err(de::Error::custom(format!("`{seconds}` is no number of seconds to wait"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: &str) -> String {
        match ModelConfig::new(url, "m").endpoint() {
            Ok(url) => url.to_string(),
            Err(error) => format!("{}: {error}", error.code()),
        }
    }

    #[test]
    fn the_version_is_added_where_it_is_missing() {
        let whole = "http://localhost:11434/v1/chat/completions";
        assert_eq!(endpoint("http://localhost:11434"), whole);
        assert_eq!(endpoint("http://localhost:11434/v1"), whole);
        assert_eq!(endpoint(" http://localhost:11434/v1/ "), whole);
        assert_eq!(endpoint(whole), whole);
        assert_eq!(endpoint("https://a.b/x"), "https://a.b/x/v1/chat/completions");
    }

    #[test]
    fn addresses_that_cannot_work_are_refused() {
        for url in ["", "localhost:11434", "file:///etc/passwd", "http://"] {
            assert!(endpoint(url).starts_with("INVALID_ARGUMENT"), "{url}: {}", endpoint(url));
        }
        let secret = endpoint("http://me:hunter2@localhost/");
        assert_eq!(secret, "INVALID_ARGUMENT: the address of the language model holds a password");
    }

    #[test]
    fn configuration_is_read_strictly_and_keeps_its_secret() {
        let config: ModelConfig = serde_json::from_str(
            r#"{"url":"http://h","model":"m","key":"sk-1","timeout":1.5,"response_format":"json_object"}"#,
        )
        .unwrap();
        assert_eq!(config.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(config.response_format, ResponseFormat::JsonObject);
        assert!(!format!("{config:?}").contains("sk-1"));
        let wrong = |text| serde_json::from_str::<ModelConfig>(text).is_err();
        assert!(wrong(r#"{"url":"u","model":"m","keys":"x"}"#));
        assert!(wrong(r#"{"url":"u","model":"m","timeout":-1}"#));
    }
}
