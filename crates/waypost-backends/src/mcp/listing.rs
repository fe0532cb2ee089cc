//! Reads a list of tools: a tool that is not described as it should be is left out, not the list.

use serde_json::{Map, Value};
use waypost_core::ports::tools::{Hints, ToolDescription};

use super::cut::size;

/// The most pages of a list that are asked for.
pub(super) const MAX_PAGES: usize = 100;
/// The most tools of a list: twenty times as many as the largest catalog that was seen.
const MAX_TOOLS: usize = 10_000;
/// The largest list, in bytes of JSON.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The longest mark of a page, in bytes.
const MAX_CURSOR: usize = 4 * 1024;

/// A list under way: its tools, and the room that is left for them.
#[derive(Debug, Default)]
pub(super) struct Listing {
    tools: Vec<ToolDescription>,
    bytes: usize,
    cursor: Option<String>,
}

impl Listing {
    /// Takes a page; returns the mark of the next one. A list that is too long, or goes in a circle, ends
    /// where it is.
    pub(super) fn take(&mut self, answer: &Value) -> Option<String> {
        let tools = answer.get("tools").and_then(Value::as_array);
        for tool in tools.into_iter().flatten() {
            self.bytes += size(tool);
            if self.tools.len() == MAX_TOOLS || self.bytes > MAX_BYTES {
                return None;
            }
            self.tools.extend(description(tool));
        }
        let next = answer.get("nextCursor").and_then(Value::as_str)?;
        if next.len() > MAX_CURSOR || self.cursor.as_deref() == Some(next) {
            return None;
        }
        self.cursor = Some(next.to_owned());
        self.cursor.clone()
    }

    /// The tools that were listed.
    pub(super) fn tools(self) -> Vec<ToolDescription> {
        self.tools
    }
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
        let mut listing = Listing::default();
        let next = listing.take(&json!({ "nextCursor": "2", "tools": [
            { "name": "a", "inputSchema": { "type": "object" },
              "annotations": { "readOnlyHint": true, "idempotentHint": "yes", "title": "A" } },
            { "name": 7, "inputSchema": {} },
            "b",
            { "name": "c", "description": 5, "outputSchema": [], "annotations": [true] },
        ] }));
        let tools = listing.tools();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((names, next.as_deref()), (vec!["a", "c"], Some("2")));
        assert_eq!(tools[0].hints.read_only, Some(true));
        assert_eq!(tools[0].hints.idempotent, None);
        assert_eq!(tools[1].hints.access(), Access::Write);
        assert_eq!((&tools[1].output_schema, &tools[1].input_schema), (&None, &json!({})));
        let mut nothing = Listing::default();
        assert_eq!((nothing.take(&json!("no list")), nothing.tools()), (None, Vec::new()));
    }

    #[test]
    fn a_list_ends() {
        let mut circle = Listing::default();
        let page = json!({ "nextCursor": "again", "tools": [{ "name": "a" }] });
        assert_eq!(circle.take(&page).as_deref(), Some("again"));
        assert_eq!(circle.take(&page), None);
        assert_eq!(circle.tools().len(), 2);
        let mut long = Listing::default();
        let tools: Vec<Value> = (0..6_000).map(|n| json!({ "name": format!("t{n}") })).collect();
        assert!(long.take(&json!({ "nextCursor": "1", "tools": tools })).is_some());
        assert!(long.take(&json!({ "nextCursor": "2", "tools": tools })).is_none());
        assert_eq!(long.tools().len(), MAX_TOOLS);
        let mut large = Listing::default();
        let tool = json!({ "name": "a", "description": "x".repeat(MAX_BYTES / 2) });
        assert!(large.take(&json!({ "nextCursor": "1", "tools": [tool, tool, tool] })).is_none());
        assert_eq!(large.tools().len(), 1);
    }
}
