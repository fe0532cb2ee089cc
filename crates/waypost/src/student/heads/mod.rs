//! The student of a pack: its examples as the classifier sees them, trained.
//!
//! Tools of one family share a head: the words tell what kind of question it is, the values tell
//! which tool of the family can answer it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Zoned;
use jiff::civil::date;
use waypost_core::error::{Error, Result};
use waypost_core::ports::encoder::Encoder;
use waypost_core::records::label::{Label, Verdict};
use waypost_learning::data::curate::{Curated, Limits, Reason, Taught, curate_beside};
use waypost_learning::data::validation;
use waypost_learning::{
    Bundle, Labelled, OUT_OF_SCOPE, Progress, Scores, Scratch, StaticTable, TrainOptions,
    in_halves, train,
};
use waypost_text::language::Language;

use crate::pack::spec::{Access, HandlerName, RouteSpec, Selection};
use crate::pack::{Example, Pack, Tool};
use crate::student::answers;
use crate::student::background::{self, Beside};
use crate::student::stories::Talk;
use crate::understand::{Turn, Utterance};

/// Threads that read examples; the result is the same.
const THREADS: usize = 2;

/// Trains the student of a pack from its examples; the same pack gives the same student. Examples that
/// contradict each other teach nothing.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if a route has only one example of its own, or there are none.
pub fn train_student(
    pack: &Pack,
    encoder: Option<&dyn Encoder>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Bundle> {
    train_student_with(pack, StaticTable::built_in(), encoder, progress)
}

/// Like [`train_student`], with another static table than the one that is compiled in, or none.
///
/// # Errors
///
/// As [`train_student`].
pub fn train_student_with(
    pack: &Pack,
    table: Option<Arc<StaticTable>>,
    encoder: Option<&dyn Encoder>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Bundle> {
    train_on(pack, &Curated::default(), 0, table, encoder, progress)
}

/// Trains the student of a pack from its examples and from the labels beside them.
///
/// The seed decides the order of the texts. An example of the pack is never overruled: labels of the
/// same words are left out, as are labels for which the pack has no examples. Without labels and with
/// the seed 0 this is [`train_student_with`].
///
/// # Errors
///
/// As [`train_student`].
pub fn train_on(
    pack: &Pack,
    labels: &Curated,
    seed: u64,
    table: Option<Arc<StaticTable>>,
    encoder: Option<&dyn Encoder>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Bundle> {
    let mut examples = labelled(pack)?;
    if pack.spec.selection == Selection::Catalog {
        leave_out_few(&mut examples);
    }
    validation::check(&examples)?;
    let now = usual_instant(pack)?;
    examples.extend(taught(pack, &examples, &labels.kept)?);
    let read = |text: &str, language| masked(pack, text, language, &now);
    let background = background::beside(&examples, &pack.languages, read)?;
    let talk = Talk::read(&pack.languages, read);
    let retold = told(&talk, pack, &examples, &background);
    examples.extend(background.into_iter().map(|beside| beside.row));
    let options = TrainOptions {
        pack: pack.id.clone(),
        seed,
        table,
        retold,
        advises: pack.spec.selection == Selection::Catalog,
        // A pack corrects its texts itself, before their values are read.
        spelling: false,
        ..TrainOptions::default()
    };
    let bundle = train(&examples, &options, encoder, progress)?;
    Ok(bundle.with_answers(answers::learn(pack)?))
}

/// Leaves out what is out of scope where there is too little of it, or of the rest, to tell them apart: the catalog knows those
/// texts by themselves.
fn leave_out_few(examples: &mut Vec<Labelled>) {
    let outside = examples.iter().filter(|example| example.route == OUT_OF_SCOPE).count();
    if outside < validation::FEWEST || examples.len() - outside < validation::FEWEST {
        examples.retain(|example| example.route != OUT_OF_SCOPE);
    }
}

/// Returns a student's confidence in the likeliest route, and in the likeliest tool where that
/// route runs one.
pub fn confidence(pack: &Pack, bundle: &Bundle, scores: &Scores) -> f64 {
    let (best, mut confidence) = scores.best().unwrap_or((0, 0.0));
    let name = bundle.routes().get(best).map_or(OUT_OF_SCOPE, String::as_str);
    let Some(route) = pack.route(name) else { return f64::from(confidence) };
    // A pack whose examples show what is out of scope has a class for it; for others the detector
    // says how far a text is from all that was trained.
    if !bundle.routes().iter().any(|route| route == OUT_OF_SCOPE) {
        confidence = confidence.min(scores.in_scope);
    }
    if route.handler == HandlerName::Tool {
        confidence = confidence.min(match pack.spec.selection {
            Selection::PerTool => of_set(&scores.tools),
            Selection::Student | Selection::Catalog => {
                scores.tools.iter().copied().reduce(f32::max).unwrap_or(1.0)
            }
        });
    }
    f64::from(confidence)
}

/// From this probability a text needs a tool, where each is judged by itself.
pub(crate) const NEEDED: f32 = 0.5;

/// The probability that a text needs exactly the tools that are likelier needed than not: it is no surer than the least sure
/// of them. Where none is, the likeliest is taken, and is no surer than that.
fn of_set(tools: &[f32]) -> f32 {
    let best = tools.iter().copied().reduce(f32::max).unwrap_or(1.0);
    if best < NEEDED {
        return best;
    }
    tools.iter().map(|needed| needed.max(1.0 - needed)).reduce(f32::min).unwrap_or(1.0)
}

/// The likeliest route, with the likeliest head where that runs tools.
pub(crate) fn likeliest<'a>(
    pack: &Pack,
    bundle: &'a Bundle,
    scores: &Scores,
) -> (&'a str, Option<&'a str>) {
    let best = scores.best().map_or(0, |(best, _)| best);
    let name = bundle.routes().get(best).map_or(OUT_OF_SCOPE, String::as_str);
    let runs = pack.route(name).is_some_and(|route| route.handler == HandlerName::Tool);
    let heads = scores.tools.iter().zip(bundle.tools()).filter(|_| runs);
    let head = heads.max_by(|a, b| a.0.total_cmp(b.0)).map(|(_, head)| head.as_str());
    (name, head)
}

/// Returns the confidence from which a student decides alone for a route, if it is one, with these
/// tools: the threshold that was found for it, or the pack's. A found threshold never goes below
/// the confidence that the gate wants for running, and none that of a write: the user would be asked
/// instead of the teacher.
pub(crate) fn standing<'a>(
    pack: &Pack,
    found: Option<f64>,
    route: Option<&RouteSpec>,
    tools: impl Iterator<Item = &'a str>,
    access: &dyn Fn(&str) -> Access,
) -> f64 {
    let policy = &pack.spec.policy;
    match found {
        None => {
            pack.write_from(tools, access).map_or(policy.student, |write| write.max(policy.student))
        }
        Some(threshold) => {
            threshold.max(route.map_or(policy.run, |route| pack.runs_from(route, tools, access)))
        }
    }
}

/// The examples that labels teach, masked as those of the pack are; of a text that is taught twice,
/// the first counts.
fn taught(pack: &Pack, examples: &[Labelled], kept: &[Taught]) -> Result<Vec<Labelled>> {
    let now = usual_instant(pack)?;
    let classes = Classes::of(examples);
    let mut seen: BTreeSet<String> =
        examples.iter().map(|example| example.text.trim().to_owned()).collect();
    let fitting =
        kept.iter().filter(|taught| classes.fault(pack, &taught.route, &taught.tools).is_none());
    let rows = fitting.map(|taught| Labelled {
        text: masked(pack, &taught.text, language(pack, &taught.language), &now),
        language: Some(language(pack, &taught.language).tag().to_owned()),
        route: taught.route.clone(),
        tools: heads(pack, &taught.tools),
        weight: taught.weight,
    });
    Ok(rows.filter(|row| seen.insert(row.text.trim().to_owned())).collect())
}

/// Curates the labels of a pack's traffic: those that do not fit the pack are left out, the others
/// are compared with its examples and each other. A text of `cases`, as
/// [`masked`](crate::student::examination::masked) gives them, teaches nothing.
///
/// # Errors
///
/// `INTERNAL` if the pack's zone has gone since it was loaded.
pub fn curate(pack: &Pack, cases: &[String], labels: &[Label], limits: &Limits) -> Result<Curated> {
    let examples = labelled(pack)?;
    let now = usual_instant(pack)?;
    let classes = Classes::of(&examples);
    let mut unfit: BTreeMap<Reason, usize> = BTreeMap::new();
    let mut fitting = Vec::with_capacity(labels.len());
    for label in labels {
        let fault = match &label.verdict {
            Verdict::Right { route, tools } => classes.fault(pack, route, tools),
            Verdict::Wrong => None,
        };
        match fault {
            Some(reason) => *unfit.entry(reason).or_default() += 1,
            // Tools of one family are one thing to learn.
            None => fitting.push(with_heads(pack, label)),
        }
    }
    let seen = |label: &Label| masked(pack, &label.text, language(pack, &label.language), &now);
    let mut curated = curate_beside(&examples, cases, &fitting, &seen, limits);
    curated.report.given = labels.len();
    for (reason, count) in unfit {
        *curated.report.dropped.entry(reason).or_default() += count;
    }
    Ok(curated)
}

/// The examples of a pack, masked as a turn is.
///
/// # Errors
///
/// `INTERNAL` if the pack's zone has gone since it was loaded.
pub fn labelled(pack: &Pack) -> Result<Vec<Labelled>> {
    let now = usual_instant(pack)?;
    let row = |example: &Example| Labelled {
        text: masked(pack, &example.text, example.lang, &now),
        language: Some(example.lang.tag().to_owned()),
        route: example.route.clone(),
        tools: heads(pack, &example.tools),
        weight: 1.0,
    };
    Ok(in_halves(&pack.examples, THREADS, |examples| examples.iter().map(row).collect()))
}

/// The examples of a pack, with which `examples` begin, and the requests beside them, each masked and with talk around it.
fn told(
    talk: &Talk,
    pack: &Pack,
    examples: &[Labelled],
    background: &[Beside],
) -> Vec<(String, String)> {
    let own = pack.examples.iter().zip(examples).map(|(example, row)| (example.lang, row));
    let beside = background.iter().map(|beside| (beside.language, &beside.row));
    let told = own
        .chain(beside)
        .filter_map(|(language, row)| Some((row.text.clone(), talk.around(&row.text, language)?)));
    told.collect()
}

/// The instant for masking examples; the day does not matter, since relative days are masked
/// whatever they mean.
fn usual_instant(pack: &Pack) -> Result<Zoned> {
    let zone = waypost_core::records::request::zone(&pack.spec.tz)?;
    let morning = date(2025, 1, 15).at(9, 0, 0, 0);
    morning.to_zoned(zone).map_err(|error| Error::internal(error.to_string()))
}

/// A text as the student sees it: without what it leaves out, denies or only tells, as in a turn.
fn masked(pack: &Pack, text: &str, language: Language, now: &Zoned) -> String {
    Utterance::alone(pack, text, language, now).masked().to_owned()
}

/// The tools that the words themselves ask for: where each is judged by itself, those that others of them need come along
/// without being learned, so that the name of a thing alone asks for none.
fn asked_for<'a>(pack: &Pack, tools: &'a [String]) -> Vec<&'a String> {
    let specs = || tools.iter().filter_map(|tool| pack.tool(tool));
    let needed = |tool: &&String| {
        let provides =
            pack.tool(tool).map(|tool| tool.spec.provides.as_slice()).unwrap_or_default();
        specs().any(|other| other.spec.needs.iter().any(|need| provides.contains(need)))
    };
    let alone = pack.spec.selection == Selection::PerTool;
    tools.iter().filter(|tool| !(alone && needed(tool))).collect()
}

/// The heads of tools, or of heads, in order and each once.
pub(crate) fn heads(pack: &Pack, tools: &[String]) -> Vec<String> {
    let tools = asked_for(pack, tools);
    let own = |tool: &String| tool_of_head(pack, tool).map(|_| tool.clone());
    let mut heads: Vec<String> =
        tools.into_iter().filter_map(|tool| head_of(pack, tool).or_else(|| own(tool))).collect();
    heads.sort();
    heads.dedup();
    heads
}

/// The routes and heads that the examples of a pack teach. A class without examples is none, and a
/// student with more classes than its pack is refused.
struct Classes {
    routes: BTreeSet<String>,
    heads: BTreeSet<String>,
}

impl Classes {
    fn of(examples: &[Labelled]) -> Self {
        let heads = examples.iter().flat_map(|example| example.tools.iter().cloned());
        let routes = examples.iter().map(|example| example.route.clone());
        Self { routes: routes.collect(), heads: heads.collect() }
    }

    /// Returns the reason why this cannot be taught, if there is one.
    fn fault(&self, pack: &Pack, route: &str, tools: &[String]) -> Option<Reason> {
        if !self.routes.contains(route) {
            return Some(Reason::UnknownRoute);
        }
        let is_known = |tool: &String| {
            let heads = heads(pack, std::slice::from_ref(tool));
            !heads.is_empty() && heads.iter().all(|head| self.heads.contains(head))
        };
        // No tool would be read as the statement that none is right.
        let wants_tool = pack.route(route).is_some_and(|r| r.handler == HandlerName::Tool);
        let is_missing = wants_tool && tools.is_empty() && !self.heads.is_empty();
        (is_missing || !tools.iter().all(is_known)).then_some(Reason::UnknownTool)
    }
}

fn with_heads(pack: &Pack, label: &Label) -> Label {
    let mut label = label.clone();
    if let Verdict::Right { tools, .. } = &mut label.verdict {
        *tools = heads(pack, tools);
    }
    label
}

fn language(pack: &Pack, tag: &str) -> Language {
    let usual = pack.languages.first().copied().unwrap_or(Language::En);
    Language::from_tag(tag).unwrap_or(usual)
}

/// The head that a tool's examples train: its own, or its family's where only values tell the tools
/// of the family apart.
pub(crate) fn head_of(pack: &Pack, tool: &str) -> Option<String> {
    Some(head(pack.tool(tool)?).to_owned())
}

fn head(tool: &Tool) -> &str {
    match &tool.spec.family {
        Some(family) if !tool.spec.own_head => family,
        _ => &tool.spec.name,
    }
}

/// The first tool of a head.
pub(crate) fn tool_of_head<'a>(pack: &'a Pack, name: &str) -> Option<&'a Tool> {
    pack.tools.iter().find(|tool| head(tool) == name)
}

/// The tool that the words ask for most, whatever the route, and how likely it is.
pub(crate) fn likeliest_tool<'a>(turn: &'a Turn<'_>, bundle: &Bundle) -> Option<(&'a Tool, f64)> {
    let input = turn.said.input();
    let scores = bundle.score(input, &mut Scratch::default());
    let heads = bundle.tools().iter().zip(&scores.tools);
    let (head, probability) = heads.max_by(|a, b| a.1.total_cmp(b.1))?;
    Some((tool_of_head(turn.pack, head)?, f64::from(*probability)))
}

#[cfg(test)]
mod tests;
