//! `waypost serve`: packs over HTTP, until a signal stops it.

use std::io;
use std::net::{SocketAddr, TcpListener as Listener};
use std::path::Path;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use waypost::ports::store::Store;
use waypost::{Code, Error};
use waypost_backends::stores::Behind;

use crate::assemble;
use crate::audit_log::Audited;
use crate::cli::ServeArgs;
use crate::config::{self, Config};
use crate::failure::Failure;
use crate::hosting::{Origin, Reloader};
use crate::keys::{Keys, Tokens};
use crate::learning::automatic;
use crate::output;
use crate::sealing;
use crate::surfaces::Upstreams;
use crate::surfaces::http::{self, Limits, Live, Metered, Metrics, Served, Tls, Watched};
use crate::telemetry::Collector;

pub(super) async fn run(
    args: &ServeArgs,
    path: Option<&Path>,
    config: &Config,
) -> Result<u8, Failure> {
    let sources = args.sources();
    if sources.len() > 1 && args.student.file.is_some() {
        let error = Error::invalid("`--student` is the student of one pack, and there are several");
        return Err(Failure::usage(error.with_hint("promote it: `waypost promote --pack NAME`")));
    }
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => {
            Some(Tls::open(certificate, key).map_err(Failure::usage)?)
        }
        _ => None,
    };
    let keys = Keys::open(&config.home)?;
    // Before a training that takes seconds.
    let tokens = match &config.jwt {
        Some(rules) => Some(Tokens::open(rules, &config.home).await?),
        None => None,
    };
    let is_open = !keys.are_needed() && tokens.is_none();
    let listener = bind(args.listen, is_open).await?;
    let limits = config.limits.limits();
    // At once: opening the store of a new home takes time, too.
    let starting = Starting::over(&listener, limits, tls.clone())?;
    let metrics = Arc::new(Metrics::priced(config.prices()));
    let kept = assemble::store(config).await;
    let kept: Arc<dyn Store> = Arc::new(Behind::new(Metered(Arc::clone(&metrics)), kept));
    let collector = config.telemetry.as_ref().map(|file| Collector::open(&file.collector()));
    let collector = collector.transpose().map_err(Failure::usage)?;
    let kept = match &collector {
        Some(collector) => collector.watching(kept, &metrics),
        None => kept,
    };
    let live = Live::new(config.store.redact);
    let kept: Arc<dyn Store> = Arc::new(Behind::new(Watched(Arc::clone(&live)), kept));
    let kept: Arc<dyn Store> = Arc::new(Behind::new(Upstreams, kept));
    let store: Arc<dyn Store> = Arc::new(Behind::new(Audited::new(&config.home), kept));
    let origin = Origin {
        sources,
        student: args.student.file.clone(),
        config: path.map(Path::to_owned),
        file: path.map_or_else(|| config.home.join(config::FILE), Path::to_owned),
        store: Arc::clone(&store),
        metrics: Arc::clone(&metrics),
    };
    let hosted = origin.hosted(config).await?;
    args.packs.iter().for_each(|name| automatic::start(name, config, Arc::clone(&store)));
    let reloader = Reloader::start(origin, Arc::clone(&hosted));
    let served = Served::new(hosted, store, keys, Arc::clone(&metrics), limits);
    let served = served.with_hosts(args.hosts.clone()).with_live(live).with_models(config)?;
    let served = served.with_dry_run(args.dry_run);
    let scheme = if tls.is_some() { "https" } else { "http" };
    let served = served.with_mcp(sealing::key(&config.home)?);
    let served = Arc::new(served.with_reload(reloader).with_tls(tls).with_tokens(tokens));
    let (stop, work) = served.brakes();
    starting.end().await?;
    output::note(format!("listening on {scheme}://{}", listener.local_addr()?));
    http::serve(listener, served, stop_on_signals(stop, work)).await?;
    if let Some(collector) = collector {
        collector.shutdown().await;
    }
    output::note("stopped");
    Ok(0)
}

/// What the address says while the server starts, which may take a training: that the process lives.
struct Starting {
    ready: CancellationToken,
    answering: JoinHandle<io::Result<()>>,
}

impl Starting {
    /// Begins to answer.
    fn over(listener: &Listener, limits: Limits, tls: Option<Tls>) -> io::Result<Self> {
        let ready = CancellationToken::new();
        let same = listener.try_clone()?;
        let answering = tokio::spawn(http::starting(same, limits, tls, ready.clone()));
        Ok(Self { ready, answering })
    }

    /// Leaves the address to the server that has started.
    async fn end(self) -> io::Result<()> {
        self.ready.cancel();
        self.answering.await.map_err(io::Error::other)?
    }
}

/// Binds an address. Without keys it is one of this machine alone: nothing would tell callers apart.
async fn bind(address: SocketAddr, is_open: bool) -> Result<Listener, Failure> {
    if !address.ip().is_loopback() && is_open {
        let message =
            format!("`{address}` can be reached from other machines, and there are no keys");
        let hint = "make one with `waypost keys add NAME`, or listen on `127.0.0.1:8080`";
        return Err(Failure::usage(Error::invalid(message).with_hint(hint)));
    }
    let listener = TcpListener::bind(address).await.map_err(|error| {
        let message = format!("cannot listen on `{address}`: {error}");
        let hint = "choose another port with `--listen`, or 0 for a free one";
        Failure::from(Error::new(Code::Unavailable, message).with_hint(hint))
    })?;
    // Sockets are served by other runtimes than this one.
    Ok(listener.into_std()?)
}

/// Stops by signals: the first lets what runs finish; the second stops that too.
async fn stop_on_signals(stop: CancellationToken, work: CancellationToken) {
    signal().await;
    output::note("finishing what runs; once more to stop at once");
    stop.cancel();
    signal().await;
    work.cancel();
}

/// Waits for Ctrl-C, or on Unix for what a service manager sends.
async fn signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    // Without signals, nothing but the end of the process stops it.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
