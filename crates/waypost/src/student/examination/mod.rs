//! Examines a challenger before it may serve: on cases of the pack, and on labels of its traffic
//! from which it learned nothing.
//!
//! A share of the sessions examines and does not teach. A text that only they said is examined; a
//! text that others said too is taught, so that no text, and nothing that is nearly the same text,
//! is on both sides. The name of a session alone decides whether it examines: a session that
//! examines today has taught no earlier version either. A text is asked once, however often it was
//! said: its answers are the same each time, and many of one are no more evidence than one. This
//! module reports; it does not decide whether a version serves.

mod asked;

use std::collections::BTreeMap;

use waypost_core::error::Result;
use waypost_core::hash::Fnv;
use waypost_core::ports::encoder::Encoder;
use waypost_core::records::label::{Label, LabelKind};
use waypost_learning::calibrate::threshold::{self, Terms, Threshold};
use waypost_learning::data::curate::{Curated, Taught};
use waypost_learning::evaluate::compare::{Comparison, ComparisonRules, Counts, Pair, compare};
use waypost_learning::promotion::{Alone, Examined};
use waypost_learning::{Bundle, OUT_OF_SCOPE};

use crate::pack::Pack;
use crate::student::heads::{confidence, likeliest, standing, tool_of_head};
use asked::{Asked, asked, seen};

/// One of so many sessions examines.
const EXAMINING: u64 = 5;
/// The most replayed texts that are asked, the latest.
const MOST_QUESTIONS: usize = 20_000;

/// A question with the right answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ExamQuestion {
    /// The text that a user wrote.
    pub text: String,
    /// A BCP 47 tag; the text decides without one.
    pub language: Option<String>,
    /// The right route.
    pub route: String,
    /// The right tools; none where nothing is said of them.
    pub tools: Vec<String>,
}

/// A text of the traffic without a right answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// The text that a user wrote.
    pub text: String,
    /// A BCP 47 tag; the text decides without one.
    pub language: Option<String>,
}

/// Returns whether a session examines.
pub fn examines(session: &str) -> bool {
    let mut hash = Fnv::default();
    hash.write(session.as_bytes());
    (hash.value() >> 16).is_multiple_of(EXAMINING)
}

/// The labels in parts: no text both teaches and examines.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parted {
    /// The labels that teach.
    pub taught: Curated,
    /// The labels that examine.
    pub held_out: Vec<ExamQuestion>,
    /// The latest of all labels of examining sessions, also of those that nobody else supports.
    pub replayed: Vec<ExamQuestion>,
}

/// Divides curated labels into those that teach and those that examine.
pub fn part(curated: Curated) -> Parted {
    let Curated { kept, said, report } = curated;
    let (examined, kept): (Vec<Taught>, Vec<Taught>) = kept.into_iter().partition(only_examines);
    let said = said.into_iter().filter(only_examines);
    let mut replayed: Vec<ExamQuestion> = said.map(question).collect();
    let excess = replayed.len().saturating_sub(MOST_QUESTIONS);
    replayed.drain(..excess);
    let taught = Curated { kept, said: Vec::new(), report };
    Parted { taught, held_out: examined.into_iter().map(question).collect(), replayed }
}

/// Returns whether only examining sessions said it; without sessions, its words decide.
fn only_examines(row: &Taught) -> bool {
    if row.sessions.is_empty() {
        return examines(&row.text);
    }
    row.sessions.iter().all(|session| examines(session))
}

fn question(row: Taught) -> ExamQuestion {
    let Taught { text, language, route, tools, .. } = row;
    ExamQuestion { text, language: Some(language), route, tools }
}

/// Counts the labels of each kind.
pub fn kinds(labels: &[Label]) -> BTreeMap<LabelKind, u64> {
    let mut kinds = BTreeMap::new();
    for label in labels {
        *kinds.entry(label.kind).or_insert(0) += 1;
    }
    kinds
}

/// The examples of a pack as questions.
pub fn examples(pack: &Pack) -> Vec<ExamQuestion> {
    let question = |example: &crate::pack::Example| ExamQuestion {
        text: example.text.clone(),
        language: Some(example.lang.tag().to_owned()),
        route: example.route.clone(),
        tools: example.tools.clone(),
    };
    pack.examples.iter().map(question).collect()
}

/// Two students side by side.
#[derive(Debug, Clone, Copy)]
pub struct Rivals<'a> {
    /// The one that serves.
    pub champion: &'a Bundle,
    /// The one that wants to.
    pub challenger: &'a Bundle,
    /// The encoder that both may look through.
    pub encoder: Option<&'a dyn Encoder>,
}

/// Examines a challenger beside the champion: on the pack's `cases` and on labels of texts that
/// taught nobody; `replayed` and, where there are no cases, the pack's examples only speak against
/// it.
///
/// # Errors
///
/// Those of the encoder.
pub fn examine(
    pack: &Pack,
    rivals: Rivals<'_>,
    cases: &[ExamQuestion],
    held_out: &[ExamQuestion],
    replayed: &[ExamQuestion],
) -> Result<Examined> {
    let rules = ComparisonRules::default();
    let on = |questions: Vec<&ExamQuestion>| -> Result<Option<Comparison>> {
        let pairs = pairs(pack, rivals, &asked(pack, rivals.encoder, &questions)?);
        Ok((!pairs.is_empty()).then(|| compare(&pairs, &rules)))
    };
    let own = if cases.is_empty() { examples(pack) } else { Vec::new() };
    let questions: Vec<&ExamQuestion> = cases.iter().chain(held_out).collect();
    let asked = asked(pack, rivals.encoder, &questions)?;
    Ok(Examined {
        of_pack: cases.len(),
        of_labels: held_out.len(),
        held_out: compare(&pairs(pack, rivals, &asked), &rules),
        alone: alone(pack, rivals, &asked),
        learned: on(own.iter().collect())?,
        replayed: on(replayed.iter().collect())?,
    })
}

/// The questions of `cases` as a student sees them, so that they can be kept from teaching.
///
/// # Errors
///
/// Those of a request.
pub fn masked(pack: &Pack, cases: &[ExamQuestion]) -> Result<Vec<String>> {
    let texts = cases.iter().map(|case| (case.text.as_str(), case.language.as_deref()));
    Ok(seen(pack, None, texts)?.into_iter().map(|seen| seen.masked).collect())
}

/// Returns the confidence from which a student may decide alone, found from `questions` that it did
/// not learn from and from its confidence in turns of the traffic; `None` where there are too few
/// questions.
///
/// # Errors
///
/// Those of the encoder.
pub fn threshold(
    pack: &Pack,
    student: &Bundle,
    encoder: Option<&dyn Encoder>,
    (questions, traffic): (&[&ExamQuestion], &[Heard]),
    terms: &Terms,
) -> Result<Option<Threshold>> {
    let told = asked(pack, encoder, questions)?.into_iter().map(|asked| {
        let scores = asked.seen.scores(student, encoder);
        let is_right = asked.answer(pack, student, &scores) == asked.truth();
        (confidence(pack, student, &scores), is_right)
    });
    let told: Vec<(f64, bool)> = told.collect();
    let texts = traffic.iter().map(|heard| (heard.text.as_str(), heard.language.as_deref()));
    let heard = seen(pack, encoder, texts)?;
    let sure = heard.iter().map(|seen| confidence(pack, student, &seen.scores(student, encoder)));
    Ok(threshold::choose(&told, &sure.collect::<Vec<_>>(), terms))
}

/// Pairs the answers of both to each question. A question that is out of scope is left out where
/// neither student has that class: both would be wrong, which says nothing of either.
fn pairs(pack: &Pack, rivals: Rivals<'_>, asked: &[Asked]) -> Vec<Pair> {
    let says = |bundle: &Bundle, asked: &Asked| {
        asked.answer(pack, bundle, &asked.seen.scores(bundle, rivals.encoder))
    };
    let knows = |bundle: &Bundle| bundle.routes().iter().any(|route| route == OUT_OF_SCOPE);
    let is_known = knows(rivals.champion) || knows(rivals.challenger);
    let asked = asked.iter().filter(|asked| is_known || !asked.is_out_of_scope());
    let pair = |asked: &Asked| Pair {
        truth: asked.truth(),
        champion: says(rivals.champion, asked),
        challenger: says(rivals.challenger, asked),
    };
    asked.map(pair).collect()
}

/// Compares the decisions that both make alone, without asking.
fn alone(pack: &Pack, rivals: Rivals<'_>, asked: &[Asked]) -> Alone {
    let decides = |bundle: &Bundle, asked: &Asked| {
        let scores = asked.seen.scores(bundle, rivals.encoder);
        let (route, head) = likeliest(pack, bundle, &scores);
        let tool = head.and_then(|head| tool_of_head(pack, head));
        let tools = tool.iter().map(|tool| tool.spec.name.as_str());
        let found = bundle.threshold().map(|threshold| threshold.at);
        let threshold = standing(pack, found, pack.route(route), tools, &|tool| pack.access(tool));
        let is_sure = confidence(pack, bundle, &scores) >= threshold;
        is_sure.then(|| asked.answer(pack, bundle, &scores) == asked.truth())
    };
    let decided: Vec<[Option<bool>; 2]> = asked
        .iter()
        .map(|asked| [rivals.champion, rivals.challenger].map(|bundle| decides(bundle, asked)))
        .collect();
    let not_wrong = decided.iter().map(|both| both.map(|decided| decided != Some(false)));
    let count = |at: usize| decided.iter().filter(|both| both[at].is_some()).count();
    Alone { counts: Counts::of(not_wrong), champion: count(0), challenger: count(1) }
}

#[cfg(test)]
mod tests;
