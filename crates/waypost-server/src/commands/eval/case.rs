//! A case, and the differences between a decision and what the case expects.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use waypost::Error;
use waypost::pack::Pack;
use waypost::pack::spec::Selection;
use waypost::ports::model::Slot;
use waypost::records::decision::{Decision, LayerName, Outcome, Reason};
use waypost::records::request::Request;

use crate::commands;
use crate::failure::Failure;

/// A case: a request with what is expected of it, or a plain labeled text.
#[derive(Debug, Deserialize)]
pub(in crate::commands) struct Case {
    #[serde(flatten)]
    pub(in crate::commands) request: Request,
    #[serde(default)]
    pub(in crate::commands) expect: Option<Expect>,
    #[serde(default)]
    pub(super) label: Option<String>,
}

/// The expectations of a case; what is left out does not count.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(in crate::commands) struct Expect {
    pub(super) decision: Option<Outcome>,
    pub(in crate::commands) route: Option<String>,
    pub(in crate::commands) tools: Option<Vec<String>>,
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

impl Expect {
    /// Returns whether nothing that the pack serves is expected.
    pub(in crate::commands) fn is_out_of_scope(&self) -> bool {
        self.reason == Some(Reason::OutOfScope)
    }
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

/// The cases of a pack that say what is expected, of the text of its `cases.jsonl`; other lines are passed over. One
/// without an instant is of now.
pub(in crate::commands) fn expected(text: &str) -> Vec<Case> {
    let cases = text.lines().filter_map(|line| serde_json::from_str::<Case>(line).ok());
    let mut cases: Vec<Case> = cases.filter(|case| case.expect.is_some()).collect();
    for case in &mut cases {
        case.request.now.get_or_insert_with(commands::now);
    }
    cases
}

/// An expectation and a decision with the calls that stand for those of tools that do the same: either is right.
pub(in crate::commands) fn canonical(
    pack: &Pack,
    expect: &Expect,
    decision: &Decision,
) -> (Expect, Decision) {
    let (mut expect, mut decision) = (expect.clone(), decision.clone());
    if expect.tools.is_some() && pack.spec.selection == Selection::PerTool {
        as_set(&mut expect, &mut decision);
    }
    if expect.tools.is_none() || pack.tools.iter().all(|tool| tool.spec.same_as.is_none()) {
        return (expect, decision);
    }
    for call in &mut decision.calls {
        let (tool, arguments) = pack.canonical(&call.tool, &call.arguments);
        (call.tool, call.arguments) = (tool.to_owned(), arguments);
    }
    let given = expect.arguments.take();
    let given: Vec<&Json> = given.iter().flat_map(listed).collect();
    let mut wanted: Vec<Json> = Vec::new();
    for (index, tool) in expect.tools.iter_mut().flatten().enumerate() {
        let own = given.get(index).and_then(|given| given.as_object()).cloned().unwrap_or_default();
        let (same, arguments) = pack.canonical(tool, &own);
        let same = same.to_owned();
        wanted.push(arguments.into());
        *tool = same;
    }
    let says = wanted.iter().any(|own| own.as_object().is_some_and(|own| !own.is_empty()));
    expect.arguments = says.then(|| wanted.into());
    (expect, decision)
}

/// Puts tools of which a text needs a set into one order, each once: what needs what orders them, not who wrote the case. Values
/// that are expected are those of whichever call takes them.
fn as_set(expect: &mut Expect, decision: &mut Decision) {
    let values = expect.arguments.take().filter(Json::is_object);
    if let Some(wanted) = values {
        let names = wanted.as_object().into_iter().flatten();
        let given = names.filter_map(|(name, value)| {
            let mut said = decision.calls.iter().filter_map(|call| call.arguments.get(name));
            let found = said.clone().find(|given| same(given, value)).or_else(|| said.next());
            Some((name.clone(), found?.clone()))
        });
        let given: Map<String, Json> = given.collect();
        if let Some(first) = decision.calls.iter_mut().min_by(|a, b| a.tool.cmp(&b.tool)) {
            first.arguments = given;
        }
        expect.arguments = Some(wanted);
    }
    decision.calls.sort_by(|a, b| a.tool.cmp(&b.tool));
    decision.calls.dedup_by(|next, before| next.tool == before.tool);
    expect.tools.iter_mut().for_each(|tools| tools.sort());
}

/// Returns the difference of retrieval and slot from what is expected, in a sentence.
pub(super) fn served_otherwise(expect: &Expect, decision: &Decision) -> Option<String> {
    let slot = expect.model_slot.or(decision.model_slot);
    let retrieval = expect.retrieval.unwrap_or(decision.retrieval);
    let differs = slot != decision.model_slot || retrieval != decision.retrieval;
    differs.then(|| {
        let retrieval = if decision.retrieval { "with" } else { "without" };
        let slot = decision.model_slot.map_or("no model", Slot::name);
        format!("{retrieval} retrieval and {slot}")
    })
}

/// The tools of a decision's calls.
pub(in crate::commands) fn called(decision: &Decision) -> impl Iterator<Item = &str> {
    decision.calls.iter().map(|call| call.tool.as_str())
}

/// Returns the differences between a decision and what is expected, a sentence each.
pub(in crate::commands) fn faults(expect: &Expect, decision: &Decision) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some(wanted) = expect.decision.filter(|wanted| *wanted != decision.decision) {
        let (is, wanted) = (decision.decision.name(), wanted.name());
        faults.push(format!(
            "decision {is} ({}) instead of {wanted}",
            because(decision.reason.as_ref())
        ));
    }
    if let Some(wanted) = expect.route.as_ref().filter(|wanted| **wanted != decision.route) {
        faults.push(format!("route {} instead of {wanted}", decision.route));
    }
    if expect.reason.is_some() && expect.reason != decision.reason {
        let (is, wanted) = (because(decision.reason.as_ref()), because(expect.reason.as_ref()));
        faults.push(format!("{is} instead of {wanted}"));
    }
    faults.extend(served_otherwise(expect, decision));
    if let Some(wanted) = expect.layer.filter(|wanted| *wanted != decision.layer) {
        faults.push(format!("layer {} instead of {}", decision.layer.name(), wanted.name()));
    }
    if let Some(wanted) = &expect.tools
        && !called(decision).eq(wanted.iter().map(String::as_str))
    {
        let called: Vec<&str> = called(decision).collect();
        faults.push(format!("{} instead of {}", tools(&called), tools(wanted)));
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

/// A reason in words.
fn because(reason: Option<&Reason>) -> String {
    reason.map_or_else(|| "no reason".to_owned(), |reason| format!("reason {reason}"))
}

/// Names of tools in words.
fn tools<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [] => "no tool".to_owned(),
        [one] => format!("tool {one}"),
        several => format!("tools {}", several.join(", ")),
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_wrong_is_told_in_words() {
        let decision: Decision = serde_json::from_value(json!({
            "id": "1", "pack": "p@1", "bundle": "b", "decision": "refuse", "route": "out_of_scope",
            "calls": [], "confidence": 0.9, "layer": "linear", "language": "en", "rationale": "",
            "reason": "out_of_scope", "retrieval": false, "model_slot": null, "llm_calls": 0,
            "complexity": "simple", "strategy": "direct", "degraded": [], "alternatives": [],
            "selected": [], "question": null,
        }))
        .unwrap();
        let expect: Expect = serde_json::from_value(json!({
            "decision": "run", "route": "tool", "tools": ["a", "b"], "reason": "gate:values",
            "retrieval": true, "model_slot": "main",
        }))
        .unwrap();
        assert_eq!(
            faults(&expect, &decision),
            [
                "decision refuse (reason out_of_scope) instead of run",
                "route out_of_scope instead of tool",
                "reason out_of_scope instead of reason gate:values",
                "without retrieval and no model",
                "no tool instead of tools a, b",
            ]
        );
    }
}
