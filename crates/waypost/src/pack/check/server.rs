//! Checks a tool server: there is one way to it, and what it is given fits that way.

use super::super::source::{Fault, Source};
use super::super::spec::{PackSpec, ServerSpec};

/// The schemes of an address.
const SCHEMES: [&str; 2] = ["http://", "https://"];

/// Something that is wrong with a tool server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFault {
    /// The key of the server that it is about, as a JSON pointer; empty for the server itself.
    pub at: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
}

/// All faults of the servers of a pack.
pub(super) fn check(source: &Source, spec: &PackSpec, faults: &mut Vec<Fault>) {
    for (index, server) in spec.servers.iter().enumerate() {
        for fault in server_faults(server) {
            let at = format!("/servers/{index}{}", fault.at);
            faults.push(source.fault(&at, fault.message).hint(fault.hint));
        }
    }
}

/// Returns everything that is wrong with a tool server, wherever it was written.
pub fn server_faults(server: &ServerSpec) -> Vec<ServerFault> {
    let name = &server.name;
    let mut faults = Vec::new();
    let mut fault = |at: &str, message: String, hint: &'static str| {
        faults.push(ServerFault { at: at.to_owned(), message, hint });
    };
    let ways = [server.demo.is_some(), !server.command.is_empty(), server.url.is_some()];
    if ways.into_iter().filter(|is_given| *is_given).count() != 1 {
        fault(
            "",
            format!("server `{name}` needs exactly one of `demo`, `command` and `url`"),
            "write `command` for a program with its arguments, or `url` for an address",
        );
    }
    if let Some(url) = &server.url
        && let Some(what) = unusable(url)
    {
        fault(
            "/url",
            format!("the address of server `{name}` {what}"),
            "write `https://HOST/PATH`",
        );
    }
    if server.url.is_none() {
        let unused =
            [("headers", !server.headers.is_empty()), ("token_env", server.token_env.is_some())];
        for (key, _) in unused.into_iter().filter(|(_, is_given)| *is_given) {
            let message = format!("`{key}` is for servers with a `url`");
            fault(&format!("/{key}"), message, "leave it out, or write `url`");
        }
    }
    if server.command.is_empty() && !server.env.is_empty() {
        let message = "`env` is for servers with a `command`".to_owned();
        fault("/env", message, "leave it out, or write `command`");
    }
    for header in server.headers.keys().filter(|header| !is_token(header)) {
        fault(
            "/headers",
            format!("`{header}` is no name of a header"),
            "write it like `X-Api-Key`",
        );
    }
    let variables = server.env.keys().map(String::as_str).chain(server.variables());
    for variable in variables.filter(|variable| !is_variable(variable)) {
        fault(
            "",
            format!("`{variable}` is no name of an environment variable"),
            "write it like `API_KEY`",
        );
    }
    faults
}

/// Returns why an address cannot be used. It is not quoted, since it may be private.
fn unusable(url: &str) -> Option<&'static str> {
    let Some(rest) = SCHEMES.iter().find_map(|scheme| url.strip_prefix(scheme)) else {
        return Some("is neither `http` nor `https`");
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        return Some("holds a user's name or password, which belong into a header");
    }
    let is_empty = host.is_empty() || host.starts_with(':');
    (is_empty || rest.contains(char::is_whitespace)).then_some("has no host, or a space in it")
}

/// Returns whether a text is a token of HTTP.
fn is_token(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !text.is_empty() && text.chars().all(is_part)
}

fn is_variable(text: &str) -> bool {
    !text.is_empty() && !text.contains(['=', '\0'])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn faults(mut server: Value) -> Vec<(String, String)> {
        server["name"] = json!("s");
        let server: ServerSpec = serde_json::from_value(server).unwrap();
        server_faults(&server).into_iter().map(|fault| (fault.at, fault.message)).collect()
    }

    #[test]
    fn there_is_one_way_to_a_server() {
        for good in [
            json!({ "demo": "ocean" }),
            json!({ "command": ["a", "b"], "env": { "A": "1", "B": { "env": "OTHER" } } }),
            json!({ "url": "https://h/mcp", "token_env": "T", "headers": { "X-Key": { "env": "K" } } }),
            json!({ "url": "http://127.0.0.1:8080", "headers": { "X-Team": "sea" } }),
        ] {
            assert_eq!(faults(good.clone()), [], "{good}");
        }
        for none in [
            json!({}),
            json!({ "demo": "a", "url": "http://h" }),
            json!({ "command": ["a"], "url": "http://h" }),
        ] {
            let told = faults(none);
            assert_eq!(told[0].1, "server `s` needs exactly one of `demo`, `command` and `url`");
        }
    }

    #[test]
    fn a_fault_is_told_where_it_is() {
        let at = |server: Value| faults(server).into_iter().map(|(at, _)| at).collect::<Vec<_>>();
        for url in ["ftp://h", "h/mcp", "https://", "http://:80", "https://me:pw@h/", "http://a b"]
        {
            let told = faults(json!({ "url": url }));
            assert_eq!(told[0].0, "/url", "{url}");
            assert!(!told[0].1.contains("pw"));
        }
        assert_eq!(at(json!({ "command": ["a"], "token_env": "T" })), ["/token_env"]);
        assert_eq!(at(json!({ "demo": "a", "headers": { "X": "1" } })), ["/headers"]);
        assert_eq!(at(json!({ "url": "http://h", "env": { "A": "1" } })), ["/env"]);
        assert_eq!(at(json!({ "url": "http://h", "headers": { "X Y": "1" } })), ["/headers"]);
        assert_eq!(at(json!({ "url": "http://h", "token_env": "" })), [""]);
    }
}
