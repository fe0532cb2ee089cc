//! Trains a challenger from a pack and its traffic, compares it with the student in service, and
//! keeps it as a version. It does not decide whether the challenger is promoted.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use serde::Deserialize;
use tracing::warn;
use waypost::learning::data::curate::{Curated, CurationReport, Limits};
use waypost::learning::{Bundle, OUT_OF_SCOPE, Progress};
use waypost::pack::Pack;
use waypost::ports::encoder::Encoder;
use waypost::ports::store::{Filter, Store};
use waypost::records::decision::{LayerName, Reason};
use waypost::records::event::{Event, Record};
use waypost::records::label::Label;
use waypost::records::request::{Context, Request};
use waypost::student::examination::{
    ExamQuestion, Heard, Parted, Rivals, examine, examines, kinds, masked, part, threshold,
};
use waypost::student::heads::{curate, train_on};
use waypost::{Code, Error, Result};
use waypost_backends::students::{Card, Compared, Registry, Trained, Version};

use crate::assemble::{self, AssemblyOptions};
use crate::config::Config;
use crate::encoders;
use crate::learning::student_file;

/// The number of labels that are read at a time.
const PAGE: usize = 1_000;
/// The number of latest turns that show how sure the student is of the traffic.
const TURNS: usize = 10_000;

/// The material that a challenger is trained from and compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Material<'a> {
    pub(crate) pack: &'a Pack,
    /// The exam questions of the pack, which are no examples, with the right answers.
    pub(crate) cases: &'a [ExamQuestion],
    /// The labels of the traffic; none where the examples alone teach.
    pub(crate) labels: Option<&'a [Label]>,
    /// The texts that were asked in the sessions that examine.
    pub(crate) heard: &'a [Heard],
    /// Decides the order of the examples where they alone teach.
    pub(crate) seed: u64,
    /// The instant of the training, RFC 3339.
    pub(crate) at: &'a str,
}

/// A challenger that was kept.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) bundle: Bundle,
    pub(crate) version: Version,
    /// The account of what became of the labels.
    pub(crate) report: Option<CurationReport>,
}

/// Trains a challenger, examines it beside the student in service, and keeps it as a version.
///
/// # Errors
///
/// `FAILED_PRECONDITION` if a training runs already, or if no label counts; what the training, the
/// encoder and the versions return. Nothing is kept then, and what serves goes on serving.
pub(crate) fn challenge(
    material: Material<'_>,
    config: &Config,
    progress: &mut dyn FnMut(Progress),
) -> Result<Kept> {
    let Material { pack, labels, .. } = material;
    let registry = Registry::open(&config.home, &pack.spec.name)?;
    // Before everything else, so that the second of two trainings is refused at once.
    let _held = registry.training()?;
    let encoder = encoders::configured(config)?;
    let encoder = encoder.as_deref();
    let table = assemble::table(config)?;
    let texts = masked(pack, material.cases)?;
    let curated =
        labels.map(|labels| curate(pack, &texts, labels, &limits(pack, config))).transpose()?;
    let report = curated.as_ref().map(|curated| curated.report.clone());
    let Parted { taught, held_out, replayed } = curated.map(part).unwrap_or_default();
    if let Some(report) = report.as_ref().filter(|_| taught.kept.is_empty()) {
        return Err(nothing_taught(pack, report, held_out.len()));
    }
    let challenger = train_on(pack, &taught, material.seed, table, encoder, progress)?;
    let challenger = with_threshold(challenger, material, &held_out, config, encoder)?;
    let (with, champion) = champion(pack, config, encoder)?;
    let rivals = Rivals { champion: &champion, challenger: &challenger, encoder };
    let examined = examine(pack, rivals, material.cases, &held_out, &replayed)?;
    let comparison = Compared { with, champion: champion.id().to_owned(), examined };
    let card = card(material, &registry, &challenger, &taught, comparison)?;
    let version = registry.add(&challenger.to_bytes(), card)?;
    Ok(Kept { bundle: challenger, version, report })
}

/// The limits on what labels teach: those of a model count as much as its choices were worth on the pack.
fn limits(pack: &Pack, config: &Config) -> Limits {
    let choosing = assemble::known(pack, config).map(|known| known.worths.choosing);
    let choosing = choosing.filter(|worth| worth.asked > 0);
    let limits = Limits::default();
    Limits { model: choosing.map_or(limits.model, |worth| worth.share() as f32), ..limits }
}

/// Gives the student the threshold that follows from its answers to questions which it did not
/// learn from, where the configuration says how good the model is.
fn with_threshold(
    student: Bundle,
    material: Material<'_>,
    held_out: &[ExamQuestion],
    config: &Config,
    encoder: Option<&dyn Encoder>,
) -> Result<Bundle> {
    let Some(terms) = config.learning.terms() else { return Ok(student) };
    let questions: Vec<&ExamQuestion> = material.cases.iter().chain(held_out).collect();
    let told = (questions.as_slice(), material.heard);
    let threshold = threshold(material.pack, &student, encoder, told, &terms)?;
    Ok(student.with_threshold(threshold))
}

/// Returns what serves: the student of a version, or the one that the pack trains.
fn champion(
    pack: &Pack,
    config: &Config,
    encoder: Option<&dyn Encoder>,
) -> Result<(Option<u64>, Arc<Bundle>)> {
    match student_file::serving(pack, &config.home) {
        Ok(Some((version, reloaded))) => return Ok((Some(version.number), reloaded.bundle)),
        Ok(None) => {}
        // As for every command that decides: what cannot serve does not.
        Err(error) => warn!("{}; compared with the pack's own student", error.message()),
    }
    Ok((None, assemble::trained(pack, encoder, config, &AssemblyOptions::default())?))
}

fn card(
    material: Material<'_>,
    registry: &Registry,
    challenger: &Bundle,
    taught: &Curated,
    comparison: Compared,
) -> Result<Card> {
    let labels = material.labels.unwrap_or_default();
    let sessions: BTreeSet<&str> =
        labels.iter().filter_map(|label| label.session_id.as_deref()).collect();
    let behind: BTreeSet<&str> =
        taught.kept.iter().flat_map(|row| &row.sessions).map(String::as_str).collect();
    let origin = challenger.origin();
    let trained = Trained {
        examples: material.pack.examples.len(),
        texts: taught.kept.len(),
        labels: kinds(labels),
        left_out: taught.report.dropped.clone(),
        sessions: sessions.len() as u64,
        newest: labels.last().map(|label| label.decision_id.clone()),
        data: origin.data.clone(),
    };
    Ok(Card {
        bundle: challenger.id().to_owned(),
        pack: origin.pack.clone(),
        at: material.at.to_owned(),
        trained,
        metrics: challenger.metrics().clone(),
        threshold: challenger.threshold().copied(),
        comparison: Some(comparison),
        sessions: if behind.is_empty() { Vec::new() } else { registry.hashed(behind)? },
    })
}

fn nothing_taught(pack: &Pack, report: &CurationReport, held_out: usize) -> Error {
    let name = &pack.spec.name;
    if report.given == 0 {
        let message = format!("there is no label of `{name}` yet");
        return Error::new(Code::FailedPrecondition, message).with_hint(
            "labels come from turns that a model decided, choices, corrections and \
             `waypost feedback`; `waypost train --save` keeps a version of the examples alone",
        );
    }
    let mut message = format!("none of the {} labels of `{name}` teaches anything", report.given);
    let mut reasons = reasons(report);
    if held_out > 0 {
        reasons.push(format!("{held_out} only examine"));
    }
    if !reasons.is_empty() {
        message.push_str(&format!(": {}", reasons.join(", ")));
    }
    Error::new(Code::FailedPrecondition, message).with_hint(
        "a label counts when other sessions or the examples bear it out: see docs/LEARNING.md",
    )
}

/// Returns the reasons why labels did not count, each with the number of labels.
pub(crate) fn reasons(report: &CurationReport) -> Vec<String> {
    let name = |reason: &waypost::learning::data::curate::Reason| {
        let json = serde_json::to_value(reason).ok();
        let name = json.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
        name.replace('_', " ")
    };
    report.dropped.iter().map(|(reason, count)| format!("{count} {}", name(reason))).collect()
}

/// Returns the labels of a pack, oldest first: the latest ones, as many as curation looks at.
pub(crate) async fn labels(store: &dyn Store, pack: &Pack) -> Result<Vec<Label>> {
    let most = Limits::default().most;
    let mut labels = VecDeque::new();
    let mut from = Some(0);
    while let Some(start) = from {
        let page = store.labels(&pack.spec.name, start, PAGE).await?;
        labels.extend(page.labels);
        let excess = labels.len().saturating_sub(most);
        labels.drain(..excess);
        from = page.next;
    }
    Ok(labels.into())
}

/// Returns the latest texts of the sessions that examine, as far as the student had a say in them;
/// nothing where no threshold is looked for.
pub(crate) async fn heard(store: &dyn Store, pack: &Pack, config: &Config) -> Result<Vec<Heard>> {
    if config.learning.terms().is_none() {
        return Ok(Vec::new());
    }
    let filter = Filter {
        kind: Some("router_event".to_owned()),
        pack: Some(pack.spec.name.clone()),
        ..Filter::default()
    };
    let heard = |record: Record| {
        let Event::RouterEvent(routed) = record.event else { return None };
        let session = record.session_id.as_deref().unwrap_or(&record.decision_id);
        let asked = matches!(routed.layer, LayerName::Linear | LayerName::Recall | LayerName::Llm);
        let language = Some(routed.decision.language.tag().to_owned());
        (asked && examines(session)).then_some(Heard { text: routed.text, language })
    };
    Ok(store.events(&filter, TURNS).await?.into_iter().filter_map(heard).collect())
}

/// A case of a pack, with what a student can be asked about.
#[derive(Debug, Deserialize)]
struct Case {
    #[serde(flatten)]
    request: Request,
    #[serde(default)]
    expect: Expect,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Expect {
    route: Option<String>,
    reason: Option<Reason>,
    tools: Vec<String>,
}

/// Returns the cases that words alone decide: those that name a route and need no conversation.
/// Lines that are not cases are left out: [`unreadable_cases`] tells them.
pub(crate) fn questions(cases: &str) -> Vec<ExamQuestion> {
    let read = |line: &str| {
        let case: Case = serde_json::from_str(line).ok()?;
        let alone = case.request.context == Context::default()
            && case.request.route.is_none()
            && case.request.choice.is_none();
        let refused = case.expect.reason.filter(|reason| *reason == Reason::OutOfScope);
        let refused = refused.map(|_| OUT_OF_SCOPE.to_owned());
        let route = case.expect.route.or(refused).filter(|_| alone)?;
        let Request { text, language, .. } = case.request;
        Some(ExamQuestion { text, language, route, tools: case.expect.tools })
    };
    cases.lines().filter_map(read).collect()
}

/// Returns a sentence about the lines that are no cases, if there are any.
pub(crate) fn unreadable_cases(cases: &str) -> Option<String> {
    let lines = (1_u64..).zip(cases.lines()).filter(|(_, line)| !line.trim().is_empty());
    let mut lines = lines.filter(|(_, line)| serde_json::from_str::<Case>(line).is_err());
    let (first, _) = lines.next()?;
    Some(match lines.count() {
        0 => format!("line {first} of `cases.jsonl` is no case and examines nothing"),
        more => format!(
            "line {first} of `cases.jsonl` and {more} more are no cases and examine nothing"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cases_that_words_alone_decide_are_asked() {
        let cases = [
            r#"{"text": "a", "expect": {"route": "tool", "tools": ["t"], "decision": "run"}}"#,
            r#"{"text": "b", "expect": {"decision": "clarify"}}"#,
            r#"{"text": "c", "context": {"active_tool": "t"}, "expect": {"route": "tool"}}"#,
            r#"{"text": "d", "route": "code", "expect": {"route": "code"}}"#,
            r#"{"text": "e", "language": "es", "expect": {"route": "code"}}"#,
            r#"{"text": "f", "expect": {"decision": "refuse", "reason": "out_of_scope"}}"#,
            "no case",
        ];
        let told = unreadable_cases(&cases.join("\n"));
        assert_eq!(told.unwrap(), "line 7 of `cases.jsonl` is no case and examines nothing");
        assert_eq!(unreadable_cases(&cases[..6].join("\n")), None);
        let asked = questions(&cases.join("\n"));
        let asked: Vec<(&str, &str, usize)> =
            asked.iter().map(|q| (q.text.as_str(), q.route.as_str(), q.tools.len())).collect();
        assert_eq!(asked, [("a", "tool", 1), ("e", "code", 0), ("f", "out_of_scope", 0)]);
    }
}
