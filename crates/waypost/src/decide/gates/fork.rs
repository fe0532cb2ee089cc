//! The fork of a workflow: one sentence that says what must come first, and the choices that lead
//! there. Source: S1-41.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use waypost_core::records::request::Choice;
use waypost_text::language::Language;

use super::Check;
use crate::pack::messages::{Ask, Sentence};
use crate::pack::spec::{GateSpec, LeadSpec};
use crate::pack::{Pack, Tool, localized};

/// Returns the question where `tool` waits for `flag`.
pub(super) fn ask(proposal: &Check<'_>, tool: &str, flag: &str) -> Ask {
    let pack = proposal.pack();
    let step = first_step(proposal, flag);
    let gate = pack.gate(step);
    let mut choices: Vec<Choice> = match gate.filter(|gate| !gate.choices.is_empty()) {
        Some(gate) => gate.choices.iter().filter_map(|lead| choice(proposal, lead)).collect(),
        None => tools_that_set(pack, step, proposal.turn.said.language),
    };
    choices.truncate(pack.spec.policy.max_choices);
    let tool = Some(tool.to_owned());
    Ask { choices, tool, ..Ask::plain(sentence(proposal, gate, step)) }
}

/// The first flag on the way to `flag` that can be worked on now: itself, unless its gate says that
/// another comes before.
fn first_step<'a>(proposal: &'a Check<'_>, flag: &'a str) -> &'a str {
    let pack = proposal.pack();
    let before = |flag: &str| {
        let gate = pack.gate(flag)?;
        gate.after.iter().find(|flag| !proposal.flag(flag)).map(String::as_str)
    };
    let mut step = flag;
    for _ in 0..=pack.spec.gates.len() {
        match before(step) {
            Some(earlier) => step = earlier,
            None => return step,
        }
    }
    // More steps than gates: they go round in a circle, and none of them is the first.
    flag
}

/// Says what has to be done first, in the pack's own words where it has some.
fn sentence(proposal: &Check<'_>, gate: Option<&GateSpec>, flag: &str) -> Sentence {
    let language = proposal.turn.said.language;
    if let Some(ask) = gate.and_then(|gate| localized(&gate.ask, language)) {
        return Sentence::own("requires", ask);
    }
    Sentence::new("requires").with("flag", proposal.pack().flag_label(flag, language))
}

/// The tools whose success sets the flag.
fn tools_that_set(pack: &Pack, flag: &str, language: Language) -> Vec<Choice> {
    let sets = |tool: &&Tool| tool.spec.sets.iter().any(|set| set.flag == flag);
    let choices = pack.tools.iter().filter(sets).map(|tool| Choice {
        label: localized(&tool.spec.label, language).unwrap_or(&tool.spec.summary).to_owned(),
        value: json!({ "tool": tool.spec.name }),
    });
    choices.collect()
}

/// A choice of the pack's: its call with what is known already. `None` where its label names the
/// next step and there is none.
fn choice(proposal: &Check<'_>, lead: &LeadSpec) -> Option<Choice> {
    let language = proposal.turn.said.language;
    let tool = proposal.pack().tool(&lead.call.tool)?;
    let mut arguments = known(proposal, tool);
    let open = tool.arguments().find(|name| !arguments.contains_key(*name));
    let step = open.map(|name| proposal.pack().argument_label(tool, name, language));
    let holes: BTreeMap<&str, String> = step.into_iter().map(|step| ("step", step)).collect();
    let label = proposal.messages.fill(localized(&lead.label, language)?, &holes)?;
    // The user's own values stand; the choice fills what is still open.
    for (name, value) in &lead.call.arguments {
        arguments.entry(name.clone()).or_insert_with(|| value.clone());
    }
    Some(Choice { label, value: json!({ "tool": tool.spec.name, "arguments": arguments }) })
}

/// Returns the known arguments of `tool`: of the call just asked about, or else of the last one.
fn known(proposal: &Check<'_>, tool: &Tool) -> Map<String, Json> {
    let context = &proposal.turn.context;
    let name = Some(tool.spec.name.as_str());
    let active = context.active_tool.as_deref() == name && !context.active_arguments.is_empty();
    let last = || context.last_calls.iter().rev().find(|past| Some(past.tool.as_str()) == name);
    let arguments = match active {
        true => Some(&context.active_arguments),
        false => last().map(|past| &past.arguments),
    };
    let mut known = arguments.cloned().unwrap_or_default();
    known.retain(|name, _| tool.property(name).is_some());
    known
}
