//! What speaks for a tool: how the words of a text meet those that are written about it, as numbers.
//!
//! Each is a share from 0 to 1, or a cosine. What they are worth is learned ([`super::learn`]).

use waypost_text::language::Language;

use super::asked::Unit;
use super::entry::{Entry, Field, Part, Word};
use super::lexicon::{Concept, Lexicon, Work};
use super::vectors::{cosine, dot};
use super::words::{han, latin};
use super::{Asked, Catalog, Query, Sought};

/// The numbers of a tool for a text, in the order of [`names`].
pub type Features = Vec<f32>;

/// How the values of a text fit the arguments of a tool; found where arguments are filled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fit {
    /// Required arguments that nothing fills.
    pub open: usize,
    /// Arguments that words of the text fill.
    pub filled: usize,
    /// Values of the text that fill nothing.
    pub left: usize,
    /// Required arguments.
    pub required: usize,
    /// True if the tool only reads.
    pub reads: bool,
    /// The words of the text that fill arguments, by their stems.
    pub words: Vec<String>,
}

/// The names of the numbers, but for those of works.
const PLAIN: [&str; 44] = [
    "name.word",
    "name.concept",
    "name.near",
    "line.word",
    "line.concept",
    "line.near",
    "rest.word",
    "rest.concept",
    "arguments.word",
    "arguments.concept",
    "any.word",
    "any.concept",
    "any.near",
    "said.concept",
    "said.near",
    "of_name.word",
    "of_name.concept",
    "of_name.near",
    "of_line.concept",
    "of_line.near",
    "cosine.name",
    "cosine.line",
    "cosine.all",
    "best.name",
    "best.any",
    "best.cosine",
    "works.same",
    "works.other",
    "asks.reads",
    "length",
    "fit.open",
    "fit.filled",
    "fit.left",
    "fit.required",
    "fit.all_filled",
    "fit.nothing_wanted",
    "thing.name",
    "thing.line",
    "thing.any",
    "deed.name",
    "deed.any",
    "unsaid.line",
    "meaning",
    "best.meaning",
];

/// The number of features: the plain ones, and one for each work of a text beside each of a tool.
pub const COUNT: usize = PLAIN.len() + Work::ALL.len() * Work::ALL.len();

/// The name of each number.
pub fn names() -> Vec<String> {
    let works = Work::ALL.iter().flat_map(|asked| {
        Work::ALL.iter().map(move |own| format!("work.{asked:?}.{own:?}").to_lowercase())
    });
    PLAIN.iter().map(|name| (*name).to_owned()).chain(works).collect()
}

const BEST_NAME: usize = 23;
const FIT: usize = 30;
/// The place of an encoder's nearness; before [`PLAIN`]'s last.
pub(super) const MEANING: usize = 42;

/// A tool that may be meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its place in the catalog.
    pub tool: usize,
    /// What speaks for it.
    pub features: Features,
    /// The things that the text speaks of and the tool knows nothing of, by their stems, each with how much it tells.
    pub unmet: Vec<(String, f32)>,
    /// How much of the things in the tool's name the text leaves unsaid, from 0 to 1.
    pub unsaid: f32,
}

impl Catalog {
    /// The tools that are nearest to a text, with what speaks for each; all where there are few. Those of `also` are among
    /// them in any case.
    pub fn candidates(&self, asked: &Asked, also: &[usize]) -> Vec<Candidate> {
        let query = self.query(asked);
        let mut near = self.near(&query);
        let more = also.iter().filter(|tool| **tool < self.len() && !near.contains(tool));
        let more: Vec<usize> = more.copied().collect();
        near.extend(more);
        let likeness = Likeness::read(self, &query, &near);
        let mut candidates: Vec<Candidate> = near
            .into_iter()
            .map(|tool| {
                let own = &self.entries[tool];
                let meetings = Meetings::read(&query, &likeness, own);
                let mut features = self.features(&query, &likeness, own, &meetings);
                if let Some(meanings) = self.meanings().filter(|_| !asked.meaning.is_empty()) {
                    features[MEANING] = meanings.nearness(tool, &asked.meaning);
                }
                let unsaid = self.unsaid(&own.fields[Part::Name as usize], &query, &likeness);
                Candidate { tool, features, unmet: meetings.unmet(&query), unsaid }
            })
            .collect();
        // The best of all stands out, however little it is.
        for (place, of) in
            [(BEST_NAME, 16), (BEST_NAME + 1, 12), (BEST_NAME + 2, 22), (MEANING + 1, MEANING)]
        {
            let most = candidates.iter().map(|one| one.features[of]).fold(0.0f32, f32::max);
            for candidate in &mut candidates {
                let own = candidate.features[of];
                candidate.features[place] = if most > 0.0 { own / most } else { 0.0 };
            }
        }
        candidates
    }

    fn features(
        &self,
        query: &Query<'_>,
        likeness: &Likeness,
        entry: &Entry,
        Meetings(meetings): &Meetings,
    ) -> Features {
        let mut all = vec![0.0; COUNT];
        let field = |part: Part| &entry.fields[part as usize];
        let units = &query.units;
        let share = |of: &dyn Fn(&[Meeting; 4]) -> f32, weight: &dyn Fn(&Sought<'_>) -> f32| {
            let whole: f32 = units.iter().map(weight).sum();
            let held: f32 =
                units.iter().zip(meetings).map(|(one, met)| weight(one) * of(met)).sum();
            if whole > 0.0 { held / whole } else { 0.0 }
        };
        let word = |part: Part| move |met: &[Meeting; 4]| f32::from(met[part as usize].word);
        let concept = |part: Part| move |met: &[Meeting; 4]| f32::from(met[part as usize].concept);
        let near = |part: Part| move |met: &[Meeting; 4]| met[part as usize].near;
        let any_word = |met: &[Meeting; 4]| f32::from(met.iter().any(|one| one.word));
        let any_concept = |met: &[Meeting; 4]| f32::from(met.iter().any(|one| one.concept));
        let weight = |sought: &Sought<'_>| sought.weight;
        all[0] = share(&word(Part::Name), &weight);
        all[1] = share(&concept(Part::Name), &weight);
        all[2] = share(&near(Part::Name), &weight);
        all[3] = share(&word(Part::Line), &weight);
        all[4] = share(&concept(Part::Line), &weight);
        all[5] = share(&near(Part::Line), &weight);
        all[6] = share(&word(Part::Rest), &weight);
        all[7] = share(&concept(Part::Rest), &weight);
        all[8] = share(&word(Part::Arguments), &weight);
        all[9] = share(&concept(Part::Arguments), &weight);
        all[10] = share(&any_word, &weight);
        all[11] = share(&any_concept, &weight);
        all[12] = share(&nearest, &weight);
        let said = |sought: &Sought<'_>| sought.unit.telling;
        all[13] = share(&any_concept, &said);
        all[14] = share(&nearest, &said);
        [all[15], all[16], all[17]] = self.said_of(field(Part::Name), query, likeness);
        [_, all[18], all[19]] = self.said_of(field(Part::Line), query, likeness);
        all[20] = dot(&query.asked.vector, &field(Part::Name).vector);
        all[21] = dot(&query.asked.vector, &field(Part::Line).vector);
        all[22] = dot(&query.asked.vector, &entry.vector);
        let thing = |sought: &Sought<'_>| if sought.unit.is_verb { 0.0 } else { sought.weight };
        let deed = |sought: &Sought<'_>| if sought.unit.is_verb { sought.weight } else { 0.0 };
        all[36] = share(&near(Part::Name), &thing);
        all[37] = share(&near(Part::Line), &thing);
        all[38] = share(&nearest, &thing);
        all[39] = share(&concept(Part::Name), &deed);
        all[40] = share(&any_concept, &deed);
        all[41] = 1.0 - all[19];
        works(query.asked, entry, &mut all);
        let length: usize = entry.fields.iter().map(|field| field.words.len()).sum();
        all[29] = (1.0 + length as f32).ln() / 6.0;
        all
    }

    /// How much of the things that a name speaks of the text leaves unsaid; 0 where it speaks of none.
    fn unsaid(&self, name: &Field, query: &Query<'_>, likeness: &Likeness) -> f32 {
        let (mut whole, mut unsaid) = (0.0f32, 0.0f32);
        for word in &name.words {
            let number = *word as usize;
            let own = &self.words.concepts[number];
            if is_deed(own) {
                continue;
            }
            let weight = self.rarities[number] * self.words.telling[number].max(0.2);
            let said = query.units.iter().any(|sought| sought.number == Some(*word))
                || own.iter().any(|concept| query.concepts.binary_search(concept).is_ok());
            let near = if said { 1.0 } else { likeness.nearest(*word) };
            whole += weight;
            unsaid += weight * (1.0 - if near < LEAST { 0.0 } else { near });
        }
        if whole > 0.0 { unsaid / whole } else { 0.0 }
    }

    /// The share of a field that the text says: by words, by concepts, by vectors.
    fn said_of(&self, field: &Field, query: &Query<'_>, likeness: &Likeness) -> [f32; 3] {
        let mut shares = [0.0f32; 3];
        let mut whole = 0.0;
        for word in &field.words {
            let number = *word as usize;
            let weight = self.rarities[number] * self.words.telling[number].max(0.2);
            whole += weight;
            let said = query.units.iter().any(|sought| sought.number == Some(*word));
            let own = &self.words.concepts[number];
            let meant =
                said || own.iter().any(|concept| query.concepts.binary_search(concept).is_ok());
            shares[0] += weight * f32::from(said);
            shares[1] += weight * f32::from(meant);
            shares[2] += weight * if meant { 1.0 } else { likeness.nearest(*word) };
        }
        if whole > 0.0 { shares.map(|share| share / whole) } else { shares }
    }

    /// The words of a text, in lower case, that name the things of a tool: each stands in its name or its first sentence.
    pub fn things(&self, text: &str, language: Language, tool: usize) -> Vec<String> {
        let Some(entry) = self.entries.get(tool) else { return Vec::new() };
        let own = [&entry.fields[Part::Name as usize], &entry.fields[Part::Line as usize]];
        let words = latin(text).chain(han(text).flat_map(|stretch| {
            Lexicon::built_in().cut(stretch).into_iter().map(|(piece, _)| piece.to_owned())
        }));
        let named = words.filter(|word| {
            let asked = Asked::read(word, language);
            let is_telling = |unit: &Unit| !unit.is_verb && unit.telling > 0.3;
            let is_its = |unit: &Unit| {
                let number = self.words.number(&unit.stem);
                own.iter().any(|field| {
                    number.is_some_and(|number| field.has(number)) || field.means(&unit.concepts)
                })
            };
            asked.units.iter().any(|unit| is_telling(unit) && is_its(unit))
        });
        named.collect()
    }

    /// How much of what a text tells is known to any tool.
    pub fn known(&self, asked: &Asked) -> f32 {
        let query = self.query(asked);
        let whole: f32 = query.units.iter().map(|one| one.unit.telling).sum();
        let known = query.units.iter().filter(|one| one.tools > 0);
        let known: f32 = known.map(|one| one.unit.telling).sum();
        if whole > 0.0 { known / whole } else { 0.0 }
    }
}

impl Candidate {
    /// Adds how the values of the text fit the tool.
    pub fn with_fit(&mut self, fit: &Fit) {
        let count = |number: usize| number.min(4) as f32 / 4.0;
        let whether = |is: bool| f32::from(u8::from(is));
        self.features[FIT] = count(fit.open);
        self.features[FIT + 1] = count(fit.filled);
        self.features[FIT + 2] = count(fit.left);
        self.features[FIT + 3] = count(fit.required);
        self.features[FIT + 4] = whether(fit.required > 0 && fit.open == 0);
        self.features[FIT + 5] = whether(fit.required == 0 && fit.filled == 0 && fit.left == 0);
        // What fills an argument is known to the tool.
        self.unmet.retain(|(stem, _)| !fit.words.contains(stem));
    }

    /// The arguments that values of the text fill and the values that fill none, each as a share of four.
    pub(crate) fn taken(&self) -> (f32, f32) {
        (self.features[FIT + 1], self.features[FIT + 2])
    }

    /// Returns whether the text speaks of a thing that the tool knows nothing of, and not of the thing in the tool's name: "list
    /// the tickets" beside `list_invoices`. However alike the rest is, another thing is meant.
    pub fn is_of_another(&self) -> bool {
        let most = self.unmet.iter().map(|(_, tells)| *tells).fold(0.0f32, f32::max);
        most * self.unsaid >= ANOTHER
    }
}

/// Returns whether a word of these concepts says what is done rather than with what.
pub(super) fn is_deed(concepts: &[Concept]) -> bool {
    let lexicon = Lexicon::built_in();
    let works = concepts.iter().filter(|concept| lexicon.work(**concept).is_some());
    2 * works.count() > concepts.len()
}

/// How the words of a text meet the parts of a tool.
struct Meetings(Vec<[Meeting; 4]>);

impl Meetings {
    fn read(query: &Query<'_>, likeness: &Likeness, entry: &Entry) -> Self {
        let units = query.units.iter().enumerate();
        let met = units.map(|(at, sought)| {
            let of = |part: Part| Meeting::of(likeness, at, sought, &entry.fields[part as usize]);
            Part::ALL.map(of)
        });
        Self(met.collect())
    }

    /// The things that a text speaks of and no part knows anything of, each with how much it tells.
    fn unmet(&self, query: &Query<'_>) -> Vec<(String, f32)> {
        let things = query.units.iter().zip(&self.0).filter(|(one, _)| !one.unit.is_verb);
        let told = things
            .map(|(one, met)| (one.unit.stem.clone(), one.unit.telling * (1.0 - nearest(met))));
        told.filter(|(_, tells)| *tells > 0.0).collect()
    }
}

/// How near a word is to any part of a tool.
fn nearest(met: &[Meeting; 4]) -> f32 {
    met.iter().map(|one| one.near).fold(0.0, f32::max)
}

/// From here on another thing is meant. By the invented servers (`cargo xtask tools`) with a thing of another server in place of
/// the tool's own.
const ANOTHER: f32 = 0.35;

/// Words that are less alike are not alike.
const LEAST: f32 = 0.35;

/// How a word of a text meets a field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meeting {
    /// True if the field has it.
    pub(super) word: bool,
    /// True if the field has it, or one that means the same.
    pub(super) concept: bool,
    /// How near it is to any word of the field: 1 for itself or one that means the same, else by the vectors.
    pub(super) near: f32,
}

impl Meeting {
    pub(super) fn of(likeness: &Likeness, at: usize, sought: &Sought<'_>, field: &Field) -> Self {
        let word = sought.number.is_some_and(|number| field.has(number));
        let concept = word || field.means(&sought.unit.concepts);
        let nearest = || {
            let alike = field.words.iter().map(|own| likeness.of(at, *own));
            alike.fold(0.0, f32::max)
        };
        let near = if concept { 1.0 } else { nearest() };
        Self { word, concept, near: if near < LEAST { 0.0 } else { near } }
    }
}

/// The cosines of each word of a text with each word of some tools, computed once for all of them.
pub(super) struct Likeness {
    /// The place of each word of the catalog among those that are compared.
    places: Vec<u32>,
    /// By word of the text, then by place.
    cosines: Vec<f32>,
    /// The best for each place.
    best: Vec<f32>,
}

/// The place of a word that is not compared.
const NOWHERE: u32 = u32::MAX;

impl Likeness {
    pub(super) fn read(catalog: &Catalog, query: &Query<'_>, tools: &[usize]) -> Self {
        let mut places = vec![NOWHERE; catalog.words.len()];
        let mut compared = Vec::new();
        for field in tools.iter().flat_map(|tool| &catalog.entries[*tool].fields) {
            for word in &field.words {
                let place = &mut places[*word as usize];
                if *place == NOWHERE {
                    *place = compared.len() as u32;
                    compared.push(*word as usize);
                }
            }
        }
        let mut cosines = Vec::with_capacity(query.units.len() * compared.len());
        let mut best = vec![0.0f32; compared.len()];
        for sought in &query.units {
            let own = catalog.short(&sought.unit.vector);
            for (best, word) in best.iter_mut().zip(&compared) {
                let cosine = cosine(&own, catalog.of_word(*word));
                *best = best.max(cosine);
                cosines.push(cosine);
            }
        }
        Self { places, cosines, best }
    }

    /// The cosine of a word of the text with one of the tools.
    fn of(&self, at: usize, word: Word) -> f32 {
        self.cosines[at * self.best.len() + self.places[word as usize] as usize]
    }

    /// The cosine of a word of the tools with the nearest of the text, or 0.
    fn nearest(&self, word: Word) -> f32 {
        self.best[self.places[word as usize] as usize]
    }
}

/// What the kind of work that the text asks for says of the kind that the tool does.
fn works(asked: &Asked, entry: &Entry, all: &mut [f32]) {
    let [Some(own), ..] = [entry.works.first()] else { return };
    let same = asked.works.contains(own);
    all[26] = f32::from(u8::from(same));
    all[27] = f32::from(u8::from(!same && !asked.works.is_empty()));
    let reads = matches!(own, Work::Look | Work::Search);
    all[28] = f32::from(u8::from(asked.works.is_empty() && reads));
    for work in &asked.works {
        let pair = *work as usize * Work::ALL.len() + *own as usize;
        all[PLAIN.len() + pair] = 1.0 / asked.works.len() as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_name() {
        let names = names();
        assert_eq!(names.len(), COUNT);
        assert_eq!(names[BEST_NAME], "best.name");
        assert_eq!(names[FIT], "fit.open");
    }
}
