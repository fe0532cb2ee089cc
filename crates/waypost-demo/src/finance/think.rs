//! `think`: gives a model's thought back to it, and does nothing else.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{finish, read, schema};
use crate::pack::{Context, Failure, Reply, Tool};

const TYPES: [&str; 7] = [
    "tool_analysis",
    "policy_check",
    "symbol_resolution",
    "planning",
    "error_recovery",
    "validation",
    "general",
];

#[derive(Debug, Deserialize)]
struct Arguments {
    thought: String,
    reasoning_type: Option<String>,
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "thought": schema::text("The thought."),
        "reasoning_type": schema::one_of(&TYPES, "general", "What kind of thought it is."),
    });
    Tool {
        name: "think",
        description: "Writes a thought down, for a model that reasons before it goes on. It finds \
                      nothing out and changes nothing.",
        input: schema::input(input, &["thought"]),
        output: schema::output(json!({
            "thought": schema::text(""),
            "reasoning_type": schema::word(&TYPES),
        })),
        call: think,
    }
}

fn think(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { thought, reasoning_type } = read(arguments)?;
    let kind = reasoning_type.unwrap_or_else(|| "general".to_owned());
    let result = json!({"thought": thought, "reasoning_type": kind});
    Ok(finish(result, Vec::new(), context))
}
