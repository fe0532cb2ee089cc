//! Chooses among tools by what is written about them: their names, descriptions, arguments and examples.
//!
//! It serves packs that nobody has written examples for, such as the tools of any MCP server, and is one mechanism for five
//! tools and for ten thousand. Words meet in their stems, in concepts of a lexicon (which holds synonyms and the words of
//! other languages) and in the vectors of the static table; a trained weighting (`weights`) says what each meeting is worth.
//! It knows neither packs nor turns, does not fill arguments, and says nothing of what may run.

mod asked;
mod coverage;
mod entry;
pub(crate) mod examples;
pub mod features;
pub mod learn;
pub(crate) mod lexicon;
mod meaning;
pub(crate) mod stem;
mod telling;
mod vectors;
pub mod weights;
mod words;

pub use asked::Asked;
pub use entry::Written;
pub(crate) use lexicon::phrasings;
pub(crate) use words::spelled;

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use entry::{Entry, Word, Words};
use examples::{Examples, OUTSIDE};
use features::Candidate;
use lexicon::Concept;
use meaning::Meanings;
use waypost_core::Result;
use waypost_core::ports::encoder::Encoder;
use waypost_text::language::Language;
use weights::Beside;

use vectors::{Short, cosine, push_short};

/// Tools that are compared with a text one by one: the nearest by their words, where there are more.
const NEAREST: usize = 48;

/// The tools of a pack, read once.
#[derive(Debug, Default)]
pub struct Catalog {
    entries: Vec<Entry>,
    words: Words,
    /// The tools in which each word stands.
    by_word: Vec<Vec<u32>>,
    /// How rare each word is among the tools, from 0 to 1.
    rarities: Vec<f32>,
    /// The tools that speak of each concept.
    by_concept: HashMap<Concept, Vec<u32>>,
    /// The entries of a vector.
    dimensions: usize,
    /// The vectors of all tools, and of all words, one behind the other.
    vectors: Vec<i16>,
    of_words: Vec<i16>,
    examples: Examples,
    /// The tools that have examples, each with their languages.
    shown: HashSet<(usize, Language)>,
    meanings: OnceLock<Option<Meanings>>,
}

impl Catalog {
    /// Reads what is written about tools, and texts that none of them serves, each with its language.
    pub fn read<'a>(
        tools: impl IntoIterator<Item = &'a Written>,
        outside: &[(String, Language)],
    ) -> Self {
        let mut catalog = Self::default();
        let mut examples = Vec::new();
        for written in tools {
            for (text, language) in &written.examples {
                let tool = catalog.entries.len();
                catalog.shown.insert((tool, *language));
                examples.push((tool, Asked::read(text, *language)));
            }
            let entry = Entry::read(written, &mut catalog.words);
            catalog.entries.push(entry);
        }
        let outside =
            outside.iter().map(|(text, language)| (OUTSIDE, Asked::read(text, *language)));
        examples.extend(outside);
        catalog.examples = Examples::read(&examples);
        catalog.by_word.resize(catalog.words.len(), Vec::new());
        let lengths = catalog.entries.iter().map(|entry| entry.vector.len());
        let dimensions = lengths.max().unwrap_or(0);
        catalog.dimensions = dimensions;
        for (number, entry) in catalog.entries.iter().enumerate() {
            let number = number as u32;
            for field in &entry.fields {
                for word in &field.words {
                    let tools = &mut catalog.by_word[*word as usize];
                    if tools.last() != Some(&number) {
                        tools.push(number);
                    }
                }
                for concept in &field.concepts {
                    let tools = catalog.by_concept.entry(*concept).or_default();
                    if tools.last() != Some(&number) {
                        tools.push(number);
                    }
                }
            }
            push_short(&mut catalog.vectors, &entry.vector, dimensions);
        }
        for vector in std::mem::take(&mut catalog.words.vectors) {
            push_short(&mut catalog.of_words, &vector, dimensions);
        }
        let all = catalog.entries.len();
        catalog.rarities = catalog.by_word.iter().map(|tools| rarity(all, tools.len())).collect();
        catalog
    }

    /// Has an encoder read the same tools, once: texts are compared with what it says of them from then on. It blocks, some
    /// milliseconds a tool.
    ///
    /// # Errors
    ///
    /// Those of the encoder; nothing has changed then.
    pub fn understand(&self, encoder: &dyn Encoder, tools: &[Written]) -> Result<()> {
        if self.meanings.get().is_none() {
            // Who comes second has read the same.
            let _ = self.meanings.set(Meanings::read(encoder, tools)?);
        }
        Ok(())
    }

    /// Returns whether the vector of an encoder says anything of a text in a language.
    pub fn understands(&self, encoder: &dyn Encoder, language: Language) -> bool {
        self.meanings().is_some_and(|meanings| meanings.knows(encoder.id(), language))
    }

    fn meanings(&self) -> Option<&Meanings> {
        self.meanings.get()?.as_ref()
    }

    /// The number of tools.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns whether a tool, by its place, has an example in a language.
    pub fn has_examples_of(&self, tool: usize, language: Language) -> bool {
        self.shown.contains(&(tool, language))
    }

    /// What examples say for each of some tools, and that none of them is meant.
    pub fn beside(&self, asked: &Asked, candidates: &[Candidate]) -> Beside {
        let worth = self.examples.speak_for(asked);
        let of = |tool: &usize| worth.get(tool).copied().unwrap_or_default();
        Beside {
            tools: candidates.iter().map(|one| of(&one.tool)).collect(),
            outside: of(&OUTSIDE),
        }
    }

    /// A text with what this catalog knows of its words.
    fn query<'a>(&self, asked: &'a Asked) -> Query<'a> {
        let units = asked.units.iter().map(|unit| {
            let number = self.words.number(&unit.stem);
            let of_word = number.map_or(0, |number| self.by_word[number as usize].len());
            let of_concepts =
                unit.concepts.iter().filter_map(|concept| self.by_concept.get(concept));
            let tools = of_concepts.map(Vec::len).chain([of_word]).max().unwrap_or(0);
            let rarity = match tools {
                0 => UNKNOWN,
                some => rarity(self.entries.len(), some),
            };
            Sought { unit, number, tools, weight: unit.telling * rarity }
        });
        let mut concepts: Vec<Concept> =
            asked.units.iter().flat_map(|unit| unit.concepts.iter().copied()).collect();
        concepts.sort_unstable();
        concepts.dedup();
        Query { asked, units: units.collect(), concepts }
    }

    /// The tools that are nearest to a text by its words and its vector; all where there are few.
    fn near(&self, query: &Query<'_>) -> Vec<usize> {
        if self.entries.len() <= NEAREST {
            return (0..self.entries.len()).collect();
        }
        let mut scores = self.cosines(&query.asked.vector);
        for sought in &query.units {
            let of_word = sought.number.map(|number| &self.by_word[number as usize]);
            for tool in of_word.into_iter().flatten() {
                scores[*tool as usize] += sought.weight;
            }
            for concept in &sought.unit.concepts {
                for tool in self.by_concept.get(concept).into_iter().flatten() {
                    scores[*tool as usize] += CONCEPT * sought.weight;
                }
            }
        }
        if let Some(meanings) = self.meanings().filter(|_| !query.asked.meaning.is_empty()) {
            for (tool, score) in scores.iter_mut().enumerate() {
                *score += MEANING * meanings.nearness(tool, &query.asked.meaning);
            }
        }
        for (tool, worth) in self.examples.speak_for(query.asked) {
            scores.get_mut(tool).into_iter().for_each(|score| *score += worth);
        }
        let mut order: Vec<usize> = (0..scores.len()).collect();
        let by_score = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
        order.select_nth_unstable_by(NEAREST, by_score);
        order.truncate(NEAREST);
        order.sort_unstable_by(by_score);
        order
    }

    fn cosines(&self, vector: &[f32]) -> Vec<f32> {
        if self.dimensions == 0 || vector.is_empty() {
            return vec![0.0; self.entries.len()];
        }
        let own = self.short(vector);
        self.vectors.chunks_exact(self.dimensions).map(|tool| cosine(tool, &own)).collect()
    }

    fn short(&self, vector: &[f32]) -> Vec<i16> {
        let mut short = Vec::with_capacity(self.dimensions);
        push_short(&mut short, vector, self.dimensions);
        short
    }

    /// The vector of a word.
    fn of_word(&self, word: usize) -> &Short {
        &self.of_words[word * self.dimensions..(word + 1) * self.dimensions]
    }
}

/// How rare a word is that `some` of `all` tools have, from 0 to 1; one that none has is as rare as one that one has.
fn rarity(all: usize, some: usize) -> f32 {
    let all = all as f32;
    (1.0 + all / some.max(1) as f32).ln() / (1.0 + all).ln()
}

/// The rarity of a word that no tool has: it may be a name, or ask for something else.
const UNKNOWN: f32 = 0.5;

/// What a meeting in a concept is worth beside one in the word itself, when the nearest tools are looked for.
const CONCEPT: f32 = 0.6;

/// What an encoder's nearness is worth beside them.
const MEANING: f32 = 3.0;

/// A text, as far as a catalog knows its words.
struct Query<'a> {
    asked: &'a Asked,
    units: Vec<Sought<'a>>,
    /// What its words may mean, in order.
    concepts: Vec<Concept>,
}

/// A word of a text.
struct Sought<'a> {
    unit: &'a asked::Unit,
    number: Option<Word>,
    /// The number of tools that have it, or mean it.
    tools: usize,
    /// How much it tells among these tools.
    weight: f32,
}
