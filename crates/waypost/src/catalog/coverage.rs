//! Decides how much of what a text tells each tool covers by its words, from 0 to 1, so that a search may find nothing.
//!
//! A ranking always has a first place, and the share that a tool has of it says nothing of tools that are not there. This
//! measure is absolute: a word tells as much as it is rare, in everyday requests and among the tools.

use super::entry::Part;
use super::features::{Likeness, Meeting};
use super::{Asked, Catalog, Query, Sought};

/// What a meeting is worth in each part of a tool, in the order of [`Part::ALL`]: a name says what the tool is for, and an
/// argument may be about anything.
const PARTS: [f32; 4] = [1.0, 0.8, 0.5, 0.3];
/// What a meeting in a concept is worth beside one in the word itself.
const SYNONYM: f32 = 0.85;
/// What a meeting by vectors alone is worth at most, and how alike words must be for any.
const NEAR: f32 = 0.8;
const LEAST_ALIKE: f32 = 0.4;
/// A word that everyday requests use so often and that the lexicon does not know joins others, as "an" and "since" do.
const JOINING: f32 = 0.6;
/// What such a word tells beside what its rarity says.
const JOINS: f32 = 0.1;
/// The tools that are thought to stand beside those of the catalog: a word in four of twelve may still be rare.
const OTHER_TOOLS: usize = 100;
/// A text that tells less is covered by halves only: "the" alone finds nothing.
const LEAST_TOLD: f32 = 0.5;
/// What one word tells at most. Of a text that tells more, nobody expects a tool to say all.
const MOST_TOLD: f32 = 1.0;

impl Catalog {
    /// How much of what a text tells each of some tools covers, from 0 to 1.
    ///
    /// The constants and the threshold of a search are those that separate best what 80 invented servers (`spec/catalogs`)
    /// are asked for from what other servers are asked for, and from everyday requests.
    pub fn coverage(&self, asked: &Asked, tools: &[usize]) -> Vec<f32> {
        let query = self.query(asked);
        let likeness = Likeness::read(self, &query, tools);
        let weights: Vec<f32> = query.units.iter().map(|sought| self.told_by(sought)).collect();
        let told: f32 = weights.iter().sum();
        let covered = |tool: &usize| self.covered(*tool, &query, &likeness, &weights);
        let share = |covered: f32| (covered / told.clamp(LEAST_TOLD, MOST_TOLD)).min(1.0);
        tools.iter().map(covered).map(share).collect()
    }

    /// How much a text tells, in words that no everyday request and no tool has.
    pub fn tells(&self, asked: &Asked) -> f32 {
        self.query(asked).units.iter().map(|sought| self.told_by(sought)).sum()
    }

    /// The part of what the words of a text tell that a tool covers.
    fn covered(&self, tool: usize, query: &Query<'_>, likeness: &Likeness, weights: &[f32]) -> f32 {
        let fields = &self.entries[tool].fields;
        let words = query.units.iter().zip(weights).enumerate();
        words
            .map(|(at, (sought, weight))| {
                let met = Part::ALL.iter().map(|part| {
                    let place = *part as usize;
                    PARTS[place] * worth(Meeting::of(likeness, at, sought, &fields[place]))
                });
                weight * met.fold(0.0, f32::max)
            })
            .sum()
    }

    /// What a word tells. Its rarity in everyday requests counts twice, so that a few common words do not make up for the one
    /// that says what is wanted.
    fn told_by(&self, sought: &Sought<'_>) -> f32 {
        let telling = sought.unit.telling;
        let joins = sought.unit.concepts.is_empty() && telling < JOINING;
        let weight = telling * telling * if joins { JOINS } else { 1.0 };
        if sought.tools == 0 {
            return weight;
        }
        weight * super::rarity(self.len() + OTHER_TOOLS, sought.tools)
    }
}

fn worth(met: Meeting) -> f32 {
    if met.word {
        1.0
    } else if met.concept {
        SYNONYM
    } else {
        NEAR * ((met.near - LEAST_ALIKE) / (1.0 - LEAST_ALIKE)).max(0.0)
    }
}
