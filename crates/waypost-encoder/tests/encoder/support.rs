//! The small models of the repository, and copies of them to damage.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tempfile::TempDir;
use waypost_encoder::{Encoder, EncoderOptions, Level, Precision};

/// The folders of `fixtures`.
pub(crate) const MODELS: [&str; 3] = ["bert", "bert-bf16", "xlm-roberta"];

/// A text with its tokens and its vector, by the independent implementation.
#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) ids: Vec<u32>,
    pub(crate) vector: Vec<f32>,
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

pub(crate) fn cases(name: &str) -> Vec<Case> {
    let text = fs::read_to_string(fixture(name).join("reference.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

pub(crate) fn open(name: &str, precision: Precision, level: Level) -> Encoder {
    let options = EncoderOptions { precision, level: Some(level) };
    Encoder::open_with(&fixture(name), &options).unwrap()
}

/// A copy of a model that a test may damage.
pub(crate) fn copy(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("1_Pooling")).unwrap();
    let files = [
        "config.json",
        "tokenizer.json",
        "model.safetensors",
        "modules.json",
        "1_Pooling/config.json",
    ];
    for file in files {
        fs::copy(fixture(name).join(file), folder.path().join(file)).unwrap();
    }
    folder
}

pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
