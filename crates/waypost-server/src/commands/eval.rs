//! `waypost eval`: how often a pack or a student is right on labeled cases.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::Error;
use waypost::decision::{Decision, LayerName, Outcome};
use waypost::learning::evaluate::{Report, Row, evaluate};
use waypost::learning::{Bundle, OUT_OF_SCOPE, Scratch};
use waypost::model::Slot;
use waypost::request::Request;
use waypost::router::Router;
use waypost::text::Text;

use super::train::OOS;
use crate::assemble::{self, Wish};
use crate::cli::EvalArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{bundles, output, packs};

/// A case: a request with what is expected of it, or a plain labeled text.
#[derive(Debug, Deserialize)]
struct Case {
    #[serde(flatten)]
    request: Request,
    #[serde(default)]
    expect: Option<Expect>,
    #[serde(default)]
    label: Option<String>,
}

/// What is expected; what is left out does not count.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Expect {
    decision: Option<Outcome>,
    route: Option<String>,
    tools: Option<Vec<String>>,
    /// Of one call, or of each in a list; arguments that are not named do not count.
    arguments: Option<Json>,
    reason: Option<String>,
    /// Whether documents are looked up.
    retrieval: Option<bool>,
    /// The model slot that the route asks for.
    model_slot: Option<Slot>,
    /// Who decides, where that is promised.
    layer: Option<LayerName>,
}

/// The figures of a run over cases.
#[derive(Debug, Default)]
struct Tally {
    rows: Vec<Row>,
    n: usize,
    right: usize,
    asked: usize,
    wrong_run: usize,
    tools: (usize, usize),
    arguments: (usize, usize),
    /// Whether retrieval and slot are as expected.
    served: (usize, usize),
    wrong: Vec<String>,
}

pub(super) async fn run(args: &EvalArgs, config: &Config) -> Result<u8, Failure> {
    let cases = read(&args.cases)?;
    let tally = match alone(args)? {
        Some(bundle) => with_bundle(&bundle, &cases)?,
        None => with_pack(args, config, &cases).await?,
    };
    let report = evaluate(&tally.rows);
    let labels = cases.iter().all(|case| case.expect.is_none());
    let figures = figures(&tally, &report, labels);
    if args.json {
        output::json_pretty(&figures)?;
    } else {
        show(&figures)?;
    }
    if args.wrong {
        tally.wrong.iter().try_for_each(|line| output::line(line))?;
    }
    check(args, &figures)
}

fn read(file: &Path) -> Result<Vec<Case>, Failure> {
    let text = fs::read_to_string(file).map_err(|error| {
        Failure::usage(Error::invalid(format!("cannot read `{}`: {error}", file.display())))
    })?;
    let mut cases = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let case: Case = serde_json::from_str(line).map_err(|error| {
            let message = format!("{}:{}: {error}", file.display(), index + 1);
            let hint = "write {\"text\", …, \"expect\": {…}} or {\"text\", \"label\"} on each line";
            Failure::usage(Error::invalid(message).with_hint(hint))
        })?;
        cases.push(case);
    }
    if cases.is_empty() {
        let message = format!("there is no case in `{}`", file.display());
        return Err(Failure::usage(Error::invalid(message)));
    }
    Ok(cases)
}

/// The student to measure without a pack: one that learned from plain labeled texts. One of a pack
/// learned from texts in which the pack's values are masked, and is measured with it.
fn alone(args: &EvalArgs) -> Result<Option<Bundle>, Failure> {
    let Some(file) = &args.student.model else { return Ok(None) };
    let bytes = bundles::read(file).map_err(Failure::usage)?;
    let bundle =
        Bundle::from_bytes(&bytes).map_err(|error| Failure::usage(bundles::at(file, &error)))?;
    Ok(bundle.origin().pack.is_empty().then_some(bundle))
}

/// Labeled texts against a student alone: the first route counts, whatever its confidence.
fn with_bundle(bundle: &Bundle, cases: &[Case]) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    let mut scratch = Scratch::default();
    for case in cases {
        let Some(label) = &case.label else {
            let error = Error::invalid("a case has no `label`, which `--model` needs");
            return Err(Failure::usage(error));
        };
        let text = Text::new(&case.request.text);
        let scores = bundle.score(text.normalized(), &mut scratch);
        let mut best: Vec<usize> = (0..scores.routes.len()).collect();
        best.sort_by(|a, b| scores.routes[*b].total_cmp(&scores.routes[*a]));
        // Where out of scope is a class of its own, the first route of the others is asked for.
        let first = best.iter().find(|route| bundle.routes()[**route] != OUT_OF_SCOPE);
        let Some(&first) = first else { continue };
        let predicted = bundle.routes()[first].clone();
        tally.label(case, label, predicted, scores.routes[first], scores.in_scope);
    }
    Ok(tally)
}

async fn with_pack(args: &EvalArgs, config: &Config, cases: &[Case]) -> Result<Tally, Failure> {
    let wish = Wish { bundle: args.student.model.clone(), ..Wish::default() };
    let router = assemble::router(packs::load(&args.pack.pack)?, config, &wish).await?;
    let mut tally = Tally::default();
    for case in cases {
        let decision = decide(&router, case).await?;
        match (&case.expect, &case.label) {
            (Some(expect), _) => tally.case(case, expect, &decision),
            (None, Some(label)) => {
                let in_scope = if decision.route == OUT_OF_SCOPE { 0.0 } else { 1.0 };
                let confidence = decision.confidence as f32;
                tally.label(case, label, decision.route.clone(), confidence, in_scope);
            }
            (None, None) => {
                let message =
                    format!("the case `{}` has neither `expect` nor `label`", case.request.text);
                return Err(Failure::usage(Error::invalid(message)));
            }
        }
    }
    Ok(tally)
}

async fn decide(router: &Router, case: &Case) -> Result<Decision, Failure> {
    let mut request = case.request.clone();
    request.now.get_or_insert_with(super::now);
    Ok(router.route(&request, &CancellationToken::new()).await?)
}

impl Tally {
    fn label(
        &mut self,
        case: &Case,
        label: &str,
        predicted: String,
        confidence: f32,
        in_scope: f32,
    ) {
        self.n += 1;
        let scoped = label != OOS && label != OUT_OF_SCOPE;
        self.right += usize::from(scoped && predicted == label);
        if scoped && predicted != label {
            self.wrong
                .push(format!("{label} -> {predicted} ({confidence:.2})  {}", case.request.text));
        }
        let label = scoped.then(|| label.to_owned());
        self.rows.push(Row { label, predicted, confidence, in_scope });
    }

    fn case(&mut self, case: &Case, expect: &Expect, decision: &Decision) {
        self.n += 1;
        let faults = faults(expect, decision);
        self.right += usize::from(faults.is_empty());
        let runs = expect.decision.is_none_or(|wanted| wanted == Outcome::Run);
        let asks = matches!(decision.decision, Outcome::Clarify | Outcome::Rephrase);
        self.asked += usize::from(runs && asks);
        self.wrong_run += usize::from(decision.decision == Outcome::Run && !faults.is_empty());
        if let Some(tools) = &expect.tools {
            self.tools.1 += 1;
            self.tools.0 += usize::from(called(decision).eq(tools.iter().map(String::as_str)));
        }
        if let Some(arguments) = &expect.arguments {
            self.arguments.1 += 1;
            self.arguments.0 += usize::from(arguments_fit(arguments, decision));
        }
        if expect.retrieval.is_some() || expect.model_slot.is_some() {
            self.served.1 += 1;
            self.served.0 += usize::from(served_otherwise(expect, decision).is_none());
        }
        if let Some(route) = &expect.route {
            self.rows.push(Row {
                label: Some(route.clone()),
                predicted: decision.route.clone(),
                confidence: decision.confidence as f32,
                in_scope: 1.0,
            });
        }
        if !faults.is_empty() {
            let (layer, confidence) = (decision.layer.name(), decision.confidence);
            let text = &case.request.text;
            self.wrong.push(format!("[{layer} {confidence:.2}] {text}\n    {}", faults.join("; ")));
        }
    }
}

/// How retrieval and slot differ from what is expected.
fn served_otherwise(expect: &Expect, decision: &Decision) -> Option<String> {
    let slot = expect.model_slot.or(decision.model_slot);
    let retrieval = expect.retrieval.unwrap_or(decision.retrieval);
    let differs = slot != decision.model_slot || retrieval != decision.retrieval;
    differs.then(|| format!("retrieval {} and slot {:?}", decision.retrieval, decision.model_slot))
}

fn called(decision: &Decision) -> impl Iterator<Item = &str> {
    decision.calls.iter().map(|call| call.tool.as_str())
}

fn faults(expect: &Expect, decision: &Decision) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some(wanted) = expect.decision.filter(|wanted| *wanted != decision.decision) {
        let reason = decision.reason.as_deref().unwrap_or("no reason");
        faults.push(format!("decision {:?} ({reason}) instead of {wanted:?}", decision.decision));
    }
    if let Some(wanted) = expect.route.as_ref().filter(|wanted| **wanted != decision.route) {
        faults.push(format!("route {} instead of {wanted}", decision.route));
    }
    if expect.reason.is_some() && expect.reason != decision.reason {
        faults.push(format!("reason {:?} instead of {:?}", decision.reason, expect.reason));
    }
    faults.extend(served_otherwise(expect, decision));
    if let Some(wanted) = expect.layer.filter(|wanted| *wanted != decision.layer) {
        faults.push(format!("layer {} instead of {}", decision.layer.name(), wanted.name()));
    }
    if let Some(wanted) = &expect.tools
        && !called(decision).eq(wanted.iter().map(String::as_str))
    {
        let called: Vec<&str> = called(decision).collect();
        faults.push(format!("tools {called:?} instead of {wanted:?}"));
    }
    if let Some(wanted) = &expect.arguments
        && faults.is_empty()
        && !arguments_fit(wanted, decision)
    {
        let given: Vec<&Map<String, Json>> =
            decision.calls.iter().map(|call| &call.arguments).collect();
        faults.push(format!("arguments {} instead of {wanted}", json!(given)));
    }
    faults
}

fn arguments_fit(wanted: &Json, decision: &Decision) -> bool {
    let wanted: Vec<&Json> = match wanted {
        Json::Array(list) => list.iter().collect(),
        one => vec![one],
    };
    wanted.len() <= decision.calls.len()
        && wanted.iter().zip(&decision.calls).all(|(wanted, call)| {
            let wanted = wanted.as_object().into_iter().flatten();
            wanted.clone().all(|(name, value)| {
                call.arguments.get(name).is_some_and(|given| same(given, value))
            })
        })
}

/// Equal values; 20 and 20.0 are.
fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-9,
            _ => a == b,
        },
    }
}

fn figures(tally: &Tally, report: &Report, labels: bool) -> Json {
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let accuracy = if labels { report.accuracy } else { share(tally.right, tally.n) };
    let mut figures = json!({
        "n": tally.n,
        "accuracy": accuracy,
        "asked": share(tally.asked, tally.n),
        "wrong_run": share(tally.wrong_run, tally.n),
        "ece": report.ece,
        "coverage_at_99": report.coverage_at_99,
        "per_route": report.per_route,
    });
    if let Some(map) = figures.as_object_mut() {
        if let Some(auroc) = report.auroc_oos {
            map.insert("auroc_oos".to_owned(), json!(auroc));
        }
        for (name, (right, of)) in [
            ("tools_exact", tally.tools),
            ("arguments_exact", tally.arguments),
            ("served_exact", tally.served),
        ] {
            if of > 0 {
                map.insert(name.to_owned(), json!(share(right, of)));
            }
        }
    }
    figures
}

fn show(figures: &Json) -> Result<(), Failure> {
    let names = [
        ("accuracy", "right"),
        ("asked", "asked needlessly"),
        ("wrong_run", "ran something wrong"),
        ("tools_exact", "tools exact"),
        ("arguments_exact", "arguments exact"),
        ("served_exact", "retrieval and slot"),
        ("ece", "calibration error"),
        ("coverage_at_99", "decided at 99% right"),
        ("auroc_oos", "out-of-scope AUROC"),
    ];
    output::line(&format!("{} cases", figures["n"]))?;
    for (name, words) in names {
        if let Some(value) = figures[name].as_f64() {
            output::line(&format!("  {words:<22} {:>5.1}%", 100.0 * value))?;
        }
    }
    Ok(())
}

/// Fails the command where a floor is given and not reached, so that a check can rely on it.
fn check(args: &EvalArgs, figures: &Json) -> Result<u8, Failure> {
    let percent = |name: &str| 100.0 * figures[name].as_f64().unwrap_or(0.0);
    let mut missed = Vec::new();
    if let Some(floor) = args.min_accuracy.filter(|floor| percent("accuracy") < *floor) {
        missed.push(format!("{:.1}% right, {floor}% are wanted", percent("accuracy")));
    }
    if let Some(ceiling) = args.max_asked.filter(|ceiling| percent("asked") > *ceiling) {
        missed.push(format!(
            "{:.1}% asked needlessly, at most {ceiling}% are wanted",
            percent("asked")
        ));
    }
    for line in &missed {
        output::note(line);
    }
    Ok(u8::from(!missed.is_empty()))
}
