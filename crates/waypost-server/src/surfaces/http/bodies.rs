//! Reads bodies: bounded in size, in time, and in the bytes that all of them hold together.

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use futures_util::StreamExt;
use waypost::records::request::MAX_TEXT_BYTES;
use waypost::{Code, Error};

use super::Limits;
use super::problem::Problem;
use crate::surfaces::shares::{Share, Shares};

/// The largest body, in bytes: a text at its limit, escaped, with its context.
pub(super) const MAX_BODY_BYTES: usize = 8 * MAX_TEXT_BYTES;
/// The first bytes of each body, which every connection has room for: an ordinary question is read
/// whatever others send.
const OWN_BYTES: usize = 16 * 1024;
/// The bytes that a longer body takes of what all share, again and again.
const STEP: usize = 16 * 1024;

/// The room that long bodies share; one key has its share of it.
#[derive(Debug)]
pub(super) struct Bodies {
    steps: Shares,
    limits: Limits,
}

/// A body that was read, and its share of the room.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) bytes: Vec<u8>,
    steps: Vec<Share>,
}

impl Bodies {
    pub(super) fn new(limits: Limits) -> Self {
        Self { steps: Shares::new(limits.body_bytes / STEP), limits }
    }

    /// Reads a body of at most `most` bytes from an owner (the id of a key); its room is taken as it comes, not as it is
    /// announced, so that only who sends much takes much.
    pub(super) async fn read(
        &self,
        owner: Option<&str>,
        body: Body,
        most: usize,
    ) -> Result<Whole, Problem> {
        let patience = self.limits.body;
        match tokio::time::timeout(patience, self.collect(owner, body, most)).await {
            Ok(read) => read,
            Err(_) => {
                let message = format!("the body did not come within {} s", patience.as_secs_f64());
                let error = Error::new(Code::DeadlineExceeded, message)
                    .with_hint("send it again without a pause");
                Err(Problem::new(StatusCode::REQUEST_TIMEOUT, &error))
            }
        }
    }

    /// The bytes that long bodies hold.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.steps.held() * STEP
    }

    async fn collect(
        &self,
        owner: Option<&str>,
        body: Body,
        most: usize,
    ) -> Result<Whole, Problem> {
        let mut pieces = body.into_data_stream();
        let mut whole = Whole { bytes: Vec::new(), steps: Vec::new() };
        while let Some(piece) = pieces.next().await {
            self.add(owner, &mut whole, &piece.map_err(|_| broken())?, most)?;
        }
        Ok(whole)
    }

    fn add(
        &self,
        owner: Option<&str>,
        whole: &mut Whole,
        piece: &Bytes,
        most: usize,
    ) -> Result<(), Problem> {
        let needed = whole.bytes.len() + piece.len();
        if needed > most {
            return Err(too_large(most));
        }
        while needed > whole.bytes.capacity() {
            if whole.bytes.capacity() < OWN_BYTES {
                let room = needed.max(2 * whole.bytes.capacity()).min(OWN_BYTES);
                whole.bytes.reserve_exact(room - whole.bytes.len());
                continue;
            }
            whole.steps.push(self.steps.take(owner).ok_or_else(|| self.full())?);
            whole.bytes.reserve_exact(whole.bytes.capacity() - whole.bytes.len() + STEP);
        }
        whole.bytes.extend_from_slice(piece);
        Ok(())
    }

    fn full(&self) -> Problem {
        let limit = self.limits.body_bytes;
        let message = match self.steps.held() < self.steps.limit() {
            true => format!("this key has its share of the {limit} bytes of long bodies at once"),
            false => format!("the server reads {limit} bytes of long bodies at once, the limit"),
        };
        let hint = "ask again in a second, or send a shorter text or less context";
        Problem::from(&Error::unavailable(message).with_hint(hint))
    }
}

/// The problem of a body that is larger than any may be.
pub(super) fn too_large(most: usize) -> Problem {
    let message = format!("the body has more than {most} bytes, the limit");
    let error = Error::invalid(message).with_hint("send a shorter text or less context");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, &error)
}

/// The problem of a body that ends before its announced length, or whose chunks are none.
fn broken() -> Problem {
    let error = Error::invalid("the body is broken off, or not chunked as HTTP has it")
        .with_hint("send `Content-Length` and as many bytes");
    Problem::from(&error)
}
