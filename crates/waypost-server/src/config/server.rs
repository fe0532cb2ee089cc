//! A tool server in the configuration: it replaces the one of the pack that has its name.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use waypost::pack::server_faults;
use waypost::pack::spec::{ServerSpec, ValueSpec};

/// A tool server: exactly one of `demo`, `command` and `url`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ServerFile {
    /// A sample server of this program.
    demo: Option<String>,
    /// A program that speaks MCP on its standard streams, with its arguments.
    command: Vec<String>,
    /// The environment of the program, by name: a text, or `{ env = "NAME" }` for the value of a variable.
    env: BTreeMap<String, ValueSpec>,
    /// An address that speaks MCP over streamable HTTP.
    url: Option<String>,
    /// Headers that each request to the address carries, by name: a text, or `{ env = "NAME" }`.
    headers: BTreeMap<String, ValueSpec>,
    /// The environment variable that holds the bearer token for the address.
    token_env: Option<String>,
}

impl ServerFile {
    /// The server as a pack would have it.
    pub(crate) fn spec(&self, name: &str) -> ServerSpec {
        ServerSpec {
            name: name.to_owned(),
            demo: self.demo.clone(),
            command: self.command.clone(),
            env: self.env.clone(),
            url: self.url.clone(),
            headers: self.headers.clone(),
            token_env: self.token_env.clone(),
        }
    }

    /// The environment variables that it is given values of.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        let values = self.env.values().chain(self.headers.values());
        values.filter_map(ValueSpec::variable).chain(self.token_env.as_deref())
    }
}

/// Reads the servers; the first fault of one is a fault of the file.
pub(super) fn checked<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<BTreeMap<String, ServerFile>, D::Error> {
    let files = BTreeMap::<String, ServerFile>::deserialize(from)?;
    let faults = files.iter().flat_map(|(name, file)| server_faults(&file.spec(name)));
    match faults.into_iter().next() {
        Some(fault) => Err(D::Error::custom(format!("{}; {}", fault.message, fault.hint))),
        None => Ok(files),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::parse;
    use super::*;

    fn read(text: &str) -> waypost::Result<ServerSpec> {
        let config = parse(Path::new("w.toml"), &format!("[servers.far]\n{text}\n"))?;
        Ok(config.servers["far"].spec("far"))
    }

    #[test]
    fn a_server_is_a_sample_a_program_or_an_address() {
        let far =
            "url = \"https://h/mcp\"\ntoken_env = \"T\"\nheaders = { X-Key = { env = \"K\" } }";
        let spec = read(far).unwrap();
        assert_eq!(spec.url.as_deref(), Some("https://h/mcp"));
        assert_eq!(spec.variables().collect::<Vec<_>>(), ["K", "T"]);
        let spec = read("command = [\"a\"]\nenv = { A = \"1\", B = { env = \"OTHER\" } }").unwrap();
        assert_eq!((spec.command.len(), spec.env.len()), (1, 2));
        assert_eq!(read("demo = \"ocean\"").unwrap().demo.as_deref(), Some("ocean"));
    }

    #[test]
    fn a_fault_is_told_with_its_place() {
        for (text, says) in [
            ("", "exactly one of `demo`, `command` and `url`"),
            ("command = [\"a\"]\nurl = \"http://h\"", "exactly one of"),
            ("url = \"h:80\"", "neither `http` nor `https`"),
            ("command = [\"a\"]\ntoken_env = \"T\"", "`token_env` is for servers with a `url`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.message().starts_with("w.toml:1:"), "{error}");
            assert!(error.message().contains(says), "{error}");
        }
    }
}
