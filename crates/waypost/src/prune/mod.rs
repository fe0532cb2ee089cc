//! Decides which tools of an OpenAI-style chat request its conversation needs, and leaves out the others.
//!
//! It is a function of the request alone: it knows no pack and asks nobody. Where it cannot tell, the request
//! stays as it is: a tool that was left out cannot be called, and one too many costs tokens only.

mod conversation;
mod rank;

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::catalog::weights::Ranking;
use crate::tokens;

/// The most tools that are ranked; a longer list stays as it is.
pub const MAX_TOOLS: usize = 4096;

/// The bounds of what is left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keep {
    /// The number of tools that are left at least.
    pub least: usize,
    /// The probability at most, as the ranking sees it, that the tool which serves a part of the conversation is left out.
    pub missed: f64,
    /// The power to which the probabilities of tools are raised: with hundreds of tools, those that surely are not meant
    /// have too much of it together.
    pub sharpness: f64,
    /// The probability that any tool serves the last message from which on tools are left out: a text that none serves, as
    /// the ranking sees it, has words that no description has.
    pub in_scope: f64,
}

impl Default for Keep {
    /// A recall of 98% in English and 95% in other languages among 40 and 500 tools, and of 95% on public sets: `cargo xtask bench
    /// prune` prints, in its first row, what these bounds keep and miss, and below it what others do.
    fn default() -> Self {
        Self { least: 8, missed: 0.002, sharpness: 1.5, in_scope: 0.3 }
    }
}

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
    /// It has no more tools than must be left, or may need them all.
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
    /// What was said last is in no language that tools are ranked in.
    Language,
    /// No tool says anything like what was said last.
    NothingFits,
}

impl Untouched {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Untouched::Few => "all tools may be needed",
            Untouched::NoTools => "`tools` is not a list",
            Untouched::TooMany => "there are too many tools to rank",
            Untouched::Nameless => "a tool has no `function.name`",
            Untouched::NoMessages => "`messages` is not a list of objects",
            Untouched::NothingSaid => "no message of a user has text",
            Untouched::Language => "what was said last is in no language that tools are ranked in",
            Untouched::NothingFits => "no tool says anything like what was said last",
        }
    }
}

/// Leaves the tools of a chat request that its conversation may need: as many as the ranking is unsure of.
///
/// A tool stays whatever it says if the conversation has used it, if `tool_choice` names it, or if it is no
/// function.
///
/// # Example
///
/// ```
/// use serde_json::json;
/// use waypost::prune::{self, Keep};
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
/// let pruned = prune::tools(&request, &Keep { least: 1, ..Keep::default() });
/// assert!(!pruned.dropped.contains(&"get_forecast".to_owned()));
/// assert!(pruned.tokens_kept > 0);
/// ```
pub fn tools(request: &Json, keep: &Keep) -> Pruned {
    match chosen(request, keep) {
        Ok(stays) => with(request, &stays),
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

/// A point of a conversation at which tools were called that it had not used before.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    /// The request as it was at that point.
    pub request: Json,
    /// The names of the tools, each of which the request offers.
    pub tools: Vec<String>,
}

/// Returns the points of a chat request's conversation at which its assistant called tools for the first time, in their order.
pub fn called(request: &Json) -> Vec<Called> {
    let offered: BTreeSet<&str> =
        request["tools"].as_array().into_iter().flatten().filter_map(name).collect();
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut used = BTreeSet::new();
    let mut points = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let calls = conversation::calls(message);
        let new = calls.filter(|name| offered.contains(name) && used.insert(*name));
        let tools: Vec<String> = new.map(str::to_owned).collect();
        if !tools.is_empty() {
            let mut request = request.clone();
            request["messages"] = Json::from(&messages[..place]);
            points.push(Called { request, tools });
        }
    }
    points
}

/// Says of each tool whether it stays.
fn chosen(request: &Json, keep: &Keep) -> Result<Vec<bool>, Untouched> {
    let tools = request["tools"].as_array().ok_or(Untouched::NoTools)?;
    if tools.len() <= keep.least {
        return Err(Untouched::Few);
    }
    Ranked::read(request)?.stay(keep)
}

/// The tools of a request, ranked for its conversation.
#[derive(Debug)]
pub struct Ranked {
    /// For each tool, whether it stays whatever it says.
    fixed: Vec<bool>,
    /// For each message of the user that counts, the last one first.
    messages: Vec<Result<Vec<(Ranking, f64)>, Untouched>>,
}

impl Ranked {
    /// Ranks the tools of a chat request.
    ///
    /// # Errors
    ///
    /// The reason why they cannot be ranked.
    pub fn read(request: &Json) -> Result<Self, Untouched> {
        let tools = request["tools"].as_array().ok_or(Untouched::NoTools)?;
        if tools.len() > MAX_TOOLS {
            return Err(Untouched::TooMany);
        }
        let is_function = |tool: &Json| tool["type"].as_str().unwrap_or("function") == "function";
        if tools.iter().any(|tool| is_function(tool) && name(tool).is_none()) {
            return Err(Untouched::Nameless);
        }
        let named = conversation::names(request)?;
        let is_named = |tool: &Json| name(tool).is_some_and(|name| named.contains(name));
        let fixed = tools.iter().map(|tool| !is_function(tool) || is_named(tool)).collect();
        Ok(Self { fixed, messages: rank::messages(&conversation::said(request)?, tools) })
    }

    /// Says of each tool whether it stays within some bounds; one at least does not.
    ///
    /// # Errors
    ///
    /// The reason why all stay.
    pub fn stay(&self, keep: &Keep) -> Result<Vec<bool>, Untouched> {
        let ranks = rank::ranks(&self.messages, self.fixed.len(), keep)?;
        let mut stay = self.fixed.clone();
        stay.iter_mut().zip(&ranks).for_each(|(stays, rank)| *stays |= rank.needed);
        let room = keep.least.saturating_sub(stay.iter().filter(|stays| **stays).count());
        let mut order: Vec<usize> = (0..stay.len()).filter(|at| !stay[*at]).collect();
        order.sort_by(|a, b| ranks[*b].share.total_cmp(&ranks[*a].share));
        order.into_iter().take(room).for_each(|at| stay[at] = true);
        if stay.iter().all(|stays| *stays) { Err(Untouched::Few) } else { Ok(stay) }
    }
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
