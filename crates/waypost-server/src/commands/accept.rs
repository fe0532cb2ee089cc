//! `waypost tools accept`: takes what servers say of their tools now for what was looked at.

use std::path::Path;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use waypost::Error;
use waypost::pack::{LOCK_FILE, Lock, did_you_mean, fingerprint};
use waypost::ports::tools::ToolServer;

use crate::assemble::{self, AssemblyOptions};
use crate::cli::SourceArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::output::{self, Shown};
use crate::{files, mcp_servers, packs};

pub(super) async fn run(
    source: &SourceArgs,
    names: &[String],
    json: bool,
    config: &Config,
) -> Result<u8, Failure> {
    let name = &source.pack.pack;
    let folder = Path::new(name);
    if !source.mcp.is_empty() || !folder.join("pack.yaml").is_file() {
        let error = Error::invalid("only a pack in a folder keeps what was accepted")
            .with_hint("name the folder that `waypost init` wrote: `--pack FOLDER`");
        return Err(Failure::usage(error));
    }
    // A lock that cannot be read is written anew.
    let mut own = packs::read(name)?;
    let mut lock = own.get(LOCK_FILE).and_then(|text| Lock::read(text).ok()).unwrap_or_default();
    own.remove(LOCK_FILE);
    let pack = waypost::pack::Pack::load(&own)
        .map_err(|faults| Failure::usage(packs::report(name, &faults)))?;
    for wanted in names {
        if pack.tool(wanted).is_none() {
            let known = pack.tools.iter().map(|tool| tool.spec.name.as_str());
            let error = Error::invalid(format!("there is no tool `{wanted}`"));
            return Err(Failure::usage(error.with_hint(did_you_mean(wanted, known))));
        }
    }
    let mut accepted = Vec::new();
    for spec in &pack.spec.servers {
        let server = assemble::server(spec, config, &AssemblyOptions::default())?;
        let listed = server.list(&CancellationToken::new()).await;
        server.stop().await;
        let listed = listed.inspect_err(|error| mcp_servers::tell_details(spec, error))?;
        let tools = pack.tools.iter().filter(|tool| tool.spec.server == spec.name);
        for tool in tools.filter(|tool| names.is_empty() || names.contains(&tool.spec.name)) {
            let Some(now) = listed.iter().find(|now| now.name == tool.spec.remote_name()) else {
                continue;
            };
            let print = fingerprint(now);
            let locked = lock.tools.entry(tool.spec.name.clone()).or_default();
            if locked.accepted != print {
                locked.accepted = print;
                accepted.push((tool.spec.name.clone(), now.description.clone()));
            }
        }
    }
    if !accepted.is_empty() {
        files::replace(&folder.join(LOCK_FILE), lock.write()?)?;
    }
    if json {
        let names: Vec<&String> = accepted.iter().map(|(name, _)| name).collect();
        output::json_pretty(&json!({ "accepted": names }))?;
        return Ok(0);
    }
    if accepted.is_empty() {
        output::line("nothing changed since it was accepted")?;
    }
    for (name, says) in &accepted {
        output::line(output::bold(name) + "  accepted; its server says:")?;
        let lines: Vec<String> = says.lines().map(|line| format!("  {line}")).collect();
        output::line(Shown::text(&lines.join("\n")))?;
    }
    Ok(0)
}
