//! Texts that asked for a tool before, or for something that none serves: a new text that says nearly the same asks for it
//! again, whatever is written about the tools. One that says the very same surely does.

use std::collections::{BTreeMap, HashMap};

use super::Asked;
use super::asked::Unit;

/// The most examples that are kept: more than people write, and far fewer than memory holds.
const MOST: usize = 100_000;

/// The examples of a tool that speak for it: the nearest ones.
const NEAREST: usize = 20;

/// What one example of the very same words is worth, in the unit of a score: more than all words of a description.
const WORTH: f32 = 8.0;

/// The most that examples are worth together, in examples of nearly the same words.
const ENOUGH: f32 = 3.0;

/// What an example of the very same text is worth: more than all others, and than a student.
const SAME: f32 = 64.0;

/// The place of what no tool serves.
pub(crate) const OUTSIDE: usize = usize::MAX;

/// Texts with the tools that they asked for, by their places.
#[derive(Debug, Default)]
pub(crate) struct Examples {
    all: Vec<Example>,
    /// The examples in which each stem stands, and how much it tells.
    by_stem: HashMap<String, (f32, Vec<u32>)>,
    /// The tools that each text asked for.
    by_text: HashMap<String, Vec<usize>>,
}

/// An example.
#[derive(Debug)]
struct Example {
    tool: usize,
    /// The length of its vector.
    length: f32,
}

impl Examples {
    /// Reads texts, each with the tool that it asked for.
    pub(crate) fn read(texts: &[(usize, Asked)]) -> Self {
        let mut by_stem: HashMap<String, (f32, Vec<u32>)> = HashMap::new();
        let texts = &texts[..texts.len().min(MOST)];
        let mut by_text: HashMap<String, Vec<usize>> = HashMap::new();
        // Nothing but values is no text of its own.
        for (tool, asked) in texts.iter().filter(|(_, asked)| !asked.said.is_empty()) {
            by_text.entry(asked.said.clone()).or_default().push(*tool);
        }
        for (number, (_, asked)) in texts.iter().enumerate() {
            for unit in once(&asked.units) {
                let (tells, examples) = by_stem.entry(unit.stem.clone()).or_default();
                *tells = unit.telling;
                examples.push(number as u32);
            }
        }
        for (tells, examples) in by_stem.values_mut() {
            *tells *= rarity(texts.len(), examples.len());
        }
        let mut all: Vec<Example> =
            texts.iter().map(|(tool, _)| Example { tool: *tool, length: 0.0 }).collect();
        for (tells, examples) in by_stem.values() {
            examples.iter().for_each(|number| all[*number as usize].length += tells * tells);
        }
        all.iter_mut().for_each(|example| example.length = example.length.sqrt());
        Self { all, by_stem, by_text }
    }

    /// What the examples of each tool say for it; nothing for those that have no word in common with the text.
    pub(crate) fn speak_for(&self, asked: &Asked) -> BTreeMap<usize, f32> {
        if self.all.is_empty() {
            return BTreeMap::new();
        }
        let mut shared = vec![0.0f32; self.all.len()];
        let mut length = 0.0f32;
        for unit in once(&asked.units) {
            let unknown = || unit.telling * rarity(self.all.len(), 0);
            let found = self.by_stem.get(&unit.stem);
            let tells = found.map_or_else(unknown, |(tells, _)| *tells);
            length += tells * tells;
            for number in found.into_iter().flat_map(|(_, examples)| examples) {
                shared[*number as usize] += tells * tells;
            }
        }
        let length = length.sqrt();
        let mut alike: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
        for (example, shared) in self.all.iter().zip(shared).filter(|(_, shared)| *shared > 0.0) {
            alike.entry(example.tool).or_default().push(shared / (length * example.length));
        }
        let mut worth: BTreeMap<usize, f32> =
            alike.into_iter().map(|(tool, alike)| (tool, worth(alike))).collect();
        for tool in self.by_text.get(&asked.said).into_iter().flatten() {
            worth.insert(*tool, SAME);
        }
        worth
    }
}

/// What the examples of a tool are worth together, by their cosines with a text. Those that are little alike count next to
/// nothing, and many that are rather alike as much as one that is the same.
fn worth(mut alike: Vec<f32>) -> f32 {
    alike.sort_by(|a, b| b.total_cmp(a));
    let all: f32 = alike.iter().take(NEAREST).map(|cosine| cosine.powi(3)).sum();
    WORTH * all.min(ENOUGH)
}

/// How rare a stem is that `some` of `all` examples have, above 0.
fn rarity(all: usize, some: usize) -> f32 {
    (1.0 + all as f32 / (1.0 + some as f32)).ln()
}

/// The words of a text, each once.
fn once(units: &[Unit]) -> Vec<&Unit> {
    let mut units: Vec<&Unit> = units.iter().collect();
    units.sort_by(|a, b| a.stem.cmp(&b.stem));
    units.dedup_by(|a, b| a.stem == b.stem);
    units
}

#[cfg(test)]
mod tests {
    use waypost_text::language::Language;

    use super::*;

    fn read(text: &str) -> Asked {
        Asked::read(text, Language::En)
    }

    #[test]
    fn an_example_speaks_for_its_tool_as_far_as_a_text_is_like_it() {
        let texts = [(3, read("what happened to the harbor lately")), (4, read("sing it again"))];
        let examples = Examples::read(&texts);
        let same = examples.speak_for(&read("what happened to the harbor lately"));
        assert!((same[&3] - SAME).abs() < 1e-3, "{same:?}");
        let so = examples.speak_for(&read("so what happened to the harbor lately"));
        assert!(so[&3] > 0.8 * WORTH && so[&3] <= WORTH, "{so:?}");
        let near = examples.speak_for(&read("what happened to the harbor yesterday"));
        assert!(near[&3] > 0.1 * WORTH && near[&3] < WORTH, "{near:?}");
        let far = examples.speak_for(&read("dance"));
        assert!(far.is_empty(), "{far:?}");
    }

    #[test]
    fn many_examples_speak_louder_than_one_that_is_as_like() {
        assert!(worth(vec![0.5; 3]) > worth(vec![0.5]));
        assert!(worth(vec![0.5; 3]) < worth(vec![1.0]));
        assert!((worth(vec![1.0; 50]) - ENOUGH * WORTH).abs() < 1e-3);
    }

    #[test]
    fn the_very_same_text_speaks_louder_than_all_others_and_for_what_no_tool_serves_too() {
        let others = (0..30).map(|n| (1, read(&format!("show the harbor of day {n}"))));
        let own = [(0, read("show the harbor")), (OUTSIDE, read("who built the harbor"))];
        let examples = Examples::read(&others.chain(own).collect::<Vec<_>>());
        let said = examples.speak_for(&read("Show the harbor!"));
        assert!(said[&0] > 2.0 * said[&1], "{said:?}");
        assert!(examples.speak_for(&read("who built the harbor?"))[&OUTSIDE] >= SAME);
    }
}
