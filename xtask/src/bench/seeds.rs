//! `cargo xtask bench seeds --data DIR`: how many questions of the systems that the packs were made after are decided as
//! these systems expect, without a model.
//!
//! A line of `DIR/queries.jsonl` is `{system, text, expected, context}`, in the names of its system; `seeds.toml` has ours for
//! them. A decision is right if its route and its tools are the expected ones; arguments have a column of their own. If a
//! seed names only a kind of request, the route alone is compared. A question is right only if one is expected, but a
//! write that waits for approval counts as run, because these systems ask before a write, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use waypost::learning::Bundle;
use waypost::pack::Pack;
use waypost::printable;
use waypost::records::decision::{Call, Decision, GateName, Outcome, Reason};
use waypost::records::request::{Request, shorten};

use super::samples;

/// The instant of a seed that names none.
const NOW: &str = "2025-11-06T09:00:00+08:00";
/// The seeds of a group that are shown without `--wrong`.
const SHOWN: usize = 3;
/// Each seed is counted in one of these columns.
const COLUMNS: &str =
    "right | asked | refused | other route | wrong run | not in the pack | not a decision of ours";
/// The groups of right seeds that name arguments.
const ARGUMENTS: [&str; 2] = ["other arguments", "these arguments"];

/// The outcomes of a decision that does not run.
const STOPS: [&str; 2] = ["clarify", "refuse"];

/// The tables of `seeds.toml`, which explains them.
#[derive(Debug, Deserialize)]
struct Tables {
    tools: Vec<String>,
    routes: Vec<String>,
    packs: BTreeMap<String, String>,
    names: BTreeMap<String, String>,
    not_ours: BTreeMap<String, String>,
}

/// The seeds of a system by column and reason.
type Groups = BTreeMap<(&'static str, String), Vec<String>>;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    super::known(arguments, &["--wrong"], &["--data"])?;
    let data = super::option(arguments, "--data")
        .map_or_else(|| crate::root().join("../shared"), PathBuf::from);
    let content = fs::read_to_string(data.join("queries.jsonl"))
        .with_context(|| format!("give the folder of `queries.jsonl`, not `{}`", data.display()))?;
    let tables: Tables = toml::from_str(include_str!("seeds.toml"))?;
    // The pack calls this age group `all`.
    let lines = content.lines().map(|line| serde_json::from_str(&line.replace("all_ages", "all")));
    let seeds: Vec<Value> = lines.collect::<serde_json::Result<_>>()?;
    let shown = if super::flag(arguments, "--wrong") { usize::MAX } else { SHOWN };
    let mut out = format!("| system | pack | seeds | {COLUMNS} | right, % | ");
    out += "right of what the pack has, % | with these arguments |\n|---|---|";
    out += &"--:|".repeat(11);
    let mut lists = String::new();
    for (system, pack) in &tables.packs {
        let own = seeds.iter().filter(|seed| seed["system"] == system.as_str());
        let groups = measure(&tables, pack, &own.collect::<Vec<_>>())?;
        // Writing to a string cannot fail.
        let _ = write!(out, "\n| {system} | `{pack}` | {} |", row(&groups));
        for ((column, reason), seeds) in groups {
            if column != "right" || reason == ARGUMENTS[0] {
                let _ = write!(lists, "\n\n{system}, {column}, {reason}: {}", seeds.len());
                seeds.iter().take(shown).for_each(|line| lists.push_str(line));
            }
        }
    }
    super::print(&(out + &lists));
    Ok(())
}

fn measure(tables: &Tables, name: &str, seeds: &[&Value]) -> Result<Groups> {
    let pack = samples::load(&samples::pack_files(name)?)?;
    let student = crate::root().join("packs").join(name).join("student.bin");
    let router = samples::router(pack, Bundle::from_bytes(&fs::read(student)?)?);
    let system = System { tables, pack: router.pack() };
    let mut groups = Groups::new();
    for seed in seeds {
        let request = system.request(seed)?;
        let decision = samples::at_once(router.route(&request, &CancellationToken::new()))??;
        let came = format!("{} {}", outcome(&decision), decision.tools().join(", "));
        let (text, wanted) = (printable::line(&request.text), seed["expected"].to_string());
        let line = format!("\n- {text} → {}; expected {}", came.trim_end(), shorten(&wanted, 120));
        groups.entry(system.group(seed, &decision)).or_default().push(line);
    }
    Ok(groups)
}

/// The cells of the table after the pack.
fn row(groups: &Groups) -> String {
    let count = |name: &str| -> usize {
        let own = groups.iter().filter(|((column, reason), _)| *column == name || reason == name);
        own.map(|(_, seeds)| seeds.len()).sum()
    };
    let counts: Vec<String> = COLUMNS.split(" | ").map(|name| count(name).to_string()).collect();
    let [other, these] = ARGUMENTS.map(count);
    let all: usize = groups.values().map(Vec::len).sum();
    let decided = all - count("not a decision of ours");
    let share = |of: usize| 100.0 * count("right") as f64 / of.max(1) as f64;
    let (right, had) = (share(decided), share(decided - count("not in the pack")));
    let counts = counts.join(" | ");
    format!("{all} | {counts} | {right:.1} | {had:.1} | {these} of {}", these + other)
}

/// The route of a decision that runs; what it does instead if it does not.
fn outcome(decision: &Decision) -> &str {
    match decision.decision {
        Outcome::Refuse => "refuse",
        _ if decision.reason == Some(Reason::Gate(GateName::Approval)) => &decision.route,
        Outcome::Clarify | Outcome::Rephrase => "clarify",
        Outcome::Run => &decision.route,
    }
}

/// The pack of a system, with the tables.
struct System<'a> {
    tables: &'a Tables,
    pack: &'a Pack,
}

impl System<'_> {
    /// Our names for those of a field, which has one or a list of them.
    fn ours(&self, field: &Value) -> Vec<String> {
        let ours = |text: &Value| {
            let theirs = text.as_str()?.split([' ', ',', ':', ';']).next()?;
            let route = theirs.to_lowercase();
            let is_named = |names: &str| names.split(' ').any(|name| name == theirs);
            let entry = self.tables.names.iter().find(|(_, names)| is_named(names));
            let known = self.pack.route(&route).map(|_| route);
            Some(known.unwrap_or_else(|| entry.map_or(theirs, |(ours, _)| ours).to_owned()))
        };
        let theirs = field.as_array().map_or(std::slice::from_ref(field), Vec::as_slice);
        theirs.iter().filter_map(ours).collect()
    }

    /// The request of a seed, in the state that its context tells of.
    fn request(&self, seed: &Value) -> Result<Request> {
        let known = &seed["context"];
        let place = known["active_tool"].as_str().or(known["stage"].as_str()).unwrap_or_default();
        let steps = [("facility", "facility_level"), ("age", "age_group")];
        let argument = steps.iter().find(|(part, _)| place.contains(part)).map(|(_, name)| name);
        let tool = argument.map_or(known["active_tool"].as_str(), |_| Some("run_tpr_step"));
        let options = known["options"].as_array().into_iter().flatten();
        let options = options.map(|value| json!({ "label": value, "value": value }));
        let history = self.ours(&known["classify_history"]).into_iter();
        let history = history.map(|route| json!({ "route": route }));
        Ok(serde_json::from_value(json!({
            "text": seed["text"], "now": now(seed), "tz": known["tz"], "user": "seed",
            "trusted": true, "route": self.ours(&known["query_type"]).first(),
            "context": {
                "active_tool": tool, "active_argument": argument,
                "options": options.collect::<Vec<_>>(), "history": history.collect::<Vec<_>>(),
                "hints": self.ours(&known["ui"]["active_tab"]),
                // The steps before are done unless the seed denies it.
                "flags": { "tpr_complete": true, "risk_complete": known["analysis_complete"] != false },
            },
        }))?)
    }

    /// The column of a seed, and the reason.
    fn group(&self, seed: &Value, decision: &Decision) -> (&'static str, String) {
        let run = || decision.decision.name().to_owned();
        let reason = decision.reason.as_ref().map_or_else(run, ToString::to_string);
        match (self.is_right(seed, decision), decision.decision) {
            (Err(Some(reason)), _) => ("not a decision of ours", reason.to_owned()),
            (Err(None), _) => ("not in the pack", reason),
            (Ok(true), _) => {
                let has = self.has_arguments(seed, decision);
                ("right", has.map_or(reason, |has| ARGUMENTS[usize::from(has)].to_owned()))
            }
            (Ok(false), Outcome::Clarify | Outcome::Rephrase) => ("asked", reason),
            (Ok(false), Outcome::Refuse) => ("refused", reason),
            (Ok(false), Outcome::Run) if decision.calls.is_empty() => ("other route", reason),
            (Ok(false), Outcome::Run) => ("wrong run", reason),
        }
    }

    /// Returns whether a decision is as its seed expects. The error is the reason why the two cannot be compared; it is empty if
    /// the pack lacks the expected tool.
    fn is_right(&self, seed: &Value, decision: &Decision) -> Result<bool, Option<&str>> {
        let (expected, context) = (&seed["expected"], &seed["context"]);
        let mut not_ours = self.tables.not_ours.iter();
        let has = |field: &String| !expected[field].is_null() || !context[field].is_null();
        if let Some((_, reason)) = not_ours.find(|(field, _)| has(field)) {
            return Err(Some(reason));
        }
        if context["has_uploaded_files"] == false && !expected["behaviour"].is_null() {
            return Err(Some("a program without data, which a pack always has"));
        }
        let outcome = outcome(decision);
        let is_run = !STOPS.contains(&outcome);
        let canonical = |tool: &String| self.pack.canonical(tool, &Map::new()).0.to_owned();
        let called = decision.tools().iter().filter(|_| is_run).map(canonical).collect();
        let called: BTreeSet<String> = called;
        if let Some(labels) = expected["capabilities"].as_object() {
            // The labels leave most tools open.
            let mut own = labels.iter().filter(|(tool, _)| self.pack.tool(tool).is_some());
            return Ok(own.all(|(tool, wanted)| *wanted == called.contains(tool)));
        }
        if expected.get("value") == Some(&Value::Null) {
            return Ok(!called.contains("run_tpr_step"));
        }
        for field in self.tables.tools.iter().chain(&self.tables.routes) {
            let names = self.ours(&expected[field]);
            let Some(first) = names.first() else { continue };
            if self.pack.tool(first).is_some() {
                return Ok(called == names.iter().map(canonical).collect());
            }
            if self.pack.route(first).is_some() || STOPS.contains(&first.as_str()) {
                return Ok(names.iter().any(|name| name == outcome));
            }
            if self.tables.tools.contains(field) {
                return Err(None);
            }
        }
        Err(Some("neither a route nor a tool is expected"))
    }

    /// Returns whether the calls have the values that a seed names; nothing if it names none.
    fn has_arguments(&self, seed: &Value, decision: &Decision) -> Option<bool> {
        let expected = &seed["expected"];
        let tool = expected["tools"][0].as_str().unwrap_or_default();
        let own = expected["args"].as_object().cloned().unwrap_or_default();
        let (_, mut named) = self.pack.canonical(tool, &own);
        let symbols = expected["symbols"].as_array().into_iter().flatten();
        let unnamed = symbols.chain(expected["value"].is_string().then_some(&expected["value"]));
        named.extend(unnamed.enumerate().map(|(at, value)| (at.to_string(), value.clone())));
        // An instant and a day that is counted from today can be written in many ways.
        named.retain(|_, value| *value != "now" && *value != "today-2d");
        let arguments = |call: &Call| self.pack.canonical(&call.tool, &call.arguments).1;
        let calls: Vec<Map<String, Value>> = decision.calls.iter().map(arguments).collect();
        let today = json!(now(seed).get(..10));
        let is_given = |(name, value): (&String, &Value)| {
            let wanted = plain(if *value == "today" { &today } else { value });
            let is_wanted = |given: &Value| plain(given) == wanted;
            // An argument that has another name here may be any of the call.
            let any = |own: &Map<String, Value>| own.values().any(is_wanted);
            calls.iter().any(|own| own.get(name).map_or_else(|| any(own), is_wanted))
        };
        (!named.is_empty()).then(|| named.iter().all(is_given))
    }
}

/// The instant of a seed.
fn now(seed: &Value) -> &str {
    seed["context"]["now"].as_str().unwrap_or(NOW)
}

/// A value without differences of spelling: 20 is 20.0, and a space may be an underscore.
fn plain(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(text.to_lowercase().replace('_', " ")),
        Value::Array(list) => list.iter().map(plain).collect(),
        Value::Number(number) => json!(number.as_f64()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_of_ours_is_one_of_a_pack() {
        let tables: Tables = toml::from_str(include_str!("seeds.toml")).unwrap();
        let load = |name: &String| samples::load(&samples::pack_files(name).unwrap()).unwrap();
        let packs: Vec<Pack> = tables.packs.values().map(load).collect();
        for name in tables.names.keys().filter(|name| *name != "clarify") {
            let has = |pack: &Pack| {
                let entry = pack.spec.gazetteers.iter().any(|own| own.name == *name);
                entry || pack.tool(name).is_some() || pack.route(name).is_some()
            };
            assert!(packs.iter().any(has), "{name}");
        }
    }
}
