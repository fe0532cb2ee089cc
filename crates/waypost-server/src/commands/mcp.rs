//! `waypost mcp`: the router as an MCP server on standard input and output.

use std::sync::Arc;

use waypost::{Code, Error};

use crate::assemble;
use crate::cli::SourceArgs;
use crate::config::{self, Config};
use crate::failure::Failure;
use crate::hosting::Origin;
use crate::learning::automatic;
use crate::sealing;
use crate::surfaces::http::Metrics;
use crate::surfaces::mcp;

pub(super) async fn run(source: &SourceArgs, config: &Config) -> Result<u8, Failure> {
    let store = assemble::store(config).await;
    let origin = Origin {
        sources: vec![source.clone()],
        student: None,
        config: None,
        file: config.home.join(config::FILE),
        store: Arc::clone(&store),
        metrics: Arc::new(Metrics::priced(config.prices())),
    };
    let hosted = origin.hosted(config).await?;
    // Only a pack of files is read anew, to learn from traffic.
    if source.mcp.is_empty() {
        automatic::start(&source.pack.pack, config, store);
    }
    let (key, limits) = (sealing::key(&config.home)?, config.limits.limits());
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let served = mcp::serve(hosted, key, input, output, limits.grace, limits.last_words).await;
    served.map_err(|why| {
        Error::new(Code::Internal, format!("the MCP client broke off: {why}"))
            .with_hint("`waypost mcp` is started by an MCP client, not by hand")
    })?;
    Ok(0)
}
