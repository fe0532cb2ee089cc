//! Encoders of small random models beside what an independent implementation makes of the same files
//! (`reference/reference.py`), and folders that are damaged.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod accuracy;
mod damaged;
mod minilm;
mod support;
mod vocabulary;
