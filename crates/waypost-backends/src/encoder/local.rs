//! Sentence encoders of this machine behind the trait of the library.
//!
//! Requests wait in one bounded queue, and a few threads of their own compute. A thread takes all
//! requests that wait, up to a batch, and never waits for more to come: a request that is alone is
//! computed at once, and requests that come while the threads are busy are computed together, which
//! reads the weights once for all of them.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use waypost_core::{Code, Error, Result};
use waypost_encoder::{EncoderOptions, Kind, Level, Outline, Precision};

/// Requests that may wait; a later one waits for a place.
const QUEUE: usize = 256;
/// Requests that are computed together at most. From eight questions of a dozen tokens on, reading
/// the weights no longer takes most of the time; more would only make the first of them wait
/// longer.
const BATCH: usize = 8;
/// Threads that compute at most; each is busy on a core of its own.
const MAX_THREADS: usize = 8;
/// Texts that a thread takes at a time when all are known beforehand.
const CHUNK: usize = 32;

/// An encoder from a folder, with its threads. They end when it is dropped.
#[derive(Debug)]
pub struct LocalEncoder {
    encoder: Arc<waypost_encoder::Encoder>,
    queue: mpsc::Sender<Job>,
}

/// A text that waits for its vector.
#[derive(Debug)]
struct Job {
    text: String,
    reply: oneshot::Sender<Result<Vec<f32>>>,
}

impl LocalEncoder {
    /// Opens the encoder of a folder and starts its threads, one a core.
    ///
    /// # Errors
    ///
    /// The error of [`waypost_encoder::Encoder::open`] for the folder, in the codes of the library.
    pub fn open(folder: &Path, precision: Precision) -> Result<Self> {
        Self::open_on(folder, precision, None, cores())
    }

    /// Opens it on certain instructions and with so many threads; for measurements.
    ///
    /// # Errors
    ///
    /// As [`LocalEncoder::open`]; `UNAVAILABLE` if the system has no thread for it.
    pub fn open_on(
        folder: &Path,
        precision: Precision,
        level: Option<Level>,
        threads: usize,
    ) -> Result<Self> {
        let options = EncoderOptions { precision, level };
        let encoder = waypost_encoder::Encoder::open_with(folder, &options)
            .map_err(|error| fault(folder, &error))?;
        let encoder = Arc::new(encoder);
        let (queue, jobs) = mpsc::channel(QUEUE);
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..threads.clamp(1, MAX_THREADS) {
            let (encoder, jobs) = (Arc::clone(&encoder), Arc::clone(&jobs));
            let worker = thread::Builder::new().name("waypost-encoder".to_owned());
            worker.spawn(move || while work(&encoder, &jobs).is_some() {}).map_err(|error| {
                Error::unavailable("there is no thread for the encoder")
                    .with_detail(error.to_string())
            })?;
        }
        Ok(Self { encoder, queue })
    }

    /// The encoder itself, for callers that need its tokens and their rows.
    pub fn inner(&self) -> &waypost_encoder::Encoder {
        &self.encoder
    }
}

#[async_trait]
impl waypost_core::ports::encoder::Encoder for LocalEncoder {
    fn id(&self) -> &str {
        self.encoder.id()
    }

    fn kernel(&self) -> &str {
        self.encoder.level().name()
    }

    fn dimensions(&self) -> usize {
        self.encoder.dimensions()
    }

    async fn encode(&self, text: &str) -> Result<Vec<f32>> {
        let gone = || Error::internal("the threads of the encoder have ended");
        let (reply, vector) = oneshot::channel();
        let job = Job { text: text.to_owned(), reply };
        self.queue.send(job).await.map_err(|_| gone())?;
        vector.await.map_err(|_| gone())?
    }

    fn encode_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let chunks: Vec<&[&str]> = texts.chunks(CHUNK).collect();
        let next = AtomicUsize::new(0);
        let vectors = Mutex::new(vec![Ok(Vec::new()); chunks.len()]);
        let worker = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(chunk) = chunks.get(at) else { break };
                let encoded = self.encoder.encode_batch(chunk).map_err(|error| told(&error));
                vectors.lock().unwrap_or_else(PoisonError::into_inner)[at] = encoded;
            }
        };
        thread::scope(|scope| {
            let more = cores().min(chunks.len()).saturating_sub(1);
            (0..more).for_each(|_| {
                scope.spawn(worker);
            });
            worker();
        });
        let vectors = vectors.into_inner().unwrap_or_else(PoisonError::into_inner);
        let vectors: Result<Vec<Vec<Vec<f32>>>> = vectors.into_iter().collect();
        Ok(vectors?.into_iter().flatten().collect())
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// Computes one batch and returns its size; `None` when nobody can ask any more.
fn work(encoder: &waypost_encoder::Encoder, jobs: &Mutex<mpsc::Receiver<Job>>) -> Option<usize> {
    let mut batch = Vec::with_capacity(BATCH);
    {
        // The others wait here for their turn to take, not for this one to compute.
        let mut jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
        batch.push(jobs.blocking_recv()?);
        while batch.len() < BATCH {
            let Ok(job) = jobs.try_recv() else { break };
            batch.push(job);
        }
    }
    // Nobody waits for these any more.
    batch.retain(|job| !job.reply.is_closed());
    let texts: Vec<&str> = batch.iter().map(|job| job.text.as_str()).collect();
    let vectors: Vec<Result<Vec<f32>>> = match encoder.encode_batch(&texts) {
        Ok(vectors) => vectors.into_iter().map(Ok).collect(),
        // The fault of one text is not the fault of the others.
        Err(_) => {
            texts.iter().map(|text| encoder.encode(text).map_err(|error| told(&error))).collect()
        }
    };
    let count = batch.len();
    for (job, vector) in batch.into_iter().zip(vectors) {
        // A caller that has gone meanwhile misses nothing.
        let _ = job.reply.send(vector);
    }
    Some(count)
}

/// Returns the outline of a folder's encoder without reading its weights.
///
/// # Errors
///
/// As [`LocalEncoder::open`].
pub fn outline(folder: &Path) -> Result<Outline> {
    waypost_encoder::outline(folder).map_err(|error| fault(folder, &error))
}

/// The fault of a folder, which it names.
fn fault(folder: &Path, error: &waypost_encoder::Error) -> Error {
    let told = told(error);
    let message = format!("the encoder in `{}`: {}", folder.display(), told.message());
    let named = Error::new(told.code(), message);
    match error.advice() {
        Some(advice) => named.with_hint(advice),
        None => named,
    }
}

fn told(error: &waypost_encoder::Error) -> Error {
    let code = match error.kind() {
        Kind::NotFound => Code::NotFound,
        Kind::Unreadable => Code::Unavailable,
        Kind::Invalid => Code::FailedPrecondition,
        Kind::Unsupported => Code::Unimplemented,
    };
    Error::new(code, error.message())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests that wait are computed together up to a batch; those whose callers left are not
    /// computed.
    #[test]
    fn a_batch_is_what_waits_without_those_who_left() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../waypost-encoder/fixtures/bert");
        let encoder = waypost_encoder::Encoder::open(folder.as_ref(), Precision::F32).unwrap();
        let (queue, jobs) = mpsc::channel(QUEUE);
        let jobs = Mutex::new(jobs);
        let mut replies: Vec<_> = (0..BATCH + 3)
            .map(|at| {
                let (reply, vector) = oneshot::channel();
                queue.try_send(Job { text: format!("tide {at}"), reply }).unwrap();
                vector
            })
            .collect();
        drop(replies.drain(1..3));
        drop(queue);
        assert_eq!(work(&encoder, &jobs), Some(BATCH - 2));
        assert_eq!(work(&encoder, &jobs), Some(3));
        assert_eq!(work(&encoder, &jobs), None);
        for mut vector in replies {
            assert_eq!(vector.try_recv().unwrap().unwrap().len(), 48);
        }
    }
}
