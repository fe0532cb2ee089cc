//! Where a command gets its tools from: a pack by name or folder, or what servers list, without any files.

use waypost::bootstrap::{Constant, Draft, ListedServer, Naming, draft_named, proposed, shared};
use waypost::language::Language;
use waypost::pack::spec::ServerSpec;
use waypost::pack::{Fault, Files, Pack};
use waypost::respond::execution::Servers;
use waypost::{Code, Error};

use crate::assemble::AssemblyOptions;
use crate::cli::SourceArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::reads::Reads;
use crate::{mcp_servers, output, packs};

/// A pack with where it came from.
#[derive(Debug)]
pub(crate) struct Sourced {
    pub(crate) pack: Pack,
    pub(crate) files: Files,
    /// The name that it was asked for by; nothing where there are only servers.
    pub(crate) name: Option<String>,
    /// Servers that run already.
    pub(crate) live: Servers,
    /// Servers that did not answer, so that the pack is without their tools.
    pub(crate) absent: Vec<ServerSpec>,
}

/// The pack that a command is to work with.
pub(crate) async fn load(
    source: &SourceArgs,
    config: &Config,
    options: &AssemblyOptions,
) -> Result<Sourced, Failure> {
    if source.mcp.is_empty() {
        let (files, pack) = packs::with_files(&source.pack.pack)?;
        let name = Some(source.pack.pack.clone());
        return Ok(Sourced { pack, files, name, live: Servers::new(), absent: Vec::new() });
    }
    let specs = mcp_servers::specs(&source.mcp, &source.env).map_err(Failure::usage)?;
    listed(&specs, Naming::of(&specs), config, options).await
}

/// The pack of what servers list.
pub(crate) async fn listed(
    specs: &[ServerSpec],
    naming: Naming,
    config: &Config,
    options: &AssemblyOptions,
) -> Result<Sourced, Failure> {
    let answering = mcp_servers::ask(specs, config, options).await?;
    let constants = constants(&answering.listed);
    let draft = draft_named(&answering.listed, &Language::ALL, &constants, &naming);
    tell_left_out(&draft);
    let loaded = Reads::open(&config.home).applied(draft, &answering.listed);
    let (files, pack) = loaded.map_err(|faults| Failure::from(unusable(&faults)))?;
    Ok(Sourced { pack, files, name: None, live: answering.live, absent: answering.absent })
}

/// Says which tools cannot be used, and which keywords of the others' schemas.
pub(crate) fn tell_left_out(draft: &Draft) {
    draft.passed_over.iter().for_each(|said| output::note(format!("warning: passed over: {said}")));
    draft.left_out.iter().for_each(|said| output::note(format!("warning: left out: {said}")));
}

/// The values that the ways to the servers already say, or the folder in which the program runs.
pub(crate) fn constants(listed: &[ListedServer]) -> Vec<Constant> {
    let all = shared(listed).into_iter().filter_map(|shared| {
        let server = listed.iter().find(|server| server.spec.name == shared.server)?;
        let value = proposed(&server.spec, &shared.argument).or_else(|| here(&shared.argument))?;
        Some(Constant { tool: "*".to_owned(), argument: shared.argument, value })
    });
    all.collect()
}

/// The folder in which the program runs, where it is the repository that an argument wants.
fn here(argument: &str) -> Option<String> {
    let wants = argument.to_lowercase().contains("repo");
    (wants && std::path::Path::new(".git").exists()).then(|| ".".to_owned())
}

fn unusable(faults: &[Fault]) -> Error {
    let lines: Vec<String> = faults.iter().take(10).map(ToString::to_string).collect();
    let message = format!("no pack can be made of these servers\n{}", lines.join("\n"));
    Error::new(Code::FailedPrecondition, message)
}
