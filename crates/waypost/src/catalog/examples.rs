//! Texts that asked for a tool before: a new text that says nearly the same asks for it again, whatever is written about it.

use std::collections::HashMap;

use super::Asked;
use super::asked::Unit;

/// The most examples that are kept: more than people write, and far fewer than memory holds.
const MOST: usize = 100_000;

/// From this likeness on an example speaks for its tool.
const ALIKE: f32 = 0.4;

/// What an example of the very same words is worth, in the unit of a score: more than all words of a description.
const WORTH: f32 = 8.0;

/// Texts with the tools that they asked for, by their places.
#[derive(Debug, Default)]
pub(crate) struct Examples {
    all: Vec<Example>,
    /// The examples in which each stem stands.
    by_stem: HashMap<String, Vec<u32>>,
}

/// An example.
#[derive(Debug)]
struct Example {
    tool: usize,
    /// How much all of its words tell.
    telling: f32,
}

impl Examples {
    /// Takes an example of a tool.
    pub(crate) fn add(&mut self, tool: usize, asked: &Asked) {
        if self.all.len() >= MOST {
            return;
        }
        let number = self.all.len() as u32;
        let units = once(&asked.units);
        self.all.push(Example { tool, telling: units.iter().map(|unit| unit.telling).sum() });
        for unit in units {
            self.by_stem.entry(unit.stem.clone()).or_default().push(number);
        }
    }

    /// What the examples of each tool say for it; nothing for most.
    pub(crate) fn speak_for(&self, asked: &Asked) -> HashMap<usize, f32> {
        let units = once(&asked.units);
        let telling: f32 = units.iter().map(|unit| unit.telling).sum();
        let mut shared: HashMap<u32, f32> = HashMap::new();
        for unit in units {
            for example in self.by_stem.get(&unit.stem).into_iter().flatten() {
                *shared.entry(*example).or_default() += unit.telling;
            }
        }
        let mut worth: HashMap<usize, f32> = HashMap::new();
        for (number, shared) in shared {
            let example = &self.all[number as usize];
            let likeness = shared / (telling + example.telling - shared).max(f32::MIN_POSITIVE);
            let own = WORTH * ((likeness - ALIKE) / (1.0 - ALIKE)).max(0.0);
            let most = worth.entry(example.tool).or_default();
            *most = most.max(own);
        }
        worth
    }
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

    #[test]
    fn an_example_speaks_for_its_tool_as_far_as_a_text_is_like_it() {
        let read = |text: &str| Asked::read(text, Language::En);
        let mut examples = Examples::default();
        examples.add(3, &read("what happened to the harbor lately"));
        let same = examples.speak_for(&read("what happened to the harbor lately"));
        assert!((same[&3] - WORTH).abs() < 1e-3);
        let near = examples.speak_for(&read("what happened to the harbor yesterday"));
        assert!(near[&3] > 0.0 && near[&3] < WORTH);
        let far = examples.speak_for(&read("sing a song"));
        assert!(far.get(&3).is_none_or(|worth| *worth == 0.0));
    }
}
