//! No plan runs before the user said yes to it, where they want to see plans.

use serde_json::{Value as Json, json};
use waypost_core::records::decision::{Call, GateName};
use waypost_core::records::request::Choice;

use super::exact::{visible, written};
use super::{Check, Closed};
use crate::decide::{providers, steps};
use crate::pack::Tool;
use crate::pack::messages::{Ask, Sentence};

pub(super) fn closed(proposal: &Check<'_>) -> Option<Closed> {
    let turn = proposal.turn;
    let on = |name: &str| turn.switch(name).as_deref() == Some("on");
    let wanted = on("planning") || on("approval");
    // A yes to a call of the plan is a later question than the plan.
    let seen = proposal.planned || proposal.approved.is_some();
    if !wanted || seen || proposal.calls.is_empty() {
        return None;
    }
    let sentence = Sentence::new("plan").with("steps", lines(proposal).join("\n"));
    let ask = Ask { choices: choices(proposal), ..Ask::plain(sentence) };
    Some(Closed::asking(GateName::Plan, ask))
}

/// The steps as people read them: their number in the order of what needs what, what each does, and with what.
fn lines(proposal: &Check<'_>) -> Vec<String> {
    let levels = steps::levels(proposal.pack(), proposal.steps, proposal.calls);
    let mut calls: Vec<(usize, &Call)> = levels.into_iter().zip(proposal.calls).collect();
    calls.sort_by_key(|(level, _)| *level);
    let lines = calls.into_iter().map(|(level, call)| {
        let values = call.arguments.iter().map(|(name, value)| {
            format!("{} {}", visible(&label(proposal, call, name)), written(value))
        });
        let values: Vec<String> = values.collect();
        format!("{}. {}: {}", level + 1, visible(&call.tool), values.join(", "))
    });
    lines.collect()
}

fn label(proposal: &Check<'_>, call: &Call, name: &str) -> String {
    let tool = proposal.pack().tool(&call.tool);
    tool.map_or_else(
        || name.to_owned(),
        |tool| proposal.pack().argument_label(tool, name, proposal.turn.said.language),
    )
}

/// Yes to all, to all without one of the steps that nothing else needs, and no.
fn choices(proposal: &Check<'_>) -> Vec<Choice> {
    let most = proposal.pack().spec.policy.max_choices;
    let mut choices = vec![Choice { label: proposal.say("yes"), value: yes(proposal, None) }];
    let several = proposal.calls.len() > 1;
    for (at, call) in proposal.calls.iter().enumerate().filter(|_| several) {
        if choices.len() + 1 < most && !is_needed(proposal, call) {
            let sentence = Sentence::new("plan_without").with("step", call.tool.clone());
            let value = yes(proposal, Some(at));
            choices.push(Choice { label: proposal.sentence(&sentence), value });
        }
    }
    choices.push(Choice { label: proposal.say("no"), value: json!({ "cancel": true }) });
    choices
}

/// Returns whether another call needs what this one provides.
fn is_needed(proposal: &Check<'_>, call: &Call) -> bool {
    let tool = |name: &str| proposal.pack().tool(name);
    let Some(own) = tool(&call.tool) else { return false };
    let needs = |other: &Tool| other.spec.needs.iter().any(|need| own.spec.provides.contains(need));
    proposal.calls.iter().filter_map(|other| tool(&other.tool)).any(needs)
}

/// The value of a yes: the calls that it is about, and their levels where the tools alone would have others.
fn yes(proposal: &Check<'_>, without: Option<usize>) -> Json {
    let levels = steps::levels(proposal.pack(), proposal.steps, proposal.calls);
    let kept = proposal.calls.iter().zip(levels).enumerate().filter(|(at, _)| Some(*at) != without);
    let (calls, levels): (Vec<&Call>, Vec<usize>) = kept.map(|(_, kept)| kept).unzip();
    let tools: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
    let plan: Vec<Json> = calls
        .iter()
        .map(|call| json!({ "tool": call.tool, "arguments": call.arguments }))
        .collect();
    match providers::levels(proposal.pack(), &tools) == levels {
        true => json!({ "plan": plan }),
        false => json!({ "plan": plan, "levels": levels }),
    }
}
