//! Asks MCP servers that no pack names what they offer: those of `--mcp` and of the files that other clients keep.

pub(crate) mod client_file;
mod jsonc;
pub(crate) mod named;
mod split;

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use waypost::bootstrap::ListedServer;
use waypost::pack::spec::{ServerSpec, ValueSpec, VariableSpec};
use waypost::ports::tools::{ToolDescription, ToolServer};
use waypost::respond::execution::Servers;
use waypost::{Error, Result};

use crate::assemble::{self, AssemblyOptions};
use crate::config::Config;
use crate::failure::without_numbers;
use crate::output;

/// The most servers.
const MOST: usize = 64;

/// Servers that answered.
#[derive(Debug, Default)]
pub(crate) struct Answering {
    /// With what they list, in the order in which they were named.
    pub(crate) listed: Vec<ListedServer>,
    /// As they run, so that nobody has to start them again.
    pub(crate) live: Servers,
    /// Those that did not answer.
    pub(crate) absent: Vec<ServerSpec>,
}

/// The servers of `--mcp`, no two of one name; programs get the variables of `--env`.
///
/// # Errors
///
/// `INVALID_ARGUMENT` for a command or a name of a variable that cannot be read, and for too many servers.
pub(crate) fn specs(texts: &[String], env: &[String]) -> Result<Vec<ServerSpec>> {
    distinct(given(texts, env)?)
}

/// The servers of `--mcp`, whose names may be the same; programs get the variables of `--env`.
///
/// # Errors
///
/// `INVALID_ARGUMENT` for a command or a name of a variable that cannot be read.
pub(crate) fn given(texts: &[String], env: &[String]) -> Result<Vec<ServerSpec>> {
    let mut specs = texts.iter().map(|text| named::server(text)).collect::<Result<Vec<_>>>()?;
    for name in env {
        let own = name.split('=').next().unwrap_or_default();
        if own.is_empty() || own != name {
            // A value may be a secret, and is not repeated.
            let own = if own.is_empty() { "NAME" } else { own };
            return Err(Error::invalid("`--env` takes the name of a variable alone").with_hint(
                format!("write `--env {own}`: its value is taken from the environment"),
            ));
        }
        for spec in specs.iter_mut().filter(|spec| spec.url.is_none()) {
            let value = ValueSpec::Variable(VariableSpec { env: name.clone() });
            spec.env.insert(name.clone(), value);
        }
    }
    Ok(specs)
}

/// Servers of which no two have one name: the second `git` is `git-2`.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if they are too many.
pub(crate) fn distinct(mut specs: Vec<ServerSpec>) -> Result<Vec<ServerSpec>> {
    if specs.len() > MOST {
        return Err(Error::invalid(format!(
            "{} servers are too many, {MOST} are the most",
            specs.len()
        )));
    }
    let mut taken = BTreeSet::new();
    for spec in &mut specs {
        let own = spec.name.clone();
        let mut number = 1;
        while !taken.insert(spec.name.clone()) {
            number += 1;
            spec.name = format!("{own}-{number}");
        }
    }
    Ok(specs)
}

/// Starts all servers at once, unless `options` has them running, and asks each what it offers. One that does not answer is told
/// on standard error, and the others serve.
///
/// # Errors
///
/// `UNAVAILABLE` if none of them offers a tool.
pub(crate) async fn ask(
    specs: &[ServerSpec],
    config: &Config,
    options: &AssemblyOptions,
) -> Result<Answering> {
    let asked = specs.iter().map(|spec| async move { (spec, listed(spec, config, options).await) });
    let mut answering = Answering::default();
    for (spec, listed) in futures_util::future::join_all(asked).await {
        match listed {
            Ok((server, tools)) => {
                answering.live.insert(spec.name.clone(), server);
                answering.listed.push(ListedServer { spec: spec.clone(), tools });
            }
            Err(error) => {
                tell(spec, &error);
                answering.absent.push(spec.clone());
            }
        }
    }
    if answering.listed.iter().all(|server| server.tools.is_empty()) {
        let which =
            if specs.len() == 1 { "the server offers" } else { "none of the servers offers" };
        return Err(Error::unavailable(format!("{which} no tool")).with_hint(
            "run the command by itself: an MCP server waits for its input and says nothing",
        ));
    }
    Ok(answering)
}

/// A server as it runs, with what it lists.
///
/// # Errors
///
/// Those of a server that does not answer.
pub(crate) async fn listed(
    spec: &ServerSpec,
    config: &Config,
    options: &AssemblyOptions,
) -> Result<(Arc<dyn ToolServer>, Vec<ToolDescription>)> {
    let server = match options.live.get(&spec.name) {
        Some(live) => Arc::clone(live),
        None => Arc::new(assemble::server(spec, config, options)?),
    };
    let tools = server.list(&CancellationToken::new()).await?;
    Ok((server, tools))
}

fn tell(spec: &ServerSpec, error: &Error) {
    let hint = error.hint().map(|hint| format!(" (hint: {hint})")).unwrap_or_default();
    output::note(format!("warning: without `{}`: {}{hint}", spec.name, error.message()));
    tell_details(spec, error);
}

/// Says on standard error what is known of a program that failed.
pub(crate) fn tell_details(spec: &ServerSpec, error: &Error) {
    if let Some(details) = details(spec, error) {
        output::note(format!("  {details}"));
    }
}

/// Returns what a program that failed said last on its standard error, and how it ended. Of a server at an address nothing is known
/// that people could read.
pub(crate) fn details(spec: &ServerSpec, error: &Error) -> Option<String> {
    let details = error.detail().filter(|details| spec.url.is_none() && !details.is_empty())?;
    Some(format!("details: {}", without_numbers(details)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_servers_of_one_name_are_told_apart() {
        let texts = ["uvx mcp-server-git", "git-2=x", "mcp-server-git"].map(str::to_owned);
        let specs = specs(&texts, &[]).unwrap();
        let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, ["git", "git-2", "git-3"]);
    }

    #[test]
    fn programs_get_the_variables_that_are_named_and_no_value_is_repeated() {
        let texts = ["uvx mcp-server-git", "https://h/mcp"].map(str::to_owned);
        let given = |name: &str| specs(&texts, &[name.to_owned()]);
        let specs = given("GH_TOKEN").unwrap();
        assert_eq!(specs[0].env["GH_TOKEN"].variable(), Some("GH_TOKEN"));
        assert!(specs[1].env.is_empty());
        let error = given("GH_TOKEN=sk-1").unwrap_err();
        assert!(
            error.hint().unwrap().contains("GH_TOKEN") && !format!("{error:?}").contains("sk-1")
        );
    }
}
