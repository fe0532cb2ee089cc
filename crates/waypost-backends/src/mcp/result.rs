//! What a tool server says, as this crate's types.

use rmcp::model::{CallToolResult, Tool};
use serde_json::Value;
use waypost::Result;
use waypost::tools::ToolDescription;

use super::failure;
use crate::bounds::MAX_ANSWER_BYTES;

/// A tool as the router sees it.
pub(super) fn description(tool: Tool) -> ToolDescription {
    ToolDescription {
        name: tool.name.into_owned(),
        description: tool.description.unwrap_or_default().into_owned(),
        input_schema: Value::Object((*tool.input_schema).clone()),
        output_schema: tool.output_schema.map(|schema| Value::Object((*schema).clone())),
    }
}

/// The object that a tool answers with: its structured content, or its one text read as JSON.
pub(super) fn value(tool: &str, answer: CallToolResult) -> Result<Value> {
    let texts: Vec<&str> =
        answer.content.iter().filter_map(|block| Some(block.as_text()?.text.as_str())).collect();
    if answer.is_error == Some(true) {
        return Err(failure::reported(tool, answer.structured_content.as_ref(), &texts.join("\n")));
    }
    if let Some(structured @ Value::Object(_)) = answer.structured_content {
        return Ok(structured);
    }
    let [text] = texts.as_slice() else {
        return Err(failure::malformed(tool, &texts.join("\n")));
    };
    if text.len() > MAX_ANSWER_BYTES {
        return Err(failure::too_large(tool));
    }
    match serde_json::from_str(text) {
        Ok(object @ Value::Object(_)) => Ok(object),
        _ => Err(failure::malformed(tool, text)),
    }
}
