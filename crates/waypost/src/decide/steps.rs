//! The steps of a plan, from the calls and what they need of each other. No model is asked. Source: R3.1, S3-32.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_json::Value as Json;
use waypost_core::records::decision::{Call, PlannedStep};

use super::providers::{self, provides, wants};
use crate::pack::{CLARIFY, Pack, Tool};
use crate::understand::Turn;

/// The step that answers, with which every plan ends; one that asks instead is [`CLARIFY`].
pub(crate) const RESPOND: &str = "respond";

/// The steps of some calls, in an order in which each can run; empty where the pack does not plan, or nothing is called. Their
/// levels are those that the user has seen, if any.
pub(super) fn of(turn: &Turn<'_>, calls: &[Call], seen: Option<&[usize]>) -> Vec<PlannedStep> {
    if turn.pack.spec.plans.is_none() || calls.is_empty() {
        return Vec::new();
    }
    let tools: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
    let seen = seen.filter(|seen| seen.len() == calls.len()).map(<[usize]>::to_vec);
    let levels = seen.unwrap_or_else(|| providers::levels(turn.pack, &tools));
    let keys = keys(&tools);
    let objective = turn.task().text.as_str();
    let mut steps: Vec<PlannedStep> = Vec::new();
    for ((call, key), level) in calls.iter().zip(&keys).zip(&levels) {
        let Some(tool) = turn.pack.tool(&call.tool) else { continue };
        let earlier = || calls.iter().zip(&keys).zip(&levels).filter(|(_, other)| *other < level);
        let input = |need: &String| {
            let givers = earlier().filter(|((own, _), _)| provides(turn.pack, &own.tool, need));
            // Of several, the one that is about the same thing; `max_by_key` takes the last of equals.
            let giver = givers.rev().max_by_key(|((own, _), _)| shared(own, call));
            giver.map(|((_, key), _)| (need.clone(), key.clone()))
        };
        steps.push(PlannedStep {
            context_key: key.clone(),
            capability: call.tool.clone(),
            objective: objective.to_owned(),
            success_criteria: criteria(tool),
            expected_output: tool.spec.provides.clone(),
            parameters: call.arguments.clone(),
            inputs: wants(tool).filter_map(input).collect(),
            level: *level,
        });
    }
    steps.sort_by_key(|step| step.level);
    with_end(steps, objective)
}

/// The plan of a turn that asks instead of running: its one step is the question. Source: S3-18.
pub(super) fn asking(question: &str) -> PlannedStep {
    PlannedStep {
        context_key: CLARIFY.to_owned(),
        capability: CLARIFY.to_owned(),
        objective: question.to_owned(),
        success_criteria: "the user has answered".to_owned(),
        expected_output: Vec::new(),
        parameters: serde_json::Map::new(),
        inputs: BTreeMap::new(),
        level: 0,
    }
}

/// The number of arguments that two calls have in common.
fn shared(one: &Call, other: &Call) -> usize {
    let same = |(name, value): &(&String, &Json)| other.arguments.get(*name) == Some(*value);
    one.arguments.iter().filter(same).count()
}

fn criteria(tool: &Tool) -> String {
    match tool.spec.provides.as_slice() {
        [] => format!("{} succeeds", tool.spec.name),
        given => format!("{} gives {}", tool.spec.name, given.join(" and ")),
    }
}

/// A key for each of some tools: its name, with a number from the second time on.
fn keys(tools: &[&str]) -> Vec<String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let keys = tools.iter().map(|tool| {
        let count = seen.entry(tool).or_default();
        *count += 1;
        if *count == 1 { (*tool).to_owned() } else { format!("{tool}_{count}") }
    });
    keys.collect()
}

/// The steps with one that answers at their end, where none does.
fn with_end(mut steps: Vec<PlannedStep>, objective: &str) -> Vec<PlannedStep> {
    let ends = |step: &PlannedStep| [RESPOND, CLARIFY].contains(&step.capability.as_str());
    if steps.last().is_some_and(ends) {
        return steps;
    }
    let level = steps.iter().map(|step| step.level + 1).max().unwrap_or(0);
    let given = steps.iter().flat_map(|step| {
        step.expected_output.iter().map(|output| (output.clone(), step.context_key.clone()))
    });
    let inputs = given.collect();
    steps.push(PlannedStep {
        context_key: RESPOND.to_owned(),
        capability: RESPOND.to_owned(),
        objective: objective.to_owned(),
        success_criteria: "the user has an answer".to_owned(),
        expected_output: Vec::new(),
        parameters: serde_json::Map::new(),
        inputs,
        level,
    });
    steps
}

/// The level of each of some calls in a plan of them; what the tools alone say for one that is not in it.
pub(crate) fn levels(pack: &Pack, steps: &[PlannedStep], calls: &[Call]) -> Vec<usize> {
    let tools: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
    let own = providers::levels(pack, &tools);
    let keys = keys(&tools);
    let planned = keys.iter().zip(own).map(|(key, own)| {
        let step = steps.iter().find(|step| step.context_key == *key);
        step.map_or(own, |step| step.level)
    });
    planned.collect()
}

/// A step as somebody else plans it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Wanted {
    /// The key of the step that it is about.
    pub(super) context_key: String,
    /// Its purpose.
    pub(super) objective: String,
    /// The sign that it has succeeded.
    #[serde(default)]
    pub(super) success_criteria: String,
    /// The keys of the steps that it waits for.
    #[serde(default)]
    pub(super) inputs: Vec<String>,
}

/// The steps of some calls as somebody else wants them. They stay the same calls, and wait for all that their tools need; the
/// plan may only have them wait for more.
///
/// # Errors
///
/// The first fault.
pub(super) fn planned(
    pack: &Pack,
    own: &[PlannedStep],
    wanted: &[Wanted],
) -> Result<Vec<PlannedStep>, PlanFault> {
    let mut steps: Vec<PlannedStep> = Vec::new();
    for wanted in wanted.iter().filter(|wanted| wanted.context_key != RESPOND) {
        let key = &wanted.context_key;
        let step = own.iter().find(|step| step.context_key == *key);
        let mut step = step.ok_or_else(|| PlanFault::Unknown(key.clone()))?.clone();
        step.objective.clone_from(&wanted.objective);
        if !wanted.success_criteria.is_empty() {
            step.success_criteria.clone_from(&wanted.success_criteria);
        }
        for input in &wanted.inputs {
            if !step.inputs.values().any(|known| known == input) {
                step.inputs.insert(input.clone(), input.clone());
            }
        }
        let before = |step: &&PlannedStep, key: &String| step.context_key == *key;
        let levels = step.inputs.values().filter_map(|key| {
            let given = steps.iter().find(|step| before(step, key));
            given.map(|given| given.level + 1)
        });
        step.level = levels.max().unwrap_or(0);
        steps.push(step);
    }
    let left = own.iter().filter(|step| step.capability != RESPOND);
    if let Some(left) = left
        .map(|step| &step.context_key)
        .find(|key| steps.iter().all(|step| step.context_key != **key))
    {
        return Err(PlanFault::Left(left.clone()));
    }
    let objective = own.last().map(|step| step.objective.clone()).unwrap_or_default();
    let mut steps = with_end(steps, &objective);
    check(pack, &steps)?;
    steps.sort_by_key(|step| step.level);
    Ok(steps)
}

/// The fault for which a plan cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlanFault {
    /// Two steps have this key.
    Doubled(String),
    /// The pack has no such capability.
    Unknown(String),
    /// A step takes something of a step that is not before it.
    NoInput(String),
    /// It leaves this step out.
    Left(String),
    /// It does not end with an answer or a question.
    NoEnd,
}

impl fmt::Display for PlanFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanFault::Doubled(key) => write!(f, "two steps have the key {key}"),
            PlanFault::Unknown(name) => write!(f, "there is no capability {name}"),
            PlanFault::NoInput(key) => write!(f, "no step before gives {key}"),
            PlanFault::Left(key) => write!(f, "the step {key} is left out"),
            PlanFault::NoEnd => f.write_str("no step answers or asks in the end"),
        }
    }
}

/// Checks a plan, whoever made it: unique keys, known capabilities, inputs that are there before they are taken, and an end.
///
/// # Errors
///
/// The first fault.
pub(crate) fn check(pack: &Pack, steps: &[PlannedStep]) -> Result<(), PlanFault> {
    let mut known: Vec<&str> = Vec::new();
    for step in steps {
        let own = pack.spec.always_active.contains(&step.capability)
            || [RESPOND, CLARIFY].contains(&step.capability.as_str());
        if !own && pack.tool(&step.capability).is_none() {
            return Err(PlanFault::Unknown(step.capability.clone()));
        }
        if let Some(missing) = step.inputs.values().find(|key| !known.contains(&key.as_str())) {
            return Err(PlanFault::NoInput(missing.clone()));
        }
        if known.contains(&step.context_key.as_str()) {
            return Err(PlanFault::Doubled(step.context_key.clone()));
        }
        known.push(&step.context_key);
    }
    let ends = |step: &PlannedStep| [RESPOND, CLARIFY].contains(&step.capability.as_str());
    if steps.last().is_some_and(ends) { Ok(()) } else { Err(PlanFault::NoEnd) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::providers::tests::pack;

    fn step(key: &str, capability: &str, input: Option<&str>) -> PlannedStep {
        let inputs = input.map(|key| ("thing".to_owned(), key.to_owned()));
        PlannedStep {
            context_key: key.to_owned(),
            capability: capability.to_owned(),
            objective: String::new(),
            success_criteria: String::new(),
            expected_output: Vec::new(),
            parameters: serde_json::Map::new(),
            inputs: inputs.into_iter().collect(),
            level: 0,
        }
    }

    #[test]
    fn s3_32_a_plan_is_held_to_its_keys_capabilities_inputs_and_end() {
        let pack = pack();
        let end = || step("end", RESPOND, Some("one"));
        let one = || step("one", "find", None);
        for (steps, wanted) in [
            (vec![one(), end()], Ok(())),
            (vec![one(), step("ask", CLARIFY, None)], Ok(())),
            (vec![one()], Err(PlanFault::NoEnd)),
            (vec![], Err(PlanFault::NoEnd)),
            (vec![end()], Err(PlanFault::NoInput("one".to_owned()))),
            (vec![one(), one(), end()], Err(PlanFault::Doubled("one".to_owned()))),
            (vec![step("one", "fly", None), end()], Err(PlanFault::Unknown("fly".to_owned()))),
        ] {
            assert_eq!(check(&pack, &steps), wanted, "{steps:?}");
        }
    }
}
