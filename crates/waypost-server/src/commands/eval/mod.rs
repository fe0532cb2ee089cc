//! `waypost eval`: how often a pack or a student is right on labeled cases.

pub(super) mod case;
mod report;
mod tally;

use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::Error;
use waypost::learning::evaluate::{Report, Share, evaluate};
use waypost::learning::{Bundle, OUT_OF_SCOPE, Scratch, slipped};
use waypost::records::decision::Decision;
use waypost::records::request::Request;
use waypost::router::Router;
use waypost::text::Text;

use self::case::{Case, canonical};
use self::report::Subject;
use self::tally::{Predicted, Tally};
use crate::assemble::{self, AssemblyOptions};
use crate::cli::EvalArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::learning::student_file;
use crate::output::{self, Shown};
use crate::{packs, progress};

pub(super) async fn run(args: &EvalArgs, config: &Config) -> Result<u8, Failure> {
    let mut cases = case::read(&args.cases)?;
    if let Some(percent) = args.slips {
        let_slip(&mut cases, percent / 100.0);
    }
    if let Some(file) = &args.report {
        // Better now than after all cases are decided.
        report::writable(file)?;
    }
    let (tally, subject) = match alone(args)? {
        Some(bundle) => (with_bundle(&bundle, &cases)?, Subject::of_bundle(args, bundle)),
        None if args.examples.is_some() => {
            let error = Error::invalid("`--examples` is for a student of plain labeled texts");
            let hint =
                "name the student with --model, or leave it out: a pack has its own examples";
            return Err(Failure::usage(error.with_hint(hint)));
        }
        None => with_pack(args, config, &cases).await?,
    };
    let measured = evaluate(&tally.rows);
    let labels = cases.iter().all(|case| case.expect.is_none());
    let figures = figures(&tally, &measured, labels);
    if args.json {
        output::json_pretty(&figures)?;
    } else {
        show(&figures)?;
    }
    if args.tools {
        confusions(&tally)?;
    }
    if args.wrong {
        let shown = |said: &String| output::line(Shown::text(said));
        tally.wrong.iter().try_for_each(shown)?;
    }
    if let Some(file) = &args.report {
        report::write(file, args, &cases, &tally, &measured, &subject)?;
        output::note(format!("written to {}", file.display()));
    }
    check(args, &figures)
}

/// Lets a share of the letters of each text slip, the same ones every time.
fn let_slip(cases: &mut [Case], share: f64) {
    const SEED: u64 = 16;
    for case in cases {
        if let Some(copy) = slipped(&case.request.text, share, SEED) {
            case.request.text = copy;
        }
    }
}

/// The student to measure without a pack: one that learned from plain labeled texts. One of a pack
/// learned from texts in which the pack's values are masked, and is measured with it.
fn alone(args: &EvalArgs) -> Result<Option<Bundle>, Failure> {
    let Some(file) = &args.student.file else { return Ok(None) };
    let bytes = student_file::read(file).map_err(Failure::usage)?;
    let bundle = Bundle::from_bytes(&bytes)
        .map_err(|error| Failure::usage(student_file::at(file, &error)))?;
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
        // A class of its own for out of scope is passed over: the first of the other routes counts.
        let first = best.iter().find(|route| bundle.routes()[**route] != OUT_OF_SCOPE);
        let Some(&first) = first else { continue };
        let predicted = Predicted {
            route: bundle.routes()[first].clone(),
            confidence: scores.routes[first],
            in_scope: scores.in_scope,
            language: None,
            layer: None,
        };
        tally.label(case, label, predicted);
    }
    Ok(tally)
}

async fn with_pack(
    args: &EvalArgs,
    config: &Config,
    cases: &[Case],
) -> Result<(Tally, Subject), Failure> {
    let options =
        AssemblyOptions { bundle: args.student.file.clone(), ..AssemblyOptions::default() };
    let router = assemble::router(packs::load(&args.pack.pack)?, config, &options).await?;
    let mut tally = Tally::default();
    let mut bundle = String::new();
    let bar = progress::bar("deciding", cases.len());
    for case in cases {
        let decision = decide(&router, case).await?;
        match (&case.expect, &case.label) {
            (Some(expect), _) => {
                let (expect, decision) = canonical(router.pack(), expect, &decision);
                tally.case(case, &expect, &decision);
            }
            (None, Some(label)) => tally.label(case, label, predicted(&decision)),
            (None, None) => {
                let message =
                    format!("the case `{}` has neither `expect` nor `label`", case.request.text);
                return Err(Failure::usage(Error::invalid(message)));
            }
        }
        bundle = decision.bundle;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok((tally, Subject::of_pack(router, bundle)))
}

/// A decision as a route that a plain label is compared with.
fn predicted(decision: &Decision) -> Predicted {
    Predicted {
        route: decision.route.clone(),
        confidence: decision.confidence as f32,
        in_scope: if decision.route == OUT_OF_SCOPE { 0.0 } else { 1.0 },
        language: Some(decision.language.tag()),
        layer: Some(decision.layer.name()),
    }
}

async fn decide(router: &Router, case: &Case) -> Result<Decision, Failure> {
    Ok(router.route(&dated(case), &CancellationToken::new()).await?)
}

/// The request of a case, at this instant where it names none.
fn dated(case: &Case) -> Request {
    let mut request = case.request.clone();
    request.now.get_or_insert_with(super::now);
    request
}

fn figures(tally: &Tally, report: &Report, labels: bool) -> Json {
    let share = |part: usize, of: usize| Share::new(part, of).value();
    let accuracy = if labels { report.accuracy } else { share(tally.right, tally.n()) };
    let mut figures = json!({
        "n": tally.n(),
        "accuracy": accuracy,
        "asked": share(tally.asked, tally.n()),
        "wrong_run": share(tally.wrong_run, tally.n()),
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
    output::line(format!("{} cases", figures["n"]))?;
    for (name, words) in names {
        if let Some(value) = figures[name].as_f64() {
            output::line(format!("  {words:<22} {:>5.1}%", 100.0 * value))?;
        }
    }
    Ok(())
}

/// Prints a table of the tools that were expected, with all that was called instead.
fn confusions(tally: &Tally) -> Result<(), Failure> {
    output::line("| tool | expected | called then | called needlessly | instead |")?;
    output::line("|---|--:|--:|--:|---|")?;
    for (tool, counts) in &tally.by_tool {
        let instead: Vec<String> =
            counts.instead.iter().map(|(tools, n)| format!("{tools} {n}")).collect();
        let (n, found, needless) = (counts.n, counts.found, counts.needless);
        let row = format!("| {tool} | {n} | {found} | {needless} | {} |", instead.join("; "));
        output::line(Shown::text(&row))?;
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
