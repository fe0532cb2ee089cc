//! Reads a greeting that is almost one: what it lacks, or has in another type, is taken for the least that it can mean. The
//! protocol's library would refuse it, and with it the server.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, Implementation, InitializeResult, ProtocolVersion,
    RequestId, ServerCapabilities, ServerJsonRpcMessage, ServerResult, ToolsCapability,
};
use serde_json::Value;

/// The request that a greeting answers, if this message is it.
pub(super) fn asked_by(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::InitializeRequest(_)) =>
        {
            Some(&request.id)
        }
        _ => None,
    }
}

/// The message, as a greeting if it answers the request `asked` for one.
pub(super) fn read(
    message: ServerJsonRpcMessage,
    asked: Option<&RequestId>,
) -> ServerJsonRpcMessage {
    match message {
        ServerJsonRpcMessage::Response(mut response) if Some(&response.id) == asked => {
            if let ServerResult::CustomResult(result) = &response.result {
                response.result = ServerResult::InitializeResult(greeting(&result.0));
            }
            ServerJsonRpcMessage::Response(response)
        }
        other => other,
    }
}

fn greeting(said: &Value) -> InitializeResult {
    let info = said.get("serverInfo").unwrap_or(&Value::Null);
    let info = Implementation::new(text(info.get("name")), text(info.get("version")));
    InitializeResult::new(capabilities(said.get("capabilities")))
        .with_protocol_version(version(said.get("protocolVersion")))
        .with_server_info(info)
}

/// The revision of the protocol. One that names none promises no more than the first.
fn version(said: Option<&Value>) -> ProtocolVersion {
    let said = said.filter(|said| said.is_string());
    said.and_then(|said| serde_json::from_value(said.clone()).ok())
        .unwrap_or(ProtocolVersion::V_2024_11_05)
}

/// What the server can do, as far as it matters here: have tools, and tell of changes.
fn capabilities(said: Option<&Value>) -> ServerCapabilities {
    let changed = said.and_then(|said| said.get("tools")?.get("listChanged"));
    let mut tools = ToolsCapability::default();
    tools.list_changed = changed.map(|changed| *changed == Value::Bool(true) || changed == "true");
    let mut capabilities = ServerCapabilities::default();
    capabilities.tools = Some(tools);
    capabilities
}

/// A text, or a value as one; empty if there is none.
fn text(said: Option<&Value>) -> String {
    match said {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_as(result: &Value) -> ServerJsonRpcMessage {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "result": result });
        read(serde_json::from_value(message).unwrap(), Some(&RequestId::Number(1)))
    }

    #[test]
    fn what_a_greeting_lacks_is_taken_for_the_least() {
        let info = json!({ "name": "odd", "version": "1" });
        let tools = json!({ "tools": {} });
        for (result, version, name) in [
            (json!({ "capabilities": tools, "serverInfo": info }), "2024-11-05", "odd"),
            (
                json!({ "protocolVersion": 20250618, "capabilities": tools, "serverInfo": info }),
                "2024-11-05",
                "odd",
            ),
            (
                json!({ "protocolVersion": "2025-06-18", "capabilities": [], "serverInfo": info }),
                "2025-06-18",
                "odd",
            ),
            (
                json!({ "protocolVersion": "2025-06-18", "serverInfo": { "name": "odd", "version": 1 } }),
                "2025-06-18",
                "odd",
            ),
            (
                json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": true } }),
                "2025-06-18",
                "",
            ),
            (
                json!({ "protocolVersion": "2025-06-18", "capabilities": tools, "serverInfo": null }),
                "2025-06-18",
                "",
            ),
            (
                json!({ "protocolVersion": "2025-06-18", "capabilities": tools, "serverInfo": info, "instructions": ["x"] }),
                "2025-06-18",
                "odd",
            ),
            (json!({ "hello": "there" }), "2024-11-05", ""),
        ] {
            let read = read_as(&result);
            let ServerJsonRpcMessage::Response(response) = read else { panic!("{result}") };
            let ServerResult::InitializeResult(greeting) = response.result else {
                panic!("{result}")
            };
            assert_eq!(greeting.protocol_version.as_str(), version, "{result}");
            assert_eq!(greeting.server_info.name, name, "{result}");
        }
    }

    #[test]
    fn a_greeting_that_is_one_and_other_results_stay() {
        let whole = json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": { "listChanged": true } },
            "serverInfo": { "name": "fine", "version": "2" }, "instructions": "Ask." });
        assert_eq!(serde_json::to_value(read_as(&whole)).unwrap()["result"], whole);
        let other = json!({ "jsonrpc": "2.0", "id": 2, "result": { "hello": "there" } });
        let kept =
            read(serde_json::from_value(other.clone()).unwrap(), Some(&RequestId::Number(1)));
        assert_eq!(serde_json::to_value(kept).unwrap(), other);
    }
}
