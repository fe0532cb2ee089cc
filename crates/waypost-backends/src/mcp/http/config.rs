//! Where an HTTP tool server is and what it is told of us; nothing of that prints itself.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use waypost_core::{Code, Error, Result};

use super::super::{CALL_TIMEOUT, START_TIMEOUT};
use crate::llm::Secret;

/// The headers that the protocol itself sets.
const RESERVED: &[&str] = &[
    "accept",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];

/// The value of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderText {
    /// As it stands in the configuration.
    Literal(Secret),
    /// As an environment variable says.
    Variable {
        /// The name of the variable.
        name: String,
        /// Its value, if it is set.
        value: Option<Secret>,
    },
}

/// A tool server that is spoken with over streamable HTTP.
#[derive(Clone)]
pub struct HttpConfig {
    /// Its name, for people.
    pub name: String,
    /// Its address, of the scheme `http` or `https`.
    pub url: String,
    /// Headers that each request carries, by name.
    pub headers: BTreeMap<String, HeaderText>,
    /// The bearer token that each request carries.
    pub token: Option<HeaderText>,
    /// The longest wait for a result, or for the next sign of progress: each begins it anew.
    pub call_timeout: Duration,
    /// The longest wait until it is ready, and for its list of tools.
    pub start_timeout: Duration,
}

impl HttpConfig {
    /// A server without headers; 30 s for a call, 15 s for a start.
    pub fn new(name: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            url: url.into(),
            headers: BTreeMap::new(),
            token: None,
            call_timeout: CALL_TIMEOUT,
            start_timeout: START_TIMEOUT,
        }
    }

    /// The address, if it is one that can be used.
    pub(super) fn address(&self) -> Result<Url> {
        let fault = |what: &str| {
            Error::invalid(format!("the address of the tool server `{}` {what}", self.name))
                .with_hint("write it as `https://HOST/PATH`")
        };
        let url = Url::parse(&self.url).map_err(|_| fault("cannot be read"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(fault("is neither `http` nor `https`"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(fault("holds a user's name or password")
                .with_hint("send it in a header whose value is in an environment variable"));
        }
        Ok(url)
    }

    /// The headers of each request.
    pub(super) fn header_map(&self) -> Result<HeaderMap> {
        let mut map = HeaderMap::new();
        for (name, text) in &self.headers {
            let known = HeaderName::try_from(name.as_str()).ok();
            let known = known.filter(|known| !RESERVED.contains(&known.as_str()));
            let known =
                known.ok_or_else(|| self.fault(&format!("cannot have a header `{name}`")))?;
            map.insert(known, self.value(text, "")?);
        }
        if let Some(token) = &self.token {
            map.insert(AUTHORIZATION, self.value(token, "Bearer ")?);
        }
        Ok(map)
    }

    fn value(&self, text: &HeaderText, before: &str) -> Result<HeaderValue> {
        let secret = match text {
            HeaderText::Literal(secret) | HeaderText::Variable { value: Some(secret), .. } => {
                secret
            }
            HeaderText::Variable { name, value: None } => {
                let what = format!("the tool server `{}` wants a value that is not set", self.name);
                let hint = format!("set the environment variable `{name}`");
                return Err(Error::new(Code::FailedPrecondition, what).with_hint(hint));
            }
        };
        let value = HeaderValue::try_from(format!("{before}{}", secret.expose()));
        let mut value = value.map_err(|_| self.fault("has a header that cannot be sent"))?;
        value.set_sensitive(true);
        Ok(value)
    }

    fn fault(&self, what: &str) -> Error {
        Error::invalid(format!("the tool server `{}` {what}", self.name)).with_hint(
            "a value is one line of visible characters, and some names are the protocol's",
        )
    }

    /// The environment variables that its values come from.
    pub(super) fn variables(&self) -> Vec<String> {
        let texts = self.token.iter().chain(self.headers.values());
        let named = texts.filter_map(|text| match text {
            HeaderText::Variable { name, .. } => Some(name.clone()),
            HeaderText::Literal(_) => None,
        });
        named.collect()
    }
}

impl fmt::Debug for HttpConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may be private, and values may be secrets.
        f.debug_struct("HttpConfig")
            .field("name", &self.name)
            .field("headers", &self.headers.keys())
            .field("variables", &self.variables())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_that_can_be_used() {
        let told = |url: &str| HttpConfig::new("s", url).address().map(|url| url.to_string());
        assert_eq!(told("https://h/mcp").unwrap(), "https://h/mcp");
        for url in ["", "h/mcp", "file:///etc/passwd", "unix:/run/s", "https://me:pw@h/mcp"] {
            let error = told(url).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument, "{url}");
            assert!(!format!("{error:?}").contains("pw"), "{error:?}");
        }
    }

    #[test]
    fn headers_are_made_and_never_printed() {
        let mut config = HttpConfig::new("s", "https://h");
        let variable = |value: Option<&str>| HeaderText::Variable {
            name: "TOKEN".to_owned(),
            value: value.map(Secret::new),
        };
        config.token = Some(variable(Some("hush")));
        let literal = HeaderText::Literal(Secret::new("quiet"));
        config.headers.insert("X-Team".to_owned(), literal.clone());
        let headers = config.header_map().unwrap();
        assert_eq!(
            (&headers["authorization"], &headers["x-team"]),
            (&HeaderValue::from_static("Bearer hush"), &HeaderValue::from_static("quiet"))
        );
        let printed = format!("{config:?} {headers:?} {:?}", config.token);
        assert!(!printed.contains("hush") && !printed.contains("quiet"), "{printed}");
        config.token = Some(variable(None));
        let error = config.header_map().unwrap_err();
        assert_eq!(error.code(), Code::FailedPrecondition);
        assert_eq!(error.hint(), Some("set the environment variable `TOKEN`"));
        config.token = Some(variable(Some("two\nlines")));
        let error = config.header_map().unwrap_err();
        assert!(!format!("{error:?}").contains("lines"), "{error:?}");
        config.token = None;
        config.headers.insert("Mcp-Session-Id".to_owned(), literal);
        assert_eq!(config.header_map().unwrap_err().code(), Code::InvalidArgument);
    }
}
