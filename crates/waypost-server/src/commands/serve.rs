//! `waypost serve`: packs over HTTP, until a signal stops it.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use waypost::ports::store::Store;
use waypost::{Code, Error};
use waypost_backends::stores::Behind;
use waypost_backends::students::Registry;

use crate::assemble::{self, AssemblyOptions};
use crate::audit_log::Audited;
use crate::cli::{ServeArgs, SourceArgs};
use crate::config::Config;
use crate::failure::Failure;
use crate::keys::Keys;
use crate::learning::following::Followed;
use crate::learning::{automatic, following};
use crate::output;
use crate::sources::{self, Sourced};
use crate::surfaces::http::{self, Metered, Metrics, Served};
use crate::surfaces::{Hosted, HostedPack};

pub(super) async fn run(args: &ServeArgs, config: &Config) -> Result<u8, Failure> {
    if args.packs.len() > 1 && args.student.file.is_some() {
        let error = Error::invalid("`--student` is the student of one pack, and there are several");
        return Err(Failure::usage(error.with_hint("promote it: `waypost promote --pack NAME`")));
    }
    let keys = Keys::open(&config.home)?;
    // Before a training that takes seconds.
    let listener = bind(args.listen, &keys).await?;
    let metrics = Arc::new(Metrics::priced(config.prices()));
    let kept = assemble::store(config).await;
    let kept: Arc<dyn Store> = Arc::new(Behind::new(Metered(Arc::clone(&metrics)), kept));
    let store: Arc<dyn Store> = Arc::new(Behind::new(Audited(config.home.clone()), kept));
    let mut hosted = Vec::new();
    for source in args.sources() {
        hosted.push(host(args, &source, config, &store, &metrics).await?);
    }
    let hosted = Hosted::new(hosted).map_err(Failure::usage)?;
    let limits = config.limits.limits();
    let served = Served::new(hosted, store, keys, Arc::clone(&metrics), limits);
    let served = Arc::new(served.with_hosts(args.hosts.clone()).with_models(config)?);
    let (stop, work) = served.brakes();
    output::note(format!("listening on http://{}", listener.local_addr()?));
    http::serve(listener, served, stop_on_signals(stop, work)).await?;
    output::note("stopped");
    Ok(0)
}

/// A pack with its router, whose student is followed from now on.
async fn host(
    args: &ServeArgs,
    source: &SourceArgs,
    config: &Config,
    store: &Arc<dyn Store>,
    metrics: &Arc<Metrics>,
) -> Result<HostedPack, Failure> {
    let options = AssemblyOptions {
        remember: true,
        bundle: args.student.file.clone(),
        ..AssemblyOptions::default()
    };
    let Sourced { pack, name, live, .. } = sources::load(source, config, &options).await?;
    let options = AssemblyOptions { live, ..options };
    let registry = Registry::open(&config.home, &pack.spec.name).ok();
    let followed = Followed::new(&pack, config, &options);
    let router = assemble::router_over(pack, config, &options, Arc::clone(store)).await?;
    let router = Arc::new(router);
    assemble::warm(&router, config);
    let metrics = Arc::clone(metrics);
    following::start(&router, followed, move || metrics.swapped());
    assemble::audit(&router);
    if let Some(name) = &name {
        automatic::start(name, config, Arc::clone(store));
    }
    Ok(HostedPack::new(router, registry))
}

/// Binds an address. Without keys it is one of this machine alone: nothing would tell callers apart.
async fn bind(address: SocketAddr, keys: &Keys) -> Result<TcpListener, Failure> {
    if !address.ip().is_loopback() && !keys.are_needed() {
        let message =
            format!("`{address}` can be reached from other machines, and there are no keys");
        let hint = "make one with `waypost keys add NAME`, or listen on `127.0.0.1:8080`";
        return Err(Failure::usage(Error::invalid(message).with_hint(hint)));
    }
    TcpListener::bind(address).await.map_err(|error| {
        let message = format!("cannot listen on `{address}`: {error}");
        let hint = "choose another port with `--listen`, or 0 for a free one";
        Failure::from(Error::new(Code::Unavailable, message).with_hint(hint))
    })
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
