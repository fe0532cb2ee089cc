//! Decides which arguments are of the installation and not of a request: a repository, a vault, a database that nearly
//! every tool of a server wants and nobody says each time.

use std::collections::BTreeMap;

use serde_json::Value;
use waypost_core::ports::tools::ToolDescription;
use waypost_core::schema::FlatSchema;

use super::ListedServer;
use crate::catalog::spelled;
use crate::pack::spec::{Access, ServerSpec, ValueSpec};

/// A value that somebody gave for an argument of a tool, or of all (`*`).
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// The tool, or `*`.
    pub tool: String,
    /// The argument.
    pub argument: String,
    /// The value as it was written.
    pub value: String,
}

/// An argument that most tools of a server require and that names a place of the installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The server.
    pub server: String,
    /// The argument.
    pub argument: String,
    /// The number of its tools that require it.
    pub tools: usize,
}

/// Words that name places of an installation.
const PLACES: [&str; 20] = [
    "repo",
    "repository",
    "vault",
    "database",
    "db",
    "workspace",
    "project",
    "root",
    "account",
    "organization",
    "org",
    "region",
    "cluster",
    "host",
    "tenant",
    "site",
    "bucket",
    "notebook",
    "profile",
    "instance",
];
/// Words of tools that look through a folder.
const LOOKS: [&str; 10] = [
    "list",
    "search",
    "find",
    "tree",
    "directory",
    "directories",
    "folder",
    "folders",
    "browse",
    "glob",
];
/// The last words of arguments that take the folder.
const FOLDERS: [&str; 5] = ["path", "directory", "folder", "root", "dir"];
/// The fewest letters that two words share at their beginning where they are of one stem.
const STEM: usize = 2;

/// The arguments of servers that somebody should say once.
pub fn shared(servers: &[ListedServer]) -> Vec<Shared> {
    servers.iter().flat_map(of_server).collect()
}

fn of_server(server: &ListedServer) -> Vec<Shared> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for tool in &server.tools {
        for argument in required(tool).into_iter().filter(|argument| names_place(argument)) {
            *counts.entry(argument).or_default() += 1;
        }
    }
    let most = server.tools.len().div_ceil(2);
    let shared = counts.into_iter().filter(|(_, tools)| *tools >= most);
    let shared = shared.map(|(argument, tools)| Shared {
        server: server.spec.name.clone(),
        argument,
        tools,
    });
    shared.collect()
}

/// The required arguments of a tool that take a text.
fn required(tool: &ToolDescription) -> Vec<String> {
    let arguments = FlatSchema::read(&tool.input_schema);
    let names = arguments.required.iter();
    names.filter(|name| is_text(&arguments, name)).cloned().collect()
}

fn is_text(arguments: &FlatSchema, argument: &str) -> bool {
    let kind = arguments.properties.get(argument).and_then(|schema| schema.get("type"));
    kind.is_none_or(|kind| kind == "string")
}

fn words(argument: &str) -> Vec<String> {
    spelled(argument).split_whitespace().map(str::to_owned).collect()
}

fn names_place(argument: &str) -> bool {
    words(argument).iter().any(|word| PLACES.contains(&word.as_str()))
}

/// The value of an argument that the way to its server already says: `--repository DIR` for `repo_path`, or a variable
/// `VAULT_PATH` for `vault`.
pub fn proposed(server: &ServerSpec, argument: &str) -> Option<String> {
    let mut command = server.command.iter().skip(1).peekable();
    while let Some(word) = command.next() {
        let Some(option) = word.strip_prefix('-') else { continue };
        let (option, own) = match option.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (option, None),
        };
        let value = own.or_else(|| command.peek().map(|next| next.as_str()));
        if let Some(value) = value.filter(|value| !value.is_empty() && !value.starts_with('-'))
            && is_same(option, argument)
        {
            return Some(value.to_owned());
        }
    }
    let env = server.env.iter().filter(|(name, _)| is_same(name, argument));
    env.filter_map(|(_, value)| match value {
        ValueSpec::Literal(text) => Some(text.clone()),
        ValueSpec::Variable(_) => None,
    })
    .next()
}

/// Returns whether an option and an argument name the same place: one of their words of place has the other's stem.
fn is_same(option: &str, argument: &str) -> bool {
    let (options, arguments) = (words(option), words(argument));
    let place = |word: &&String| PLACES.contains(&word.as_str());
    let stem =
        |a: &str, b: &str| a.len().min(b.len()) >= STEM && (a.starts_with(b) || b.starts_with(a));
    options.iter().any(|a| arguments.iter().filter(place).any(|b| stem(a, b)))
}

/// The folder that a server was given, for the argument of a reading tool that looks through one: who names no folder means
/// that one. A file is of the request.
pub(super) fn root(
    server: &ServerSpec,
    tool: &ToolDescription,
    arguments: &FlatSchema,
) -> Option<(String, Value)> {
    let looks = words(&tool.name).iter().any(|word| LOOKS.contains(&word.as_str()));
    if !looks || tool.hints.access() != Access::Read {
        return None;
    }
    let [program @ .., before, folder] = server.command.as_slice() else { return None };
    // The value of an option and what an interpreter runs are no folders to look through.
    let is_value = before.starts_with('-') && before != "-y" && !program.is_empty();
    let others = program.iter().chain([before]).skip(1);
    if !is_folder(folder) || is_value || others.into_iter().any(|word| is_folder(word)) {
        return None;
    }
    let mut open = arguments.required.iter().filter(|name| {
        is_text(arguments, name)
            && FOLDERS.iter().any(|word| words(name).last() == Some(&(*word).to_owned()))
    });
    let (name, None) = (open.next()?, open.next()) else { return None };
    Some((name.clone(), Value::from(folder.as_str())))
}

/// Returns whether a word of a command is the path of a folder, as people write one.
fn is_folder(word: &str) -> bool {
    let begins = ["/", "./", "../", "~/"].iter().any(|begin| word.starts_with(begin));
    let is_drive = word.get(1..3) == Some(":\\");
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_file = name.trim_start_matches('.').contains('.');
    (begins || is_drive) && !is_file || word == "." || word == ".."
}

/// The values that hold for a tool, in the type that its schema wants.
pub(super) fn of_tool(
    constants: &[Constant],
    tool: &str,
    arguments: &FlatSchema,
) -> BTreeMap<String, Value> {
    let mut values = BTreeMap::new();
    // One that names the tool counts more than one for all.
    for wanted in ["*", tool] {
        for constant in constants.iter().filter(|constant| constant.tool == wanted) {
            let name = &constant.argument;
            if arguments.properties.contains_key(name) {
                values.insert(name.clone(), typed(&constant.value, is_text(arguments, name)));
            }
        }
    }
    values
}

fn typed(text: &str, is_text: bool) -> Value {
    if is_text {
        return Value::from(text);
    }
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use waypost_core::ports::tools::Hints;

    use super::*;

    fn tool(required: &[&str]) -> ToolDescription {
        let input_schema =
            json!({ "required": required, "properties": { "limit": { "type": "integer" } } });
        ToolDescription { name: "t".to_owned(), input_schema, ..ToolDescription::default() }
    }

    fn server(command: &[&str]) -> ServerSpec {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        ServerSpec { name: "git".to_owned(), command, ..ServerSpec::default() }
    }

    #[test]
    fn places_that_most_tools_want_are_shared() {
        let tools = vec![
            tool(&["repo_path"]),
            tool(&["repo_path", "path"]),
            tool(&["path"]),
            tool(&["path"]),
        ];
        let listed = ListedServer { spec: server(&["g"]), tools };
        let shared = shared(&[listed]);
        assert_eq!(shared.len(), 1, "a path is of the request: {shared:?}");
        assert_eq!((shared[0].argument.as_str(), shared[0].tools), ("repo_path", 2));
    }

    #[test]
    fn the_command_says_what_it_was_given() {
        let git = |command: &[&str]| proposed(&server(command), "repo_path");
        assert_eq!(git(&["mcp-server-git", "--repository", "/r"]).as_deref(), Some("/r"));
        assert_eq!(git(&["g", "--repo=/r"]).as_deref(), Some("/r"));
        for none in [&["g", "-v"][..], &["g", "--path", "/r"], &["g", "--repository", "--verbose"]]
        {
            assert_eq!(git(none), None);
        }
        let mut vault = server(&["v"]);
        vault.env.insert("VAULT_PATH".to_owned(), ValueSpec::Literal("/v".to_owned()));
        assert_eq!(proposed(&vault, "vault").as_deref(), Some("/v"));
    }

    #[test]
    fn who_names_no_folder_means_the_one_that_the_server_was_given() {
        let files = |name: &str, command: &[&str]| {
            let hints = Hints { read_only: Some(true), ..Hints::default() };
            let mut tool = ToolDescription { name: name.to_owned(), hints, ..tool(&["path"]) };
            tool.input_schema["properties"]["path"] = json!({ "type": "string" });
            let arguments = FlatSchema::read(&tool.input_schema);
            root(&server(command), &tool, &arguments).map(|(_, value)| value)
        };
        let command = ["npx", "-y", "@scope/server-filesystem", "/srv/notes"];
        assert_eq!(files("list_directory", &command), Some(json!("/srv/notes")));
        assert_eq!(files("search_files", &["s", "."]), Some(json!(".")));
        assert_eq!(files("read_file", &command), None);
        assert_eq!(files("list_directory", &["s", "/a", "/b"]), None);
        for none in [
            &["npx", "@scope/server"][..],
            &["python3", "/srv/server.py"],
            &["s", "--config", "/etc/s"],
            &["/usr/bin/server"],
        ] {
            assert_eq!(files("list_directory", none), None, "{none:?}");
        }
    }

    #[test]
    fn a_value_has_the_type_of_its_argument() {
        let constant = |tool: &str, argument: &str, value: &str| Constant {
            tool: tool.to_owned(),
            argument: argument.to_owned(),
            value: value.to_owned(),
        };
        let schema =
            json!({ "properties": { "limit": { "type": "integer" }, "db": { "type": "string" } } });
        let constants = [
            constant("t", "db", "7"),
            constant("*", "db", "8"),
            constant("*", "limit", "5"),
            constant("*", "x", "1"),
        ];
        let values = of_tool(&constants, "t", &FlatSchema::read(&schema));
        assert_eq!(
            values,
            BTreeMap::from([("db".to_owned(), json!("7")), ("limit".to_owned(), json!(5))])
        );
    }
}
