//! The examples that a model is shown: those that are most like the text.

use std::sync::OnceLock;

use waypost_learning::Neighbors;

use super::choices::of_example;
use super::worth::Worths;
use crate::pack::{Example, Pack};
use crate::student::heads::labelled;

/// Examples that are shown.
const SHOWN: usize = 6;
/// Of these so many of one choice, at most: a model that saw one choice alone would choose it.
const OF_ONE: usize = 3;

/// What a model is shown of a pack, and how far it is believed. One router has one.
#[derive(Debug, Default)]
pub struct Teaching {
    /// What its replies are worth.
    pub worths: Worths,
    examples: OnceLock<Option<Neighbors>>,
}

impl Teaching {
    /// A model of this worth.
    pub const fn new(worths: Worths) -> Self {
        Self { worths, examples: OnceLock::new() }
    }

    /// The examples that are most like a masked text, each with the name of what it asks for; the nearest last. The first
    /// call reads all examples, which takes a second for ten thousand.
    pub(super) fn shots<'a>(&self, pack: &'a Pack, masked: &str) -> Vec<(&'a Example, String)> {
        let Some(neighbors) = self.examples.get_or_init(|| read(pack)) else { return Vec::new() };
        let mut shots: Vec<(&Example, String)> = Vec::new();
        for (index, _) in neighbors.of(masked) {
            let Some(example) = pack.examples.get(index) else { continue };
            let name = of_example(pack, &example.route, &example.tools);
            let same = shots.iter().filter(|(_, other)| *other == name).count();
            if same < OF_ONE && example.tools.len() < 2 {
                shots.push((example, name));
            }
            if shots.len() == SHOWN {
                break;
            }
        }
        shots.reverse();
        shots
    }
}

fn read(pack: &Pack) -> Option<Neighbors> {
    let rows = labelled(pack).ok()?;
    Some(Neighbors::new(rows.iter().map(|row| row.text.as_str())))
}
