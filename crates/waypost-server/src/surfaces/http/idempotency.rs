//! Answers a request that is sent again as it was answered, where the client names it: `Idempotency-Key`.
//!
//! A client that lost the answer asks again with the same name, and gets the answer of before; nothing runs twice. Names count
//! for a day, those of one key only for it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;
use waypost::{Code, Error};

use super::problem::Problem;

const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The header of an answer that was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// The longest name, in bytes.
const MAX_BYTES: usize = 255;
/// The most answers that are kept, how long they are, and for how long.
const MOST: usize = 1_000;
const MAX_ANSWER_BYTES: usize = 1024 * 1024;
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// The answers to requests with names.
#[derive(Debug, Default)]
pub(super) struct Answered(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    answers: HashMap<String, Arc<Named>>,
    order: VecDeque<(Instant, String)>,
}

/// A request with a name: what it asked, and its answer once it is there.
#[derive(Debug)]
pub(super) struct Named {
    asked: [u8; 32],
    answer: OnceCell<Bytes>,
}

/// The name of a request, if it has one.
///
/// # Errors
///
/// `INVALID_ARGUMENT` for one that is empty or too long.
pub(super) fn name(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
    match value.to_str().map(str::trim) {
        Ok(name) if !name.is_empty() && name.len() <= MAX_BYTES => Ok(Some(name)),
        _ => {
            let message = format!("`Idempotency-Key` has 1 to {MAX_BYTES} bytes of ASCII");
            Err(Problem::from(&Error::invalid(message).with_hint("send a random UUID")))
        }
    }
}

impl Answered {
    /// The place of a request with a name, which its first or a later sending has.
    ///
    /// # Errors
    ///
    /// `FAILED_PRECONDITION` for a name that another request had.
    pub(super) fn place(&self, of: &str, name: &str, asked: &[u8]) -> Result<Arc<Named>, Problem> {
        let asked: [u8; 32] = Sha256::digest(asked).into();
        let (name, now) = (format!("{of}\n{name}"), Instant::now());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while kept.order.len() >= MOST
            || kept.order.front().is_some_and(|(since, _)| now.duration_since(*since) > KEPT)
        {
            let Some((_, oldest)) = kept.order.pop_front() else { break };
            kept.answers.remove(&oldest);
        }
        if let Some(known) = kept.answers.get(&name) {
            if known.asked == asked {
                return Ok(Arc::clone(known));
            }
            let error = Error::new(
                Code::FailedPrecondition,
                "this `Idempotency-Key` was that of another request",
            );
            let error =
                error.with_hint("use a new one for each request, and the same to send it again");
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, &error));
        }
        let place = Arc::new(Named { asked, answer: OnceCell::new() });
        kept.answers.insert(name.clone(), Arc::clone(&place));
        kept.order.push_back((now, name));
        Ok(place)
    }
}

impl Named {
    /// The answer of before, or that of `work`. Who comes while it works waits for it; what fails is not kept.
    pub(super) async fn answer(
        &self,
        work: impl Future<Output = Result<Bytes, Problem>>,
    ) -> Result<Response, Problem> {
        let before = self.answer.get().is_some();
        let mut large = None;
        let answer = self.answer.get_or_try_init(|| async {
            let bytes = work.await.map_err(Some)?;
            if bytes.len() > MAX_ANSWER_BYTES {
                large = Some(bytes);
                return Err(None);
            }
            Ok(bytes)
        });
        let bytes = match answer.await {
            Ok(bytes) => bytes.clone(),
            Err(Some(problem)) => return Err(problem),
            Err(None) => large.take().unwrap_or_default(),
        };
        let json = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        let mut response = (json, bytes).into_response();
        if before {
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
        }
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_that_is_sent_again_is_answered_as_before_and_another_is_not() {
        let answered = Answered::default();
        let runs = std::sync::atomic::AtomicUsize::new(0);
        let work = || async {
            let run = runs.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Ok(Bytes::from(format!("{run}")))
        };
        for of in ["a", "a", "b"] {
            let place = answered.place(of, "n", b"asked").unwrap();
            assert!(place.answer(work()).await.is_ok());
        }
        assert_eq!(runs.load(std::sync::atomic::Ordering::SeqCst), 2);
        assert_eq!(answered.place("a", "n", b"other").unwrap_err().status(), 422);
    }

    #[tokio::test]
    async fn what_failed_is_tried_again_and_the_oldest_is_forgotten() {
        let answered = Answered::default();
        let fails = || async { Err(Problem::from(&Error::unavailable("not now"))) };
        let place = answered.place("a", "n", b"").unwrap();
        assert!(place.answer(fails()).await.is_err());
        assert!(place.answer(async { Ok(Bytes::from_static(b"{}")) }).await.is_ok());
        for n in 0..MOST {
            answered.place("a", &format!("n{n}"), b"").unwrap();
        }
        assert_eq!(answered.0.lock().unwrap().answers.len(), MOST);
        assert!(answered.place("a", "n", b"other").is_ok(), "its name is free again");
    }
}
