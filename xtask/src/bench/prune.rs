//! `cargo xtask bench prune`: how many of the tools that requests need are left, and how many of the tokens of all tools, by
//! the bounds of pruning.
//!
//! The invented servers of `spec/catalogs` stand together, 40 tools and 500, with their requests in five languages; and the
//! public sets MetaTool (`valid`) and LiveMCPBench, in English, where the data are there. What ranks the tools was learned on
//! the invented servers, so the figures of the public sets are the ones that say how it does with others.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use waypost::prune::{Keep, Ranked, Untouched};
use waypost::tokens;

use super::tools::sets;
use super::{option, print};

/// The numbers of tools, and how many requests are asked with so many: one of so many.
const SIZES: [(usize, usize); 2] = [(40, 1), (500, 4)];
/// One of so many questions of MetaTool is asked.
const EVERY: usize = 4;
const MISSED: [f64; 8] = [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
const SHARPNESS: [f64; 4] = [1.0, 1.5, 2.0, 3.0];
const IN_SCOPE: [f64; 6] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];

/// The tools of a request.
struct Tools {
    /// As chat completions have them.
    list: Vec<Value>,
    costs: Vec<usize>,
}

/// A request whose tools were ranked.
struct Case {
    group: String,
    tools: Rc<Tools>,
    ranked: std::result::Result<Ranked, Untouched>,
    took: Duration,
    /// The places of the tools that serve it.
    right: Vec<usize>,
    /// True if it needs all of them, and not just one.
    needs_all: bool,
}

/// The sums of a group.
#[derive(Default)]
struct Sums {
    requests: usize,
    found: f64,
    kept: usize,
    tokens: usize,
    untouched: usize,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    super::known(arguments, &[], &["--data"])?;
    let data = option(arguments, "--data")
        .map_or_else(|| crate::root().join("../shared/data"), PathBuf::from);
    let mut cases = Vec::new();
    let servers = servers()?;
    for (size, every) in SIZES {
        for own in 0..servers.len() {
            invented(&servers, own, size, every, &mut cases);
        }
    }
    for (set, split, every, needs_all) in
        [("metatool", "valid", EVERY, false), ("livemcpbench", "", 1, true)]
    {
        match sets::read(&data, set, split) {
            Ok(set_read) => public(set, &set_read, (every, needs_all), &mut cases),
            Err(error) => print(&format!("{set} is left out: {error:#}")),
        }
    }
    let mut groups: Vec<&str> = Vec::new();
    for case in &cases {
        if !groups.contains(&case.group.as_str()) {
            groups.push(&case.group);
        }
    }
    print("Recall / tokens kept, in percent; the first row has the bounds of the program.\n");
    print(&format!("| sharpness | missed | in scope | {} |", groups.join(" | ")));
    print(&format!("|--:|--:|--:|{}", "--:|".repeat(groups.len())));
    let own = Keep::default();
    let bounds = SHARPNESS.iter().flat_map(|sharpness| {
        MISSED.iter().map(move |missed| Keep { missed: *missed, sharpness: *sharpness, ..own })
    });
    let scopes = IN_SCOPE.iter().map(|in_scope| Keep { in_scope: *in_scope, ..own });
    for keep in std::iter::once(own).chain(bounds).chain(scopes) {
        let cells = groups.iter().map(|group| {
            let sums = sums(&cases, group, &keep);
            let recall = 100.0 * sums.found / sums.requests as f64;
            format!("{recall:.1} / {:.0}", 100.0 * sums.kept as f64 / sums.tokens as f64)
        });
        let cells: Vec<String> = cells.collect();
        let Keep { missed, sharpness, in_scope, .. } = keep;
        print(&format!("| {sharpness} | {missed} | {in_scope} | {} |", cells.join(" | ")));
    }
    print("\n| | requests | with all tools left, % | ms a request |\n|---|--:|--:|--:|");
    for group in &groups {
        let sums = sums(&cases, group, &own);
        let took = cases.iter().filter(|case| case.group == *group).map(|case| case.took);
        print(&format!(
            "| {group} | {} | {:.1} | {:.1} |",
            sums.requests,
            100.0 * sums.untouched as f64 / sums.requests as f64,
            1e3 * took.sum::<Duration>().as_secs_f64() / sums.requests as f64,
        ));
    }
    Ok(())
}

fn sums(cases: &[Case], group: &str, keep: &Keep) -> Sums {
    let mut sums = Sums::default();
    for case in cases.iter().filter(|case| case.group == group) {
        let stay = case.ranked.as_ref().map_err(|why| *why).and_then(|ranked| ranked.stay(keep));
        sums.untouched += usize::from(stay.is_err());
        let stay = stay.unwrap_or_else(|_| vec![true; case.tools.list.len()]);
        let found = case.right.iter().filter(|at| stay[**at]).count();
        sums.requests += 1;
        sums.found += match case.needs_all {
            true => found as f64 / case.right.len() as f64,
            false => f64::from(u8::from(found > 0)),
        };
        sums.tokens += case.tools.costs.iter().sum::<usize>();
        let costs = case.tools.costs.iter().zip(&stay);
        sums.kept += costs.filter(|(_, stays)| **stays).map(|(cost, _)| cost).sum::<usize>();
    }
    sums
}

impl Tools {
    fn of(list: Vec<Value>) -> Rc<Self> {
        let costs = list.iter().map(|tool| tokens::count(&tool.to_string())).collect();
        Rc::new(Self { list, costs })
    }
}

/// A tool as chat completions have it.
fn function(name: &Value, description: &Value, schema: &Value) -> Value {
    json!({ "type": "function", "function": {
        "name": name, "description": description, "parameters": schema,
    } })
}

/// A request with what its user said before, the last message last.
fn case(group: String, tools: &Rc<Tools>, said: &[&str], right: Vec<usize>) -> Case {
    let messages: Vec<Value> =
        said.iter().map(|text| json!({ "role": "user", "content": text })).collect();
    let request = json!({ "messages": messages, "tools": tools.list });
    let start = Instant::now();
    let ranked = Ranked::read(&request);
    Case { group, tools: Rc::clone(tools), ranked, took: start.elapsed(), right, needs_all: false }
}

fn servers() -> Result<Vec<Value>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(crate::root().join("spec/catalogs"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path)?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    };
    files.into_iter().map(read).collect()
}

/// The requests of a server among `size` tools, its own and those of the servers after it.
fn invented(servers: &[Value], own: usize, size: usize, every: usize, cases: &mut Vec<Case>) {
    let listed = |server: &Value| server["tools"].as_array().cloned().unwrap_or_default();
    let all = servers.iter().cycle().skip(own).take(servers.len()).flat_map(listed);
    let tools: Vec<Value> = all.take(size).collect();
    let named: Vec<String> = listed(&servers[own])
        .iter()
        .map(|tool| tool["name"].as_str().unwrap_or_default().to_owned())
        .collect();
    let of_chat =
        |tool: &Value| function(&tool["name"], &tool["description"], &tool["inputSchema"]);
    let tools = Tools::of(tools.iter().map(of_chat).collect());
    let requests = servers[own]["requests"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |request: &Value| request["text"].as_str().unwrap_or_default().to_owned();
    let mut before: Option<&Value> = None;
    for request in requests.iter().filter(|request| request["tool"].is_string()).step_by(every) {
        let also = request["also"].as_array().into_iter().flatten().chain([&request["tool"]]);
        let right = also.filter_map(|name| named.iter().position(|own| name == own.as_str()));
        let right: Vec<usize> = right.filter(|at| *at < size).collect();
        let language = request["lang"].as_str().unwrap_or_default();
        let asked = text(request);
        if let Some(before) =
            before.filter(|before| every == 1 && before["lang"] != request["lang"])
        {
            let group = format!("{size} after another language");
            cases.push(case(group, &tools, &[&text(before), &asked], right.clone()));
        }
        cases.push(case(format!("{size} {language}"), &tools, &[&asked], right));
        before = Some(request);
    }
}

/// The questions of a public set.
fn public(name: &str, set: &sets::Set, (every, needs_all): (usize, bool), cases: &mut Vec<Case>) {
    for catalog in &set.catalogs {
        let of_chat = |tool: &waypost::ports::tools::ToolDescription| {
            function(&json!(tool.name), &json!(tool.description), &tool.input_schema)
        };
        let tools = Tools::of(catalog.tools.iter().map(of_chat).collect());
        for question in catalog.questions.iter().step_by(every) {
            let group = format!("{name}, {}", tools.list.len());
            let case = case(group, &tools, &[&question.text], question.right.clone());
            cases.push(Case { needs_all, ..case });
        }
    }
}
