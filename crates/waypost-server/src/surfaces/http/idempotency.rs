//! Answers a request that is sent again as it was answered, where the client names it: `Idempotency-Key`.
//!
//! A client that lost the answer asks again with the same name, and gets the answer of before. Names count for a day, those of
//! one key only for it, and work that has a name ends whether or not its client waits. That a write is made once does not
//! depend on what is kept here: it spends the name in the store, and this or another program finds it spent. The answer of a
//! conversation that was forgotten since is given to nobody, and the request is not made again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;
use waypost::ports::store::Store;
use waypost::records::era::Era;
use waypost::{Code, Error};

use super::problem::Problem;
use crate::surfaces::caller::Caller;
use crate::surfaces::shares::fullest;

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
    /// The names with their owners, oldest first.
    order: VecDeque<(Instant, String, String)>,
}

impl Kept {
    /// Makes room for one more name: those that are too old go, and then the oldest of whoever has the most.
    fn make_room(&mut self, now: Instant) {
        while self.order.front().is_some_and(|(since, ..)| now.duration_since(*since) > KEPT) {
            self.forget(0);
        }
        while self.order.len() >= MOST {
            let most = fullest(self.order.iter().map(|(_, owner, _)| owner.as_str()));
            let oldest = self.order.iter().position(|(_, owner, _)| Some(owner.as_str()) == most);
            self.forget(oldest.unwrap_or_default());
        }
    }

    fn forget(&mut self, place: usize) {
        if let Some((_, _, name)) = self.order.remove(place) {
            self.answers.remove(&name);
        }
    }
}

/// A request with a name: what it asked, and its answer once it is there.
#[derive(Debug)]
pub(super) struct Named {
    asked: [u8; 32],
    answer: OnceCell<(Era, Bytes)>,
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
        kept.make_room(now);
        let place = Arc::new(Named { asked, answer: OnceCell::new() });
        kept.answers.insert(name.clone(), Arc::clone(&place));
        kept.order.push_back((now, of.to_owned(), name));
        Ok(place)
    }
}

impl Named {
    /// The answer of before, or that of `work`. Who comes while it works waits for it; what fails is not kept. It goes on when its
    /// client leaves, and who comes then gets its answer. The store knows whether the conversation, if the request is of one, was
    /// forgotten since.
    ///
    /// # Errors
    ///
    /// Those of the work; `FAILED_PRECONDITION` for the answer of a conversation that was forgotten since.
    pub(super) async fn answer(
        self: Arc<Self>,
        of: (Arc<dyn Store>, Option<String>),
        work: impl Future<Output = Result<Bytes, Problem>> + Send + 'static,
    ) -> Result<Response, Problem> {
        let working =
            tokio::spawn(async move { self.worked((of.0.as_ref(), of.1.as_deref()), work).await });
        let ended = working.await;
        let (bytes, before) = ended
            .unwrap_or_else(|error| Err(Problem::from(&Error::internal(error.to_string()))))?;
        let json = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        let mut response = (json, bytes).into_response();
        if before {
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
        }
        Ok(response)
    }

    /// The bytes of an answer, and whether they are those of another sending.
    async fn worked(
        &self,
        (store, session): (&dyn Store, Option<&str>),
        work: impl Future<Output = Result<Bytes, Problem>> + Send,
    ) -> Result<(Bytes, bool), Problem> {
        let (mut large, mut before) = (None, true);
        let answer = self.answer.get_or_try_init(|| async {
            before = false;
            // Of a store that is not there, the era is before all that it forgets.
            let era = store.era().await.unwrap_or_default();
            let bytes = work.await.map_err(Some)?;
            if bytes.len() > MAX_ANSWER_BYTES {
                large = Some(bytes);
                return Err(None);
            }
            Ok((era, bytes))
        });
        match answer.await.cloned() {
            Ok((era, bytes)) => match session.filter(|_| before) {
                // A store that cannot be asked cannot have been told to forget either.
                Some(session) if store.was_forgotten(session, era).await.unwrap_or(false) => {
                    Err(forgotten())
                }
                _ => Ok((bytes, before)),
            },
            Err(Some(problem)) => Err(problem),
            Err(None) => Ok((large.take().unwrap_or_default(), false)),
        }
    }
}

/// The problem of a request that is sent again after its conversation was forgotten.
fn forgotten() -> Problem {
    let error =
        Error::new(Code::FailedPrecondition, "the conversation of this request was forgotten");
    Problem::from(&error.with_hint("use a new `Idempotency-Key` to ask again"))
}

/// What a write spends of a request with a name, whoever sends it again: the name, as it is its caller's own.
pub(super) fn spent_by(caller: &Caller, name: &str) -> String {
    let mut hash = Sha256::new();
    for part in [caller.key_id().unwrap_or_default(), name] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    let hex = digest.iter().take(16).map(|byte| format!("{byte:02x}"));
    format!("once-{}", hex.collect::<String>())
}

#[cfg(test)]
mod tests {
    use waypost_backends::stores::MemoryStore;

    use super::*;

    /// The store, and that a request is of no conversation.
    fn of_none() -> (Arc<dyn Store>, Option<String>) {
        (Arc::new(MemoryStore::new()), None)
    }

    #[tokio::test]
    async fn a_request_that_is_sent_again_is_answered_as_before_and_another_is_not() {
        let answered = Answered::default();
        let runs = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let work = |runs: &Arc<std::sync::atomic::AtomicUsize>| {
            let runs = Arc::clone(runs);
            async move {
                let run = runs.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                Ok(Bytes::from(format!("{run}")))
            }
        };
        for of in ["a", "a", "b"] {
            let place = answered.place(of, "n", b"asked").unwrap();
            assert!(place.answer(of_none(), work(&runs)).await.is_ok());
        }
        assert_eq!(runs.load(std::sync::atomic::Ordering::SeqCst), 2);
        assert_eq!(answered.place("a", "n", b"other").unwrap_err().status(), 422);
    }

    #[tokio::test]
    async fn what_failed_is_tried_again_and_the_oldest_is_forgotten() {
        let answered = Answered::default();
        let fails = || async { Err(Problem::from(&Error::unavailable("not now"))) };
        let place = answered.place("a", "n", b"").unwrap();
        assert!(Arc::clone(&place).answer(of_none(), fails()).await.is_err());
        assert!(place.answer(of_none(), async { Ok(Bytes::from_static(b"{}")) }).await.is_ok());
        answered.place("b", "n", b"").unwrap();
        for n in 0..MOST {
            answered.place("a", &format!("n{n}"), b"").unwrap();
        }
        assert_eq!(answered.0.lock().unwrap().answers.len(), MOST);
        assert!(answered.place("a", "n", b"other").is_ok(), "its name is free again");
        let others = answered.place("b", "n", b"other");
        assert_eq!(others.unwrap_err().status(), 422, "names of one key push out none of another");
    }

    #[tokio::test]
    async fn work_goes_on_when_its_client_leaves_and_its_answer_is_there_for_who_asks_again() {
        let answered = Answered::default();
        let (go, wait) = tokio::sync::oneshot::channel::<()>();
        let first = answered.place("a", "n", b"").unwrap();
        let slow = async {
            wait.await.unwrap();
            Ok(Bytes::from_static(b"first"))
        };
        let left = tokio::time::timeout(Duration::from_millis(5), first.answer(of_none(), slow));
        assert!(left.await.is_err(), "the client gave up");
        go.send(()).unwrap();
        let again = answered.place("a", "n", b"").unwrap();
        let other = async { Ok(Bytes::from_static(b"second")) };
        let response =
            again.answer(of_none(), other).await.unwrap_or_else(IntoResponse::into_response);
        assert_eq!(response.headers()[&REPLAYED], "true");
        let body = axum::body::to_bytes(response.into_body(), 100).await.unwrap();
        assert_eq!(body, "first");
    }

    #[tokio::test]
    async fn the_answer_of_a_conversation_that_was_forgotten_is_not_given_again() {
        let (answered, store) = (Answered::default(), Arc::new(MemoryStore::new()));
        let asked = |name: &'static str, session: &str| {
            let of = (Arc::clone(&store) as Arc<dyn Store>, Some(session.to_owned()));
            let place = answered.place("a", name, b"asked").unwrap();
            place.answer(of, async { Ok(Bytes::from_static(b"{}")) })
        };
        for (name, session) in [("n", "gone"), ("m", "stays")] {
            assert!(asked(name, session).await.is_ok());
            assert!(asked(name, session).await.is_ok(), "it is given again");
        }
        store.forget("gone").await.unwrap();
        assert_eq!(asked("n", "gone").await.unwrap_err().record()["code"], "FAILED_PRECONDITION");
        assert!(asked("m", "stays").await.is_ok());
        for _ in 0..2 {
            assert!(asked("new", "gone").await.is_ok(), "a conversation that begins anew");
        }
    }

    #[test]
    fn what_a_name_spends_is_its_callers_own() {
        assert_eq!(spent_by(&Caller::local(), "n"), spent_by(&Caller::local(), "n"));
        assert_ne!(spent_by(&Caller::local(), "n"), spent_by(&Caller::local(), "m"));
    }
}
