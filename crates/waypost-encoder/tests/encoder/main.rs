//! Compares encoders of small random models with an independent implementation on the same files
//! (`reference/reference.py`), and opens folders that are damaged.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod accuracy;
mod damaged;
mod minilm;
mod support;
mod vocabulary;
