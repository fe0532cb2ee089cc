//! Decides what a pack of other people's MCP servers looks like before anybody has touched it: names that no two tools
//! share, summaries, access, values that belong to the installation, and examples to begin with.
//!
//! It opens no file and starts no server: it is given what the servers list, and gives texts. [`draft`] makes the
//! pack, [`Draft::files`] its files, [`update`] lays a new list over files that people have edited since, and
//! [`write_examples`] has a model write more examples.

mod blocks;
mod constants;
mod examples;
mod names;
mod page;
mod phrases;
mod update;
mod written;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use waypost_core::error::Result;
use waypost_core::ports::tools::ToolDescription;
use waypost_core::schema::{Adopted, FlatSchema, PassedOver, adopt};
use waypost_text::language::Language;

pub use constants::{Constant, Shared, proposed, shared};
pub use names::Naming;
pub use update::{Updated, update};
pub use written::{Assignment, Stopped, WrittenExamples, write_examples};

use crate::pack::spec::{Access, ServerSpec};
use crate::pack::{
    Example, Fault, Files, LOCK_FILE, Lock, LockedTool, Pack, fingerprint, one_sentence,
};

/// The longest description that is kept, in characters: what a catalog reads of one.
const LONGEST_DESCRIPTION: usize = 2_000;
/// The longest name of a pack, in characters.
const LONGEST_NAME: usize = 60;
/// The most keywords of one tool that are told of.
const MOST_TOLD: usize = 5;

/// A server with the tools that it lists.
#[derive(Debug, Clone)]
pub struct ListedServer {
    /// The server, as the pack is to reach it.
    pub spec: ServerSpec,
    /// Its tools.
    pub tools: Vec<ToolDescription>,
}

/// A pack that nobody has touched yet.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// Its name.
    pub name: String,
    /// The languages of its users.
    pub languages: Vec<Language>,
    /// Its servers.
    pub servers: Vec<ServerSpec>,
    /// Its tools.
    pub tools: Vec<DraftTool>,
    /// A sentence for each tool that cannot be used.
    pub left_out: Vec<String>,
    /// A sentence for each keyword of a schema that was passed over; its tool can be used.
    pub passed_over: Vec<String>,
}

/// A tool of a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftTool {
    /// Its name, which no other tool of the draft has.
    pub name: String,
    /// Its server.
    pub server: String,
    /// The name by which its server knows it.
    pub remote: String,
    /// One sentence.
    pub summary: String,
    /// The words of its server.
    pub description: String,
    /// Its access by the server's hints.
    pub access: Access,
    /// The schema of its arguments, without what of it cannot be used.
    pub schema: Value,
    /// The arguments that it names, however it nests them.
    pub arguments: FlatSchema,
    /// Values of arguments that nobody has to say.
    pub defaults: BTreeMap<String, Value>,
    /// The fingerprint of what its server says of it.
    pub fingerprint: String,
}

/// Makes the pack of what some servers list. Tools whose schema cannot be used are left out, not the pack; a keyword that is
/// faulty is passed over, not its tool.
pub fn draft(servers: &[ListedServer], languages: &[Language], constants: &[Constant]) -> Draft {
    draft_named(servers, languages, constants, &Naming::default())
}

/// Makes the same pack, with names that are decided by more than the lists.
pub fn draft_named(
    servers: &[ListedServer],
    languages: &[Language],
    constants: &[Constant],
    naming: &Naming,
) -> Draft {
    let (mut left_out, mut passed_over) = (Vec::new(), Vec::new());
    let usable: Vec<Vec<Usable<'_>>> =
        servers.iter().map(|server| usable(server, &mut left_out, &mut passed_over)).collect();
    let listed: Vec<(&str, Vec<&str>)> = servers
        .iter()
        .zip(&usable)
        .map(|(server, tools)| {
            let tools = tools.iter().map(|(tool, _)| tool.name.as_str());
            (server.spec.name.as_str(), tools.collect())
        })
        .collect();
    let names = names::unique(&listed, naming);
    let mut tools = Vec::new();
    for ((server, usable), names) in servers.iter().zip(&usable).zip(names) {
        for ((listed, schema), name) in usable.iter().zip(names) {
            tools.push(drafted(&server.spec, (listed, schema), name, constants));
        }
    }
    Draft {
        name: name(&naming.servers(servers.iter().map(|server| server.spec.name.as_str()))),
        languages: if languages.is_empty() { vec![Language::En] } else { languages.to_vec() },
        servers: servers.iter().map(|server| server.spec.clone()).collect(),
        tools,
        left_out,
        passed_over,
    }
}

/// A tool as it was listed, with its schema as it can be used.
type Usable<'a> = (&'a ToolDescription, Value);

/// The tools of a server that can be used, each once.
fn usable<'a>(
    server: &'a ListedServer,
    left_out: &mut Vec<String>,
    passed_over: &mut Vec<String>,
) -> Vec<Usable<'a>> {
    let own = &server.spec.name;
    let mut usable: Vec<Usable<'_>> = Vec::new();
    let mut names = BTreeSet::new();
    // A tool is told of once, however often it is listed.
    let mut again = BTreeSet::new();
    for tool in &server.tools {
        let name = &tool.name;
        if name.trim().is_empty() || !names.insert(name) {
            if again.insert(name.trim()) {
                left_out
                    .push(format!("`{own}` lists a tool `{name}` twice, or one without a name"));
            }
            continue;
        }
        match adopt(&tool.input_schema) {
            Ok(Adopted { schema, passed_over: keywords }) => {
                passed_over.extend(told(own, name, &keywords));
                usable.push((tool, schema));
            }
            Err(why) => {
                left_out.push(format!("`{name}` of `{own}` has no schema that can be used: {why}"));
            }
        }
    }
    usable
}

/// The sentences about the keywords of a tool that were passed over: the first ones, and the number of the others.
fn told(server: &str, tool: &str, keywords: &[PassedOver]) -> Vec<String> {
    let (shown, others) = keywords.split_at(keywords.len().min(MOST_TOLD));
    let shown = shown.iter().map(|keyword| format!("`{tool}` of `{server}`: {keyword}"));
    let more = format!("`{tool}` of `{server}`: and {} more", others.len());
    shown.chain((!others.is_empty()).then_some(more)).collect()
}

fn drafted(
    server: &ServerSpec,
    (listed, schema): (&ToolDescription, &Value),
    name: String,
    constants: &[Constant],
) -> DraftTool {
    let description = listed.description.trim();
    let arguments = FlatSchema::read(schema);
    DraftTool {
        summary: one_sentence(description, &listed.name),
        description: description.chars().take(LONGEST_DESCRIPTION).collect(),
        access: listed.hints.access(),
        schema: match schema.get("type") {
            Some(_) => schema.clone(),
            None => typed(schema),
        },
        // What somebody gave counts more than what the command says.
        defaults: constants::root(server, listed, &arguments)
            .into_iter()
            .chain(constants::of_tool(constants, &name, &arguments))
            .collect(),
        arguments,
        fingerprint: fingerprint(listed),
        server: server.name.clone(),
        remote: listed.name.clone(),
        name,
    }
}

/// A schema that says that arguments are an object.
fn typed(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(map) = schema.as_object_mut() {
        map.insert("type".to_owned(), "object".into());
    }
    schema
}

/// The name of a pack: those of its servers.
fn name(servers: &[&str]) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = servers.join("-").chars().map(plain).take(LONGEST_NAME).collect();
    if name.is_empty() { "tools".to_owned() } else { name }
}

impl Draft {
    /// Its files: `pack.yaml`, `examples.jsonl` and the lock.
    ///
    /// # Errors
    ///
    /// `INTERNAL` if the lock cannot be written.
    pub fn files(&self) -> Result<Files> {
        Ok(Files::from([
            ("pack.yaml".to_owned(), page::page(self)),
            ("examples.jsonl".to_owned(), examples::lines(&examples::own_words(&self.tools))),
            (LOCK_FILE.to_owned(), self.lock().write()?),
        ]))
    }

    /// The pack as it is, without examples but its tools' own words: for use without files.
    ///
    /// # Errors
    ///
    /// Every fault of the pack, such as two servers of one name.
    pub fn pack(&self) -> std::result::Result<(Files, Pack), Vec<Fault>> {
        let files = Files::from([
            ("pack.yaml".to_owned(), page::page(self)),
            ("examples.jsonl".to_owned(), examples::lines(&examples::own_words(&self.tools))),
        ]);
        let pack = Pack::load(&files)?;
        Ok((files, pack))
    }

    /// Its tools as they were listed and written.
    fn lock(&self) -> Lock {
        let mut lock = Lock::default();
        for tool in &self.tools {
            let locked =
                LockedTool { accepted: tool.fingerprint.clone(), wrote: page::wrote(tool) };
            lock.tools.insert(tool.name.clone(), locked);
        }
        lock
    }

    /// Questions to try, each with the tool that it asks for: those that need the least said first. Where `said` has an
    /// example of a tool, that is its question. Whether a router would take them so is not known here.
    pub fn questions(&self, said: &[Example]) -> Vec<(String, String)> {
        examples::questions(self, said)
    }
}

#[cfg(test)]
mod tests;
