//! Turns as a surface runs them: at most so many at once, each in a task of its own on the threads
//! that decide, stopped when its client leaves or the program ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::mpsc::Sender;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument as _;
use waypost::records::answer::{Answer, Part};
use waypost::records::request::Request;
use waypost::router::{AnswerOptions, Router};
use waypost::{Code, Error, Result};

use super::request_log;
use super::shares::{Share, Shares};

/// The requests that wait for the turns of their conversations before them, for each turn at work. One conversation has at
/// most [`MAX_TURNS`](waypost::ports::turns::MAX_TURNS) of them.
const WAITING: usize = 4;
/// How long a request whose turn has come waits for a place, where clients are told to come again: the turn before it
/// gives its own back in less.
const HANDED_OVER: Duration = Duration::from_secs(1);

/// The places for turns, and the threads on which they run.
#[derive(Debug)]
pub(super) struct Turns {
    threads: Handle,
    /// The turns at work.
    places: Shares,
    /// The requests that wait for turns before them; they hold no place.
    waiting: Shares,
    /// How long a request whose turn has come waits for a place; `None` if as long as it takes.
    patience: Option<Duration>,
    /// Fires when turns under way are cancelled.
    work: CancellationToken,
}

/// A request that was let in.
#[derive(Debug)]
pub(super) enum Admitted {
    /// It is of no conversation, and has a place.
    Works(Share),
    /// It may wait for its turn.
    Waits(Share),
}

/// A turn under way; dropping it stops it.
#[derive(Debug)]
pub(super) struct Running<T> {
    done: JoinHandle<Result<T>>,
    _client: DropGuard,
}

impl Turns {
    /// Places for `limit` turns on the threads of the runtime that calls; `work` cancels them all.
    pub(super) fn here(limit: usize, work: CancellationToken) -> Self {
        let (places, waiting) = (Shares::new(limit), Shares::new(limit.saturating_mul(WAITING)));
        let patience = Some(HANDED_OVER);
        Self { threads: Handle::current(), places, waiting, patience, work }
    }

    /// The same for one client, whose requests wait as long as it takes.
    pub(super) fn patient(self) -> Self {
        Self { patience: None, ..self }
    }

    /// The most turns at work at once.
    pub(super) fn limit(&self) -> usize {
        self.places.limit()
    }

    /// The number of turns at work.
    pub(super) fn under_way(&self) -> usize {
        self.places.held()
    }

    /// The number of requests that wait for turns before them.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.held()
    }

    /// Takes a place for an owner (the id of a key).
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if there is none for it.
    pub(super) fn place(&self, owner: Option<&str>) -> Result<Share> {
        self.places.take(owner).ok_or_else(|| self.places.refusal("turns"))
    }

    /// Waits for a place.
    pub(super) async fn wait_for_place(&self, owner: Option<&str>) -> Result<Share> {
        self.places.wait(owner).await
    }

    /// Lets a request in, if there is a place for it or, where the turns of its conversation before it may take theirs, there
    /// could be.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if all places of its owner are taken, or too many of its requests wait.
    pub(super) fn admit(&self, request: &Request) -> Result<Admitted> {
        let owner = request.owner.as_deref();
        if request.session.is_none() {
            return self.place(owner).map(Admitted::Works);
        }
        if !self.places.has_room(owner) {
            return Err(self.places.refusal("turns"));
        }
        let waits = self.waiting.take(owner).map(Admitted::Waits);
        waits.ok_or_else(|| self.waiting.refusal("requests that wait"))
    }

    /// Lets a request in as soon as that can be.
    pub(super) async fn admit_in_time(&self, request: &Request) -> Result<Admitted> {
        let owner = request.owner.as_deref();
        match request.session {
            None => self.wait_for_place(owner).await.map(Admitted::Works),
            Some(_) => self.waiting.wait(owner).await.map(Admitted::Waits),
        }
    }

    /// Begins the answer to a request that was let in: it has a place once the turns of its conversation before it have ended.
    pub(super) fn answer(
        &self,
        admitted: Admitted,
        router: Arc<Router>,
        request: Arc<Request>,
        options: AnswerOptions,
        out: Sender<Part>,
    ) -> Running<Answer> {
        let (places, patience) = (self.places.clone(), self.patience);
        self.spawn(move |cancel| async move {
            let began = Instant::now();
            let answer = async {
                let turn = router.wait_for_turn(&request, &cancel).await?;
                let _place = match admitted {
                    Admitted::Works(place) => place,
                    Admitted::Waits(waits) => {
                        let place = place_of(&places, patience, request.owner.as_deref());
                        let place = cancel.run_until_cancelled(place).await;
                        drop(waits);
                        place.unwrap_or_else(|| Err(stopped()))?
                    }
                };
                router.answer_in_turn(turn, &request, options, &out, &cancel).await
            };
            let answer = answer.await;
            request_log::turn(&request, &router.pack().spec.name, &answer, began.elapsed());
            answer
        })
    }

    /// Begins other work in a place.
    pub(super) fn begin<T, F>(
        &self,
        place: Share,
        work: impl FnOnce(CancellationToken) -> F,
    ) -> Running<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        self.spawn(|cancel| {
            let work = work(cancel);
            async move {
                let result = work.await;
                drop(place);
                result
            }
        })
    }

    /// Begins work in a task of its own, so that a turn whose client leaves ends as one that was cancelled does: tools are
    /// told, and nothing is left half done.
    fn spawn<T, F>(&self, work: impl FnOnce(CancellationToken) -> F) -> Running<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let cancel = self.work.child_token();
        let (client, left) = (cancel.clone().drop_guard(), cancel.clone());
        let work = work(cancel);
        let done = async move {
            // Where threads are scarce, nothing is decided for who has left meanwhile.
            match left.is_cancelled() {
                true => Err(stopped()),
                false => work.await,
            }
        };
        // What it logs names the request.
        let done = self.threads.spawn(done.in_current_span());
        Running { done, _client: client }
    }

    /// Runs other work on the threads of the turns, such as reading a large body.
    pub(super) fn beside<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.threads.spawn(work)
    }

    /// Cancels what runs.
    pub(super) fn cancel(&self) {
        self.work.cancel();
    }

    /// Waits until all are to be cancelled.
    pub(super) async fn cancelled(&self) {
        self.work.cancelled().await;
    }

    /// Waits until nothing runs: a turn whose client has gone outlives its connection for a moment.
    pub(super) async fn ended(&self) {
        // Those that wait take places before they are counted out here.
        self.waiting.ended().await;
        self.places.ended().await;
    }
}

/// Waits for the place of a request whose turn has come.
async fn place_of(
    places: &Shares,
    patience: Option<Duration>,
    owner: Option<&str>,
) -> Result<Share> {
    let Some(patience) = patience else { return places.wait(owner).await };
    let waited = tokio::time::timeout(patience, places.wait(owner)).await;
    waited.unwrap_or_else(|_| Err(places.refusal("turns")))
}

fn stopped() -> Error {
    Error::new(Code::Cancelled, "the request was stopped")
}

impl<T> Running<T> {
    /// Waits until the turn ends, and returns its result.
    pub(super) async fn end(self) -> Result<T> {
        match self.done.await {
            // The client would have gone with this; the program is ending.
            Ok(Err(error)) if error.code() == Code::Cancelled => {
                Err(Error::unavailable("the server is stopping").with_hint("ask again in a second"))
            }
            Ok(result) => result,
            // A panic: its words are for the log.
            Err(error) => Err(Error::internal(error.to_string())),
        }
    }
}
