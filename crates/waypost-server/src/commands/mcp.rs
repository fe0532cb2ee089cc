//! `waypost mcp`: the router as an MCP server on standard input and output.

use std::sync::Arc;

use waypost::{Code, Error};

use crate::assemble::AssemblyOptions;
use crate::cli::SourceArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::sealing;
use crate::sources::{self, Sourced};
use crate::surfaces::{Hosted, HostedPack, mcp};

pub(super) async fn run(source: &SourceArgs, config: &Config) -> Result<u8, Failure> {
    let options = AssemblyOptions { remember: true, ..AssemblyOptions::default() };
    let Sourced { pack, name, live, .. } = sources::load(source, config, &options).await?;
    let options = AssemblyOptions { live, ..options };
    let (router, _) = super::lasting(name.as_deref(), pack, config, &options).await?;
    let hosted = Arc::new(Hosted::new(vec![HostedPack::new(router, None)])?);
    let (key, limits) = (sealing::key(&config.home)?, config.limits.limits());
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let served = mcp::serve(hosted, key, input, output, limits.grace, limits.last_words).await;
    served.map_err(|why| {
        Error::new(Code::Internal, format!("the MCP client broke off: {why}"))
            .with_hint("`waypost mcp` is started by an MCP client, not by hand")
    })?;
    Ok(0)
}
