//! Vectors of the texts of a benchmark, each computed once: the same text is trained on with several
//! seeds.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use waypost::ports::encoder::Encoder;
use waypost_encoder::Precision;

use super::sets::Example;

/// Texts that are given to the encoder at a time.
const BATCH: usize = 64;

#[derive(Debug)]
pub(crate) struct Vectors {
    encoder: waypost_encoder::Encoder,
    known: Mutex<HashMap<String, Vec<f32>>>,
}

impl Vectors {
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
        let encoder = waypost_encoder::Encoder::open(folder, Precision::F32)?;
        Ok(Self { encoder, known: Mutex::default() })
    }

    /// Computes the vectors of `examples`, on two threads.
    pub(crate) fn know<'a>(
        &self,
        examples: impl Iterator<Item = &'a Example>,
    ) -> anyhow::Result<()> {
        let texts: Vec<&str> = examples.map(|example| example.text.as_str()).collect();
        let (left, right) = texts.split_at(texts.len() / 2);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| self.all(left));
            self.all(right)?;
            other.join().unwrap_or_else(|_| anyhow::bail!("a thread of the encoder panicked"))
        })
    }

    fn all(&self, texts: &[&str]) -> anyhow::Result<()> {
        for batch in texts.chunks(BATCH) {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let new: Vec<&str> =
                batch.iter().copied().filter(|text| !known.contains_key(*text)).collect();
            drop(known);
            let vectors = self.encoder.encode_batch(&new)?;
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.extend(new.iter().map(|text| (*text).to_owned()).zip(vectors));
        }
        Ok(())
    }

    /// The vector of a text.
    pub(crate) fn vector(&self, text: &str) -> anyhow::Result<Vec<f32>> {
        self.all(&[text])?;
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(known.get(text).cloned().unwrap_or_default())
    }
}

#[async_trait]
impl Encoder for Vectors {
    fn id(&self) -> &str {
        self.encoder.id()
    }

    fn dimensions(&self) -> usize {
        self.encoder.dimensions()
    }

    async fn encode(&self, text: &str) -> waypost::Result<Vec<f32>> {
        self.vector(text).map_err(|error| waypost::Error::internal(error.to_string()))
    }

    fn encode_all(&self, texts: &[&str]) -> waypost::Result<Vec<Vec<f32>>> {
        let encode = |text: &&str| self.vector(text);
        let all: anyhow::Result<Vec<Vec<f32>>> = texts.iter().map(encode).collect();
        all.map_err(|error| waypost::Error::internal(error.to_string()))
    }
}
