//! Remembers which tools only read, of servers that do not say it. A person says it with `waypost tools reads`; no request, model
//! or server can. It counts for one server and for what that says of the tool: with other words or another schema it is forgotten.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;
use waypost::Error;
use waypost::bootstrap::{Draft, ListedServer};
use waypost::pack::spec::{Access, ServerSpec};
use waypost::pack::{Pack, digest, fingerprint};
use waypost::ports::tools::ToolDescription;

use crate::failure::Failure;
use crate::files;

/// The name of the file in the home.
const FILE: &str = "reads.json";

/// The names of the tools, for people, by a hash of all that has to stay as it is.
#[derive(Debug, Default)]
pub(crate) struct Reads(BTreeMap<String, String>);

impl Reads {
    /// The remembered tools. A file that cannot be read remembers none, so that each call is asked about.
    pub(crate) fn open(home: &Path) -> Self {
        let text = std::fs::read_to_string(home.join(FILE)).unwrap_or_default();
        Self(serde_json::from_str(&text).unwrap_or_default())
    }

    /// Remembers that a tool only reads.
    pub(crate) fn insert(&mut self, server: &ServerSpec, tool: &ToolDescription) {
        self.0.insert(key(server, tool), format!("{}: {}", server.name, tool.name));
    }

    /// Writes the file.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` if it cannot be written.
    pub(crate) fn write(&self, home: &Path) -> Result<(), Failure> {
        files::make_home(home).map_err(|error| files::unwritable(home, &error))?;
        let text = serde_json::to_string_pretty(&self.0);
        let text = text.map_err(|error| Error::internal(error.to_string()))?;
        files::replace_private(&home.join(FILE), text + "\n")
    }

    /// The pack of a draft, in which the tools that are remembered read, and the others without hints may change something.
    pub(crate) fn applied(&self, mut draft: Draft, listed: &[ListedServer]) -> Loaded {
        let mut unhinted = BTreeMap::new();
        for tool in &mut draft.tools {
            let Some((server, now)) = source(listed, &tool.server, &tool.remote) else { continue };
            if !is_unhinted(now) {
                continue;
            }
            let reads = self.0.contains_key(&key(server, now));
            if reads {
                tool.access = Access::Read;
            }
            unhinted.insert(tool.name.clone(), reads.then(|| tool.fingerprint.clone()));
        }
        let (files, mut pack) = draft.pack()?;
        for tool in &mut pack.tools {
            match unhinted.remove(&tool.spec.name) {
                Some(Some(fingerprint)) => tool.hold_to(fingerprint),
                Some(None) => tool.mark_unhinted(),
                None => {}
            }
        }
        Ok((files, pack))
    }
}

/// A pack with its files, or its faults.
type Loaded = Result<(waypost::pack::Files, Pack), Vec<waypost::pack::Fault>>;

/// A tool as its server lists it.
pub(crate) fn source<'a>(
    listed: &'a [ListedServer],
    server: &str,
    remote: &str,
) -> Option<(&'a ServerSpec, &'a ToolDescription)> {
    let server = listed.iter().find(|own| own.spec.name == server)?;
    Some((&server.spec, server.tools.iter().find(|tool| tool.name == remote)?))
}

/// Returns whether a server leaves open what its tool does.
pub(crate) fn is_unhinted(tool: &ToolDescription) -> bool {
    tool.hints.read_only.is_none() && tool.hints.destructive.is_none()
}

/// A hash of the way to a server and of what it says of a tool. The server's name is one of the command line. A word that is a
/// file counts with its whole path, because the same word is another program in another folder.
fn key(server: &ServerSpec, tool: &ToolDescription) -> String {
    let mut server = ServerSpec { name: String::new(), ..server.clone() };
    for word in &mut server.command {
        if let Ok(path) = std::fs::canonicalize(&*word) {
            *word = path.to_string_lossy().into_owned();
        }
    }
    digest(&json!([server, fingerprint(tool)]).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_counts_for_this_server_and_this_schema() {
        let server = |command: &str| ServerSpec {
            name: "shop".to_owned(),
            command: vec![command.to_owned()],
            ..ServerSpec::default()
        };
        let tool = |schema| ToolDescription {
            name: "list_tables".to_owned(),
            input_schema: schema,
            ..ToolDescription::default()
        };
        let plain = tool(json!({ "type": "object" }));
        let home = tempfile::TempDir::new().unwrap();
        let mut reads = Reads::open(home.path());
        reads.insert(&server("shop"), &plain);
        reads.write(home.path()).unwrap();
        let reads = Reads::open(home.path());
        let holds =
            |server: &ServerSpec, tool: &ToolDescription| reads.0.contains_key(&key(server, tool));
        assert!(holds(&server("shop"), &plain));
        assert!(!holds(&server("store"), &plain));
        let other = tool(json!({ "type": "object", "properties": { "drop": {} } }));
        assert!(!holds(&server("shop"), &other));
    }
}
