//! The ways to rank the tools of a catalog for a text: this program's, and those that it is held against.

use std::collections::HashMap;

use anyhow::Result;
use waypost::decide::cascade::candidates;
use waypost::learning::{Bundle, StaticTable};
use waypost::pack::spec::HandlerName;
use waypost::pack::{Example, Pack};
use waypost::ports::tools::ToolDescription;
use waypost::records::request::{Context, Request};
use waypost::student::heads::train_student;
use waypost::understand::ingest;

use super::super::vectors::Vectors;
use super::semantic_router::SemanticRouter;
use super::sets::Catalog;
use crate::tools::{pack_of, senses};

/// The places of a catalog's tools, likeliest first, and how much the text seems to be for any of them.
pub(super) struct Ranking {
    pub(super) order: Vec<usize>,
    pub(super) scope: f64,
}

/// Ranks the tools of the catalog that it was made from.
pub(super) type Order<'a> = Box<dyn Fn(&str) -> Result<Ranking> + 'a>;

/// A way to rank.
pub(super) trait Ranker {
    fn name(&self) -> &str;
    fn read<'a>(&'a self, catalog: &'a Catalog) -> Result<Order<'a>>;
}

/// All of them, in the order of the columns.
pub(super) fn all<'e>(
    encoder: Option<&'e Vectors>,
    semantic_router: Option<SemanticRouter<'e>>,
) -> Vec<Box<dyn Ranker + 'e>> {
    let mut all: Vec<Box<dyn Ranker>> = vec![Box::new(Bm25), Box::new(StaticCosine)];
    if let Some(encoder) = encoder {
        all.push(Box::new(EncoderCosine(encoder)));
    }
    if let Some(semantic_router) = semantic_router {
        all.push(Box::new(semantic_router));
    }
    all.push(Box::new(Waypost(None)));
    if encoder.is_some() {
        all.push(Box::new(Waypost(encoder)));
    }
    all
}

/// The places in order of their scores, and the best score.
fn by_score(scores: &[f64]) -> Ranking {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let scope = order.first().map_or(0.0, |at| scores[*at]);
    Ranking { order, scope }
}

/// What is written about a tool, as one text.
fn whole(tool: &ToolDescription) -> String {
    let mut text = format!("{}. {}", spelled(&tool.name), tool.description);
    for (name, schema) in tool.input_schema["properties"].as_object().into_iter().flatten() {
        let description = schema["description"].as_str().unwrap_or_default();
        text += &format!(" {} {description}", spelled(name));
    }
    text
}

/// The name and description of a tool.
pub(super) fn head(tool: &ToolDescription) -> String {
    format!("{}: {}", spelled(&tool.name), tool.description)
}

/// An identifier as words.
fn spelled(name: &str) -> String {
    let mut words = String::new();
    for (at, c) in name.char_indices() {
        if c.is_uppercase() && name[..at].ends_with(char::is_lowercase) {
            words.push(' ');
        }
        words.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    words
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Okapi BM25 with the usual k₁ = 1.2 and b = 0.75; an example is one more text of its tool.
struct Bm25;

impl Ranker for Bm25 {
    fn name(&self) -> &'static str {
        "BM25"
    }

    fn read<'a>(&'a self, catalog: &'a Catalog) -> Result<Order<'a>> {
        let mut texts: Vec<(usize, Vec<String>)> =
            catalog.tools.iter().map(whole).map(|text| words(&text)).enumerate().collect();
        texts.extend(catalog.examples.iter().map(|(tool, text)| (*tool, words(text))));
        let mean = texts.iter().map(|(_, words)| words.len() as f64).sum::<f64>()
            / texts.len().max(1) as f64;
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        for (number, (_, words)) in texts.iter().enumerate() {
            let mut counts: HashMap<&String, f64> = HashMap::new();
            words.iter().for_each(|word| *counts.entry(word).or_default() += 1.0);
            for (word, count) in counts {
                postings.entry(word.clone()).or_default().push((number, count));
            }
        }
        let tools = catalog.tools.len();
        Ok(Box::new(move |text| {
            let mut of_text = vec![0.0f64; texts.len()];
            for word in words(text) {
                let Some(found) = postings.get(&word) else { continue };
                let (all, has) = (texts.len() as f64, found.len() as f64);
                let rarity = (1.0 + (all - has + 0.5) / (has + 0.5)).ln();
                for (number, count) in found {
                    let length = texts[*number].1.len() as f64 / mean.max(1.0);
                    of_text[*number] +=
                        rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length));
                }
            }
            let mut scores = vec![0.0f64; tools];
            for ((tool, _), score) in texts.iter().zip(of_text) {
                scores[*tool] = scores[*tool].max(score);
            }
            Ok(by_score(&scores))
        }))
    }
}

/// The nearest of a tool's texts by the cosine of vectors of length 1.
fn nearest<'a>(
    catalog: &'a Catalog,
    vector: impl Fn(&str) -> Result<Vec<f32>> + 'a,
) -> Result<Order<'a>> {
    let mut texts: Vec<(usize, Vec<f32>)> = Vec::new();
    for (at, tool) in catalog.tools.iter().enumerate() {
        texts.push((at, vector(&head(tool))?));
    }
    for (tool, text) in &catalog.examples {
        texts.push((*tool, vector(text)?));
    }
    Ok(Box::new(move |text| {
        let own = vector(text)?;
        let mut scores = vec![-1.0f64; catalog.tools.len()];
        for (tool, other) in &texts {
            let cosine: f32 = own.iter().zip(other).map(|(a, b)| a * b).sum();
            scores[*tool] = scores[*tool].max(f64::from(cosine));
        }
        Ok(by_score(&scores))
    }))
}

/// The static table of the program.
struct StaticCosine;

impl Ranker for StaticCosine {
    fn name(&self) -> &'static str {
        "static vectors"
    }

    fn read<'a>(&'a self, catalog: &'a Catalog) -> Result<Order<'a>> {
        let table = StaticTable::built_in();
        nearest(catalog, move |text| {
            let mut vector = Vec::new();
            if let Some(table) = &table {
                table.embed(text, &mut vector);
            }
            Ok(vector)
        })
    }
}

/// A sentence encoder.
struct EncoderCosine<'e>(&'e Vectors);

impl Ranker for EncoderCosine<'_> {
    fn name(&self) -> &'static str {
        "MiniLM cosine"
    }

    fn read<'a>(&'a self, catalog: &'a Catalog) -> Result<Order<'a>> {
        nearest(catalog, |text| self.0.vector(text))
    }
}

/// This program, without or with an encoder.
struct Waypost<'e>(Option<&'e Vectors>);

/// The instant of every question.
const NOW: &str = "2025-11-06T09:00:00Z";
/// The most tools that are ranked for a text.
const MOST: usize = 48;

impl Ranker for Waypost<'_> {
    fn name(&self) -> &'static str {
        if self.0.is_some() { "Waypost with MiniLM" } else { "Waypost" }
    }

    fn read<'a>(&'a self, catalog: &'a Catalog) -> Result<Order<'a>> {
        let mut pack = pack_of(vec![("bench", catalog.tools.clone())])?;
        let places = pack.tools.iter().map(|own| {
            let name = own.spec.remote.as_ref().unwrap_or(&own.spec.name);
            catalog.tools.iter().position(|tool| tool.name == *name)
        });
        let places: Vec<Option<usize>> = places.collect();
        let student = with_examples(&mut pack, catalog, &places)?;
        if let Some(encoder) = self.0 {
            pack.understand(encoder)?;
        }
        Ok(Box::new(move |text| {
            let mut request = Request::new(text);
            request.now = Some(NOW.to_owned());
            let turn = ingest(&pack, &request, Context::default())?;
            let senses = senses(&turn, student.as_ref(), self.0)?;
            let (candidates, known) = candidates(&turn, None, &senses, MOST);
            let beside = senses.beside(&turn, &candidates);
            let ranking = senses.weights().rank(&candidates, known, &beside);
            let order = ranking.tools.iter().filter_map(|(tool, _)| places[*tool]).collect();
            Ok(Ranking { order, scope: ranking.in_scope })
        }))
    }
}

/// Gives a pack the examples of a catalog, and trains a student on them where there are any. What a user's own pack would be
/// told is all that it is told.
fn with_examples(
    pack: &mut Pack,
    catalog: &Catalog,
    places: &[Option<usize>],
) -> Result<Option<Bundle>> {
    if catalog.examples.is_empty() {
        return Ok(None);
    }
    let route = pack.spec.routes.iter().find(|route| route.handler == HandlerName::Tool);
    let route = route.map(|route| route.name.clone()).unwrap_or_default();
    for (tool, text) in &catalog.examples {
        let Some(own) = places.iter().position(|place| *place == Some(*tool)) else { continue };
        pack.examples.push(Example {
            text: text.clone(),
            lang: waypost::language::Language::En,
            route: route.clone(),
            tools: vec![pack.tools[own].spec.name.clone()],
            arguments: serde_json::Map::new(),
            not: Vec::new(),
        });
    }
    Ok(Some(train_student(pack, None, &mut |_| {})?))
}
