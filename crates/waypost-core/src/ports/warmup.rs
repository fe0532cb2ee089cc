//! Wakes models before somebody waits for them: a local server loads one with its first request,
//! and that takes longer than the answer. Source: S4-21.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::ports::model::{Message, Model, Prompt, Slot, Speaker};

/// The longest wait for one model; a large one is read from a slow disk.
const TIMEOUT: Duration = Duration::from_secs(180);
/// The words of the request: as little as a model can be asked.
const WORDS: &str = "Reply with: ok";
/// The longest reply, in tokens. Nobody reads it.
const MAX_TOKENS: u32 = 1;

/// Asks each model of `slots` once for next to nothing, one after the other, and returns the faults
/// by slot. Slots that share a model share the request; two models are two requests.
pub async fn warm(
    models: &BTreeMap<Slot, Arc<dyn Model>>,
    slots: &[Slot],
    cancel: &CancellationToken,
) -> Vec<(Slot, Error)> {
    let mut faults = Vec::new();
    for (slot, model) in distinct(models, slots) {
        if let Err(error) = model.complete(&prompt(), cancel).await {
            faults.push((slot, error));
        }
    }
    faults
}

/// The models behind the slots, each once; a slot without a model of its own uses `main`.
fn distinct<'a>(
    models: &'a BTreeMap<Slot, Arc<dyn Model>>,
    slots: &[Slot],
) -> Vec<(Slot, &'a Arc<dyn Model>)> {
    let mut distinct: Vec<(Slot, &Arc<dyn Model>)> = Vec::new();
    for slot in slots {
        let Some(model) = models.get(slot).or_else(|| models.get(&Slot::Main)) else { continue };
        if !distinct.iter().any(|(_, known)| Arc::ptr_eq(known, model)) {
            distinct.push((*slot, model));
        }
    }
    distinct
}

fn prompt() -> Prompt {
    Prompt {
        messages: vec![Message { role: Speaker::User, content: WORDS.to_owned() }],
        schema: None,
        tool_tokens: 0,
        max_tokens: MAX_TOKENS,
        temperature: 0.0,
        timeout: TIMEOUT,
    }
}
