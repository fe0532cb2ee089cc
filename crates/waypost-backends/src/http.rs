//! The rules that all HTTP clients share: no proxy, no redirect, a bound on every body, and faults
//! that do not name an address, which may be private.

use std::error::Error as StdError;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, Url};
use waypost_core::{Code, Error, Result};

use crate::bounds::detail;

/// The longest wait until a connection is made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A server as errors speak of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Upstream {
    /// A name such as `the language model`.
    pub(crate) name: &'static str,
    /// The thing to check when it cannot be reached, such as `its server`.
    pub(crate) runs: &'static str,
}

impl Upstream {
    /// A client for one server, with the key that each request carries, if it needs one.
    pub(crate) fn client(self, endpoint: &Url, key: Option<HeaderValue>) -> Result<Client> {
        let key: HeaderMap = key.into_iter().map(|key| (AUTHORIZATION, key)).collect();
        client(self.name, endpoint, key)
    }

    /// Sends a request and waits until its answer begins.
    pub(crate) async fn send(self, request: RequestBuilder) -> Result<Response> {
        request.send().await.map_err(|error| self.transport(&error))
    }

    /// The body of an answer, of at most `most` bytes.
    pub(crate) async fn body(self, response: Response, most: usize) -> Result<Vec<u8>> {
        let body = body(response, most).await.map_err(|error| self.transport(&error))?;
        body.ok_or_else(|| self.too_long())
    }

    /// A fault on the way: refused, dropped, not resolved, too slow to connect.
    pub(crate) fn transport(self, error: &reqwest::Error) -> Error {
        let fault = if error.is_timeout() {
            self.late()
        } else {
            let Upstream { name, runs } = self;
            Error::unavailable(format!("{name} cannot be reached")).with_hint(format!(
                "check that {runs} runs and that its configured address is right"
            ))
        };
        fault.with_detail(chain(error))
    }

    /// The error of an answer that took too long.
    pub(crate) fn late(self) -> Error {
        Error::new(Code::DeadlineExceeded, format!("{} did not answer in time", self.name))
    }

    /// The error of an answer that is larger than anyone needs.
    pub(crate) fn too_long(self) -> Error {
        Error::unavailable(format!("{} sent more than an answer can be", self.name))
    }
}

/// A client for one server, which errors call `name`, with the headers that each request carries.
pub(crate) fn client(name: &str, endpoint: &Url, headers: HeaderMap) -> Result<Client> {
    let mut builder = Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("waypost/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers);
    if endpoint.scheme() == "http" {
        // Reading this machine's certificates takes time, and fails where there are none.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| {
        Error::unavailable(format!("secure connections to {name} cannot be prepared"))
            .with_hint("install the CA certificates of this system")
            .with_detail(chain(&error))
    })
}

/// The body of an answer; `None` if it is larger than `most` bytes.
pub(crate) async fn body(mut response: Response, most: usize) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

/// An error of the transport with its causes and without the address.
pub(crate) fn chain(error: &reqwest::Error) -> String {
    let mut text = String::from("request failed");
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    detail(&text)
}
