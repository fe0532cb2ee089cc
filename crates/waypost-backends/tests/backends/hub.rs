//! Downloads from a model hub that breaks off, lies and refuses.

use std::fs;
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use tempfile::TempDir;
use waypost_backends::hub::{Hub, Remote};
use waypost_core::{Code, Result};
use waypost_testing::{ModelHub, RunningHub};

const MODEL: &str = "owner/model";
const NAME: &str = "model.safetensors";

fn bytes() -> Vec<u8> {
    (0..10_000_u32).map(|at| (at * 31 % 251) as u8).collect()
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A hub with a file, and what a client needs to fetch it.
struct Fixture {
    server: RunningHub,
    hub: Hub,
    folder: TempDir,
}

impl Fixture {
    fn new(hub: ModelHub) -> Self {
        // Without a provider of TLS a client cannot be made, not even for plain HTTP.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let server = hub.start();
        let hub = Hub::open(&server.url()).unwrap();
        Self { server, hub, folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(NAME)
    }

    async fn remote(&self) -> Remote {
        self.hub.list(MODEL).await.unwrap().files.remove(0)
    }

    async fn fetch(&self) -> Result<Vec<u64>> {
        let (remote, mut heard) = (self.remote().await, Vec::new());
        let progress = &mut |bytes| heard.push(bytes);
        self.hub.fetch(MODEL, "0123abcd", &remote, &self.path(), progress).await?;
        Ok(heard)
    }

    /// The files that were asked for: from which byte on.
    fn ranges(&self) -> Vec<String> {
        let asked = self.server.requests().into_iter();
        asked
            .filter(|path| path.contains("/resolve/"))
            .map(|path| path.split_once(' ').map_or("0-".to_owned(), |(_, range)| range.to_owned()))
            .collect()
    }
}

#[tokio::test]
async fn a_file_comes_whole_and_is_checked() {
    let fixture = Fixture::new(ModelHub::new(MODEL).file(NAME, &bytes(), Some(&sum(&bytes()))));
    let remote = fixture.remote().await;
    assert_eq!((remote.size, remote.sha256), (Some(10_000), Some(sum(&bytes()))));
    let heard = fixture.fetch().await.unwrap();
    assert_eq!((heard.last(), heard.is_sorted()), (Some(&10_000), true));
    assert_eq!(fs::read(fixture.path()).unwrap(), bytes());
    // A whole file is not asked for again.
    fixture.fetch().await.unwrap();
    assert_eq!(fixture.ranges(), ["0-"]);
}

#[tokio::test]
async fn what_broke_off_goes_on_where_it_stopped() {
    let hub = ModelHub::new(MODEL).file(NAME, &bytes(), Some(&sum(&bytes()))).breaking_after(4_000);
    let fixture = Fixture::new(hub);
    fixture.fetch().await.unwrap();
    assert_eq!(fs::read(fixture.path()).unwrap(), bytes());
    assert_eq!(fixture.ranges(), ["0-", "4000-", "8000-"]);
}

#[tokio::test]
async fn a_download_of_an_earlier_run_goes_on() {
    let fixture = Fixture::new(ModelHub::new(MODEL).file(NAME, &bytes(), Some(&sum(&bytes()))));
    fs::write(fixture.path(), &bytes()[..1234]).unwrap();
    fixture.fetch().await.unwrap();
    assert_eq!(fs::read(fixture.path()).unwrap(), bytes());
    assert_eq!(fixture.ranges(), ["1234-"]);
}

#[tokio::test]
async fn a_hub_that_breaks_off_forever_is_given_up_and_what_came_stays() {
    let fixture = Fixture::new(ModelHub::new(MODEL).file(NAME, &bytes(), None).breaking_after(100));
    let error = fixture.fetch().await.unwrap_err();
    assert_eq!(error.code(), Code::Unavailable);
    assert_eq!(error.message(), "the download of `model.safetensors` broke off 5 times");
    assert!(error.hint().unwrap().contains("goes on where it stopped"), "{error:?}");
    assert_eq!(fs::read(fixture.path()).unwrap(), bytes()[..500]);
}

#[tokio::test]
async fn a_file_with_another_checksum_is_removed() {
    let fixture = Fixture::new(ModelHub::new(MODEL).file(NAME, &bytes(), Some(&sum(b"other"))));
    let error = fixture.fetch().await.unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    assert!(error.message().starts_with("`model.safetensors` is damaged"), "{error}");
    assert!(!fixture.path().exists());
}

#[tokio::test]
async fn what_there_is_not_and_who_does_not_answer() {
    let fixture = Fixture::new(ModelHub::new(MODEL).file(NAME, &bytes(), None));
    let error = fixture.hub.list("owner/other").await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    assert_eq!(error.message(), "the hub has no model `owner/other` for everybody");
    let remote = Remote { name: "gone".to_owned(), size: None, sha256: None };
    let fetched = fixture.hub.fetch(MODEL, "0123abcd", &remote, &fixture.path(), &mut |_| {}).await;
    assert_eq!(fetched.unwrap_err().code(), Code::NotFound);
    // The same address after the server has left: nobody listens there.
    let Fixture { server, hub, .. } = fixture;
    drop(server);
    let error = hub.list(MODEL).await.unwrap_err();
    assert_eq!(error.code(), Code::Unavailable);
    assert!(error.message().ends_with("cannot be reached"), "{error}");
    assert!(error.hint().unwrap().contains("give its path"), "{error:?}");
    assert_eq!(Hub::open("models").unwrap_err().code(), Code::InvalidArgument);
}
