//! Fetches a small file of an address that the configuration names.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderMap;
use waypost_core::{Error, Result};

use crate::http::{Upstream, client};
use crate::llm::install_crypto;

/// The longest time for all of it.
const WITHIN: Duration = Duration::from_secs(10);
const SERVER: Upstream = Upstream { name: "the address", runs: "its server" };

/// The bytes that an address gives, at most `most`.
///
/// # Errors
///
/// `INVALID_ARGUMENT` for what is no address; `UNAVAILABLE` for one that gives nothing, or too much; `DEADLINE_EXCEEDED`.
pub async fn bytes(address: &str, most: usize) -> Result<Vec<u8>> {
    install_crypto();
    let address =
        Url::parse(address).map_err(|error| Error::invalid(format!("no address: {error}")))?;
    let client = client(SERVER.name, &address, HeaderMap::new())?;
    let fetched = tokio::time::timeout(WITHIN, async {
        let response = SERVER.send(client.get(address)).await?;
        match response.status().as_u16() {
            200 => SERVER.body(response, most).await,
            status => Err(Error::unavailable(format!("the address answers with status {status}"))),
        }
    });
    fetched.await.unwrap_or_else(|_| Err(SERVER.late()))
}
