//! Checks the sentence encoder: that its folder is whole, and what one text costs.

use std::sync::Arc;
use std::time::Instant;

use super::{Finding, Findings, Patient};
use crate::encoders;

/// A text of usual length.
const TEXT: &str = "how warm was the sea off the coast yesterday afternoon";

pub(super) fn encoder(patient: Arc<Patient>) -> Findings {
    Box::pin(async move {
        const WHAT: &str = "encoder";
        let Ok(config) = &patient.config else { return Vec::new() };
        let Some(name) = config.encoder.name.clone() else {
            return vec![Finding::ok(WHAT, "none is configured: the student reads words alone")];
        };
        let there = Arc::clone(&patient);
        // Weights of a few hundred megabytes are read: that is no work for this thread.
        let opened = tokio::task::spawn_blocking(move || {
            encoders::configured(there.config.as_ref().ok()?).transpose()
        });
        let encoder = match opened.await {
            Ok(Some(Ok(encoder))) => encoder,
            Ok(Some(Err(error))) => return vec![Finding::fail(WHAT, &error)],
            Ok(None) | Err(_) => return Vec::new(),
        };
        // The first text pays for what is prepared once.
        let warmed = encoder.encode(TEXT).await;
        let started = Instant::now();
        vec![match (warmed, encoder.encode(TEXT).await) {
            (Err(error), _) | (_, Err(error)) => Finding::fail(WHAT, &error),
            (Ok(_), Ok(vector)) => {
                let took = started.elapsed().as_secs_f64() * 1000.0;
                Finding::ok(
                    WHAT,
                    format!("`{name}`, {} numbers, {took:.1} ms a text", vector.len()),
                )
            }
        }]
    })
}
