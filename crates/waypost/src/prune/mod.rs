//! Decides which tools of an OpenAI-style chat request its conversation needs, and leaves out the others.
//!
//! It is a function of the request alone: it knows no pack and asks nobody. Where it cannot tell, the request
//! stays as it is: a tool that was left out cannot be called, and one too many costs tokens only.

mod conversation;
mod rank;

use serde_json::Value as Json;

use crate::tokens;

/// The most tools that are ranked; a longer list stays as it is.
pub const MAX_TOOLS: usize = 4096;

/// A request with the tools that its conversation needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Pruned {
    /// The request: all but `tools` is as it was, and those that are left are in their order.
    pub request: Json,
    /// The names of the tools that were left out, in their order.
    pub dropped: Vec<String>,
    /// The tokens of the tools that are left, estimated as [`tokens::count`] does.
    pub tokens_kept: usize,
    /// The tokens of those that were left out.
    pub tokens_dropped: usize,
    /// Why the request stays as it was, where it does.
    pub untouched: Option<Untouched>,
}

/// Why a request stays as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untouched {
    /// It has no more tools than may be left, or needs them all.
    Few,
    /// It has no list of tools.
    NoTools,
    /// It has more tools than [`MAX_TOOLS`].
    TooMany,
    /// A tool of the list has no name.
    Nameless,
    /// It has no list of messages.
    NoMessages,
    /// No user says anything in it.
    NothingSaid,
    /// No tool says anything like what was said: it may be in another language.
    NothingFits,
}

impl Untouched {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Untouched::Few => "there are no more tools than may be left",
            Untouched::NoTools => "`tools` is not a list",
            Untouched::TooMany => "there are too many tools to rank",
            Untouched::Nameless => "a tool has no `function.name`",
            Untouched::NoMessages => "`messages` is not a list of objects",
            Untouched::NothingSaid => "no message of a user has text",
            Untouched::NothingFits => "no tool says anything like what was said",
        }
    }
}

/// Leaves the `most` tools (at least one) that fit the conversation best in a chat request.
///
/// A tool stays whatever it says if the conversation has used it, if `tool_choice` names it, or if it is no
/// function; if these are more than `most`, they are all that stays.
///
/// # Example
///
/// ```
/// use serde_json::json;
/// use waypost::prune;
///
/// let tool = |name: &str, description: &str| {
///     json!({ "type": "function", "function": { "name": name, "description": description } })
/// };
/// let request = json!({
///     "model": "m",
///     "messages": [{ "role": "user", "content": "what will the weather be in Hanoi" }],
///     "tools": [
///         tool("stock_price", "The latest price of a share."),
///         tool("get_forecast", "The weather of a city on a day."),
///         tool("send_mail", "Sends a mail to somebody."),
///     ],
/// });
/// let pruned = prune::tools(&request, 1);
/// assert_eq!(pruned.request["tools"][0]["function"]["name"], "get_forecast");
/// assert_eq!(pruned.dropped, ["stock_price", "send_mail"]);
/// assert!(pruned.tokens_dropped > pruned.tokens_kept);
/// ```
pub fn tools(request: &Json, most: usize) -> Pruned {
    match chosen(request, most.max(1)) {
        Ok(keep) => with(request, &keep),
        Err(why) => {
            let tools = request["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
            Pruned {
                request: request.clone(),
                dropped: Vec::new(),
                tokens_kept: tools.iter().map(cost).sum(),
                tokens_dropped: 0,
                untouched: Some(why),
            }
        }
    }
}

/// Says of each tool whether it stays.
fn chosen(request: &Json, most: usize) -> Result<Vec<bool>, Untouched> {
    let tools = request["tools"].as_array().ok_or(Untouched::NoTools)?;
    if tools.len() <= most {
        return Err(Untouched::Few);
    }
    if tools.len() > MAX_TOOLS {
        return Err(Untouched::TooMany);
    }
    let is_function = |tool: &Json| tool["type"].as_str().unwrap_or("function") == "function";
    if tools.iter().any(|tool| is_function(tool) && name(tool).is_none()) {
        return Err(Untouched::Nameless);
    }
    let needed = conversation::names(request)?;
    let said = conversation::said(request)?;
    let stays = |tool: &Json| !is_function(tool) || name(tool).is_some_and(|n| needed.contains(n));
    let mut keep: Vec<bool> = tools.iter().map(stays).collect();
    let room = most.saturating_sub(keep.iter().filter(|keep| **keep).count());
    let scores = rank::scores(&said, tools);
    if scores.iter().all(|score| *score < rank::FLOOR) {
        return Err(Untouched::NothingFits);
    }
    let mut order: Vec<usize> = (0..tools.len()).filter(|at| !keep[*at]).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    order.into_iter().take(room).for_each(|at| keep[at] = true);
    if keep.iter().all(|keep| *keep) { Err(Untouched::Few) } else { Ok(keep) }
}

/// The request with the tools that stay.
fn with(request: &Json, keep: &[bool]) -> Pruned {
    let tools = request["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    let (mut tokens_kept, mut tokens_dropped) = (0, 0);
    for (tool, keep) in tools.iter().zip(keep) {
        if *keep {
            tokens_kept += cost(tool);
            kept.push(tool.clone());
        } else {
            tokens_dropped += cost(tool);
            dropped.extend(name(tool).map(str::to_owned));
        }
    }
    let fields = request.as_object().into_iter().flatten();
    let mut tools = Some(Json::Array(kept));
    let fields = fields.filter_map(|(field, value)| match field.as_str() {
        "tools" => Some((field.clone(), tools.take()?)),
        _ => Some((field.clone(), value.clone())),
    });
    let request = Json::Object(fields.collect());
    Pruned { request, dropped, tokens_kept, tokens_dropped, untouched: None }
}

/// The name of a function.
fn name(tool: &Json) -> Option<&str> {
    tool["function"]["name"].as_str()
}

/// The tokens of a tool as it is sent.
fn cost(tool: &Json) -> usize {
    tokens::count(&tool.to_string())
}

#[cfg(test)]
mod tests;
