//! The requests, with what a router in this process makes of them and how long that takes.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::sync::mpsc::{self, Sender};
use tokio::task::coop::unconstrained;
use tokio_util::sync::CancellationToken;
use waypost::records::answer::{Answer, Part};
use waypost::records::decision::{Decision, Outcome};
use waypost::records::request::Request;
use waypost::router::{AnswerOptions, Router};
use waypost::student::heads::train_student;

use super::client::{Exchange, Wanted, post};
use super::endpoint::Endpoint;
use super::peer::{self, Replies};
use crate::bench::samples;
use crate::bench::timing::percentiles;

/// The instant of every question.
const NOW: &str = "2025-11-06T09:00:00+08:00";

/// The time for the work on all questions of an endpoint here, over and over.
const ROUND: Duration = Duration::from_secs(1);

/// A number as the surface puts into each request for an answer. An id is as long with one as with
/// another.
const SALT: u64 = 1;

/// What stands in an answer before the record of the decision, which has the id in it.
const RECORD: &str = r#""raw":"#;

/// Questions, and the router that works on them in this process.
#[derive(Debug)]
pub(super) struct Asked {
    worker: Worker,
    questions: Vec<Question>,
}

#[derive(Debug)]
struct Question {
    endpoint: Endpoint,
    body: String,
    request: Request,
    reply: String,
    wanted: Wanted,
}

impl Asked {
    /// The questions of both endpoints, to the pack `ocean`.
    pub(super) fn ocean() -> Result<Self> {
        let pack = samples::load(&samples::ocean_files()?)?;
        let bundle = train_student(&pack, None, &mut |_| {})?;
        let worker = Worker::new(samples::router(pack, bundle));
        let mut questions = Vec::new();
        for endpoint in Endpoint::ALL {
            for text in endpoint.texts() {
                questions.push(worker.question(endpoint, text)?);
            }
        }
        Ok(Self { worker, questions })
    }

    /// What the peer replies: as many bytes as the server.
    pub(super) fn replies(&self) -> Replies {
        let mut replies = Replies::new();
        for Question { endpoint, body, reply, .. } in &self.questions {
            let of_path = replies.entry(endpoint.path().to_owned()).or_default();
            of_path.insert(body.clone(), reply.clone());
        }
        replies
    }

    /// The examples of the pack, by route.
    pub(super) fn examples(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut examples: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for example in &self.worker.router.pack().examples {
            examples.entry(&example.route).or_default().push(&example.text);
        }
        examples
    }

    /// Measures how long the work on each question takes now, on one thread: the median of the runs
    /// that `ROUND` has time for. The questions take turns as they do in the load: one that is
    /// asked again and again finds all that it needs in the nearest cache.
    ///
    /// # Errors
    ///
    /// If the work fails that did not before.
    pub(super) fn times(&self, endpoint: Endpoint) -> Result<Vec<Duration>> {
        let questions: Vec<&Question> = self.of(endpoint).collect();
        let mut times = vec![Vec::new(); questions.len()];
        let started = Instant::now();
        while started.elapsed() < ROUND {
            for (question, times) in questions.iter().zip(&mut times) {
                let (request, start) = (black_box(&question.request), Instant::now());
                match endpoint {
                    Endpoint::Route => drop(black_box(self.worker.decide(request)?)),
                    Endpoint::Answer => drop(black_box(self.worker.answer(request)?)),
                }
                times.push(start.elapsed());
            }
        }
        Ok(times.into_iter().map(|times| percentiles(times).p50).collect())
    }

    /// The requests to an endpoint as they are sent to both, with the time that the work on each
    /// takes.
    pub(super) fn exchanges(
        &self,
        endpoint: Endpoint,
        times: impl IntoIterator<Item = Duration>,
    ) -> Vec<Exchange> {
        let exchange = |(question, time): (&Question, Duration)| {
            let wait = time.as_nanos().to_string();
            Exchange {
                sent: post(endpoint.path(), &[(peer::WAIT, wait.as_str())], &question.body),
                wanted: question.wanted.clone(),
            }
        };
        self.of(endpoint).zip(times).map(exchange).collect()
    }

    fn of(&self, endpoint: Endpoint) -> impl Iterator<Item = &Question> {
        self.questions.iter().filter(move |question| question.endpoint == endpoint)
    }
}

/// The body of a request, of a session where one is named.
pub(super) fn body(text: &str, session: Option<&str>) -> String {
    let mut body = json!({ "text": text, "now": NOW });
    if let Some(session) = session {
        body["session"] = json!(session);
    }
    body.to_string()
}

/// The router, with what it wants beside a request. Its store takes what happened and keeps none of
/// it: keeping it is the server's own work, which the peer is spared.
#[derive(Debug)]
struct Worker {
    router: Router,
    /// Nobody takes the pieces, as where the whole answer is asked for.
    out: Sender<Part>,
    cancel: CancellationToken,
}

impl Worker {
    fn new(router: Router) -> Self {
        let (out, _) = mpsc::channel(1);
        Self { router, out, cancel: CancellationToken::new() }
    }

    /// Works on a question for the first time, and sees that it is one of those that are meant.
    fn question(&self, endpoint: Endpoint, text: &str) -> Result<Question> {
        let body = body(text, None);
        // As the surface reads it.
        let mut request = serde_json::from_str::<Request>(&body)?.distrusted();
        let (reply, wanted) = match endpoint {
            Endpoint::Route => {
                let decision = self.decide(&request)?;
                ensure!(decision.decision == Outcome::Run, "`{text}` should run");
                let reply = serde_json::to_string(&decision)?;
                (reply.clone(), Wanted::exactly(reply))
            }
            Endpoint::Answer => {
                request.salt = Some(SALT);
                let answer = self.answer(&request)?;
                let mode = answer.mode.as_str();
                let is_said = ["clarify", "refuse", "rephrase"].contains(&mode);
                ensure!(is_said, "`{text}` should be asked back or refused, and not `{mode}`");
                let reply = serde_json::to_string(&answer)?;
                let (start, _) = reply.split_once(RECORD).context("an answer has no record")?;
                let wanted = Wanted::beginning(start, Some(reply.len()));
                (reply, wanted)
            }
        };
        Ok(Question { endpoint, body, request, reply, wanted })
    }

    fn decide(&self, request: &Request) -> Result<Decision> {
        Ok(samples::at_once(self.router.route(request, &self.cancel))??)
    }

    fn answer(&self, request: &Request) -> Result<Answer> {
        let answer = self.router.answer(request, AnswerOptions::default(), &self.out, &self.cancel);
        // Unconstrained, as the runtime that measures would take so many pieces at a stretch for a
        // task that has to let others have their turn.
        Ok(samples::at_once(unconstrained(answer))??)
    }
}
