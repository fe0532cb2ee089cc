//! `waypost demo PACK`: a pack's sample MCP server.

use std::path::Path;

use waypost::Error;
use waypost::pack::did_you_mean;
use waypost::records::request::Request;
use waypost_demo::{DemoOptions, Log};

use crate::cli::DemoArgs;
use crate::failure::Failure;
use crate::output;

pub(super) async fn run(args: DemoArgs) -> Result<u8, Failure> {
    if !waypost_demo::packs().contains(&args.pack.as_str()) {
        let known = waypost_demo::packs().iter().copied();
        let error = Error::invalid(format!("there is no sample server of a pack `{}`", args.pack));
        return Err(Failure::usage(error.with_hint(did_you_mean(&args.pack, known))));
    }
    let request =
        Request { now: Some(args.now.clone().unwrap_or_else(super::now)), ..Request::new("") };
    let now = request.instant(&args.tz).map_err(Failure::usage)?;
    let mut options = DemoOptions::at(now);
    options.fault = args.fault;
    if let Some(path) = &args.journal {
        options.journal = journal(path).map_err(Failure::usage)?;
    }
    options.log = Log::new(output::server_log);
    let served = match args.http {
        None => waypost_demo::serve_stdio(&args.pack, options).await,
        Some(address) => {
            let listener = tokio::net::TcpListener::bind(address).await?;
            let at = listener.local_addr()?;
            output::note(format!("serving http://{at}/mcp (synthetic data); Ctrl-C stops"));
            let stop = async {
                let _ = tokio::signal::ctrl_c().await;
            };
            waypost_demo::serve_http(&args.pack, options, listener, stop).await
        }
    };
    served.map_err(|error| Failure::usage(Error::invalid(error.to_string())))?;
    Ok(0)
}

fn journal(path: &Path) -> waypost::Result<Log> {
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.map(Log::file).map_err(|error| {
        let message = format!("cannot write to `{}`: {error}", path.display());
        Error::invalid(message).with_hint("name a file in a folder that you may write to")
    })
}
