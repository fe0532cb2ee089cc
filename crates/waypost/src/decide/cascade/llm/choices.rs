//! What a text may ask for, as a model chooses: a route, or on a route that runs tools a tool, or those that share a head.

use serde_json::Value as Json;
use waypost_core::records::decision::Alternative;
use waypost_core::records::request::shorten;

use crate::decide::cascade::{Aim, Proposal};
use crate::pack::spec::{HandlerName, Selection};
use crate::pack::{OUT_OF_SCOPE, Pack, Summary, Tool};
use crate::student::heads::head_of;
use crate::tokens;

/// The most tokens of summaries that a model is shown, some hundred of them: it sees all of a few servers.
const BUDGET: usize = 2_200;

/// The most characters of a route's summary that a model sees.
const SUMMARY: usize = 90;

/// One of the things that a text may ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    /// The name of the tool, of its head, of the route, or [`OUT_OF_SCOPE`].
    pub(super) name: String,
    /// The route that serves it; `None` out of scope.
    pub(super) route: Option<String>,
    /// The tool, the first of several.
    pub(super) tool: Option<String>,
    /// What it is, for the model.
    pub(super) summary: String,
}

/// All that the pack serves, and what it does not.
pub(super) fn all(pack: &Pack) -> Vec<Choice> {
    let mut choices = Vec::new();
    for route in &pack.spec.routes {
        if route.handler == HandlerName::Tool {
            choices.extend(tools(pack, &route.name));
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

/// Returns whether a model names all that a text asks for, and how much work it is: an agent takes several results and both.
pub(super) fn names_set(pack: &Pack) -> bool {
    pack.spec.agent.is_some() && pack.spec.selection != Selection::Catalog
}

/// The name by which a model chooses a tool: its own where it names a set, else that of the head that it shares.
pub(super) fn name_of_tool(pack: &Pack, tool: &str) -> Option<String> {
    if names_set(pack) {
        return pack.tool(tool).map(|tool| tool.spec.name.clone());
    }
    head_of(pack, tool)
}

/// The pack's tools by these names, each name once.
fn tools(pack: &Pack, route: &str) -> Vec<Choice> {
    let mut choices: Vec<Choice> = Vec::new();
    for tool in &pack.tools {
        let Some(name) = name_of_tool(pack, &tool.spec.name) else { continue };
        let summary = told(pack, tool, &name);
        match choices.iter_mut().find(|choice| choice.name == name) {
            Some(choice) => choice.summary = format!("{} / {summary}", choice.summary),
            None => choices.push(Choice {
                name,
                route: Some(route.to_owned()),
                tool: Some(tool.spec.name.clone()),
                summary,
            }),
        }
    }
    choices
}

/// What a model is told of a tool that has this name among the choices: its first level, in quotation marks because some of its
/// words are a server's.
fn told(pack: &Pack, tool: &Tool, name: &str) -> String {
    let line = pack.summary(&tool.spec.name).map(Summary::line).unwrap_or_default();
    let line = Json::from(line.replace('"', "'")).to_string();
    if tool.spec.name == name { line } else { format!("{}: {line}", tool.spec.name) }
}

/// The choices whose summaries fit a budget of tokens: all of most packs, so that no tool is hidden from a model; of very many
/// tools those of `wanted` first. What is out of scope is always among them.
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
    let every = all.iter().map(|choice| choice.name.as_str());
    let order: Vec<&str> = wanted.map(|name| -> &str { name }).chain(every).collect();
    for name in order {
        let Some(choice) = all.iter().find(|choice| choice.name == name) else { continue };
        if names.contains(&choice.name.as_str()) {
            continue;
        }
        let Some(rest) = left.checked_sub(cost(choice)) else { continue };
        left = rest;
        names.push(&choice.name);
    }
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    all.into_iter().filter(|choice| names.contains(&choice.name)).collect()
}

/// The name of what a proposal proposes; `None` where it proposes nothing of this kind.
pub(super) fn name_of(pack: &Pack, proposal: &Proposal) -> Option<String> {
    match (&proposal.aim, proposal.calls.first()) {
        (Aim::Route(_), Some(call)) => name_of_tool(pack, &call.tool),
        (Aim::Route(route), None) => Some(route.clone()),
        (Aim::OutOfScope, _) => Some(OUT_OF_SCOPE.to_owned()),
        _ => None,
    }
}

/// The name of another possibility.
pub(super) fn of_alternative(pack: &Pack, alternative: &Alternative) -> String {
    let head = alternative.tool.as_ref().and_then(|tool| name_of_tool(pack, tool));
    head.unwrap_or_else(|| alternative.route.clone())
}

/// The name of what an example asks for.
pub(super) fn of_example(pack: &Pack, route: &str, tools: &[String]) -> String {
    let head = tools.first().and_then(|tool| name_of_tool(pack, tool));
    head.unwrap_or_else(|| route.to_owned())
}
