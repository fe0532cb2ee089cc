//! The questions that are asked: those of the speed benchmark, with the decisions that a router
//! here makes of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use waypost::records::decision::Outcome;
use waypost::records::request::Request;
use waypost::router::Router;
use waypost::student::heads::train_student;

use super::client::{Exchange, post};
use super::{PATH, peer};
use crate::bench::samples::{self, QUESTIONS};
use crate::bench::timing::percentiles;

/// The instant of every question.
const NOW: &str = "2025-11-06T09:00:00+08:00";

/// The time for deciding them all here, over and over.
const ROUND: Duration = Duration::from_secs(1);

/// Questions, and the router that decides them in this process.
#[derive(Debug)]
pub(super) struct Asked {
    router: Router,
    questions: Vec<Question>,
}

#[derive(Debug)]
struct Question {
    body: String,
    request: Request,
    answer: String,
}

impl Asked {
    /// The question of twelve words in each language, to the pack `ocean`.
    pub(super) fn ocean() -> Result<Self> {
        let pack = samples::load(&samples::ocean_files()?)?;
        let bundle = train_student(&pack, None, &mut |_| {})?;
        let router = samples::router(pack, bundle);
        let questions = QUESTIONS.map(|(_, [text, _])| question(&router, text));
        Ok(Self { questions: questions.into_iter().collect::<Result<_>>()?, router })
    }

    /// The answer to each body.
    pub(super) fn answers(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.questions.iter().map(|it| (it.body.clone(), it.answer.clone()))
    }

    /// Measures how long deciding each question takes now, on one thread: the median of the runs
    /// that `ROUND` has time for. The questions take turns as they do in the load: one that is
    /// asked again and again finds all that it needs in the nearest cache.
    pub(super) fn decide(&self) -> Vec<Duration> {
        let cancel = CancellationToken::new();
        let mut times = vec![Vec::new(); self.questions.len()];
        let started = Instant::now();
        while started.elapsed() < ROUND {
            for (question, times) in self.questions.iter().zip(&mut times) {
                let start = Instant::now();
                let decision = self.router.route(black_box(&question.request), &cancel);
                let _ = black_box(samples::at_once(decision));
                times.push(start.elapsed());
            }
        }
        times.into_iter().map(|times| percentiles(times).p50).collect()
    }

    /// The requests as they are sent to both, with the time that each decision takes.
    pub(super) fn exchanges(&self, times: &[Duration]) -> Vec<Exchange> {
        let exchange = |(question, time): (&Question, &Duration)| Exchange {
            sent: post(PATH, (peer::WAIT, &time.as_nanos().to_string()), &question.body),
            wanted: question.answer.clone().into_bytes(),
        };
        self.questions.iter().zip(times).map(exchange).collect()
    }
}

fn question(router: &Router, text: &str) -> Result<Question> {
    let body = json!({ "text": text, "now": NOW }).to_string();
    // As the surface reads it.
    let request = serde_json::from_str::<Request>(&body)?.distrusted();
    let decision = samples::at_once(router.route(&request, &CancellationToken::new()))??;
    ensure!(decision.decision == Outcome::Run, "`{text}` should run");
    Ok(Question { body, request, answer: serde_json::to_string(&decision)? })
}
