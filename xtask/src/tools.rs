//! Learns what speaks for a tool on invented servers, and measures it on those that it has not seen.
//!
//! `spec/catalogs` holds servers with the requests of people who never saw their tools. The figures are those of
//! cross-validation: a server's requests are ranked by weights that were learned on other servers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use waypost::bootstrap::{ListedServer, draft};
use waypost::catalog::features;
use waypost::catalog::features::Candidate;
use waypost::catalog::learn::{Row, believe, choose};
use waypost::catalog::weights::Weights;
use waypost::decide::cascade::{Senses, candidates};
use waypost::language::Language;
use waypost::learning::Bundle;
use waypost::pack::spec::Access;
use waypost::pack::{Pack, Tool};
use waypost::ports::encoder::Encoder;
use waypost::ports::tools::ToolDescription;
use waypost::records::decision::Outcome;
use waypost::records::request::{Context, Request};
use waypost::turn::{Turn, ingest};

use crate::bench::vectors::Vectors;

/// Parts of the cross-validation.
const FOLDS: usize = 5;
/// Other servers beside one, in half of the rows: tools of several servers are chosen among, too.
const BESIDE: usize = 11;
/// The languages of the requests.
const LANGUAGES: [Language; 5] =
    [Language::En, Language::ZhHant, Language::ZhHans, Language::Vi, Language::Es];
/// The instant of every request.
const NOW: &str = "2026-03-12T09:00:00+08:00";

/// A server with requests.
#[derive(Debug, Deserialize)]
struct Server {
    server: String,
    tools: Vec<Value>,
    requests: Vec<Asked>,
}

/// A request with the tool that serves it.
#[derive(Debug, Clone, Deserialize)]
struct Asked {
    text: String,
    lang: String,
    tool: Option<String>,
    #[serde(default)]
    also: Vec<String>,
}

/// A row with what it is about.
struct Case {
    server: usize,
    asked: Asked,
    row: Row,
    names: Vec<String>,
    /// True if other servers stand beside its own.
    union: bool,
}

/// `cargo xtask tools [train | --wrong COUNT | --dump FILE | --servers FOLDER] [--encoder FOLDER]`. With an encoder only
/// requests in languages that it knows are learned from and measured.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let (arguments, encoder) = match arguments {
        [before @ .., option, folder] if option == "--encoder" => {
            (before, Some(Vectors::open(Path::new(folder))?))
        }
        all => (all, None),
    };
    if let [real, folder] = arguments
        && real == "--servers"
    {
        return real_servers(Path::new(folder), encoder.map(Arc::new).as_ref());
    }
    let servers = servers()?;
    let cases = cases(&servers, encoder.as_ref())?;
    match arguments {
        [] => measure(&servers, &cases, 0, encoder.is_some()),
        [train] if train == "train" => {
            let rows: Vec<Row> = cases.iter().map(|case| case.row.clone()).collect();
            let weights = learned(&rows, encoder.is_some());
            let file = if encoder.is_some() { "weights.encoder.json" } else { "weights.json" };
            let path = crate::root().join("crates/waypost/catalog").join(file);
            fs::write(&path, weights.write() + "\n").with_context(|| path.display().to_string())
        }
        [dump, file] if dump == "--dump" => dump_rows(&cases, file),
        [wrong, count] if wrong == "--wrong" => {
            measure(&servers, &cases, count.parse()?, encoder.is_some())
        }
        _ => bail!(
            "there is `tools`, `tools train`, `tools --wrong COUNT` and `tools --servers FOLDER`, each with \
             `--encoder FOLDER` behind it"
        ),
    }
}

fn servers() -> Result<Vec<Server>> {
    let folder = crate::root().join("spec/catalogs");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .with_context(|| folder.display().to_string())?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    files
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path)?;
            serde_json::from_str(&text).with_context(|| path.display().to_string())
        })
        .collect()
}

/// The pack of all invented servers.
pub(crate) fn invented() -> Result<Pack> {
    let servers = servers()?;
    pack(&servers.iter().collect::<Vec<_>>())
}

fn cases(servers: &[Server], encoder: Option<&Vectors>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (number, server) in servers.iter().enumerate() {
        let alone = pack(&[server])?;
        rank(&alone, number, server, (false, encoder), &mut cases)?;
        // Of the same fold, so that no server is learned on that is measured.
        let others = (1..=BESIDE).map(|step| &servers[(number + step * FOLDS) % servers.len()]);
        let together: Vec<&Server> = std::iter::once(server).chain(others).collect();
        rank(&pack(&together)?, number, server, (true, encoder), &mut cases)?;
    }
    Ok(cases)
}

/// The pack that a user of these servers would have without files.
fn pack(servers: &[&Server]) -> Result<Pack> {
    let listed = servers.iter().map(|server| (server.server.as_str(), server.tools.as_slice()));
    drafted(&listed.collect::<Vec<_>>())
}

/// The pack of servers by their names and lists, as `--mcp` makes it.
fn drafted(servers: &[(&str, &[Value])]) -> Result<Pack> {
    let listed = servers.iter().map(|(name, tools)| (*name, tools.iter().map(described).collect()));
    pack_of(listed.collect())
}

/// The pack of servers by their names and tools, as `--mcp` makes it. Tools whose schema cannot be used are left out.
pub(crate) fn pack_of(servers: Vec<(&str, Vec<ToolDescription>)>) -> Result<Pack> {
    let listed = servers.into_iter().map(|(name, tools)| {
        let spec = serde_json::from_value(json!({ "name": name, "command": [name] }))?;
        Ok(ListedServer { spec, tools })
    });
    let listed: Vec<ListedServer> = listed.collect::<Result<_>>()?;
    let (_, pack) = draft(&listed, &LANGUAGES, &[]).pack().map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        anyhow::anyhow!("the tools make no pack:\n{}", faults.join("\n"))
    })?;
    Ok(pack)
}

/// A tool as `tools/list` has it, or as `waypost tools --json` prints it.
fn described(tool: &Value) -> ToolDescription {
    let words = [&tool["description"], &tool["summary"]].into_iter().find_map(Value::as_str);
    let schema = [&tool["inputSchema"], &tool["schema"]].into_iter().find(|one| one.is_object());
    let hints = match tool["access"].as_str() {
        Some(access) => {
            json!({ "readOnlyHint": access == "read", "destructiveHint": access == "destructive" })
        }
        None => tool["annotations"].clone(),
    };
    ToolDescription {
        name: tool["name"].as_str().unwrap_or_default().to_owned(),
        description: words.unwrap_or_default().to_owned(),
        input_schema: schema.cloned().unwrap_or_default(),
        hints: serde_json::from_value(hints).unwrap_or_default(),
        ..Default::default()
    }
}

/// The name by which its server knows a tool, where it is of this server.
fn own_name<'a>(tool: &'a Tool, server: &str) -> Option<&'a String> {
    let name = tool.spec.remote.as_ref().unwrap_or(&tool.spec.name);
    (tool.spec.server == server).then_some(name)
}

fn rank(
    pack: &Pack,
    number: usize,
    server: &Server,
    (union, encoder): (bool, Option<&Vectors>),
    cases: &mut Vec<Case>,
) -> Result<()> {
    if let Some(encoder) = encoder {
        pack.understand(encoder)?;
    }
    for asked in &server.requests {
        let mut request = Request::new(asked.text.as_str());
        request.now = Some(NOW.to_owned());
        let turn = ingest(pack, &request, Context::default())?;
        if encoder.is_some_and(|one| !pack.catalog().understands(one, turn.language)) {
            continue;
        }
        let senses = senses(&turn, None, encoder)?;
        let (candidates, known) = candidates(&turn, None, &senses, usize::MAX);
        let names: Vec<String> =
            candidates.iter().map(|one| pack.tools[one.tool].spec.name.clone()).collect();
        let accepted = |one: &Candidate| {
            let name = own_name(&pack.tools[one.tool], &server.server);
            name.is_some_and(|name| asked.tool.as_ref() == Some(name) || asked.also.contains(name))
        };
        // Of several, the first is the one that is wanted; the others are no mistakes.
        let right =
            (0..names.len()).filter(|at| asked.tool.is_some() && accepted(&candidates[*at]));
        let row = Row { candidates: candidates.clone(), known, right: right.collect() };
        cases.push(Case { server: number, asked: asked.clone(), row, names, union });
    }
    Ok(())
}

/// What an encoder says of a turn.
pub(crate) fn senses<'a>(
    turn: &Turn<'_>,
    student: Option<&'a Bundle>,
    encoder: Option<&Vectors>,
) -> Result<Senses<'a>> {
    let encoder = encoder.map(|one| one as &dyn Encoder);
    let senses = student.map(Senses::of_student).unwrap_or_default();
    Ok(crate::bench::samples::at_once(senses.with(turn, encoder))??)
}

/// How much more an encoder is trusted than the invented servers teach: their requests were written around the words of the
/// descriptions, which those of MetaTool were not (by its `valid` split, 1 gave 51.3% right first and 2 gave 56.0).
const TRUST: f32 = 2.0;

fn learned(rows: &[Row], with_encoder: bool) -> Weights {
    let mut tool = choose(rows);
    if with_encoder {
        let named = features::names().into_iter().zip(&mut tool);
        named.filter(|(name, _)| name.ends_with("meaning")).for_each(|(_, worth)| *worth *= TRUST);
    }
    believe(rows, tool)
}

#[derive(Default)]
struct Tally {
    asked: usize,
    right: usize,
    among_three: usize,
    run: usize,
    run_right: usize,
    outside: usize,
    refused: usize,
    run_outside: usize,
}

fn measure(servers: &[Server], cases: &[Case], wrong: usize, is_with_encoder: bool) -> Result<()> {
    let mut shown = 0;
    let groups = ["all", "alone", "union", "en", "zh", "vi", "es"];
    let mut tallies: Vec<Tally> = groups.iter().map(|_| Tally::default()).collect();
    for fold in 0..FOLDS {
        let rows: Vec<Row> = cases
            .iter()
            .filter(|case| case.server % FOLDS != fold)
            .map(|case| case.row.clone())
            .collect();
        let weights = learned(&rows, is_with_encoder);
        for case in cases.iter().filter(|case| case.server % FOLDS == fold) {
            let ranking = weights.rank(&case.row.candidates, case.row.known, &[]);
            let place = |tool: usize| case.row.candidates.iter().position(|one| one.tool == tool);
            let is_right = |at: usize| {
                let tool = ranking.tools.get(at).and_then(|(tool, _)| place(*tool));
                tool.is_some_and(|tool| case.row.right.contains(&tool))
            };
            let language = case.asked.lang.get(..2).unwrap_or_default();
            for (group, tally) in groups.iter().zip(&mut tallies) {
                let own = match *group {
                    "all" => true,
                    "alone" => !case.union,
                    "union" => case.union,
                    other => !case.union && language == other,
                };
                if !own {
                    continue;
                }
                let runs = ranking.right >= 0.7;
                if case.asked.tool.is_none() {
                    tally.outside += 1;
                    tally.refused += usize::from(ranking.in_scope < 0.5);
                    tally.run_outside += usize::from(runs);
                } else {
                    tally.asked += 1;
                    tally.right += usize::from(is_right(0));
                    tally.among_three += usize::from((0..3).any(is_right));
                    tally.run += usize::from(runs);
                    tally.run_right += usize::from(runs && is_right(0));
                }
            }
            if shown < wrong && !case.union && case.asked.tool.is_some() && !is_right(0) {
                shown += 1;
                show(&servers[case.server].server, case, &ranking, &weights);
            }
        }
    }
    crate::print(
        "| servers | requests | right first % | among three % | run % | of these right % | outside | refused % | run % |",
    );
    crate::print("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (group, t) in groups.iter().zip(&tallies) {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        crate::print(&format!(
            "| {group} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {} | {:.1} | {:.1} |",
            t.asked,
            share(t.right, t.asked),
            share(t.among_three, t.asked),
            share(t.run, t.asked),
            share(t.run_right, t.run),
            t.outside,
            share(t.refused, t.outside),
            share(t.run_outside, t.outside),
        ));
    }
    Ok(())
}

fn show(server: &str, case: &Case, ranking: &waypost::catalog::weights::Ranking, _: &Weights) {
    let first: Vec<String> = ranking
        .tools
        .iter()
        .take(3)
        .filter_map(|(tool, share)| {
            let at = case.row.candidates.iter().position(|one| one.tool == *tool)?;
            Some(format!("{} {share:.2}", case.names[at]))
        })
        .collect();
    crate::print(&format!(
        "{server} | {} | {} | wanted {} | came {}",
        case.asked.lang,
        case.asked.text,
        case.asked.tool.as_deref().unwrap_or("-"),
        first.join(", ")
    ));
}

/// Writes the rows for other programs: a JSON object a line.
fn dump_rows(cases: &[Case], file: &str) -> Result<()> {
    use std::io::Write as _;
    let mut out = std::io::BufWriter::new(fs::File::create(file)?);
    for case in cases {
        let features: Vec<&Vec<f32>> =
            case.row.candidates.iter().map(|one| &one.features).collect();
        let row = serde_json::json!({
            "server": case.server, "union": case.union, "text": case.asked.text, "lang": case.asked.lang,
            "names": case.names, "right": case.row.right, "known": case.row.known, "x": features,
        });
        writeln!(out, "{row}")?;
    }
    Ok(())
}

/// A request to a real server with what is right for it.
#[derive(Debug, Deserialize)]
struct RealAsked {
    #[serde(flatten)]
    asked: Asked,
    #[serde(default)]
    arguments: serde_json::Map<String, Value>,
}

/// What came of the requests to a server.
#[derive(Default)]
struct Outcomes {
    served: usize,
    first: usize,
    among_three: usize,
    arguments: usize,
    ran: usize,
    ran_wrong: usize,
    wrote: usize,
    outside: usize,
}

/// Decides the requests of `spec/servers/real/NAME.labelled.jsonl` on the lists of `NAME.tools.json` in a folder: what a
/// server's `tools/list` answered, or `waypost tools --json` printed. The lists are others' words and are not kept here.
fn real_servers(folder: &Path, encoder: Option<&Arc<Vectors>>) -> Result<()> {
    let labels = crate::root().join("spec/servers/real");
    let mut names: Vec<String> = fs::read_dir(&labels)
        .with_context(|| labels.display().to_string())?
        .filter_map(|entry| {
            Some(entry.ok()?.file_name().to_str()?.strip_suffix(".labelled.jsonl")?.to_owned())
        })
        .collect();
    names.sort();
    let mut listed = Vec::new();
    for name in &names {
        let path = folder.join(format!("{name}.tools.json"));
        let list = fs::read_to_string(&path)
            .with_context(|| format!("`{}`: see spec/servers/real/README.md", path.display()))?;
        let list: Value = serde_json::from_str(&list)?;
        let tools = list["tools"].as_array().cloned().unwrap_or_default();
        let lines = fs::read_to_string(labels.join(format!("{name}.labelled.jsonl")))?;
        let requests: Vec<RealAsked> =
            lines.lines().map(serde_json::from_str).collect::<std::result::Result<_, _>>()?;
        listed.push((name.clone(), tools, requests));
    }
    crate::print(
        "| server | tools | requests | right first % | among three % | all arguments % | ran | ran wrong | wrote | outside |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    );
    for (name, tools, requests) in &listed {
        let pack = drafted(&[(name, tools)])?;
        line(name, tools.len(), &outcomes(pack, name, requests, encoder)?);
    }
    let all: Vec<(&str, &[Value])> =
        listed.iter().map(|(name, tools, _)| (name.as_str(), tools.as_slice())).collect();
    let mut together = Outcomes::default();
    for (name, _, requests) in &listed {
        together.add(&outcomes(drafted(&all)?, name, requests, encoder)?);
    }
    line("all of them", all.iter().map(|(_, tools)| tools.len()).sum(), &together);
    Ok(())
}

impl Outcomes {
    fn add(&mut self, other: &Outcomes) {
        self.served += other.served;
        self.first += other.first;
        self.among_three += other.among_three;
        self.arguments += other.arguments;
        self.ran += other.ran;
        self.ran_wrong += other.ran_wrong;
        self.wrote += other.wrote;
        self.outside += other.outside;
    }
}

fn line(name: &str, tools: usize, own: &Outcomes) {
    let share = |part: usize| 100.0 * part as f64 / own.served.max(1) as f64;
    crate::print(&format!(
        "| {name} | {tools} | {} | {:.1} | {:.1} | {:.1} | {} | {} | {} | {} |",
        own.served + own.outside,
        share(own.first),
        share(own.among_three),
        share(own.arguments),
        own.ran,
        own.ran_wrong,
        own.wrote,
        own.outside,
    ));
}

fn outcomes(
    pack: Pack,
    server: &str,
    requests: &[RealAsked],
    encoder: Option<&Arc<Vectors>>,
) -> Result<Outcomes> {
    if let Some(encoder) = encoder {
        pack.understand(encoder.as_ref())?;
    }
    let access: std::collections::BTreeMap<String, Access> = pack
        .tools
        .iter()
        .map(|tool| (tool.spec.name.clone(), tool.spec.access.unwrap_or(Access::Read)))
        .collect();
    let bundle = waypost::student::heads::train_student(&pack, None, &mut |_| {})?;
    let own = encoder.map(|one| Arc::clone(one) as Arc<dyn Encoder>);
    let router = crate::bench::samples::router_with(pack, bundle, own);
    let mut all = Outcomes::default();
    for RealAsked { asked, arguments } in requests {
        let mut request = Request::new(asked.text.as_str());
        request.now = Some(NOW.to_owned());
        let cancel = tokio_util::sync::CancellationToken::new();
        let decision = crate::bench::samples::at_once(router.route(&request, &cancel))??;
        let accepted = |tool: &Tool| {
            own_name(tool, server)
                .is_some_and(|name| asked.tool.as_ref() == Some(name) || asked.also.contains(name))
        };
        let turn = ingest(router.pack(), &request, Context::default())?;
        let senses = senses(&turn, None, encoder.map(AsRef::as_ref))?;
        let (candidates, known) = candidates(&turn, None, &senses, 10);
        let ranking = senses.weights().rank(&candidates, known, &[]);
        let ranked = ranking.tools.iter().map(|(tool, _)| &router.pack().tools[*tool]);
        let ranked: Vec<&Tool> = ranked.collect();
        let call = decision.calls.first();
        let called = call.and_then(|call| router.pack().tool(&call.tool));
        let is_right = called.is_some_and(accepted);
        if asked.tool.is_none() {
            all.outside += 1;
        } else {
            all.served += 1;
            all.first += usize::from(ranked.first().is_some_and(|tool| accepted(tool)));
            all.among_three += usize::from(ranked.iter().take(3).any(|tool| accepted(tool)));
            let same = call.is_some_and(|call| {
                called.and_then(|tool| own_name(tool, server)) == asked.tool.as_ref()
                    && arguments.iter().all(|(name, value)| {
                        CONSTANTS.contains(&name.as_str())
                            || call.arguments.get(name) == Some(value)
                    })
            });
            all.arguments += usize::from(same);
        }
        if decision.decision == Outcome::Run && call.is_some() {
            all.ran += 1;
            all.ran_wrong += usize::from(!is_right);
            let writes = call.is_some_and(|call| access.get(&call.tool) != Some(&Access::Read));
            all.wrote += usize::from(writes);
        }
    }
    Ok(all)
}

/// Arguments that an installation knows, and nobody says.
const CONSTANTS: [&str; 2] = ["repo_path", "vault"];
