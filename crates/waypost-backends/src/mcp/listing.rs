//! Reads a list of tools: a tool that is not described as it should be is left out, not the list.

use serde_json::{Map, Value};
use waypost_core::ports::tools::{Hints, ToolDescription};

/// The most pages of a list that are asked for.
pub(super) const MAX_PAGES: usize = 100;

/// The tools of a page, and the mark of the next one.
pub(super) fn page(answer: &Value) -> (Vec<ToolDescription>, Option<String>) {
    let tools = answer.get("tools").and_then(Value::as_array);
    let tools = tools.into_iter().flatten().filter_map(description).collect();
    (tools, answer.get("nextCursor").and_then(Value::as_str).map(str::to_owned))
}

/// A tool as the router sees it; `None` if it has no name.
fn description(tool: &Value) -> Option<ToolDescription> {
    let object = |key: &str| tool.get(key).filter(|value| value.is_object()).cloned();
    Some(ToolDescription {
        name: tool.get("name")?.as_str()?.to_owned(),
        description: tool.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
        input_schema: object("inputSchema").unwrap_or_else(|| Value::Object(Map::new())),
        output_schema: object("outputSchema"),
        hints: hints(tool.get("annotations")),
    })
}

/// The hints of a tool; one of a wrong type is as if it were missing.
fn hints(annotations: Option<&Value>) -> Hints {
    let hint = |name: &str| annotations?.get(name)?.as_bool();
    Hints {
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
        open_world: hint("openWorldHint"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use waypost_core::ports::tools::Access;

    use super::*;

    #[test]
    fn a_tool_that_is_described_oddly_spoils_no_list() {
        let (tools, next) = page(&json!({ "nextCursor": "2", "tools": [
            { "name": "a", "inputSchema": { "type": "object" },
              "annotations": { "readOnlyHint": true, "idempotentHint": "yes", "title": "A" } },
            { "name": 7, "inputSchema": {} },
            "b",
            { "name": "c", "description": 5, "outputSchema": [], "annotations": [true] },
        ] }));
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((names, next.as_deref()), (vec!["a", "c"], Some("2")));
        assert_eq!(tools[0].hints.read_only, Some(true));
        assert_eq!(tools[0].hints.idempotent, None);
        assert_eq!(tools[1].hints.access(), Access::Write);
        assert_eq!((&tools[1].output_schema, &tools[1].input_schema), (&None, &json!({})));
        assert_eq!(page(&json!("no list")), (Vec::new(), None));
    }
}
