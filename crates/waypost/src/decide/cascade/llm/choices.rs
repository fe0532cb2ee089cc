//! What a text may ask for, as a model chooses: a route, or on a route that runs tools the tools that share a head.

use serde_json::Value as Json;
use waypost_core::records::decision::Alternative;
use waypost_core::records::request::shorten;

use crate::decide::cascade::{Aim, Proposal};
use crate::pack::spec::{HandlerName, Selection};
use crate::pack::{OUT_OF_SCOPE, Pack, Summary, Tool};
use crate::student::heads::{head_of, tool_of_head};
use crate::tokens;

/// The most that a model chooses among: more names cost tokens and small models their way.
const MOST: usize = 12;

/// The most tokens of summaries that a model is shown of tools that are chosen by what is written about them, some hundred
/// of them: it sees all of a few servers.
const BUDGET: usize = 2_000;

/// The most characters of a route's summary, or of that of a tool with examples, that a model sees.
const SUMMARY: usize = 90;

/// One of the things that a text may ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    /// The name of the head, of the route, or [`OUT_OF_SCOPE`].
    pub(super) name: String,
    /// The route that serves it; `None` out of scope.
    pub(super) route: Option<String>,
    /// The first tool of the head.
    pub(super) tool: Option<String>,
    /// What it is, for the model.
    pub(super) summary: String,
}

/// All that the pack serves, and what it does not.
pub(super) fn all(pack: &Pack) -> Vec<Choice> {
    let mut choices = Vec::new();
    for route in &pack.spec.routes {
        if route.handler == HandlerName::Tool {
            choices.extend(heads(pack, &route.name));
        } else {
            choices.push(Choice {
                name: route.name.clone(),
                route: Some(route.name.clone()),
                tool: None,
                summary: shorten(&route.summary, SUMMARY),
            });
        }
    }
    choices.push(Choice {
        name: OUT_OF_SCOPE.to_owned(),
        route: None,
        tool: None,
        summary: "none of these serves it".to_owned(),
    });
    choices
}

/// The heads of the pack's tools, each once.
fn heads(pack: &Pack, route: &str) -> Vec<Choice> {
    let mut choices: Vec<Choice> = Vec::new();
    for tool in &pack.tools {
        let Some(name) = head_of(pack, &tool.spec.name) else { continue };
        if choices.iter().any(|choice| choice.name == name) {
            continue;
        }
        let first = tool_of_head(pack, &name).unwrap_or(tool);
        choices.push(Choice {
            name,
            route: Some(route.to_owned()),
            tool: Some(first.spec.name.clone()),
            summary: told(pack, first),
        });
    }
    choices
}

/// What a model is told of a tool: of one that is chosen by what is written about it its whole first level, as the quoted
/// words of its server; else the pack's own sentence, which its examples stand beside.
fn told(pack: &Pack, tool: &Tool) -> String {
    match pack.spec.selection {
        Selection::Student | Selection::PerTool => shorten(&tool.spec.summary, SUMMARY),
        Selection::Catalog => {
            let line = pack.summary(&tool.spec.name).map(Summary::line);
            Json::from(line.unwrap_or_default()).to_string()
        }
    }
}

/// The choices among which a model is asked: all where they are few, else the likely ones in the order of the pack. What is
/// out of scope is always among them.
pub(super) fn likely<'a>(all: Vec<Choice>, wanted: impl Iterator<Item = &'a str>) -> Vec<Choice> {
    if all.len() <= MOST {
        return all;
    }
    let mut names = vec![OUT_OF_SCOPE];
    for name in wanted {
        if names.len() < MOST && !names.contains(&name) {
            names.push(name);
        }
    }
    all.into_iter().filter(|choice| names.contains(&choice.name.as_str())).collect()
}

/// The choices whose summaries fit a budget of tokens, those of `wanted` first: for packs of many tools, of which a summary
/// is all that a model is told. What is out of scope is always among them.
pub(super) fn within_budget<'a>(
    all: Vec<Choice>,
    wanted: impl Iterator<Item = &'a str>,
) -> Vec<Choice> {
    let cost = |choice: &Choice| tokens::count(&choice.name) + tokens::count(&choice.summary);
    if all.iter().map(cost).sum::<usize>() <= BUDGET {
        return all;
    }
    let mut names = vec![OUT_OF_SCOPE];
    let mut left = BUDGET;
    for name in wanted {
        let Some(choice) = all.iter().find(|choice| choice.name == name) else { continue };
        if names.contains(&choice.name.as_str()) {
            continue;
        }
        let Some(rest) = left.checked_sub(cost(choice)) else { break };
        left = rest;
        names.push(&choice.name);
    }
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    all.into_iter().filter(|choice| names.contains(&choice.name)).collect()
}

/// The name of what a proposal proposes; `None` where it proposes nothing of this kind.
pub(super) fn name_of(pack: &Pack, proposal: &Proposal) -> Option<String> {
    match (&proposal.aim, proposal.calls.first()) {
        (Aim::Route(_), Some(call)) => head_of(pack, &call.tool),
        (Aim::Route(route), None) => Some(route.clone()),
        (Aim::OutOfScope, _) => Some(OUT_OF_SCOPE.to_owned()),
        _ => None,
    }
}

/// The name of another possibility.
pub(super) fn of_alternative(pack: &Pack, alternative: &Alternative) -> String {
    let head = alternative.tool.as_ref().and_then(|tool| head_of(pack, tool));
    head.unwrap_or_else(|| alternative.route.clone())
}

/// The name of what an example asks for.
pub(super) fn of_example(pack: &Pack, route: &str, tools: &[String]) -> String {
    let head = tools.first().and_then(|tool| head_of(pack, tool));
    head.unwrap_or_else(|| route.to_owned())
}
