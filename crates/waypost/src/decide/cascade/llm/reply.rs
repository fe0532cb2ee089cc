//! What a model said. A reply without a decision that the pack knows is no reply: the layer has failed, and nothing of it
//! counts.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use waypost_core::error::{Error, Result};
use waypost_core::records::decision::{Complexity, Strategy};
use waypost_core::records::request::shorten;

use super::choices::{Choice, all, name_of_tool, names_set};
use crate::decide::cascade::json::meant_object;
use crate::pack::spec::HandlerName;
use crate::pack::{OUT_OF_SCOPE, Pack};

/// The most names of a reply that are read.
pub(super) const MOST: usize = 10;

/// A choice as a model said it.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) choice: Choice,
    /// The tools that it names beside a tool.
    pub(super) more: Vec<Choice>,
    /// Values that it proposes for the tool.
    pub(super) arguments: Map<String, Json>,
    /// The work that it says this takes.
    pub(super) effort: Option<(Complexity, Strategy)>,
}

impl Said {
    /// It without the names that were not shown.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if none is left.
    pub(super) fn among(self, shown: &[Choice]) -> Result<Self> {
        let Said { choice, more, .. } = self;
        let is_shown = |own: &Choice| shown.iter().any(|choice| choice.name == own.name);
        let mut left = std::iter::once(choice).chain(more).filter(is_shown);
        let choice = left.next().ok_or_else(|| unusable("a name that was not shown"))?;
        Ok(Said { choice, more: left.collect(), ..self })
    }
}

/// A reply as it may come; its meaning is decided afterwards. What else a model says, such as a question of its own, is
/// left out: no user is shown words that nobody asked it for.
#[derive(Debug, Deserialize)]
struct Reply {
    decision: Option<Names>,
    complexity: Option<Json>,
    strategy: Option<Json>,
    /// What a model says of itself counts for nothing, but a number that is no probability is a sign of nonsense.
    confidence: Option<f64>,
    tool: Option<ReplyTool>,
}

/// One name, or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Several(Vec<String>),
}

#[derive(Debug, Deserialize)]
struct ReplyTool {
    name: String,
    #[serde(default)]
    arguments: Map<String, Json>,
}

/// Reads a reply.
///
/// # Errors
///
/// `UNAVAILABLE` for one that says nothing that the pack knows.
pub(super) fn read(pack: &Pack, text: &str) -> Result<Said> {
    let object = meant_object(text).ok_or_else(|| unusable("no JSON object"))?;
    let reply: Reply =
        serde_json::from_str(object).map_err(|error| unusable(&error.to_string()))?;
    if reply.confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
        return Err(unusable("a confidence that is no probability"));
    }
    let mut said = match reply.decision {
        None => Err(unusable("no decision")),
        Some(Names::One(decision)) => one(pack, decision, reply.tool),
        Some(Names::Several(names)) if names_set(pack) && names.is_empty() => {
            named(pack, OUT_OF_SCOPE).map(plain)
        }
        Some(Names::Several(names)) if names_set(pack) => several(pack, names),
        Some(Names::Several(_)) => Err(unusable("a list of names")),
    }?;
    let (complexity, strategy) = (reply.complexity.and_then(known), reply.strategy.and_then(known));
    said.effort = complexity.map(|own| (own, strategy.unwrap_or(Strategy::of(own))));
    Ok(said)
}

/// A value of a known kind; what a model made up is nothing.
fn known<T: DeserializeOwned>(said: Json) -> Option<T> {
    serde_json::from_value(said).ok()
}

fn one(pack: &Pack, decision: String, tool: Option<ReplyTool>) -> Result<Said> {
    if decision == OUT_OF_SCOPE {
        return named(pack, OUT_OF_SCOPE).map(plain);
    }
    if let Some(tool) = tool.filter(|_| runs_tools(pack, &decision)) {
        return of_tool(pack, tool.name, tool.arguments);
    }
    if pack.tool(&decision).is_some() {
        return of_tool(pack, decision, Map::new());
    }
    named(pack, &decision).map(plain)
}

/// Several names: the tools among them, else the first. One that the pack does not know is left out unless none is known.
fn several(pack: &Pack, names: Vec<String>) -> Result<Said> {
    let mut known: Vec<Choice> = Vec::new();
    let mut fault = unusable("no decision");
    for name in names.into_iter().take(MOST) {
        match one(pack, name, None) {
            Ok(said) if known.iter().all(|other| other.name != said.choice.name) => {
                known.push(said.choice);
            }
            Ok(_) => {}
            Err(error) => fault = error,
        }
    }
    let (tools, others): (Vec<Choice>, Vec<Choice>) =
        known.into_iter().partition(|choice| choice.tool.is_some());
    let mut choices = if tools.is_empty() { others } else { tools }.into_iter();
    let choice = choices.next().ok_or(fault)?;
    let more = choices.filter(|other| other.tool.is_some()).collect();
    Ok(Said { more, ..plain(choice) })
}

fn unusable(why: &str) -> Error {
    Error::unavailable("the model's reply was not usable").with_detail(shorten(why, 300))
}

fn plain(choice: Choice) -> Said {
    Said { choice, more: Vec::new(), arguments: Map::new(), effort: None }
}

fn of_tool(pack: &Pack, tool: String, arguments: Map<String, Json>) -> Result<Said> {
    let name = name_of_tool(pack, &tool);
    let name = name.ok_or_else(|| unusable(&format!("unknown tool {tool}")))?;
    let choice = Choice { tool: Some(tool), ..named(pack, &name)? };
    Ok(Said { arguments, ..plain(choice) })
}

/// Returns whether a decision is a route that runs tools; one seed calls it `mcp` (S0-17).
fn runs_tools(pack: &Pack, decision: &str) -> bool {
    decision == "mcp"
        || pack.route(decision).is_some_and(|route| route.handler == HandlerName::Tool)
}

fn named(pack: &Pack, name: &str) -> Result<Choice> {
    let mut choices = all(pack).into_iter();
    choices.find(|choice| choice.name == name).ok_or_else(|| unusable(&format!("decision {name}")))
}
