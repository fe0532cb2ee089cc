//! Asks MCP servers that no pack names what they offer: those of `--mcp` and of the files that other clients keep.

pub(crate) mod client_file;
mod jsonc;
pub(crate) mod named;
mod split;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use waypost::bootstrap::ListedServer;
use waypost::pack::spec::ServerSpec;
use waypost::ports::tools::{ToolDescription, ToolServer};
use waypost::respond::execution::Servers;
use waypost::{Code, Error, Result};

use crate::assemble::{self, AssemblyOptions};
use crate::config::Config;
use crate::output;

/// The longest wait for a server's list: a runner may have to download the server first.
const PATIENCE: Duration = Duration::from_secs(60);
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

/// The servers of `--mcp`, no two of one name.
///
/// # Errors
///
/// `INVALID_ARGUMENT` for a command that cannot be read, and for too many.
pub(crate) fn specs(texts: &[String]) -> Result<Vec<ServerSpec>> {
    let specs = texts.iter().map(|text| named::server(text)).collect::<Result<Vec<_>>>()?;
    distinct(specs)
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
        None => Arc::new(assemble::patient_server(spec, config, options, PATIENCE)?),
    };
    let cancel = CancellationToken::new();
    let late = || {
        let what = format!("the tool server `{}` did not answer in time", spec.name);
        Error::new(Code::DeadlineExceeded, what)
    };
    let tools = tokio::time::timeout(PATIENCE, server.list(&cancel)).await;
    let tools = tools.unwrap_or_else(|_| Err(late()))?;
    Ok((server, tools))
}

fn tell(spec: &ServerSpec, error: &Error) {
    let hint = error.hint().map(|hint| format!(" (hint: {hint})")).unwrap_or_default();
    output::note(format!("warning: without `{}`: {}{hint}", spec.name, error.message()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_servers_of_one_name_are_told_apart() {
        let texts = ["uvx mcp-server-git", "git-2=x", "mcp-server-git"].map(str::to_owned);
        let specs = specs(&texts).unwrap();
        let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, ["git", "git-2", "git-3"]);
    }
}
