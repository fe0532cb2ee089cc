//! A case, and the differences between a decision and what the case expects.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use waypost::Error;
use waypost::ports::model::Slot;
use waypost::records::decision::{Decision, LayerName, Outcome, Reason};
use waypost::records::request::Request;

use crate::commands;
use crate::failure::Failure;

/// A case: a request with what is expected of it, or a plain labeled text.
#[derive(Debug, Deserialize)]
pub(super) struct Case {
    #[serde(flatten)]
    pub(super) request: Request,
    #[serde(default)]
    pub(super) expect: Option<Expect>,
    #[serde(default)]
    pub(super) label: Option<String>,
}

/// The expectations of a case; what is left out does not count.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Expect {
    pub(super) decision: Option<Outcome>,
    pub(super) route: Option<String>,
    pub(super) tools: Option<Vec<String>>,
    /// The arguments of one call, or of each in a list; those that are not named do not count.
    pub(super) arguments: Option<Json>,
    reason: Option<Reason>,
    /// True if documents are to be looked up.
    pub(super) retrieval: Option<bool>,
    /// The model slot that the route asks for.
    pub(super) model_slot: Option<Slot>,
    /// The layer that decides, where that is promised.
    layer: Option<LayerName>,
}

/// An argument that is expected, and what came of it.
#[derive(Debug, Clone)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) wanted: Json,
    /// Nothing where the call does not have it, or there is no such call.
    pub(super) given: Option<Json>,
}

impl Argument {
    pub(super) fn is_right(&self) -> bool {
        self.given.as_ref().is_some_and(|given| same(given, &self.wanted))
    }
}

/// Reads the cases of a file, one JSON object a line.
pub(super) fn read(file: &Path) -> Result<Vec<Case>, Failure> {
    let hint = "write {\"text\", …, \"expect\": {…}} or {\"text\", \"label\"} on each line";
    let cases: Vec<Case> = commands::lines(file, hint)?;
    if cases.is_empty() {
        let message = format!("there is no case in `{}`", file.display());
        return Err(Failure::usage(Error::invalid(message)));
    }
    Ok(cases)
}

/// Returns the difference of retrieval and slot from what is expected, in a sentence.
pub(super) fn served_otherwise(expect: &Expect, decision: &Decision) -> Option<String> {
    let slot = expect.model_slot.or(decision.model_slot);
    let retrieval = expect.retrieval.unwrap_or(decision.retrieval);
    let differs = slot != decision.model_slot || retrieval != decision.retrieval;
    differs.then(|| format!("retrieval {} and slot {:?}", decision.retrieval, decision.model_slot))
}

/// The tools of a decision's calls.
pub(super) fn called(decision: &Decision) -> impl Iterator<Item = &str> {
    decision.calls.iter().map(|call| call.tool.as_str())
}

/// Returns the differences between a decision and what is expected, a sentence each.
pub(super) fn faults(expect: &Expect, decision: &Decision) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some(wanted) = expect.decision.filter(|wanted| *wanted != decision.decision) {
        let reason = decision.reason.as_ref().map_or("no reason".to_owned(), Reason::to_string);
        faults.push(format!("decision {:?} ({reason}) instead of {wanted:?}", decision.decision));
    }
    if let Some(wanted) = expect.route.as_ref().filter(|wanted| **wanted != decision.route) {
        faults.push(format!("route {} instead of {wanted}", decision.route));
    }
    if expect.reason.is_some() && expect.reason != decision.reason {
        let shown = |reason: &Option<Reason>| reason.as_ref().map(Reason::to_string);
        let (is, wanted) = (shown(&decision.reason), shown(&expect.reason));
        faults.push(format!("reason {is:?} instead of {wanted:?}"));
    }
    faults.extend(served_otherwise(expect, decision));
    if let Some(wanted) = expect.layer.filter(|wanted| *wanted != decision.layer) {
        faults.push(format!("layer {} instead of {}", decision.layer.name(), wanted.name()));
    }
    if let Some(wanted) = &expect.tools
        && !called(decision).eq(wanted.iter().map(String::as_str))
    {
        let called: Vec<&str> = called(decision).collect();
        faults.push(format!("tools {called:?} instead of {wanted:?}"));
    }
    if let Some(wanted) = &expect.arguments
        && faults.is_empty()
        && !arguments_fit(wanted, decision)
    {
        let given: Vec<&Map<String, Json>> =
            decision.calls.iter().map(|call| &call.arguments).collect();
        faults.push(format!("arguments {} instead of {wanted}", json!(given)));
    }
    faults
}

/// Returns whether every expected argument has its value.
pub(super) fn arguments_fit(wanted: &Json, decision: &Decision) -> bool {
    listed(wanted).len() <= decision.calls.len()
        && arguments(wanted, decision).iter().all(Argument::is_right)
}

/// Every expected argument with what came of it, the calls one after another.
pub(super) fn arguments(wanted: &Json, decision: &Decision) -> Vec<Argument> {
    let mut found = Vec::new();
    for (index, wanted) in listed(wanted).into_iter().enumerate() {
        let call = decision.calls.get(index);
        for (name, value) in wanted.as_object().into_iter().flatten() {
            let given = call.and_then(|call| call.arguments.get(name)).cloned();
            found.push(Argument { name: name.clone(), wanted: value.clone(), given });
        }
    }
    found
}

/// Returns the arguments of one call, or of each in a list.
fn listed(wanted: &Json) -> Vec<&Json> {
    match wanted {
        Json::Array(list) => list.iter().collect(),
        one => vec![one],
    }
}

/// Returns whether two values are equal; 20 and 20.0 are.
fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-9,
            _ => a == b,
        },
    }
}
