//! Learns what speaks for a tool on invented servers, and measures it on those that it has not seen.
//!
//! `spec/catalogs` holds servers with the requests of people who never saw their tools. The figures are those of
//! cross-validation: a server's requests are ranked by weights that were learned on other servers. Each request is ranked
//! among the tools of its server, among those of several, among few, where its own tool is missing, and with a thing of
//! another server in place of its own ("list the tickets" beside `list_invoices`): nothing serves it then.

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
use waypost::catalog::weights::{Beside, Weights};
use waypost::decide::cascade::{Senses, candidates};
use waypost::language::Language;
use waypost::learning::Bundle;
use waypost::pack::{Pack, Tool};
use waypost::ports::encoder::Encoder;
use waypost::ports::tools::{Hints, ToolDescription};
use waypost::records::request::{Context, Request};
use waypost::understand::{Turn, ingest};

use crate::bench::vectors::Vectors;

mod real;
mod stated;

/// Parts of the cross-validation.
const FOLDS: usize = 5;
/// Other servers beside one, in half of the rows: tools of several servers are chosen among, too.
const BESIDE: usize = 11;
/// The tools of a small catalog, and how many requests are ranked there: one of so many.
const FEW: usize = 3;
const EVERY: usize = 2;
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
    group: Group,
}

/// What a request is ranked among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    /// The tools of its server.
    Alone,
    /// The tools of several servers.
    Union,
    /// A few tools, its own among them.
    Few,
    /// The tools of its server, or a few, but for its own.
    Missing,
    /// The same, with a thing of another server in place of its own.
    Other,
}

/// `cargo xtask tools [arguments | train | --wrong COUNT | --dump FILE | --servers FOLDER] [--encoder FOLDER]`. With an encoder only
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
        return real::run(Path::new(folder), encoder.map(Arc::new).as_ref());
    }
    if let [stated, rest @ ..] = arguments
        && stated == "arguments"
    {
        return stated::run(rest);
    }
    let servers = servers()?;
    let cases = cases(&servers, encoder.as_ref())?;
    match arguments {
        [] => measure(&servers, &cases, 0, encoder.is_some()),
        [train] if train == "train" => {
            let rows: Vec<Row> = asked(&cases).map(|case| case.row.clone()).collect();
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
             `--encoder FOLDER` behind it, and `tools arguments [train]`"
        ),
    }
}

/// The cases that are learned from: requests as they were written.
fn asked(cases: &[Case]) -> impl Iterator<Item = &Case> {
    cases.iter().filter(|case| matches!(case.group, Group::Alone | Group::Union))
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
    let alone: Vec<Pack> = servers.iter().map(|server| pack(&[server])).collect::<Result<_>>()?;
    let things: Vec<Vec<(String, String)>> =
        servers.iter().zip(&alone).map(|(server, pack)| things(server, pack)).collect();
    for (number, server) in servers.iter().enumerate() {
        let mut add = |pack: &Pack, group: Group, requests: &[Asked]| {
            rank(pack, (number, server), (group, requests), encoder, &mut cases)
        };
        add(&alone[number], Group::Alone, &server.requests)?;
        // Of the same fold, so that no server is learned on that is measured.
        let others = (1..=BESIDE).map(|step| &servers[(number + step * FOLDS) % servers.len()]);
        let together: Vec<&Server> = std::iter::once(server).chain(others).collect();
        add(&pack(&together)?, Group::Union, &server.requests)?;
        let foreign = things.iter().enumerate().filter(|(own, _)| *own != number);
        let foreign: Vec<&(String, String)> = foreign.flat_map(|(_, things)| things).collect();
        let swapped = swapped(server, &alone[number], &foreign);
        add(&alone[number], Group::Other, &swapped)?;
        for (place, asked) in server.requests.iter().enumerate().step_by(EVERY) {
            let Some(wanted) = &asked.tool else { continue };
            let is_own = |tool: &Value| {
                let name = tool["name"].as_str().unwrap_or_default();
                name == wanted || asked.also.iter().any(|also| also == name)
            };
            let (own, mut others): (Vec<Value>, Vec<Value>) =
                server.tools.iter().cloned().partition(is_own);
            let outside = Asked { tool: None, also: Vec::new(), ..asked.clone() };
            if others.len() < FEW {
                continue;
            }
            let missing = drafted(&[(server.server.as_str(), others.as_slice())])?;
            add(&missing, Group::Missing, std::slice::from_ref(&outside))?;
            let turned = place % others.len();
            others.rotate_left(turned);
            others.truncate(FEW - 1);
            let missing = drafted(&[(server.server.as_str(), others.as_slice())])?;
            add(&missing, Group::Missing, std::slice::from_ref(&outside))?;
            others.extend(own.into_iter().take(1));
            let few = drafted(&[(server.server.as_str(), others.as_slice())])?;
            add(&few, Group::Few, std::slice::from_ref(asked))?;
            let other = swapped_one(asked, place, &few, &server.server, &foreign);
            add(&few, Group::Other, other.as_slice())?;
        }
    }
    Ok(cases)
}

/// The things of a server that its requests speak of, each with its language.
fn things(server: &Server, pack: &Pack) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for asked in &server.requests {
        for thing in things_of(asked, pack, &server.server) {
            all.push((asked.lang.clone(), thing));
        }
    }
    all.sort();
    all.dedup();
    all
}

/// The words of a request that name the things of its tool.
fn things_of(asked: &Asked, pack: &Pack, server: &str) -> Vec<String> {
    let Some(language) = Language::from_tag(&asked.lang) else { return Vec::new() };
    let is_its =
        |tool: &Tool| asked.tool.as_ref() == own_name(tool, server) && asked.tool.is_some();
    let place = pack.tools.iter().position(is_its);
    let text = asked.text.to_lowercase();
    place.map_or_else(Vec::new, |place| pack.catalog().things(&text, language, place))
}

/// The requests of a server with a thing of another one in place of their own.
fn swapped(server: &Server, pack: &Pack, foreign: &[&(String, String)]) -> Vec<Asked> {
    let requests = server.requests.iter().enumerate().step_by(EVERY);
    requests
        .filter_map(|(place, asked)| swapped_one(asked, place, pack, &server.server, foreign))
        .collect()
}

fn swapped_one(
    asked: &Asked,
    place: usize,
    pack: &Pack,
    server: &str,
    foreign: &[&(String, String)],
) -> Option<Asked> {
    let own = things_of(asked, pack, server);
    let language = Language::from_tag(&asked.lang)?;
    let known = |word: &str| pack.catalog().known(&waypost::catalog::Asked::read(word, language));
    let usable = foreign.iter().filter(|(lang, _)| *lang == asked.lang);
    let usable: Vec<&String> = usable.map(|(_, word)| word).collect();
    let turns = (0..usable.len()).map(|step| (place * 131 + step * 17 + 7) % usable.len());
    let other = turns.map(|at| usable[at]).find(|word| known(word) == 0.0)?;
    let mut text = asked.text.to_lowercase();
    for thing in &own {
        text = text.replace(thing.as_str(), other);
    }
    (!own.is_empty()).then(|| Asked {
        text,
        lang: asked.lang.clone(),
        tool: None,
        also: Vec::new(),
    })
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
    let hint = |name: &str| tool["annotations"][name].as_bool();
    let (read_only, destructive) = match tool["access"].as_str() {
        Some(access) => (Some(access == "read"), Some(access == "destructive")),
        None => (hint("readOnlyHint"), hint("destructiveHint")),
    };
    ToolDescription {
        name: tool["name"].as_str().unwrap_or_default().to_owned(),
        description: words.unwrap_or_default().to_owned(),
        input_schema: schema.cloned().unwrap_or_default(),
        hints: Hints { read_only, destructive, ..Hints::default() },
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
    (number, server): (usize, &Server),
    (group, requests): (Group, &[Asked]),
    encoder: Option<&Vectors>,
    cases: &mut Vec<Case>,
) -> Result<()> {
    if let Some(encoder) = encoder {
        pack.understand(encoder)?;
    }
    for asked in requests {
        let mut request = Request::new(asked.text.as_str());
        request.now = Some(NOW.to_owned());
        let turn = ingest(pack, &request, Context::default())?;
        if encoder.is_some_and(|one| !pack.catalog().understands(one, turn.said.language)) {
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
        cases.push(Case { server: number, asked: asked.clone(), row, names, group });
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
    let groups = ["all", "alone", "union", "few", "missing", "other", "en", "zh", "vi", "es"];
    let mut tallies: Vec<Tally> = groups.iter().map(|_| Tally::default()).collect();
    for fold in 0..FOLDS {
        let rows: Vec<Row> = asked(cases)
            .filter(|case| case.server % FOLDS != fold)
            .map(|case| case.row.clone())
            .collect();
        let weights = learned(&rows, is_with_encoder);
        for case in cases.iter().filter(|case| case.server % FOLDS == fold) {
            let ranking = weights.rank(&case.row.candidates, case.row.known, &Beside::default());
            let place = |tool: usize| case.row.candidates.iter().position(|one| one.tool == tool);
            let is_right = |at: usize| {
                let tool = ranking.tools.get(at).and_then(|(tool, _)| place(*tool));
                tool.is_some_and(|tool| case.row.right.contains(&tool))
            };
            let language = case.asked.lang.get(..2).unwrap_or_default();
            for (group, tally) in groups.iter().zip(&mut tallies) {
                let own = match (*group, case.group) {
                    ("all", Group::Alone | Group::Union)
                    | ("alone", Group::Alone)
                    | ("union", Group::Union)
                    | ("few", Group::Few)
                    | ("missing", Group::Missing)
                    | ("other", Group::Other) => true,
                    (other, Group::Alone) => language == other,
                    _ => false,
                };
                if !own {
                    continue;
                }
                let runs = ranking.right >= 0.7 && !ranking.of_another;
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
            let is_alone = case.group == Group::Alone;
            if shown < wrong && is_alone && case.asked.tool.is_some() && !is_right(0) {
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
            "server": case.server, "group": format!("{:?}", case.group), "text": case.asked.text, "lang": case.asked.lang,
            "names": case.names, "right": case.row.right, "known": case.row.known, "x": features,
        });
        writeln!(out, "{row}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_tool_keeps_its_hints() {
        let own = json!({ "name": "a", "annotations": { "readOnlyHint": true } });
        assert_eq!(described(&own).hints.read_only, Some(true));
        let printed = json!({ "name": "a", "access": "destructive" });
        let hints = described(&printed).hints;
        assert_eq!((hints.read_only, hints.destructive), (Some(false), Some(true)));
        assert_eq!(described(&json!({ "name": "a" })).hints, Hints::default());
    }
}
