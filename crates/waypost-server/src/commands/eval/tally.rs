//! The outcome of every case, and the counts of each kind of outcome.

use std::collections::BTreeMap;

use waypost::learning::OUT_OF_SCOPE;
use waypost::learning::evaluate::Row;
use waypost::learning::evaluate::slices::Seen;
use waypost::printable;
use waypost::records::decision::{Decision, Outcome};

use super::super::train::OOS;
use super::case::{
    Argument, Case, Expect, arguments, arguments_fit, called, faults, served_otherwise,
};

/// The outcome of one case.
#[derive(Debug)]
pub(super) struct Judged {
    /// The index of the case.
    pub(super) case: usize,
    /// The language that it was taken for; a student alone takes it for none.
    pub(super) language: Option<&'static str>,
    /// The layer that decided; a student alone has none.
    pub(super) layer: Option<&'static str>,
    /// The right route, where it is known and there is one.
    pub(super) label: Option<String>,
    pub(super) predicted: String,
    pub(super) confidence: f64,
    pub(super) right: bool,
    pub(super) asked: bool,
    /// The expected outcome and the one that came, in few words each.
    pub(super) wanted: String,
    pub(super) came: String,
    /// The differences between the two, a sentence each.
    pub(super) faults: Vec<String>,
    /// The expected arguments that have another value.
    pub(super) differing: Vec<Argument>,
}

impl Judged {
    fn seen(&self) -> Seen<'_> {
        Seen {
            label: self.label.as_deref(),
            predicted: &self.predicted,
            right: self.right,
            asked: self.asked,
            confidence: self.confidence,
        }
    }
}

/// The counts of a tool: how often it was expected and found.
#[derive(Debug, Default)]
pub(super) struct ToolTally {
    pub(super) n: usize,
    pub(super) found: usize,
    /// The number of calls where it was not expected.
    pub(super) needless: usize,
    /// The tools that were called in its place, with how often.
    pub(super) instead: BTreeMap<String, usize>,
}

/// The counts of an argument: how often it was expected and right.
#[derive(Debug, Default)]
pub(super) struct ArgumentTally {
    pub(super) n: usize,
    pub(super) right: usize,
    pub(super) missing: usize,
}

/// The figures of a run over cases.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) rows: Vec<Row>,
    pub(super) judged: Vec<Judged>,
    pub(super) right: usize,
    pub(super) asked: usize,
    pub(super) wrong_run: usize,
    pub(super) tools: (usize, usize),
    pub(super) arguments: (usize, usize),
    /// The cases with retrieval and slot as expected, and all that expect either.
    pub(super) served: (usize, usize),
    pub(super) by_tool: BTreeMap<String, ToolTally>,
    pub(super) by_argument: BTreeMap<String, ArgumentTally>,
    pub(super) wrong: Vec<String>,
}

/// A route that a plain label is compared with.
#[derive(Debug)]
pub(super) struct Predicted {
    pub(super) route: String,
    pub(super) confidence: f32,
    pub(super) in_scope: f32,
    pub(super) language: Option<&'static str>,
    pub(super) layer: Option<&'static str>,
}

impl Tally {
    pub(super) fn n(&self) -> usize {
        self.judged.len()
    }

    /// The cases as the figures of slices count them.
    pub(super) fn seen(&self) -> Vec<Seen<'_>> {
        self.judged.iter().map(Judged::seen).collect()
    }

    /// Counts a plain labeled text.
    pub(super) fn label(&mut self, case: &Case, label: &str, predicted: Predicted) {
        let Predicted { route, confidence, in_scope, language, layer } = predicted;
        let scoped = label != OOS && label != OUT_OF_SCOPE;
        let right = scoped && route == label;
        self.right += usize::from(right);
        if scoped && !right {
            let text = printable::line(&case.request.text);
            self.wrong.push(format!("{label} -> {route} ({confidence:.2})  {text}"));
        }
        let wrong = (scoped && !right).then(|| format!("route {route} instead of {label}"));
        let label = scoped.then(|| label.to_owned());
        self.judged.push(Judged {
            case: self.judged.len(),
            language,
            layer,
            wanted: label.clone().unwrap_or_else(|| OUT_OF_SCOPE.to_owned()),
            came: route.clone(),
            label: label.clone(),
            predicted: route.clone(),
            confidence: f64::from(confidence),
            // A text that belongs nowhere counts for the detector alone.
            right: right || !scoped,
            asked: false,
            faults: wrong.into_iter().collect(),
            differing: Vec::new(),
        });
        self.rows.push(Row { label, predicted: route, confidence, in_scope });
    }

    /// Counts a case that says what is expected.
    pub(super) fn case(&mut self, case: &Case, expect: &Expect, decision: &Decision) {
        let faults = faults(expect, decision);
        self.right += usize::from(faults.is_empty());
        let runs = expect.decision.is_none_or(|wanted| wanted == Outcome::Run);
        let asks = matches!(decision.decision, Outcome::Clarify | Outcome::Rephrase);
        self.asked += usize::from(runs && asks);
        self.wrong_run += usize::from(decision.decision == Outcome::Run && !faults.is_empty());
        if expect.retrieval.is_some() || expect.model_slot.is_some() {
            self.served.1 += 1;
            self.served.0 += usize::from(served_otherwise(expect, decision).is_none());
        }
        self.count_tools(expect, decision);
        let differing = self.count_arguments(expect, decision);
        if let Some(route) = &expect.route {
            self.rows.push(Row {
                label: Some(route.clone()),
                predicted: decision.route.clone(),
                confidence: decision.confidence as f32,
                in_scope: 1.0,
            });
        }
        let (layer, confidence) = (decision.layer.name(), decision.confidence);
        if !faults.is_empty() {
            let text = printable::line(&case.request.text);
            self.wrong.push(format!("[{layer} {confidence:.2}] {text}\n    {}", faults.join("; ")));
        }
        self.judged.push(Judged {
            case: self.judged.len(),
            language: Some(decision.language.tag()),
            layer: Some(layer),
            label: expect.route.clone(),
            predicted: decision.route.clone(),
            confidence,
            right: faults.is_empty(),
            asked: asks,
            wanted: wanted(expect),
            came: came(decision),
            faults,
            differing,
        });
    }

    fn count_tools(&mut self, expect: &Expect, decision: &Decision) {
        let Some(wanted) = &expect.tools else { return };
        self.tools.1 += 1;
        self.tools.0 += usize::from(called(decision).eq(wanted.iter().map(String::as_str)));
        let others: Vec<&str> =
            called(decision).filter(|tool| !wanted.iter().any(|wanted| wanted == tool)).collect();
        for tool in wanted {
            let tally = self.by_tool.entry(tool.clone()).or_default();
            tally.n += 1;
            if called(decision).any(|called| called == tool) {
                tally.found += 1;
            } else {
                let instead = match others[..] {
                    [] => format!("no tool ({})", decision.decision.name()),
                    _ => others.join(", "),
                };
                *tally.instead.entry(instead).or_default() += 1;
            }
        }
        for tool in others {
            self.by_tool.entry(tool.to_owned()).or_default().needless += 1;
        }
    }

    /// Counts the expected arguments and returns those that differ.
    fn count_arguments(&mut self, expect: &Expect, decision: &Decision) -> Vec<Argument> {
        let Some(wanted) = &expect.arguments else { return Vec::new() };
        self.arguments.1 += 1;
        self.arguments.0 += usize::from(arguments_fit(wanted, decision));
        let mut found = arguments(wanted, decision);
        for argument in &found {
            let tally = self.by_argument.entry(argument.name.clone()).or_default();
            tally.n += 1;
            tally.right += usize::from(argument.is_right());
            tally.missing += usize::from(argument.given.is_none());
        }
        found.retain(|argument| !argument.is_right());
        found
    }
}

/// Returns the expected outcome, in few words.
fn wanted(expect: &Expect) -> String {
    let decision = expect.decision.map(|decision| decision.name().to_owned());
    let tools = expect.tools.as_deref().unwrap_or_default().to_vec();
    words(decision.into_iter().chain(expect.route.clone()).chain(tools))
}

/// Returns the outcome of a decision, in few words.
fn came(decision: &Decision) -> String {
    let what = [decision.decision.name().to_owned(), decision.route.clone()];
    words(what.into_iter().chain(called(decision).map(str::to_owned)))
}

fn words(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" · ")
}
