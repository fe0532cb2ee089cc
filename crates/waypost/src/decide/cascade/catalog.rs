//! Chooses tools by what is written about them, for packs that say `selection: catalog`: those of any server.
//!
//! The tools that are nearest by their words are told apart by what they take: a tool whose required arguments are in the
//! text is likelier than one that would ask.

use std::collections::HashMap;

use waypost_core::Result;
use waypost_core::ports::encoder::Encoder;
use waypost_core::records::decision::{Alternative, LayerName, Source, round};
use waypost_learning::{Bundle, Input, Scratch};
use waypost_text::text::Span;

use super::{Aim, Proposal, clauses, linear};
use crate::catalog::Asked;
use crate::catalog::features::{Candidate, Fit};
use crate::catalog::weights::{Beside, Ranking, Weights};
use crate::decide::slots::{DraftCall, fill};
use crate::pack::spec::{Access, HandlerName};
use crate::pack::{OUT_OF_SCOPE, Tool};
use crate::understand::Turn;

/// The tools whose arguments are tried.
const TRIED: usize = 10;
/// What a sure student is worth, in the unit of a score: twice an example of the very same words. By the `valid` split of
/// MetaTool, where 8 gave 79.3% right, 16 gave 80.0 and 32 gave 80.6.
const LEARNED: f32 = 16.0;
/// What it is worth, in the unit of an example, that a tool takes a value which others leave.
const TAKEN: f32 = 1.0;
/// The clauses that an encoder reads.
const CLAUSES: usize = 4;
/// The most other possibilities that are reported.
const ALTERNATIVES: usize = 4;
/// Possibilities below this probability are noise.
const WORTH_NAMING: f64 = 0.02;

/// What is asked of a turn's text beside what is written about the tools: the student, and an encoder.
#[derive(Debug, Default)]
pub struct Senses<'a> {
    /// The student; it speaks for tools that it has seen examples of.
    student: Option<&'a Bundle>,
    /// The vectors of the text and of its clauses, by the encoder that read the tools; none without one, and none in a
    /// language that it does not know.
    vectors: HashMap<Option<Span>, Vec<f32>>,
}

impl<'a> Senses<'a> {
    /// The student alone.
    pub fn of_student(student: &'a Bundle) -> Self {
        Self { student: Some(student), ..Self::default() }
    }

    /// Has an encoder read a turn, too.
    ///
    /// # Errors
    ///
    /// Those of the encoder.
    pub async fn with(self, turn: &Turn<'_>, encoder: Option<&dyn Encoder>) -> Result<Self> {
        let knows = |one: &&dyn Encoder| turn.pack.catalog().understands(*one, turn.said.language);
        let Some(encoder) = encoder.filter(knows) else { return Ok(self) };
        let parts = clauses::spans(turn).into_iter().map(|(span, _)| Some(span));
        let mut vectors = HashMap::new();
        for part in std::iter::once(None).chain(parts.take(CLAUSES)) {
            let text = part.map_or(turn.said.text.original(), |span| turn.said.text.slice(span));
            vectors.insert(part, encoder.encode(text).await?);
        }
        Ok(Self { vectors, ..self })
    }

    /// The weights of what speaks for a tool, for the text as a whole.
    pub fn weights(&self) -> &'static Weights {
        Weights::with_encoder(self.vectors.contains_key(&None))
    }

    /// What speaks for each of some candidates beside what is written about them, for the text as a whole.
    pub fn beside(&self, turn: &Turn<'_>, candidates: &[Candidate]) -> Beside {
        beside(turn, None, self, &self.asked(turn, None), candidates)
    }

    /// A part of a turn's text, or all of it, as the catalog reads it.
    fn asked(&self, turn: &Turn<'_>, part: Option<Span>) -> Asked {
        let asked = Asked::read(&turn.said.wording(part), turn.said.language);
        let said = part.map_or(turn.said.text.original(), |span| turn.said.text.slice(span));
        asked.said(said).meaning(self.vectors.get(&part).cloned().unwrap_or_default())
    }
}

/// What the descriptions of the tools propose for a turn.
pub(super) fn propose(turn: &Turn<'_>, senses: &Senses<'_>) -> Proposal {
    let ranking = ranking(turn, None, senses, TRIED);
    let route = turn.pack.spec.routes.iter().find(|route| route.handler == HandlerName::Tool);
    let best = ranking.tools.first().and_then(|(tool, _)| turn.pack.tools.get(*tool));
    let (Some(route), Some(best)) = (route, best) else {
        return Proposal::sure(LayerName::Linear, Aim::OutOfScope, "there is no tool");
    };
    let name = best.spec.name.clone();
    let alternatives = alternatives(turn, &route.name, &ranking);
    if ranking.in_scope < 0.5 {
        let rationale = "it reads like nothing that the tools say of themselves";
        let proposal = Proposal::sure(LayerName::Linear, Aim::OutOfScope, rationale);
        return Proposal { confidence: 1.0 - ranking.in_scope, alternatives, ..proposal };
    }
    let aim = Aim::Route(route.name.clone());
    if let Some((calls, confidence)) = several(turn, senses) {
        let names: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
        let rationale =
            format!("its parts are nearest to what {} say of themselves", names.join(" and "));
        let proposal = Proposal::sure(LayerName::Linear, aim, rationale);
        return Proposal { calls, confidence, ..proposal };
    }
    let rationale = format!("the words are nearest to what `{name}` says of itself");
    let proposal = Proposal::sure(LayerName::Linear, aim, rationale);
    let call = call(turn, best, None);
    Proposal { calls: vec![call], confidence: ranking.right, alternatives, ..proposal }
}

fn call(turn: &Turn<'_>, tool: &Tool, clause: Option<Span>) -> DraftCall {
    let memory = linear::memory(turn, tool);
    let tool = tool.spec.name.clone();
    DraftCall { tool, memory, clause, exact: true, ..DraftCall::default() }
}

/// The calls of a text whose clauses ask for different tools, and how sure the least sure of them is; `None` if it asks for
/// one thing. A clause is a request of its own only where it is surely one: most words behind "and" belong to what stands
/// before them.
fn several(turn: &Turn<'_>, senses: &Senses<'_>) -> Option<(Vec<DraftCall>, f64)> {
    let mut calls: Vec<DraftCall> = Vec::new();
    let mut least = 1.0f64;
    for (span, _) in clauses::spans(turn) {
        let ranking = ranking(turn, Some(span), senses, TRIED);
        let tool = turn.pack.tools.get(ranking.tools.first()?.0)?;
        if ranking.right < turn.pack.spec.policy.select {
            return None;
        }
        least = least.min(ranking.right);
        calls.push(call(turn, tool, Some(span)));
    }
    let differ = calls.windows(2).all(|pair| pair[0].tool != pair[1].tool);
    (calls.len() > 1 && differ).then_some((calls, least))
}

/// The names of the `most` likeliest tools for a turn, likeliest first.
pub(super) fn likeliest<'a>(turn: &Turn<'a>, senses: &Senses<'_>, most: usize) -> Vec<&'a str> {
    let ranking = ranking(turn, None, senses, most);
    let tools = ranking.tools.iter().filter_map(|(tool, _)| turn.pack.tools.get(*tool));
    tools.map(|tool| tool.spec.name.as_str()).collect()
}

/// The `most` likeliest tools that a turn, or a part of its text, may mean.
fn ranking(turn: &Turn<'_>, part: Option<Span>, senses: &Senses<'_>, most: usize) -> Ranking {
    let (candidates, known) = candidates(turn, part, senses, most);
    let asked = senses.asked(turn, part);
    let mut beside = beside(turn, part, senses, &asked, &candidates);
    // An answer to an open question fits the tool that asked, whatever it says.
    if turn.active_tool().is_none() {
        let taken = takes(&candidates);
        beside.tools.iter_mut().zip(taken).for_each(|(worth, taken)| *worth += taken);
    }
    let mut ranking = Weights::of(&asked).rank(&candidates, known, &beside);
    if ranking.of_another {
        // Among a few tools one of them leads whatever is asked for. The user says whether it is meant.
        ranking.right = ranking.right.min(turn.pack.spec.policy.ask);
    }
    ranking
}

/// What speaks for each candidate because it takes values of the text that others leave: "what is in commit HEAD~1" is for the
/// tool that shows a revision, not for the one that lists commits.
fn takes(candidates: &[Candidate]) -> Vec<f32> {
    let fits = candidates.iter().map(Candidate::taken).collect::<Vec<_>>();
    let least = fits.iter().map(|(_, left)| *left).fold(f32::MAX, f32::min);
    let differ = fits.iter().any(|(_, left)| *left > least);
    let taken = |(filled, left): &(f32, f32)| *filled > 0.0 && *left <= least && differ;
    fits.iter().map(|fit| if taken(fit) { TAKEN } else { 0.0 }).collect()
}

/// The `most` likeliest tools for a turn with all that speaks for each, and the share of its words that the catalog knows.
pub fn candidates(
    turn: &Turn<'_>,
    part: Option<Span>,
    senses: &Senses<'_>,
    most: usize,
) -> (Vec<Candidate>, f32) {
    let catalog = turn.pack.catalog();
    let asked = senses.asked(turn, part);
    let taught = turn.pack.tools.iter().enumerate();
    let taught = taught.filter(|(_, tool)| turn.lessons.contains_key(&tool.spec.name));
    let taught: Vec<usize> = taught.map(|(place, _)| place).collect();
    let mut candidates = catalog.candidates(&asked, &taught);
    if candidates.len() > most {
        let weights = Weights::of(&asked);
        let beside = beside(turn, part, senses, &asked, &candidates);
        let scores =
            candidates.iter().zip(beside.tools).map(|(one, more)| weights.score(one) + more);
        let mut scored: Vec<(f32, Candidate)> = scores.zip(candidates.iter().cloned()).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        candidates = scored.into_iter().take(most).map(|(_, one)| one).collect();
    }
    for candidate in &mut candidates {
        if let Some(tool) = turn.pack.tools.get(candidate.tool) {
            candidate.with_fit(&fit(turn, tool, part));
        }
    }
    (candidates, catalog.known(&asked))
}

/// What examples of the pack say for each candidate, what people said before of decisions like this one, and what the
/// student has learned.
fn beside(
    turn: &Turn<'_>,
    part: Option<Span>,
    senses: &Senses<'_>,
    asked: &Asked,
    candidates: &[Candidate],
) -> Beside {
    let student = senses.student.map(|student| learned(turn, part, student, candidates));
    let student = student.unwrap_or_else(|| vec![0.0; candidates.len()]);
    let mut beside = turn.pack.catalog().beside(asked, candidates);
    let lesson = |name: &str| turn.lessons.get(name).copied().unwrap_or_default() as f32;
    for ((worth, candidate), student) in beside.tools.iter_mut().zip(candidates).zip(student) {
        let tool = turn.pack.tools.get(candidate.tool);
        *worth = worth.max(tool.map_or(0.0, |tool| lesson(&tool.spec.name))) + student;
    }
    beside.outside = beside.outside.max(lesson(OUT_OF_SCOPE));
    beside
}

/// The word of the student for each candidate, in the unit of a score. It counts as far as cross-validation shows that it may be
/// believed of that tool, so that the description alone decides until the examples tell more. It knows nothing of a tool that has no example
/// in the language of the text.
fn learned(
    turn: &Turn<'_>,
    part: Option<Span>,
    student: &Bundle,
    candidates: &[Candidate],
) -> Vec<f32> {
    let catalog = turn.pack.catalog();
    let knows = |one: &Candidate| catalog.has_examples_of(one.tool, turn.said.language);
    if !candidates.iter().any(knows) {
        return vec![0.0; candidates.len()];
    }
    let masked =
        part.map_or_else(|| turn.said.masked().to_owned(), |part| turn.said.masked_part(part));
    let input = Input { language: Some(turn.said.language.tag()), ..Input::from(&masked) };
    let scores = student.score(input, &mut Scratch::default());
    let worth = |one: &Candidate| {
        let tool = turn.pack.tools.get(one.tool).filter(|_| knows(one))?;
        let head = student.tools().binary_search(&tool.spec.name).ok()?;
        Some(LEARNED * scores.tools.get(head)? * student.trust(head))
    };
    candidates.iter().map(|one| worth(one).unwrap_or_default()).collect()
}

/// How the values of the text fit a tool.
fn fit(turn: &Turn<'_>, tool: &Tool, clause: Option<Span>) -> Fit {
    let name = tool.spec.name.clone();
    let proposal =
        DraftCall { tool: name, exact: true, clause, unguessed: true, ..DraftCall::default() };
    let required = tool.arguments().filter(|name| tool.requires(name)).count();
    let reads = turn.access(&tool.spec.name) == Access::Read;
    let Some(filled) = fill(turn, &proposal) else {
        return Fit { required, reads, ..Fit::default() };
    };
    let evidence = filled.calls.iter().take(1).flat_map(|call| call.evidence.values());
    let said: Vec<_> = evidence.filter(|evidence| evidence.source == Source::Span).collect();
    let words = said.iter().filter_map(|evidence| evidence.text.as_deref());
    let words =
        words.flat_map(|text| Asked::read(&text.to_lowercase(), turn.said.language).stems());
    Fit {
        open: filled.gaps.len(),
        filled: said.len(),
        left: filled.leftover.len(),
        required,
        reads,
        words: words.collect(),
    }
}

fn alternatives(turn: &Turn<'_>, route: &str, ranking: &Ranking) -> Vec<Alternative> {
    let others = ranking.tools.iter().skip(1).filter(|(_, share)| *share >= WORTH_NAMING);
    let named = others.filter_map(|(tool, share)| Some((turn.pack.tools.get(*tool)?, share)));
    let alternative = |(tool, share): (&Tool, &f64)| Alternative {
        route: route.to_owned(),
        tool: Some(tool.spec.name.clone()),
        confidence: round(*share),
    };
    named.map(alternative).take(ALTERNATIVES).collect()
}
