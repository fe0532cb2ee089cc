//! The waypost program: reads the command line, puts the parts together, runs one command.

mod assemble;
mod audit_log;
mod cli;
mod commands;
mod config;
mod counts;
#[cfg_attr(not(feature = "encoder"), path = "encoders/without.rs")]
mod encoders;
mod environment;
mod failure;
mod features;
mod files;
mod hosting;
mod interrupted;
mod keys;
mod known_models;
mod learning;
mod mcp_servers;
mod output;
mod packs;
mod progress;
mod quarantine;
mod reads;
mod renamed;
mod sealing;
mod sources;
mod sparing;
mod stderr;
mod surfaces;
#[cfg_attr(not(feature = "otlp"), path = "telemetry/without.rs")]
mod telemetry;
#[cfg(test)]
mod tiny;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::{EnvFilter, fmt};

use cli::Cli;
use sparing::Sparing;

/// A turn makes thousands of small values, and many threads do at once: the allocator of the system is slower at that, and holds
/// more memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The time for what runs beside a command to be let go of when it has ended.
const LEAVING: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    // The program as the keeper of a tool server, or as one that draws, is nothing else.
    let arguments = || std::env::args_os().skip(1);
    if let Some(status) = waypost_backends::mcp::keeper::invoked(arguments())
        .or_else(|| surfaces::mcp::pictures::invoked(arguments()))
    {
        return ExitCode::from(status);
    }
    // One TLS provider for the process, before anything builds a client.
    waypost_backends::llm::install_crypto();
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_env(environment::RUST_LOG.name)
        .unwrap_or_else(|_| EnvFilter::new("warn"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr::Log);
    match environment::WAYPOST_LOG.text().as_deref() {
        Some("json") => {
            let format = fmt::format().json().flatten_event(true).with_span_list(false);
            log.fmt_fields(JsonFields::new()).event_format(Sparing::new(format)).init();
        }
        _ => log.event_format(Sparing::new(fmt::format().without_time().with_target(false))).init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        // Its words may be those of a user: they are cleaned as the log is, and the process may be over next.
        tracing::error!("{panic}");
        stderr::settle();
    }));
    renamed::notes(arguments()).iter().for_each(output::note);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    // One conversation at a time needs no more; a server has a thread for each core.
    if !matches!(cli.command, cli::Command::Serve(_)) {
        runtime.worker_threads(2);
    }
    let runtime = runtime.enable_all().build();
    let result = match runtime {
        Ok(runtime) => {
            let result = runtime.block_on(commands::run(cli));
            // What still runs has had its time; a thread that never ends must not keep the program.
            runtime.shutdown_timeout(LEAVING);
            result
        }
        Err(error) => Err(error.into()),
    };
    let status = result.unwrap_or_else(|failure| failure.told());
    stderr::settle();
    ExitCode::from(status)
}
