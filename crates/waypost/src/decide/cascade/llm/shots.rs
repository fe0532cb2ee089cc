//! The examples that a model is shown: those that are most like the text.

use std::sync::OnceLock;

use waypost_learning::Neighbors;
use waypost_text::text::Text;

use super::choices::of_example;
use crate::pack::Pack;
use crate::pack::spec::{Selection, Shot};
use crate::student::heads::labelled;

/// Examples that are shown.
const SHOWN: usize = 6;
/// Of these so many of one choice, at most: a model that saw one choice alone would choose it.
const OF_ONE: usize = 3;

/// What a model is shown of a pack. One router has one.
#[derive(Debug, Default)]
pub struct Teaching {
    known: OnceLock<Option<Known>>,
    sets: OnceLock<Option<Sets>>,
}

/// The examples of a pack whose tools are judged one by one, with the heads that each asks for.
#[derive(Debug)]
struct Sets {
    examples: Vec<(String, Vec<String>)>,
    /// Their masked texts, in the same order.
    neighbors: Neighbors,
}

/// The examples of a pack, of one request each, and the shots of its prompts.
#[derive(Debug)]
struct Known {
    examples: Vec<Shown>,
    /// Their masked texts, in the same order.
    neighbors: Neighbors,
}

/// An example as a model sees it.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) text: String,
    /// The name of the choice that it asks for.
    pub(super) choice: String,
}

/// An example as a model sees it that judges one tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judged<'a> {
    pub(super) text: &'a str,
    /// True if it asks for the tool.
    pub(super) needed: bool,
}

impl Teaching {
    /// Nothing is read of the pack yet.
    pub const fn new() -> Self {
        Self { known: OnceLock::new(), sets: OnceLock::new() }
    }

    /// Reads the examples, which takes a second for ten thousand; without this the first question waits for it.
    pub fn read(&self, pack: &Pack) {
        match pack.spec.selection {
            Selection::PerTool => drop(self.sets.get_or_init(|| read_sets(pack))),
            Selection::Student | Selection::Catalog => drop(self.known.get_or_init(|| read(pack))),
        }
    }

    /// The examples of a pack whose tools are judged one by one, each with the heads that it asks for; those that are most like
    /// a masked text first.
    pub(super) fn near(&self, pack: &Pack, masked: &str) -> Vec<&(String, Vec<String>)> {
        let Some(sets) = self.sets.get_or_init(|| read_sets(pack)) else { return Vec::new() };
        let near = sets.neighbors.of(masked).into_iter();
        near.filter_map(|(index, _)| sets.examples.get(index)).collect()
    }

    /// The examples that are most like a masked text; the nearest last.
    pub(super) fn shots(&self, pack: &Pack, masked: &str) -> Vec<&Shown> {
        let Some(known) = self.known.get_or_init(|| read(pack)) else { return Vec::new() };
        let mut shots: Vec<&Shown> = Vec::new();
        for (index, _) in known.neighbors.of(masked) {
            let Some(example) = known.examples.get(index) else { continue };
            let same = shots.iter().filter(|other| other.choice == example.choice).count();
            if same < OF_ONE {
                shots.push(example);
            }
            if shots.len() == SHOWN {
                break;
            }
        }
        shots.reverse();
        shots
    }
}

/// Of examples, the nearest first, those that a model sees that judges a head: as many that ask for it as do not, the nearest
/// last.
pub(super) fn judged<'a>(near: &[&'a (String, Vec<String>)], head: &str) -> Vec<Judged<'a>> {
    let mut shots: Vec<Judged<'_>> = Vec::new();
    for (text, heads) in near {
        let needed = heads.iter().any(|own| own == head);
        if shots.iter().filter(|other| other.needed == needed).count() < OF_ONE {
            shots.push(Judged { text, needed });
        }
        if shots.len() == SHOWN {
            break;
        }
    }
    shots.reverse();
    shots
}

fn read_sets(pack: &Pack) -> Option<Sets> {
    let rows = labelled(pack).ok()?;
    let (examples, masked): (Vec<_>, Vec<String>) = pack
        .examples
        .iter()
        .zip(rows)
        .map(|(example, row)| ((example.text.clone(), row.tools), row.text))
        .unzip();
    Some(Sets { examples, neighbors: Neighbors::new(masked.iter().map(String::as_str)) })
}

fn read(pack: &Pack) -> Option<Known> {
    let rows = labelled(pack).ok()?;
    let examples = pack.examples.iter().zip(rows).filter(|(example, _)| example.tools.len() < 2);
    let examples = examples.map(|(example, row)| {
        let choice = of_example(pack, &example.route, &example.tools);
        (Shown { text: example.text.clone(), choice }, row.text)
    });
    let shots = pack.spec.prompts.shots.iter().filter_map(|shot| {
        let shown = Shown { text: shot.text.clone(), choice: choice(pack, shot)? };
        Some((shown, Text::new(&shot.text).normalized().to_owned()))
    });
    let (examples, masked): (Vec<Shown>, Vec<String>) = examples.chain(shots).unzip();
    Some(Known { examples, neighbors: Neighbors::new(masked.iter().map(String::as_str)) })
}

/// The choice that the reply of a shot names.
fn choice(pack: &Pack, shot: &Shot) -> Option<String> {
    let decision = &shot.reply["decision"];
    let decision = decision.as_str().or_else(|| decision[0].as_str())?;
    let tool = shot.reply["tool"]["name"].as_str().map(str::to_owned);
    Some(of_example(pack, decision, tool.as_slice()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pack::Files;

    const YAML: &str = "
name: p
summary: A test.
format: 1
languages: [en]
tz: UTC
fallback: help
routes:
  - { name: help, handler: explain, summary: It. }
  - { name: code, handler: code, summary: It. }
  - { name: chat, handler: converse, summary: It. }
";

    /// Examples by their route, each of four endings.
    const EXAMPLES: [(&str, &str, [&str; 4]); 3] = [
        ("help", "what is a tide", ["table", "gauge", "pool", "mill"]),
        ("code", "write a tide table", ["script", "program", "function", "test"]),
        ("chat", "hello", ["my friend", "everybody", "from me", "there"]),
    ];

    fn pack() -> Pack {
        let mut examples = String::new();
        for (route, beginning, endings) in EXAMPLES {
            for ending in endings {
                let text = format!("{beginning} {ending}");
                let line = json!({ "text": text, "lang": "en", "route": route });
                examples += &format!("{line}\n");
            }
        }
        let files = Files::from([
            ("pack.yaml".to_owned(), YAML.to_owned()),
            ("examples.jsonl".to_owned(), examples),
        ]);
        Pack::load(&files).expect("a pack without faults")
    }

    #[test]
    fn s0_27_the_nearest_are_shown_the_nearest_last_and_at_most_three_of_one_choice() {
        let (pack, teaching) = (pack(), Teaching::new());
        for text in ["what is a tide table", "write a tide table function"] {
            let shots = teaching.shots(&pack, text);
            assert_eq!(shots.last().map(|shot| shot.text.as_str()), Some(text), "{shots:?}");
            assert_eq!(shots.len(), 6, "{shots:?}");
            // A fourth of one choice is nearer than any of the chat, and both are left out.
            for (choice, wanted) in [("help", 3), ("code", 3), ("chat", 0)] {
                let own = shots.iter().filter(|shot| shot.choice == choice).count();
                assert_eq!(own, wanted, "{choice}: {shots:?}");
            }
        }
    }
}
