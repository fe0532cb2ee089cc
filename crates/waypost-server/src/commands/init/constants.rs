//! Values of arguments that nobody should have to say: given, said by the way to a server, or asked for once.

use std::io::{BufRead, IsTerminal};

use waypost::Error;
use waypost::bootstrap::{Constant, ListedServer, shared};
use waypost::pack::Pack;

use crate::failure::Failure;
use crate::{output, sources};

/// The values, and what is left to say.
#[derive(Debug, Default)]
pub(super) struct Settled {
    pub(super) values: Vec<Constant>,
    /// The arguments that every request has to name now, with the number of tools.
    pub(super) open: Vec<(String, usize)>,
}

/// The values of `--constant`.
pub(super) fn given(texts: &[String]) -> Result<Vec<Constant>, Failure> {
    texts.iter().map(|text| one(text)).collect()
}

fn one(text: &str) -> Result<Constant, Failure> {
    let parts = text.split_once('=').and_then(|(place, value)| {
        let (tool, argument) = place.rsplit_once('.')?;
        (!tool.is_empty() && !argument.is_empty()).then(|| Constant {
            tool: tool.to_owned(),
            argument: argument.to_owned(),
            value: value.to_owned(),
        })
    });
    parts.ok_or_else(|| {
        let error = Error::invalid(format!("`{text}` is no constant"));
        Failure::usage(error.with_hint("write it like `--constant '*.repo_path=FOLDER'`"))
    })
}

/// The values for what servers list: those given, else those that their commands say, else what somebody types.
pub(super) fn settle(listed: &[ListedServer], given: Vec<Constant>) -> Result<Settled, Failure> {
    let mut settled = Settled::default();
    let said = sources::constants(listed);
    let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    for shared in shared(listed) {
        if given.iter().any(|constant| constant.argument == shared.argument) {
            continue;
        }
        let proposal = said.iter().find(|constant| constant.argument == shared.argument);
        let proposal = proposal.map(|constant| constant.value.clone());
        let value = match asks {
            true => ask(&shared.argument, &shared.server, shared.tools, proposal.as_deref())?,
            false => proposal,
        };
        match value {
            Some(value) => {
                settled.values.push(Constant {
                    tool: "*".to_owned(),
                    argument: shared.argument,
                    value,
                });
            }
            None => settled.open.push((shared.argument, shared.tools)),
        }
    }
    settled.values.extend(given);
    Ok(settled)
}

/// Asks for a value; an empty line takes the proposal, or leaves it to each request.
fn ask(
    argument: &str,
    server: &str,
    tools: usize,
    proposal: Option<&str>,
) -> Result<Option<String>, Failure> {
    let default = proposal.map_or_else(
        || "Enter: each request says it".to_owned(),
        |proposal| format!("Enter: {proposal}"),
    );
    output::note(format!("{argument}, which {tools} tools of {server} want [{default}]:"));
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let typed = line.trim();
    Ok(if typed.is_empty() { proposal.map(str::to_owned) } else { Some(typed.to_owned()) })
}

/// The values of an update: those that the pack has, and over them those that were given.
pub(super) fn again(pack: &Pack, listed: &[ListedServer], given: &[Constant]) -> Vec<Constant> {
    let is_given = |argument: &str| given.iter().any(|constant| constant.argument == argument);
    let mut own = Vec::new();
    for tool in &pack.tools {
        for (argument, note) in &tool.spec.arguments {
            if let Some(value) = note.default.as_ref().filter(|_| !is_given(argument)) {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                own.push(Constant {
                    tool: tool.spec.name.clone(),
                    argument: argument.clone(),
                    value,
                });
            }
        }
    }
    // A tool that is new gets what the others of its server have.
    let shared = shared(listed).into_iter().filter_map(|shared| {
        let value = own.iter().find(|constant| constant.argument == shared.argument)?.value.clone();
        Some(Constant { tool: "*".to_owned(), argument: shared.argument, value })
    });
    let mut all: Vec<Constant> = shared.collect();
    all.extend(own);
    all.extend(given.iter().cloned());
    all
}

/// A value as the command line takes it, for people to copy.
pub(super) fn option(argument: &str) -> String {
    format!("--constant '*.{argument}=VALUE'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_names_a_tool_an_argument_and_a_value() {
        let constant = one("fs.read.path=a=b").unwrap();
        assert_eq!(
            (constant.tool.as_str(), constant.argument.as_str(), constant.value.as_str()),
            ("fs.read", "path", "a=b")
        );
        for broken in ["x", "x=y", ".a=b", "a.=b"] {
            assert!(one(broken).is_err(), "{broken}");
        }
    }
}
