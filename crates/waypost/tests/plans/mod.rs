//! Plans: what people and servers see of the scenarios of `spec/plans`, in both orchestrations.
//!
//! `WAYPOST_UPDATE_PLANS=1` writes the traces anew; read what changed before it is kept.

#![expect(
    clippy::disallowed_methods,
    reason = "scenarios and golden traces are read from their folder"
)]
#![expect(clippy::expect_used, reason = "a test without its parts has nothing to say")]

mod conditions;
mod judged;
mod lab;
mod offered;
mod planner;
mod storm;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use lab::{Lab, Notebook, QuickClock};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use waypost::pack::Pack;
use waypost::ports::tools::ToolServer;
use waypost::records::answer::Part;
use waypost::records::decision::Decision;
use waypost::records::request::Request;
use waypost::records::rollout::Rollout;
use waypost::router::{AnswerOptions, Parts, Router};
use waypost::student::heads::train_student;
use waypost_testing::EmptyShelf;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/plans");

/// A conversation to be played.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    name: String,
    turns: Vec<String>,
    /// The codes with which calls of a tool fail before it succeeds.
    #[serde(default)]
    faults: BTreeMap<String, Vec<String>>,
    /// True if the left dial says of itself that it is jammed.
    #[serde(default)]
    jammed: bool,
    /// The tool in whose first call the process ends.
    #[serde(default)]
    killed_in: Option<String>,
    /// True if the student decides nothing alone.
    #[serde(default)]
    modest: bool,
    #[serde(default)]
    max_steps: Option<u32>,
}

fn scenarios() -> Vec<Scenario> {
    let text = std::fs::read_to_string(format!("{FOLDER}/scenarios.jsonl")).expect("scenarios");
    text.lines().map(|line| serde_json::from_str(line).expect("a scenario")).collect()
}

/// The router over the laboratory, and what it left in its store.
fn router(orchestration: &str, scenario: &Scenario) -> (Router, Arc<Lab>, Arc<Notebook>) {
    let (parts, lab, store) = parts(orchestration, scenario);
    (Router::new(parts), lab, store)
}

/// The parts of a router over the laboratory.
fn parts(orchestration: &str, scenario: &Scenario) -> (Parts, Arc<Lab>, Arc<Notebook>) {
    parts_of(orchestration, scenario, |yaml| yaml)
}

/// The same, over a pack that is edited first.
fn parts_of(
    orchestration: &str,
    scenario: &Scenario,
    edit: impl FnOnce(String) -> String,
) -> (Parts, Arc<Lab>, Arc<Notebook>) {
    let mut yaml = edit(include_str!("lab/pack.yaml").replace("plan_first", orchestration));
    if let Some(most) = scenario.max_steps {
        yaml = yaml.replace("max_steps: 12", &format!("max_steps: {most}"));
    }
    if scenario.modest {
        yaml = yaml.replace("policy: {", "policy: { student: 1.0,");
    }
    let files = BTreeMap::from([
        ("pack.yaml".to_owned(), yaml),
        ("dials.yaml".to_owned(), include_str!("lab/dials.yaml").to_owned()),
        ("examples.jsonl".to_owned(), include_str!("lab/examples.jsonl").to_owned()),
    ]);
    let pack = Pack::load(&files).expect("a valid pack");
    let bundle = train_student(&pack, None, &mut |_| {}).expect("a student");
    let lab =
        Arc::new(Lab::new(scenario.faults.clone(), scenario.jammed, scenario.killed_in.clone()));
    let store = Arc::new(Notebook::default());
    let server: Arc<dyn ToolServer> = Arc::<Lab>::clone(&lab);
    let parts = Parts {
        pack: Arc::new(pack),
        bundle: Arc::new(bundle).into(),
        models: BTreeMap::new(),
        servers: BTreeMap::from([("lab".to_owned(), server)]),
        encoder: None,
        retriever: Arc::new(EmptyShelf),
        store: Arc::<Notebook>::clone(&store),
        clock: Arc::new(QuickClock::default()),
        rollout: Rollout::default(),
        recall: None,
    };
    (parts, lab, store)
}

/// Plays a scenario, and returns all that was seen of it in one text.
fn play(orchestration: &str, scenario: &Scenario) -> String {
    let (router, lab, store) = router(orchestration, scenario);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let mut trace = String::new();
    for (index, text) in scenario.turns.iter().enumerate() {
        let mut request = Request::new(text);
        request.now = Some(format!("2026-03-12T09:{index:02}:00Z"));
        request.session = Some("ana".to_owned());
        let _ = writeln!(trace, "user      {text}");
        let (answer, parts) = runtime.block_on(async {
            let (out, mut pieces) = mpsc::channel(1_000);
            let cancel = CancellationToken::new();
            let answer = tokio::select! {
                answer = router.answer(&request, AnswerOptions::default(), &out, &cancel) => Some(answer),
                () = lab.hung() => None,
            };
            drop(out);
            let mut parts = Vec::new();
            while let Some(part) = pieces.recv().await {
                parts.push(part);
            }
            (answer, parts)
        });
        for part in &parts {
            if let Part::Decided(decision) = part {
                decided(&mut trace, decision);
            }
        }
        for call in lab.take() {
            let _ = writeln!(trace, "reached   {call}");
        }
        for run in store.take() {
            let _ = writeln!(trace, "plan      {}", json!(run));
        }
        match answer {
            None => {
                let _ = writeln!(trace, "killed");
            }
            Some(Ok(answer)) => {
                let _ = writeln!(trace, "answer    {} {:?}", answer.mode, answer.text);
                for choice in &answer.choices {
                    let _ = writeln!(trace, "choice    {}", choice.label);
                }
            }
            Some(Err(error)) => {
                let _ = writeln!(trace, "error     {}", error.code());
            }
        }
    }
    trace
}

fn decided(trace: &mut String, decision: &Decision) {
    let reason = decision.reason.as_ref().map(|reason| format!(" {reason}")).unwrap_or_default();
    let layer = decision.layer.name();
    let _ = writeln!(trace, "decided   {}{reason} by {layer}", decision.decision.name());
    if !decision.selected.is_empty() {
        let _ = writeln!(trace, "selected  {}", decision.selected.join(" "));
    }
    for step in &decision.steps {
        let inputs = match step.inputs.is_empty() {
            true => String::new(),
            false => format!(" {}", json!(step.inputs)),
        };
        let _ = writeln!(
            trace,
            "step      {} {} {}{inputs}",
            step.level,
            step.context_key,
            json!(step.parameters)
        );
    }
    for (what, set) in [("switches", &decision.switches), ("options", &decision.options)] {
        if !set.is_empty() {
            let _ = writeln!(trace, "{what:9} {}", json!(set));
        }
    }
}

/// The faults of the laboratory's pack with an edit.
fn faults(from: &str, to: &str) -> Vec<String> {
    let yaml = include_str!("lab/pack.yaml");
    assert!(yaml.contains(from), "pack.yaml has no `{from}`");
    let files = BTreeMap::from([
        ("pack.yaml".to_owned(), yaml.replacen(from, to, 1)),
        ("dials.yaml".to_owned(), include_str!("lab/dials.yaml").to_owned()),
        ("examples.jsonl".to_owned(), include_str!("lab/examples.jsonl").to_owned()),
    ]);
    let faults = Pack::load(&files).err().unwrap_or_default();
    faults.into_iter().map(|fault| fault.message).collect()
}

#[test]
fn what_no_tool_provides_or_two_do_and_what_names_nothing_are_faults_of_the_pack() {
    for (from, to, wanted) in [
        ("needs: [addresses]", "needs: [adresses]", "no tool provides `adresses`"),
        (
            "provides: [times]",
            "provides: [times, addresses]",
            "`addresses` is provided by find and period",
        ),
        ("from: [series, values]", "from: [serious]", "no tool provides `serious`"),
        ("after: [values]", "after: [nothing]", "no tool provides `nothing`"),
        (
            "always_active: [talk, clarify]",
            "always_active: [sing]",
            "there is no route `sing` that could always be active",
        ),
        (
            "limits: { of: dial,",
            "limits: { of: knob,",
            "the schema of `turn` has no argument `knob`",
        ),
        (
            "limits: { of: dial,",
            "limits: { of: value,",
            "`value` takes no entry of a gazetteer, which has the limits",
        ),
        (
            "provides: [values]",
            "provides: [values]\n    reads: { of: addresses, at: data }",
            "`addresses` takes no entry of a gazetteer, which can be read",
        ),
        (
            "provides: [values]",
            "provides: [values]\n    reads: { of: dial, at: data }",
            "`data` is no JSON pointer",
        ),
        (
            "limits: { of: dial, values: [value] }",
            "reads: { of: dial, at: /set }",
            "`turn` reads for conditions, but the pack does not say that it only reads",
        ),
        (
            "commands: true",
            "commands: false",
            "nobody can talk to it alone, since the pack reads no commands",
        ),
        (
            "orchestration: plan_first",
            "orchestration: react, steps: model",
            "with `react` there is no plan that a model could write",
        ),
        ("max_steps: 12", "max_steps: 0", "`max_steps` is 0, which is outside 1..=1000"),
    ] {
        let found = faults(from, to);
        assert!(found.iter().any(|fault| fault == wanted), "{to}: {found:?}");
    }
    assert_eq!(faults("name: lab", "name: lab"), [""; 0]);
}

/// Compares each scenario with its golden trace.
fn check(orchestration: &str) {
    for scenario in scenarios() {
        let trace = play(orchestration, &scenario);
        let path = format!("{FOLDER}/{}.{orchestration}.txt", scenario.name);
        if std::env::var_os("WAYPOST_UPDATE_PLANS").is_some() {
            std::fs::write(&path, &trace).expect("a trace that can be written");
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(trace, golden, "{}: if this is right, write it anew", scenario.name);
    }
}

#[test]
fn s3_5_s3_16_s3_20_s3_22_s3_33_plans_that_stand_before_their_first_step() {
    check("plan_first");
}

#[test]
fn s3_17_s3_18_s3_20_plans_that_grow_step_by_step() {
    check("react");
}
