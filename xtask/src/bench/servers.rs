//! `cargo xtask bench servers --pack FOLDER --cases FILE`: how often a pack for a server names the
//! right tool with the right arguments, and what it would run that is wrong.
//!
//! A case is a line `{text, tool, args, any, ask, missing}`. `tool` is null where none may run; `args`
//! has the value of each argument, and `any` lists of accepted values instead, null among them where
//! the argument may be left out. With `ask` a question for the argument `missing` is right. What only
//! a default of the pack or the schema fills need not stand in the case. Nothing is executed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use waypost::pack::Pack;
use waypost::pack::spec::Access;
use waypost::records::decision::{Call, Decision, GateName, Outcome, Reason, Source};
use waypost::records::request::Request;
use waypost::student::heads::train_student;

use super::samples;

/// The instant of a case that names none.
const NOW: &str = "2025-11-06T09:00:00+08:00";

/// A text with the call that it asks for.
#[derive(Debug, Deserialize)]
struct Case {
    #[serde(flatten)]
    request: Request,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    args: Map<String, Value>,
    #[serde(default)]
    any: BTreeMap<String, Vec<Value>>,
    #[serde(default)]
    ask: bool,
    #[serde(default)]
    missing: Option<Missing>,
}

/// The argument that a question should ask for, or any of several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Missing {
    One(String),
    Any(Vec<String>),
}

impl Missing {
    fn has(&self, name: &str) -> bool {
        match self {
            Missing::One(one) => one == name,
            Missing::Any(any) => any.iter().any(|one| one == name),
        }
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = ["--pack", "--cases", "--without"];
    super::known(arguments, &["--json", "--wrong"], &options)?;
    let wanted = |name| super::option(arguments, name).with_context(|| format!("give `{name}`"));
    let pack = samples::load(&samples::folder_files(Path::new(wanted("--pack")?))?)?;
    let cases = read(Path::new(wanted("--cases")?))?;
    let without: Vec<&str> =
        super::option(arguments, "--without").unwrap_or_default().split(',').collect();
    let bundle = train_student(&pack, None, &mut |_| {})?;
    let router = samples::router(pack, bundle);
    let mut tally = Tally::default();
    for case in &cases {
        let decision = samples::at_once(router.route(&case.request, &CancellationToken::new()))??;
        tally.add(case, &judge(router.pack(), case, &decision, &without), &decision);
    }
    let shown = if super::flag(arguments, "--json") {
        serde_json::to_string_pretty(&tally.json())?
    } else {
        tally.lines()
    };
    super::print(&shown);
    if super::flag(arguments, "--wrong") {
        tally.shown.iter().for_each(|line| super::print(line));
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<Case>> {
    let content = fs::read_to_string(path)
        .with_context(|| format!("the file `{}` cannot be read", path.display()))?;
    let lines = content.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let cases = lines.map(|(index, line)| {
        let mut case: Case = serde_json::from_str(line)
            .with_context(|| format!("line {} of `{}` is no case", index + 1, path.display()))?;
        // Who sits at the command line may do everything that is approved.
        case.request.trusted = true;
        case.request.now.get_or_insert_with(|| NOW.to_owned());
        Ok(case)
    });
    cases.collect()
}

/// The worth of a decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Judged {
    tool: bool,
    /// The tool and all of its arguments, or the right question.
    all: bool,
    /// A question instead of a call that was wanted.
    asked: bool,
    /// A call would run, and it is not the one that was wanted.
    wrong_run: bool,
    /// A call that changes something waits for approval, and it is not the one that was wanted.
    wrong_offer: bool,
    /// A call that changes something would run.
    ungated: bool,
}

fn judge(pack: &Pack, case: &Case, decision: &Decision, without: &[&str]) -> Judged {
    let runs = decision.decision == Outcome::Run && !decision.calls.is_empty();
    let approving = decision.reason == Some(Reason::Gate(GateName::Approval));
    let writes = |call: &Call| {
        pack.tool(&call.tool).is_some_and(|tool| tool.spec.access != Some(Access::Read))
    };
    let tool = proposed(decision) == case.tool.as_deref();
    let asks = decision.decision == Outcome::Clarify && !approving;
    let all = match (&case.tool, case.ask) {
        (None, _) => tool && !asks,
        (Some(_), true) => tool && asks && asks_for(case, decision),
        (Some(_), false) => {
            let right = |call: &Call| differing(pack, case, call, without).is_none();
            tool && !asks && matches!(decision.calls.as_slice(), [call] if right(call))
        }
    };
    Judged {
        tool,
        all,
        asked: case.tool.is_some() && !case.ask && asks
            || decision.decision == Outcome::Rephrase && case.tool.is_some(),
        wrong_run: runs && !all,
        wrong_offer: approving && !all,
        ungated: runs && decision.calls.iter().any(writes),
    }
}

/// The tool that a decision runs, wants to be approved or asks about; none where it is not settled.
fn proposed(decision: &Decision) -> Option<&str> {
    let unsettled = decision.reason == Some(Reason::Gate(GateName::Confidence));
    match decision.decision {
        Outcome::Run | Outcome::Clarify if !unsettled => {
            let asked = decision.question.as_ref().and_then(|question| question.tool.as_deref());
            asked.or_else(|| decision.calls.first().map(|call| call.tool.as_str()))
        }
        _ => None,
    }
}

fn asks_for(case: &Case, decision: &Decision) -> bool {
    let asked = decision.question.as_ref().and_then(|question| question.argument.as_deref());
    case.missing.as_ref().is_none_or(|missing| asked.is_some_and(|asked| missing.has(asked)))
}

/// The first argument of a call that the case has otherwise.
fn differing<'a>(pack: &Pack, case: &'a Case, call: &'a Call, without: &[&str]) -> Option<&'a str> {
    let usual = |name: &str| {
        let schema = pack.tool(&call.tool).and_then(|tool| tool.property(name));
        schema.and_then(|schema| schema.get("default"))
    };
    let accepts = |name: &str, value: Option<&Value>| {
        let value = value.or_else(|| usual(name)).unwrap_or(&Value::Null);
        match (case.any.get(name), case.args.get(name)) {
            (Some(any), _) => any.iter().any(|accepted| same(accepted, value)),
            (None, Some(wanted)) => same(wanted, value),
            (None, None) => {
                let receipt = call.evidence.get(name);
                receipt.is_some_and(|receipt| receipt.source == Source::Default)
                    || value.is_null()
                    || usual(name).is_some_and(|usual| same(usual, value))
            }
        }
    };
    let named = case.args.keys().chain(case.any.keys()).chain(call.arguments.keys());
    let mut named = named.map(String::as_str).filter(|name| !without.contains(name));
    named.find(|name| !accepts(name, call.arguments.get(*name)))
}

/// Equality in which 5 and 5.0 are equal.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-9,
            _ => a == b,
        },
    }
}

/// The counts of all cases.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    tool: usize,
    all: usize,
    asked: usize,
    wrong_run: usize,
    wrong_offer: usize,
    ungated: usize,
    shown: Vec<String>,
}

impl Tally {
    fn add(&mut self, case: &Case, judged: &Judged, decision: &Decision) {
        self.cases += 1;
        self.tool += usize::from(judged.tool);
        self.all += usize::from(judged.all);
        self.asked += usize::from(judged.asked);
        self.wrong_run += usize::from(judged.wrong_run);
        self.wrong_offer += usize::from(judged.wrong_offer);
        self.ungated += usize::from(judged.ungated);
        if !judged.all {
            self.shown.push(described(case, decision));
        }
    }

    /// The figures by name, in the order in which they are shown.
    fn figures(&self) -> [(&'static str, &'static str, usize); 6] {
        [
            ("right_tool", "right tool", self.tool),
            ("right", "right in all arguments", self.all),
            ("asked", "asked needlessly", self.asked),
            ("wrong_run", "wrong calls that would run", self.wrong_run),
            ("wrong_offer", "wrong calls offered for approval", self.wrong_offer),
            ("ungated", "writes without approval", self.ungated),
        ]
    }

    fn json(&self) -> Value {
        let figures = self.figures();
        let counts = figures.iter().map(|(key, _, count)| ((*key).to_owned(), json!(count)));
        Value::Object([("cases".to_owned(), json!(self.cases))].into_iter().chain(counts).collect())
    }

    fn lines(&self) -> String {
        let lines = self.figures().map(|(_, name, count)| {
            let percent = 100.0 * count as f64 / self.cases.max(1) as f64;
            format!("  {name:<34}{count:>4}  {percent:>5.1}%")
        });
        format!("{} cases\n{}", self.cases, lines.join("\n"))
    }
}

/// A case that was not decided rightly, with what came of it.
fn described(case: &Case, decision: &Decision) -> String {
    let calls: Vec<String> = decision
        .calls
        .iter()
        .map(|call| format!("{} {}", call.tool, json!(call.arguments)))
        .collect();
    let question = decision.question.as_ref().map(|question| question.text.as_str());
    let reason = decision.reason.as_ref().map(Reason::to_string).unwrap_or_default();
    format!(
        "\n{}\n  came: {} {reason} {:.2} {}{}\n  wanted: {} {}{}",
        case.request.text,
        decision.decision.name(),
        decision.confidence,
        calls.join("; "),
        question.map(|text| format!("\n  said: {text}")).unwrap_or_default(),
        case.tool.as_deref().unwrap_or("no tool"),
        json!(case.args),
        if case.ask { ", asked for what is missing" } else { "" },
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A server's pack and its cases.
    const SERVERS: [&str; 2] = ["time", "git"];

    fn of(server: &str) -> (Pack, Vec<Case>) {
        let root = crate::root();
        let files = samples::folder_files(&root.join("examples/packs").join(server)).unwrap();
        let cases = read(&root.join(format!("spec/servers/{server}.jsonl"))).unwrap();
        (samples::load(&files).unwrap(), cases)
    }

    #[test]
    fn the_cases_of_servers_name_tools_and_arguments_of_their_packs() {
        for server in SERVERS {
            let (pack, cases) = of(server);
            for case in &cases {
                let Some(tool) = &case.tool else { continue };
                let tool = pack.tool(tool).unwrap_or_else(|| panic!("there is no {tool}"));
                let known: BTreeSet<&str> = tool.arguments().collect();
                let named = case.args.keys().chain(case.any.keys());
                for name in named {
                    assert!(known.contains(name.as_str()), "{name} of {}", case.request.text);
                }
            }
            let learned: BTreeSet<&str> =
                pack.examples.iter().map(|example| example.text.as_str()).collect();
            assert!(cases.iter().all(|case| !learned.contains(case.request.text.as_str())));
        }
    }

    #[test]
    fn what_a_default_fills_need_not_stand_in_a_case() {
        let (pack, _) = of("git");
        let case: Case =
            serde_json::from_value(json!({ "text": "log", "tool": "git_log", "args": {} }))
                .unwrap();
        let call = |arguments: Value, source: &str| -> Call {
            let evidence = json!({ "repo_path": { "source": source, "by": "default" } });
            serde_json::from_value(
                json!({ "tool": "git_log", "arguments": arguments, "evidence": evidence }),
            )
            .unwrap()
        };
        let here = call(json!({ "repo_path": "." }), "default");
        assert_eq!(differing(&pack, &case, &here, &[]), None);
        let said = call(json!({ "repo_path": "x" }), "span");
        assert_eq!(differing(&pack, &case, &said, &[]), Some("repo_path"));
        assert_eq!(differing(&pack, &case, &said, &["repo_path"]), None);
        let usual = call(json!({ "max_count": 10 }), "default");
        assert_eq!(differing(&pack, &case, &usual, &[]), None);
        let other = call(json!({ "max_count": 3 }), "default");
        assert_eq!(differing(&pack, &case, &other, &[]), Some("max_count"));
    }
}
