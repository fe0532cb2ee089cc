//! Reads the files in which other MCP clients keep their servers: `claude_desktop_config.json`, `.vscode/mcp.json`,
//! `.cursor/mcp.json`.
//!
//! Secrets in them never reach a pack: what refers to one, or looks like one, becomes the name of an environment variable.

use std::path::Path;

use serde_json::{Map, Value};
use waypost::pack::spec::{ServerSpec, ValueSpec, VariableSpec};
use waypost::{Error, Result};

use super::jsonc;

/// The largest file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;
/// Words in the names of things that are secret.
const SECRET: [&str; 8] =
    ["key", "token", "secret", "password", "passwd", "credential", "auth", "bearer"];

/// The servers of a file, and a sentence for each thing that somebody has to do.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) servers: Vec<ServerSpec>,
    pub(crate) notes: Vec<String>,
}

/// Reads the file of a client.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if it cannot be read, is no JSON or names no servers.
pub(crate) fn read(path: &Path) -> Result<Found> {
    let unreadable = |why: &dyn std::fmt::Display| {
        Error::invalid(format!("cannot read `{}`: {why}", path.display()))
    };
    let size = std::fs::metadata(path).map_err(|error| unreadable(&error))?.len();
    if size > MAX_BYTES {
        return Err(unreadable(&format!("it has {size} bytes, the limit is {MAX_BYTES}")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(&error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_own = folder.file_name().is_some_and(|name| name == ".vscode" || name == ".cursor");
    let workspace = if is_own { folder.parent().unwrap_or(folder) } else { folder };
    let workspace = std::path::absolute(workspace).unwrap_or_else(|_| workspace.to_owned());
    parse(&text, &workspace.to_string_lossy()).map_err(|error| match error.hint() {
        Some(hint) => unreadable(&error.message()).with_hint(hint),
        None => unreadable(&error.message()),
    })
}

fn parse(text: &str, workspace: &str) -> Result<Found> {
    let file = jsonc::read(text).map_err(|error| Error::invalid(error.to_string()))?;
    let servers = ["mcpServers", "servers"].iter().find_map(|key| file.get(key)?.as_object());
    let servers =
        servers.or_else(|| file.get("mcp")?.get("servers")?.as_object()).ok_or_else(|| {
            Error::invalid("it names no servers")
                .with_hint("it holds them under `mcpServers` or `servers`")
        })?;
    let mut found = Found::default();
    for (name, entry) in servers {
        if entry.get("disabled").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        let mut notes = Vec::new();
        match server(name, entry, workspace, &mut notes) {
            Some(spec) => found.servers.push(spec),
            None if notes.is_empty() => notes.push("it has neither `command` nor `url`".to_owned()),
            None => {}
        }
        found.notes.extend(notes.into_iter().map(|note| format!("`{name}`: {note}")));
    }
    Ok(found)
}

fn server(
    name: &str,
    entry: &Value,
    workspace: &str,
    notes: &mut Vec<String>,
) -> Option<ServerSpec> {
    let text =
        |key: &str| entry.get(key).and_then(Value::as_str).map(|text| placed(text, workspace));
    let map = |key: &str| entry.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
    let mut spec = ServerSpec { name: name.to_owned(), ..ServerSpec::default() };
    if let Some(url) = text("url").or_else(|| text("serverUrl")) {
        if url.contains("${") || url.split_once('?').is_some_and(|(_, query)| is_secret(query)) {
            notes.push("left out: its address holds a secret; put it into a header".to_owned());
            return None;
        }
        spec.url = Some(url);
        headers(&mut spec, &map("headers"), notes);
        return Some(spec);
    }
    let program = text("command")?;
    let args = entry.get("args").and_then(Value::as_array).into_iter().flatten();
    let args = args.filter_map(Value::as_str).map(|word| placed(word, workspace));
    spec.command = std::iter::once(program).chain(args).collect();
    if let Some(word) = secret_word(&spec.command) {
        notes.push(format!("left out: its argument `{word}` holds a secret; pass it by `env`"));
        return None;
    }
    for (variable, value) in map("env") {
        let Some(value) = scalar(&value) else { continue };
        let value = placed(&value, workspace);
        let own = match reference(&value) {
            Some(from) => Some(from),
            None if is_secret(&variable) || value.contains("${") => {
                notes.push(format!(
                    "set the environment variable `{variable}`: its value is not copied"
                ));
                Some(variable.clone())
            }
            None => None,
        };
        spec.env.insert(variable, own.map_or(ValueSpec::Literal(value), from_environment));
    }
    Some(spec)
}

fn headers(spec: &mut ServerSpec, headers: &Map<String, Value>, notes: &mut Vec<String>) {
    for (header, value) in headers {
        let Some(value) = value.as_str() else { continue };
        let bearer = value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer "));
        let is_token = header.eq_ignore_ascii_case("authorization") && bearer.is_some();
        let from = reference(bearer.filter(|_| is_token).unwrap_or(value));
        let is_hidden = is_secret(header) || value.contains("${");
        if from.is_none() && !is_hidden {
            spec.headers.insert(header.clone(), ValueSpec::Literal(value.to_owned()));
            continue;
        }
        let from = from.unwrap_or_else(|| {
            let name = if is_token { "token" } else { header.as_str() };
            let name = variable(&format!("{} {name}", spec.name));
            notes.push(format!(
                "set the environment variable `{name}` to its `{header}`: the value is not copied"
            ));
            name
        });
        if is_token {
            spec.token_env = Some(from);
        } else {
            spec.headers.insert(header.clone(), from_environment(from));
        }
    }
}

fn from_environment(env: String) -> ValueSpec {
    ValueSpec::Variable(VariableSpec { env })
}

/// A text with the folder of the workspace where an editor would put it.
fn placed(text: &str, workspace: &str) -> String {
    text.replace("${workspaceFolder}", workspace)
}

/// The variable that a whole value refers to: `${env:NAME}`, `${NAME}` or `${input:name}`.
fn reference(value: &str) -> Option<String> {
    let inner = value.trim().strip_prefix("${")?.strip_suffix('}')?;
    if let Some(input) = inner.strip_prefix("input:") {
        return Some(variable(input));
    }
    let name = inner.strip_prefix("env:").unwrap_or(inner);
    let name = name.split(":-").next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
}

/// A text as the name of a variable.
fn variable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect()
}

fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET.iter().any(|word| name.contains(word))
}

/// The first word of a command that gives a secret away.
fn secret_word(command: &[String]) -> Option<&str> {
    let options = command.iter().enumerate().skip(1).filter(|(_, word)| word.starts_with('-'));
    let hit = options.filter(|(at, word)| {
        let (option, value) =
            word.split_once('=').map_or((word.as_str(), None), |(o, v)| (o, Some(v)));
        let next = command.get(at + 1).map(String::as_str);
        let value = value.or(next).filter(|value| !value.starts_with('-'));
        // `-e TOKEN` passes a variable on and says nothing of it.
        is_secret(option) && value.is_some()
            || matches!(option, "-e" | "--env")
                && value.is_some_and(|value| value.contains('=') && is_secret(value))
    });
    let of_option = hit.map(|(_, word)| word.split('=').next().unwrap_or_default()).next();
    let referring = command.iter().find(|word| word.contains("${")).map(String::as_str);
    of_option.or(referring)
}

/// A value of the environment as a text.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{
      // as VS Code has it
      "inputs": [{ "id": "gh-token", "type": "promptString" }],
      "servers": {
        "git": { "command": "uvx", "args": ["mcp-server-git", "--repository", "${workspaceFolder}"],
                 "env": { "LOG": "1", "GH_TOKEN": "${input:gh-token}", "API_KEY": "sk-1", "HOME_DIR": "${env:HOME}" } },
        "far": { "type": "http", "url": "https://h/mcp", "headers": { "Authorization": "Bearer ${env:FAR}", "X-Team": "sea", "X-Api-Key": "sk-2" } },
        "bad": { "command": "x", "args": ["--api-key", "sk-3"] },
        "leak": { "url": "https://h/mcp?api_key=sk-4" },
        "off": { "command": "y", "disabled": true },
        "none": { "what": 1 },
      },
    }"#;

    #[test]
    fn servers_come_without_their_secrets() {
        let found = parse(FILE, "/work").unwrap();
        let names: Vec<&str> = found.servers.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, ["git", "far"]);
        let written = serde_json::to_string(&found.servers).unwrap() + &found.notes.concat();
        assert!(!written.contains("sk-"), "{written}");
        let git = &found.servers[0];
        assert_eq!(git.command, ["uvx", "mcp-server-git", "--repository", "/work"]);
        assert_eq!(git.env["LOG"], ValueSpec::Literal("1".to_owned()));
        let from: Vec<Option<&str>> = ["GH_TOKEN", "API_KEY", "HOME_DIR"]
            .iter()
            .map(|name| git.env[*name].variable())
            .collect();
        assert_eq!(from, [Some("GH_TOKEN"), Some("API_KEY"), Some("HOME")]);
        let far = &found.servers[1];
        assert_eq!(far.token_env.as_deref(), Some("FAR"));
        assert_eq!(far.headers["X-Api-Key"].variable(), Some("FAR_X_API_KEY"));
        assert_eq!(found.notes.len(), 5, "{:?}", found.notes);
    }

    #[test]
    fn a_file_without_servers_says_so() {
        assert_eq!(parse("{}", "/").unwrap_err().message(), "it names no servers");
        assert!(parse("[", "/").is_err());
        assert_eq!(parse("{\"mcpServers\": {}}", "/").unwrap().servers.len(), 0);
    }
}
