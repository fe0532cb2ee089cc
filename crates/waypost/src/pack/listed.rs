//! A pack made of nothing but the tools that a server lists: for servers that nobody has written a
//! pack for. It has no examples of what people say, so that its tools are chosen by their own words
//! (`catalog`), and no annotations, so that arguments are read from schemas alone.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use waypost_core::ports::tools::ToolDescription;
use waypost_text::language::Language;

use super::source::Fault;
use super::spec::Access;
use super::{Files, Pack};

/// The one route of such a pack.
const ROUTE: &str = "tool";

impl Pack {
    /// The pack of a server's tools, each with the access that it is taken to have.
    ///
    /// # Errors
    ///
    /// Every fault of the list: a name that is there twice, a schema that is none. They name places
    /// in a `pack.yaml` that was never written.
    pub fn listed(server: &str, tools: &[(ToolDescription, Access)]) -> Result<Pack, Vec<Fault>> {
        let languages: Vec<&str> = Language::ALL.iter().map(|language| language.tag()).collect();
        let spec = json!({
            "name": server,
            "summary": format!("Runs the tools of the server `{server}`."),
            "format": super::check::FORMAT,
            "languages": languages,
            "tz": "UTC",
            "routes": [{
                "name": ROUTE,
                "handler": "tool",
                "summary": format!("The user wants something that the server `{server}` does."),
            }],
            "fallback": ROUTE,
            "selection": "catalog",
            "servers": [{ "name": server, "command": [server] }],
            "tools": tools.iter().map(|(tool, access)| entry(server, tool, *access)).collect::<Vec<_>>(),
        });
        let examples: String = tools.iter().map(|(tool, _)| example(tool)).collect();
        // JSON is YAML.
        let files: Files = BTreeMap::from([
            ("pack.yaml".to_owned(), spec.to_string()),
            ("examples.jsonl".to_owned(), examples),
        ]);
        Pack::load(&files)
    }
}

fn entry(server: &str, tool: &ToolDescription, access: Access) -> Value {
    json!({
        "name": tool.name,
        "server": server,
        "summary": summary(tool),
        "access": access,
        "schema": tool.input_schema,
    })
}

/// The words of a tool on itself, as the one example of it: a student has to learn from something.
fn example(tool: &ToolDescription) -> String {
    let line = json!({
        "text": summary(tool),
        "lang": Language::En.tag(),
        "route": ROUTE,
        "tools": [tool.name],
    });
    format!("{line}\n")
}

/// The server's words on a tool, or its name where there are none.
fn summary(tool: &ToolDescription) -> String {
    let words = tool.description.trim();
    if words.is_empty() { tool.name.replace(['_', '.', '-'], " ") } else { words.to_owned() }
}

#[cfg(test)]
mod tests {
    use waypost_core::ports::tools::Hints;

    use super::*;

    fn tool(name: &str, description: &str, schema: Value) -> (ToolDescription, Access) {
        let tool = ToolDescription {
            name: name.to_owned(),
            description: description.to_owned(),
            input_schema: schema,
            output_schema: None,
            hints: Hints::default(),
        };
        (tool, Access::Write)
    }

    #[test]
    fn tools_make_a_pack_as_their_server_lists_them() {
        let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
        let tools =
            [tool("fs.read", "Reads: a \"file\"\n# whole", schema), tool("ping", "", json!({}))];
        let pack = Pack::listed("files", &tools).expect("a pack without faults");
        let summaries: Vec<&str> =
            pack.tools.iter().map(|tool| tool.spec.summary.as_str()).collect();
        assert_eq!(summaries, ["Reads: a \"file\"\n# whole", "ping"]);
        assert!(pack.tools.iter().all(|tool| tool.spec.access == Some(Access::Write)));
        assert_eq!(pack.tools[0].arguments().collect::<Vec<_>>(), ["path"]);
    }

    #[test]
    fn a_schema_that_is_none_is_a_fault() {
        let tools = [tool("ping", "Pings.", json!({ "type": 7 }))];
        let faults = Pack::listed("net", &tools).expect_err("a fault");
        assert!(faults.iter().any(|fault| fault.message.starts_with("not a JSON Schema")));
    }
}
