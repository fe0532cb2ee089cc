//! Downloads the files of encoders from a hub that serves them over HTTP, in the manner of the
//! Hugging Face hub: a list with sizes and checksums, and each file under the revision of the list.
//!
//! A download that broke off goes on where it stopped, in this run or in another. A file counts only
//! when it has the size and, where the list has one, the checksum.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use reqwest::header::{CONTENT_RANGE, RANGE};
use reqwest::{Client, Response, StatusCode};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use waypost_core::{Code, Error, Result};

use crate::bounds::detail;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Silence for so long is a broken connection.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest list of files; a repository of 1,000 files has 300 kB.
const MAX_LIST_BYTES: usize = 4 << 20;
/// The largest file; the largest encoder of its kind has 2.3 GB.
const MAX_FILE_BYTES: u64 = 8 << 30;
/// The number of times that one file is begun or continued in a run.
const MAX_TRIES: usize = 5;
const ELSEWHERE: &str = "download the folder elsewhere and give its path, or set `hub` under \
                         [encoder] to a mirror";

/// A hub at a base address.
#[derive(Debug)]
pub struct Hub {
    client: Client,
    base: String,
}

/// The files of a model in one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The name of the revision.
    pub revision: String,
    /// Every file.
    pub files: Vec<Remote>,
}

/// A file as the list has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// Its path in the repository.
    pub name: String,
    /// Its size in bytes, if the list says it.
    pub size: Option<u64>,
    /// Its SHA-256 in hexadecimal digits, if the list says it.
    pub sha256: Option<String>,
}

/// The list as the hub writes it.
#[derive(Debug, Deserialize)]
struct Written {
    sha: String,
    siblings: Vec<Sibling>,
}

#[derive(Debug, Deserialize)]
struct Sibling {
    rfilename: String,
    size: Option<u64>,
    lfs: Option<Lfs>,
}

/// Large files have a checksum of their content.
#[derive(Debug, Deserialize)]
struct Lfs {
    sha256: Option<String>,
}

/// The outcome of one try.
enum Try {
    Whole,
    /// Worth another try, for this reason.
    Broken(String),
}

impl Hub {
    /// A hub at a base address, such as `https://models.example.org`.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for an address that is not valid; `INTERNAL` if there is no TLS.
    pub fn open(base: &str) -> Result<Self> {
        let base = base.trim_end_matches('/').to_owned();
        if !(base.starts_with("https://") || base.starts_with("http://")) {
            let message = format!("the hub `{base}` is no address");
            return Err(Error::invalid(message).with_hint("write `https://…` under [encoder]"));
        }
        let client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT)
            .build()
            .map_err(|error| Error::internal(error.to_string()))?;
        Ok(Self { client, base })
    }

    /// Lists the files of a model such as `owner/name`, in the current revision.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND`, `PERMISSION_DENIED`, or `UNAVAILABLE` where there is no network.
    pub async fn list(&self, model: &str) -> Result<Listing> {
        let url = format!("{}/api/models/{model}?blobs=true", self.base);
        let mut response = self.get(&url, 0).await.map_err(|error| self.unreachable(&error))?;
        refused(response.status(), model)?;
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.unreachable(&error))? {
            body.extend_from_slice(&piece);
            if body.len() > MAX_LIST_BYTES {
                return Err(Error::unavailable(format!("the list of `{model}` has no end")));
            }
        }
        let written: Written = serde_json::from_slice(&body).map_err(|error| {
            Error::unavailable(format!("`{}` does not answer like a model hub", self.base))
                .with_hint("set `hub` under [encoder] to one that does")
                .with_detail(detail(&error.to_string()))
        })?;
        let files = written.siblings.into_iter().map(|sibling| Remote {
            name: sibling.rfilename,
            size: sibling.size,
            sha256: sibling.lfs.and_then(|lfs| lfs.sha256).map(|sum| sum.to_ascii_lowercase()),
        });
        Ok(Listing { revision: written.sha, files: files.collect() })
    }

    /// Downloads a file, or the part of it that is missing, and checks it; `progress` hears how
    /// many bytes there are.
    ///
    /// # Errors
    ///
    /// As [`Hub::list`]; `FAILED_PRECONDITION` for a file that differs from the list, which is
    /// removed. Any other part that was downloaded stays, and the next call goes on from there.
    pub async fn fetch(
        &self,
        model: &str,
        revision: &str,
        remote: &Remote,
        into: &Path,
        progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<()> {
        if remote.size.is_some_and(|size| size > MAX_FILE_BYTES) {
            let message = format!("`{}` has more than {MAX_FILE_BYTES} bytes", remote.name);
            return Err(Error::new(Code::ResourceExhausted, message));
        }
        let url = format!("{}/{model}/resolve/{revision}/{}", self.base, remote.name);
        let mut reason = String::new();
        for _ in 0..MAX_TRIES {
            match self.attempt(&url, model, remote, into, progress).await? {
                Try::Whole => return check(remote, into),
                Try::Broken(why) => reason = why,
            }
        }
        let message = format!("the download of `{}` broke off {MAX_TRIES} times", remote.name);
        let hint = "run the command again: it goes on where it stopped";
        Err(Error::unavailable(message).with_hint(hint).with_detail(detail(&reason)))
    }

    async fn attempt(
        &self,
        url: &str,
        model: &str,
        remote: &Remote,
        into: &Path,
        progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<Try> {
        let there = std::fs::metadata(into).map_or(0, |metadata| metadata.len());
        if remote.size.is_some_and(|size| size == there) {
            progress(there);
            return Ok(Try::Whole);
        }
        // A file that is too long is not the beginning of the right one.
        let there = if remote.size.is_some_and(|size| there > size) { 0 } else { there };
        let mut response = match self.get(url, there).await {
            Ok(response) => response,
            Err(error) if error.is_connect() => return Err(self.unreachable(&error)),
            Err(error) => return Ok(Try::Broken(error.to_string())),
        };
        if response.status() == StatusCode::RANGE_NOT_SATISFIABLE {
            remove(into)?;
            return Ok(Try::Broken("the hub has no more of it".to_owned()));
        }
        if response.status().is_server_error() {
            return Ok(Try::Broken(response.status().to_string()));
        }
        refused(response.status(), model)?;
        let mut length = if goes_on(&response, there) { there } else { 0 };
        let mut file = open(into, length)?;
        loop {
            let piece = match response.chunk().await {
                Ok(Some(piece)) => piece,
                Ok(None) => break,
                Err(error) => return Ok(Try::Broken(error.to_string())),
            };
            length += piece.len() as u64;
            if length > remote.size.unwrap_or(MAX_FILE_BYTES) {
                drop(file);
                remove(into)?;
                let message = format!("`{}` is longer than the hub says", remote.name);
                return Err(Error::new(Code::FailedPrecondition, message));
            }
            file.write_all(&piece).map_err(|error| unwritable(into, &error))?;
            progress(length);
        }
        match remote.size {
            Some(size) if length < size => Ok(Try::Broken(format!("{length} of {size} bytes"))),
            _ => Ok(Try::Whole),
        }
    }

    async fn get(&self, url: &str, from: u64) -> reqwest::Result<Response> {
        let request = self.client.get(url);
        let request =
            if from > 0 { request.header(RANGE, format!("bytes={from}-")) } else { request };
        request.send().await
    }

    fn unreachable(&self, error: &reqwest::Error) -> Error {
        Error::unavailable(format!("the hub `{}` cannot be reached", self.base))
            .with_hint(ELSEWHERE)
            .with_detail(detail(&error.to_string()))
    }
}

/// Returns whether the answer begins where the file ends.
fn goes_on(response: &Response, there: u64) -> bool {
    let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
    response.status() == StatusCode::PARTIAL_CONTENT
        && range.is_some_and(|range| range.starts_with(&format!("bytes {there}-")))
}

fn refused(status: StatusCode, model: &str) -> Result<()> {
    match status {
        status if status.is_success() => Ok(()),
        // The hub says the same of models that are not there and of those that are private.
        StatusCode::NOT_FOUND | StatusCode::UNAUTHORIZED => {
            let message = format!("the hub has no model `{model}` for everybody");
            let hint = "write it as `owner/name`; one that asks for an account has to be \
                        downloaded by hand";
            Err(Error::new(Code::NotFound, message).with_hint(hint))
        }
        StatusCode::FORBIDDEN => {
            let message = format!("the hub does not give `{model}` to everybody");
            let hint = "download it by hand and give the folder's path";
            Err(Error::new(Code::PermissionDenied, message).with_hint(hint))
        }
        status => {
            let message = format!("the hub answered with status {}", status.as_u16());
            Err(Error::unavailable(message).with_hint("try again later"))
        }
    }
}

/// Opens the file to go on after `length` bytes, or from the start.
fn open(into: &Path, length: u64) -> Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).write(true);
    if length > 0 {
        options.append(true)
    } else {
        options.truncate(true)
    };
    options.open(into).map_err(|error| unwritable(into, &error))
}

fn remove(into: &Path) -> Result<()> {
    std::fs::remove_file(into).map_err(|error| unwritable(into, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Code::FailedPrecondition, format!("cannot write `{}`: {error}", path.display()))
        .with_hint("is there room in the folder of `WAYPOST_HOME`?")
}

/// Compares the whole file with the checksum of the list.
fn check(remote: &Remote, path: &Path) -> Result<()> {
    let Some(expected) = &remote.sha256 else { return Ok(()) };
    let mut file = File::open(path).map_err(|error| unwritable(path, &error))?;
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut buffer).map_err(|error| unwritable(path, &error))?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
    }
    let found: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    if found == *expected {
        return Ok(());
    }
    remove(path)?;
    let message = format!("`{}` is damaged: its checksum is another one", remote.name);
    Err(Error::new(Code::FailedPrecondition, message).with_hint("run the command again"))
}
