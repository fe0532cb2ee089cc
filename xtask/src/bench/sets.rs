//! Reads the public sets: a folder each, `train`, `valid` and `test` as JSON lines.

use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use waypost::learning::Labelled;
use waypost::text::Text;

/// A text, normalized, and its label.
#[derive(Clone, Deserialize)]
pub(crate) struct Example {
    pub(crate) text: String,
    pub(crate) label: String,
}

/// The rows of `data/set/split.jsonl`.
pub(crate) fn read(data: &Path, set: &str, split: &str) -> anyhow::Result<Vec<Example>> {
    let path = data.join(set).join(format!("{split}.jsonl"));
    let content = std::fs::read_to_string(&path).with_context(|| {
        format!("cannot read `{}`; give the folder with --data", path.display())
    })?;
    let parse = |line: &str| -> anyhow::Result<Example> {
        let mut example: Example = serde_json::from_str(line)?;
        example.text = Text::new(&example.text).normalized().trim().to_owned();
        Ok(example)
    };
    content.lines().filter(|line| !line.trim().is_empty()).map(parse).collect()
}

/// The first `shots` examples of each label after shuffling with `seed`.
pub(crate) fn few(examples: &[Example], shots: usize, seed: u64) -> Vec<Example> {
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut state = seed;
    for end in (1..order.len()).rev() {
        order.swap(end, (next(&mut state) % (end as u64 + 1)) as usize);
    }
    let mut counts = std::collections::BTreeMap::new();
    let mut kept = Vec::new();
    for at in order {
        let count = counts.entry(&examples[at].label).or_insert(0);
        if *count < shots {
            *count += 1;
            kept.push(examples[at].clone());
        }
    }
    kept
}

/// SplitMix64.
pub(crate) fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut x = *state;
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The same rows as the student wants them.
pub(crate) fn labelled(examples: &[Example]) -> Vec<Labelled> {
    let row = |example: &Example| Labelled {
        text: example.text.clone(),
        language: Some("en".to_owned()),
        route: example.label.clone(),
        tools: Vec::new(),
        weight: 1.0,
    };
    examples.iter().map(row).collect()
}
