//! Requests of a method that there is, with parameters that it does not take. rmcp reads them as methods that it does not know;
//! a client is told what is wrong with the parameters instead.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CustomRequest, InitializeRequestParams, PaginatedRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use waypost::pack::plain;

/// A method, with how its parameters are read and given.
struct Method {
    name: &'static str,
    fault: fn(Json) -> Option<String>,
    hint: &'static str,
}

/// The methods that are served.
const METHODS: &[Method] = &[
    Method {
        name: "tools/call",
        fault: fault::<CallToolRequestParams>,
        hint: "send {\"name\": \"router_answer\", \"arguments\": {\"text\": \"…\"}}",
    },
    Method {
        name: "tools/list",
        fault: fault::<PaginatedRequestParams>,
        hint: "leave the params out, or send {}",
    },
    Method {
        name: "initialize",
        fault: fault::<InitializeRequestParams>,
        hint: "send `protocolVersion`, `capabilities` and `clientInfo` with a `name` and a `version`",
    },
    Method { name: "ping", fault: |_| None, hint: "leave the params out" },
    Method {
        name: "server/discover",
        fault: |_| None,
        hint: "send {\"_meta\": {…}} with the version of the protocol and the capabilities",
    },
];

/// The error of a request whose method is served and whose parameters are not what it takes; `None` for another method.
pub(super) fn unfit(request: &CustomRequest) -> Option<ErrorData> {
    let method = METHODS.iter().find(|method| method.name == request.method)?;
    let given = request.params.clone().unwrap_or_else(|| Json::Object(serde_json::Map::new()));
    let what = (method.fault)(given).unwrap_or_else(|| "they are of another kind".to_owned());
    let message = format!("the params of `{}`: {what} (hint: {})", method.name, method.hint);
    Some(ErrorData::invalid_params(message, None))
}

fn fault<T: DeserializeOwned>(given: Json) -> Option<String> {
    let fault = serde_json::from_value::<T>(given).err()?;
    Some(plain(&fault.to_string()).0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn params_that_a_method_does_not_take_are_told_and_another_method_is_none_of_ours() {
        for (method, params, told) in [
            ("tools/call", json!({ "name": 5 }), "tools/call"),
            ("tools/call", json!({ "name": "router_answer", "arguments": "x" }), "router_answer"),
            ("tools/call", json!({}), "name"),
            ("tools/list", json!({ "cursor": 5 }), "tools/list"),
            ("initialize", json!({}), "protocolVersion"),
            ("ping", json!([]), "ping"),
        ] {
            let request = CustomRequest::new(method, Some(params.clone()));
            let error = unfit(&request).unwrap();
            assert_eq!(error.code.0, -32602, "{method} {params}");
            assert!(error.message.contains(told), "{error:?}");
        }
        assert!(unfit(&CustomRequest::new("tools/burn", None)).is_none());
    }
}
