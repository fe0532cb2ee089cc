//! TLS with a certificate and a key from files, which are read again when they change.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rustls::ServerConfig;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tracing::{info, warn};
use waypost::{Error, Result};

/// The time between two looks at the files.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// Makes connections secure.
#[derive(Clone)]
pub(crate) struct Tls(TlsAcceptor);

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}

impl Tls {
    /// The certificates (the server's own first) and the private key of two PEM files.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a file that cannot be read, and for a key that is not the certificate's.
    pub(crate) fn open(certificate: &Path, key: &Path) -> Result<Self> {
        waypost_backends::llm::install_crypto();
        let files = Files { certificate: certificate.to_owned(), key: key.to_owned() };
        let certified = Arc::new(files.read()?);
        let state = Mutex::new(State { certified, stamp: files.stamp(), looked: Instant::now() });
        let mut config = ServerConfig::builder()
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(Certificates { files, state }));
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    /// Shakes hands with a client.
    ///
    /// # Errors
    ///
    /// If the client speaks no TLS that the server does.
    pub(super) async fn accept<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
    ) -> std::io::Result<TlsStream<S>> {
        self.0.accept(stream).await
    }
}

#[derive(Debug)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

type Stamp = [Option<SystemTime>; 2];

impl Files {
    fn read(&self) -> Result<CertifiedKey> {
        let unusable = |what: &str, path: &Path, why: &dyn std::fmt::Display| {
            Error::invalid(format!("cannot use `{}` as {what}: {why}", path.display()))
                .with_hint("give PEM files: `--tls-cert` the certificates, the server's own first, `--tls-key` its private key")
        };
        let certificate =
            |why: &dyn std::fmt::Display| unusable("a certificate", &self.certificate, why);
        let key = |why: &dyn std::fmt::Display| unusable("a key", &self.key, why);
        let chain: std::result::Result<Vec<CertificateDer<'static>>, _> =
            CertificateDer::pem_file_iter(&self.certificate)
                .map_err(|error| certificate(&error))?
                .collect();
        let chain = chain.map_err(|error| certificate(&error))?;
        if chain.is_empty() {
            return Err(certificate(&"there is none in it"));
        }
        let private = PrivateKeyDer::from_pem_file(&self.key).map_err(|error| key(&error))?;
        let signing = any_supported_type(&private).map_err(|error| key(&error))?;
        let certified = CertifiedKey::new(chain, signing);
        certified.keys_match().map_err(|error| key(&error))?;
        Ok(certified)
    }

    fn stamp(&self) -> Stamp {
        let changed = |path: &Path| std::fs::metadata(path).ok()?.modified().ok();
        [changed(&self.certificate), changed(&self.key)]
    }
}

/// The certificate in service.
#[derive(Debug)]
struct Certificates {
    files: Files,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    certified: Arc<CertifiedKey>,
    stamp: Stamp,
    looked: Instant,
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

impl Certificates {
    /// The certificate of now. Files that cannot be read change nothing.
    fn current(&self) -> Arc<CertifiedKey> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() >= LOOK_EVERY {
            state.looked = Instant::now();
            let stamp = self.files.stamp();
            if stamp != state.stamp {
                match self.files.read() {
                    Ok(certified) => {
                        info!("the certificate was read again");
                        state.certified = Arc::new(certified);
                        state.stamp = stamp;
                    }
                    // Tried again at the next look: the other file may still be on its way.
                    Err(error) => warn!("the certificate of before counts: {}", error.message()),
                }
            }
        }
        Arc::clone(&state.certified)
    }
}
