//! Values of an enumeration by the words that a pack gives for them.

use serde_json::{Value as Json, json};

use super::{Found, Wanted};
use crate::decision::Evidence;
use crate::matching::find_word;

pub(super) fn find(wanted: &Wanted<'_>) -> Option<Found> {
    let text = wanted.turn.text.normalized();
    let mut hits = wanted.annotation.values.iter().filter_map(|(value, naming)| {
        let word =
            naming.words.iter().find(|word| find_word(text, &word.to_lowercase()).is_some())?;
        Some((value, word))
    });
    let (value, word) = hits.next()?;
    // Two values named is a question for another layer, not a guess.
    if hits.next().is_some() {
        return None;
    }
    let list = wanted.tool.spec.schema.pointer(&format!("/properties/{}/type", wanted.name))
        == Some(&Json::from("array"));
    let value = if list { json!([value]) } else { json!(value) };
    Some(Found { value, evidence: Evidence::span(word.clone(), "words") })
}
