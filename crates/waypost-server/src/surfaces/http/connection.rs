//! Accepts connections and serves each: bounds the patience with slow clients, and ends them when
//! others need their places or the server stops.

use std::sync::Arc;
use std::time::Duration;

use axum::Router as App;
use axum::response::{IntoResponse, Response};
use hyper::Request;
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use super::client::Client;
use super::http2;
use super::places::{Place, Places};
use super::problem::Problem;
use super::stream::Stream;
use super::tls::Tls;
use super::{Limits, WATCHED};

/// The largest head, in bytes.
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// The pause after a connection that could not be accepted: where files are used up, trying again
/// at once would only burn the processor.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The time for the head of a request on a spare place, which others wait for.
const SPARE_HEAD: Duration = Duration::from_secs(1);

/// The connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    places: Places,
    limits: Limits,
    tls: Option<Tls>,
}

impl Connections {
    pub(super) fn new(limits: Limits, tls: Option<Tls>) -> Self {
        Self { places: Places::new(limits.connections), limits, tls }
    }

    /// Serves whoever comes until `stop`; answers that have begun then go on.
    pub(super) async fn accept(&self, listener: TcpListener, app: App, stop: &CancellationToken) {
        let accepting = async {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        let place = self.places.take().await;
                        let (app, stop) = (app.clone(), stop.clone());
                        let tls = self.tls.clone();
                        tokio::spawn(begin(stream, app, self.limits, stop, place, tls));
                    }
                    Err(error) => {
                        tracing::warn!("a connection could not be accepted: {error}");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = accepting => {}
        }
    }

    /// Waits until all have ended.
    pub(super) async fn ended(&self) {
        self.places.ended().await;
    }
}

/// Serves a connection, once it is secure where it has to be.
async fn begin(
    stream: TcpStream,
    app: App,
    limits: Limits,
    stop: CancellationToken,
    place: Place,
    tls: Option<Tls>,
) {
    // Events are small and should leave at once.
    let _ = stream.set_nodelay(true);
    let client = Client::new(place);
    let patience = if client.is_spare() { SPARE_HEAD.min(limits.head) } else { limits.head };
    let Some(tls) = tls else {
        let asked = tokio::select! {
            asked = tokio::time::timeout(patience, http2::is_asked(&stream)) => asked,
            () = client.gives_way() => return,
            () = stop.cancelled() => return,
        };
        let Ok(Ok(is_http2)) = asked else { return };
        let stream = Stream::new(stream, Arc::clone(&client), limits);
        return match is_http2 {
            true => http2::serve(stream, app, limits, stop, client).await,
            false => serve(stream, app, limits, stop, client).await,
        };
    };
    let stream = Stream::new(stream, Arc::clone(&client), limits);
    let secured = tokio::select! {
        secured = tokio::time::timeout(patience, tls.accept(stream.within_tls())) => secured,
        () = client.gives_way() => return,
        () = stop.cancelled() => return,
    };
    let Ok(Ok(stream)) = secured else { return };
    match stream.get_ref().1.alpn_protocol() == Some(&b"h2"[..]) {
        true => http2::serve(stream, app, limits, stop, client).await,
        false => serve(stream, app, limits, stop, client).await,
    }
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    app: App,
    limits: Limits,
    stop: CancellationToken,
    client: Arc<Client>,
) {
    let spare = client.is_spare();
    let io = TokioIo::new(stream);
    let app = TowerToHyperService::new(app);
    let served = Arc::clone(&client);
    let service = service_fn(move |mut request: Request<Incoming>| {
        let crowded = spare && !WATCHED.contains(&request.uri().path());
        if request.body().is_end_stream() {
            served.note_heard();
        }
        request.extensions_mut().insert(Arc::clone(&served));
        let answer = (!crowded).then(|| app.call(request));
        Arc::clone(&served).served(async move {
            match answer {
                Some(answer) => answer.await,
                None => Ok::<Response, _>(Problem::crowded(limits.connections).into_response()),
            }
        })
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .keep_alive(!spare)
        .header_read_timeout(if spare { SPARE_HEAD.min(limits.head) } else { limits.head })
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(io, service);
    let mut connection = std::pin::pin!(connection);
    // A connection that breaks is its client's affair.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = client.gives_way() => {
            // A request that has just come in is served; a head that is not whole is none.
            if client.is_idle() {
                return;
            }
            connection.as_mut().graceful_shutdown();
        }
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
