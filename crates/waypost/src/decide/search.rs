//! Finds the tools that fit a text, for people and programs that look for one; it may find none.
//!
//! It decides nothing of a turn, and no tool that it finds runs because of it. What is written about the tools is compared
//! with the text, and where the pack has examples its student says what the text asks for, in every language of the examples.

use waypost_learning::{Bundle, Scratch};

use super::cascade::{Senses, runs};
use crate::catalog::Asked;
use crate::catalog::weights::Weights;
use crate::pack::Tool;
use crate::pack::spec::Selection;
use crate::student::heads::head_of;
use crate::understand::Turn;

/// A tool that may be meant.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The tool.
    pub tool: &'a Tool,
    /// How well it fits, from 0 to 1, whatever other tools there are.
    pub score: f64,
}

/// The coverage of the best tool from which a text is about any: a paraphrase with one telling word has it, and one common
/// word has not.
const FITS: f64 = 0.28;
/// The score from which a tool is told of beside the best.
const WORTH_TELLING: f64 = 0.05;
/// The probability from which the student finds a tool.
const ASKED_FOR: f64 = 0.2;
/// The coverage from which words name a tool though no example of the pack asks for it so: "timeseries".
const NAMED: f64 = 0.9;
/// What a text tells at least to ask for anything: "the" tells less.
const LEAST_TOLD: f32 = 0.05;

/// The tools that fit a turn's text, best first; none if nothing fits.
pub fn find_tools<'a>(turn: &Turn<'a>, bundle: &Bundle) -> Vec<Found<'a>> {
    let catalog = turn.pack.catalog();
    let asked = Asked::read(&turn.said.wording(None), turn.said.language);
    if turn.said.values.is_empty() && catalog.tells(&asked) < LEAST_TOLD {
        return Vec::new();
    }
    let is_described = turn.pack.spec.selection == Selection::Catalog;
    // The student knows tools whose words are far from those of the text.
    let also = if is_described { 0 } else { catalog.len() };
    let candidates = catalog.candidates(&asked, &(0..also).collect::<Vec<_>>());
    let places: Vec<usize> = candidates.iter().map(|one| one.tool).collect();
    let senses = Senses::default();
    let beside = senses.beside(turn, &candidates);
    let ranking = Weights::of(&asked).rank(&candidates, catalog.known(&asked), &beside);
    let covered = catalog.coverage(&asked, &places);
    let described: Vec<Described<'a>> = ranking
        .tools
        .iter()
        .filter_map(|(place, share)| {
            let at = places.iter().position(|one| one == place)?;
            let tool = turn.pack.tools.get(*place)?;
            Some(Described { tool, share: *share, coverage: f64::from(covered[at]) })
        })
        .collect();
    let mut found = match is_described {
        true => by_descriptions(&described),
        false => by_examples(turn, bundle, &described),
    };
    // The order of the ranking stays between tools that fit alike.
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found
}

/// A tool with what its description says for it.
struct Described<'a> {
    tool: &'a Tool,
    /// Its share among all tools.
    share: f64,
    /// How much of the text it covers.
    coverage: f64,
}

/// Tools by what is written about them. The share of a tool counts as far as any tool covers the text.
fn by_descriptions<'a>(described: &[Described<'a>]) -> Vec<Found<'a>> {
    let best = described.iter().map(|one| one.coverage).fold(0.0, f64::max);
    if best < FITS {
        return Vec::new();
    }
    let found = described.iter().map(|one| {
        let score = f64::midpoint(one.coverage, best * one.share);
        Found { tool: one.tool, score }
    });
    found.filter(|one| one.score >= WORTH_TELLING).collect()
}

/// Tools by what the student has learned from the pack's examples, those of requests for nothing here among them. Descriptions
/// add the tools that are named.
fn by_examples<'a>(
    turn: &Turn<'a>,
    bundle: &Bundle,
    described: &[Described<'a>],
) -> Vec<Found<'a>> {
    let input = turn.said.input();
    let scores = bundle.score(input, &mut Scratch::default());
    let wants_tools = f64::from(runs(turn, bundle, &scores));
    let learned = |tool: &Tool| {
        let head = head_of(turn.pack, &tool.spec.name)?;
        let place = bundle.tools().iter().position(|known| *known == head)?;
        scores.tools.get(place).map(|probability| f64::from(*probability) * wants_tools)
    };
    let found = described.iter().filter_map(|one| {
        let learned = learned(one.tool).filter(|probability| *probability >= ASKED_FOR);
        let named = Some(one.coverage).filter(|coverage| *coverage >= NAMED);
        let score = learned.into_iter().chain(named).reduce(f64::max)?;
        Some(Found { tool: one.tool, score })
    });
    found.collect()
}
