//! `waypost init`: makes a pack of the tools of any MCP servers, and lists them again later.

mod constants;
mod folder;
mod report;
mod written;

use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;
use waypost::Error;
use waypost::bootstrap::{self, Draft, DraftTool, draft};
use waypost::language::Language;
use waypost::pack::spec::ServerSpec;
use waypost::pack::{Files, Pack};
use waypost::records::decision::{GateName, Outcome};
use waypost::records::request::Request;

use self::written::Written;
use crate::assemble::{self, AssemblyOptions};
use crate::cli::InitArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::mcp_servers::{self, client_file};
use crate::{output, packs, sources};

/// The questions that are shown, and the most that are tried for them.
const QUESTIONS: usize = 3;
const MOST_TRIED: usize = 60;
/// The instant at which they are tried; none of them names a day that it would change.
const TRIED_AT: &str = "2026-01-01T12:00:00Z";

pub(super) async fn run(args: &InitArgs, config_file: Option<&Path>) -> Result<u8, Failure> {
    let client = config_file.filter(|file| is_client_file(file));
    let mut config = Config::load(if client.is_some() { None } else { config_file })?;
    let given = constants::given(&args.constants)?;
    let mut found = client_file::Found::default();
    for file in args.from.iter().map(PathBuf::as_path).chain(client) {
        let more = client_file::read(file).map_err(Failure::usage)?;
        found.servers.extend(more.servers);
        found.notes.extend(more.notes);
    }
    let mut specs = mcp_servers::given(&args.mcp, &args.env).map_err(Failure::usage)?;
    specs.extend(found.servers);
    specs.iter_mut().for_each(folder::anchor);
    output_notes(&found.notes);
    if args.update {
        return update(args, specs, &given, &config).await;
    }
    if specs.is_empty() {
        let error = Error::invalid("there is no server to make a pack of").with_hint(
            "name one: `waypost init --mcp 'uvx mcp-server-git'`, or `--from .vscode/mcp.json`",
        );
        return Err(Failure::usage(error));
    }
    config.servers.clear();
    let languages = languages(&args.lang)?;
    if let Some(folder) = &args.folder {
        folder::check_free(folder)?;
    }
    let specs = mcp_servers::distinct(specs).map_err(Failure::usage)?;
    let answering = mcp_servers::ask(&specs, &config, &AssemblyOptions::default()).await?;
    let settled = constants::settle(&answering.listed, given)?;
    let draft = draft(&answering.listed, &languages, &settled.values);
    sources::tell_left_out(&draft);
    let folder = args.folder.clone().unwrap_or_else(|| PathBuf::from(&draft.name));
    folder::check_free(&folder)?;
    let mut files = draft.files()?;
    let pack = loaded(&folder, &files)?;
    let written = match args.no_model {
        true => None,
        false => {
            let spoken = spoken(&draft, &args.lang);
            written::add(&spoken, &draft.tools, &pack, &config, &mut files).await
        }
    };
    let pack = if written.is_some() { loaded(&folder, &files)? } else { pack };
    folder::write(&folder, &files)?;
    report::made(&folder, &draft, &pack, &settled)?;
    written.as_ref().map_or(Ok(()), Written::tell)?;
    report::lint(&files, &pack, &config)?;
    let questions = draft.questions(written.as_ref().map(Written::kept).unwrap_or_default());
    report::next(&folder, &tried(pack, questions, &config).await?)?;
    Ok(0)
}

/// Lists the tools of a pack again.
async fn update(
    args: &InitArgs,
    new: Vec<ServerSpec>,
    given: &[bootstrap::Constant],
    config: &Config,
) -> Result<u8, Failure> {
    let folder = args.folder.clone().unwrap_or_else(|| PathBuf::from("."));
    let name = folder.to_string_lossy();
    let (files, pack) = packs::with_files(&name)?;
    let mut specs = pack.spec.servers.clone();
    let is_new = |spec: &ServerSpec| specs.iter().all(|known| known.name != spec.name);
    let new: Vec<ServerSpec> = new.into_iter().filter(is_new).collect();
    specs.extend(new);
    let specs = mcp_servers::distinct(specs).map_err(Failure::usage)?;
    let answering = mcp_servers::ask(&specs, config, &AssemblyOptions::default()).await?;
    let values = constants::again(&pack, &answering.listed, given);
    let languages =
        if args.lang.is_empty() { pack.languages.clone() } else { languages(&args.lang)? };
    let draft = draft(&answering.listed, &languages, &values);
    sources::tell_left_out(&draft);
    let mut updated = bootstrap::update(&files, &draft)?;
    let pack = loaded(&folder, &updated.files)?;
    let new = updated.draft.tools.iter().filter(|tool| updated.added.contains(&tool.name));
    let new: Vec<DraftTool> = new.cloned().collect();
    let written = match args.no_model {
        true => None,
        false => {
            let spoken = spoken(&updated.draft, &args.lang);
            written::add(&spoken, &new, &pack, config, &mut updated.files).await
        }
    };
    let pack = if written.is_some() { loaded(&folder, &updated.files)? } else { pack };
    folder::write(&folder, &folder::own(&updated.files))?;
    report::updated(&updated, &draft)?;
    written.as_ref().map_or(Ok(()), Written::tell)?;
    report::lint(&updated.files, &pack, config)?;
    let questions = draft.questions(written.as_ref().map(Written::kept).unwrap_or_default());
    report::next(&folder, &tried(pack, questions, config).await?)?;
    Ok(0)
}

/// The first questions that a router of the pack takes for their tools, with nothing left to ask; no model is asked.
async fn tried(
    pack: Pack,
    questions: Vec<(String, String)>,
    config: &Config,
) -> Result<Vec<String>, Failure> {
    let mut config = config.clone();
    config.models.clear();
    let router = assemble::router(pack, &config, &AssemblyOptions::default()).await?;
    let cancel = CancellationToken::new();
    let mut works: Vec<String> = Vec::new();
    for (tool, question) in questions.into_iter().take(MOST_TRIED) {
        let mut request = Request::new(question.as_str());
        request.now = Some(TRIED_AT.to_owned());
        let decision = router.route(&request, &cancel).await?;
        let is_it = decision.calls.iter().map(|call| &call.tool).eq([&tool]);
        let is_whole =
            decision.decision == Outcome::Run || decision.reason == Some(GateName::Approval.into());
        if is_it && is_whole && works.len() < QUESTIONS && !works.contains(&question) {
            works.push(question);
        }
    }
    Ok(works)
}

/// The pack that the files come to. One that does not load is not written.
fn loaded(folder: &Path, files: &Files) -> Result<Pack, Failure> {
    let name = folder.to_string_lossy();
    Pack::load(files).map_err(|faults| Failure::usage(packs::report(&name, &faults)))
}

/// The same draft in the languages in which a model writes examples: those that were named, or English where the pack is for all.
fn spoken(draft: &Draft, tags: &[String]) -> Draft {
    let is_for_all = tags.is_empty() && draft.languages == Language::ALL;
    let languages = if is_for_all { vec![Language::En] } else { draft.languages.clone() };
    Draft { languages, ..draft.clone() }
}

/// The languages of these tags; all without any, as a pack that nobody has narrowed answers whoever asks.
fn languages(tags: &[String]) -> Result<Vec<Language>, Failure> {
    if tags.is_empty() {
        return Ok(Language::ALL.to_vec());
    }
    let read = tags.iter().map(|tag| {
        Language::from_tag(tag.trim()).ok_or_else(|| {
            let error = Error::invalid(format!("unknown language `{tag}`"));
            Failure::usage(error.with_hint("use en, zh-TW, zh-CN, vi, es, fr, pt, de, ja or id"))
        })
    });
    read.collect()
}

/// Returns whether a configuration is the file of another client: JSON, where ours is TOML.
fn is_client_file(file: &Path) -> bool {
    file.extension().is_some_and(|kind| kind == "json" || kind == "jsonc")
}

fn output_notes(notes: &[String]) {
    notes.iter().for_each(|note| output::note(format!("note: {note}")));
}
