//! What a model said. A reply without a decision that the pack knows is no reply: the layer has failed, and nothing of it
//! counts.

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use waypost_core::error::{Error, Result};
use waypost_core::records::request::shorten;

use super::choices::{Choice, all};
use crate::decide::cascade::json::meant_object;
use crate::pack::spec::HandlerName;
use crate::pack::{OUT_OF_SCOPE, Pack};
use crate::student::heads::head_of;

/// A choice as a model said it.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) choice: Choice,
    /// Values that it proposes for the tool.
    pub(super) arguments: Map<String, Json>,
}

/// A reply as it may come; its meaning is decided afterwards. What else a model says, such as a question of its own, is
/// left out: no user is shown words that nobody asked it for.
#[derive(Debug, Deserialize)]
struct Reply {
    decision: Option<String>,
    /// What a model says of itself counts for nothing, but a number that is no probability is a sign of nonsense.
    confidence: Option<f64>,
    tool: Option<ReplyTool>,
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
    let decision = reply.decision.ok_or_else(|| unusable("no decision"))?;
    if reply.confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
        return Err(unusable("a confidence that is no probability"));
    }
    if decision == OUT_OF_SCOPE {
        return named(pack, OUT_OF_SCOPE).map(plain);
    }
    if let Some(tool) = reply.tool.filter(|_| runs_tools(pack, &decision)) {
        return of_tool(pack, tool.name, tool.arguments);
    }
    if pack.tool(&decision).is_some() {
        return of_tool(pack, decision, Map::new());
    }
    named(pack, &decision).map(plain)
}

fn unusable(why: &str) -> Error {
    Error::unavailable("the model's reply was not usable").with_detail(shorten(why, 300))
}

fn plain(choice: Choice) -> Said {
    Said { choice, arguments: Map::new() }
}

fn of_tool(pack: &Pack, tool: String, arguments: Map<String, Json>) -> Result<Said> {
    let head = head_of(pack, &tool).ok_or_else(|| unusable(&format!("unknown tool {tool}")))?;
    let choice = Choice { tool: Some(tool), ..named(pack, &head)? };
    Ok(Said { choice, arguments })
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
