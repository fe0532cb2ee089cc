//! `waypost mcp`: the router as an MCP server on standard input and output.

use std::sync::Arc;

use waypost::{Code, Error};

use crate::assemble::{self, Wish};
use crate::cli::PackArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::following::Followed;
use crate::surfaces::mcp;
use crate::{automatic, following, packs};

pub(super) async fn run(args: &PackArgs, config: &Config) -> Result<u8, Failure> {
    let pack = packs::load(&args.pack)?;
    let wish = Wish { remember: true, ..Wish::default() };
    let store = assemble::store(config).await;
    let followed = Followed::new(&pack, config, &wish);
    let router = assemble::router_over(pack, config, &wish, Arc::clone(&store)).await?;
    let router = Arc::new(router);
    assemble::warm(&router, config);
    assemble::audit(&router);
    following::start(&router, followed, || {});
    automatic::start(&args.pack, config, store);
    mcp::serve(router, tokio::io::stdin(), tokio::io::stdout()).await.map_err(|why| {
        Error::new(Code::Internal, format!("the MCP client broke off: {why}"))
            .with_hint("`waypost mcp` is started by an MCP client, not by hand")
    })?;
    Ok(0)
}
