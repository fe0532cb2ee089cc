//! `waypost tools reads`: remembers that tools of servers without hints only read.

use serde_json::json;
use waypost::Error;
use waypost::bootstrap::{DraftTool, Naming, draft_named};
use waypost::language::Language;
use waypost::pack::{Pack, did_you_mean};
use waypost::records::answer::Answer;

use crate::assemble::AssemblyOptions;
use crate::cli::SourceArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::reads::{self, Reads};
use crate::{mcp_servers, output};

pub(super) async fn run(
    source: &SourceArgs,
    names: &[String],
    json: bool,
    config: &Config,
) -> Result<u8, Failure> {
    if source.mcp.is_empty() {
        let error = Error::invalid("a pack says itself what its tools do")
            .with_hint("write `access: read` under the tool in `pack.yaml`");
        return Err(Failure::usage(error));
    }
    if names.is_empty() {
        let error = Error::invalid("no tool is named");
        let hint = "name the tools that only read: `waypost tools reads --mcp 'COMMAND' NAME`";
        return Err(Failure::usage(error.with_hint(hint)));
    }
    let specs = mcp_servers::specs(&source.mcp, &source.env).map_err(Failure::usage)?;
    let answering = mcp_servers::ask(&specs, config, &AssemblyOptions::default()).await?;
    let draft = draft_named(&answering.listed, &[Language::En], &[], &Naming::of(&specs));
    let mut reads = Reads::open(&config.home);
    for name in names {
        let Some(tool) = draft.tools.iter().find(|tool| tool.name == *name) else {
            let known = draft.tools.iter().map(|tool| tool.name.as_str());
            let error = Error::invalid(format!("there is no tool `{name}`"));
            return Err(Failure::usage(error.with_hint(did_you_mean(name, known))));
        };
        let DraftTool { server, remote, .. } = tool;
        let listed = reads::source(&answering.listed, server, remote);
        let Some((server, tool)) = listed.filter(|(_, tool)| reads::is_unhinted(tool)) else {
            let error = Error::invalid(format!("the server of `{name}` says itself what it does"));
            let hint = "to overrule it, write a pack with `waypost init` and edit its `access`";
            return Err(Failure::usage(error.with_hint(hint)));
        };
        reads.insert(server, tool);
    }
    reads.write(&config.home)?;
    if json {
        output::json_pretty(&json!({ "reads": names }))?;
        return Ok(0);
    }
    for name in names {
        output::line(format!(
            "`{name}` runs without a question, until its server describes it in another way"
        ))?;
    }
    Ok(0)
}

/// Says how a tool that was asked about runs without a question, if it only reads and its server does not say so.
pub(super) fn advise(answer: &Answer, pack: &Pack) {
    let mut asked = answer.choices.iter().filter(|choice| choice.value.get("approve").is_some());
    let tool = asked.find_map(|choice| pack.tool(choice.value.get("tool")?.as_str()?));
    let Some(tool) = tool else { return };
    let name = &tool.spec.name;
    if tool.is_unhinted() {
        output::note(format!(
            "hint: the server does not say what `{name}` does; if it only reads, `waypost tools reads --mcp … {name}` remembers it"
        ));
    } else if tool.spec.access.is_none() {
        output::note(format!(
            "hint: nobody says what `{name}` does; if it only reads, write `access: read` under it in the pack"
        ));
    }
}
