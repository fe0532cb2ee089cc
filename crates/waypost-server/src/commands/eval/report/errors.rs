//! The worst errors: decisions that were wrong with high confidence, and what may have taught them.

use maud::{Markup, html};
use serde_json::Value as Json;
use waypost::learning::evaluate::explain::nearest_each;
use waypost::records::request::shorten;
use waypost::text::Text;

use super::super::case::{Argument, Case};
use super::super::dated;
use super::super::tally::{Judged, Tally};
use super::figures::section;
use super::words::count;
use super::{Kind, Subject};
use crate::cli::EvalArgs;
use crate::commands::train;
use crate::failure::Failure;

/// The number of errors that are shown.
const WORST: usize = 40;
/// The number of examples beside each error.
const NEAREST: usize = 3;
/// The longest text and the longest value that are shown whole, in characters.
const LONGEST: (usize, usize) = (400, 160);
/// The confidence from which an error is called a confident one.
const SURE: f64 = 0.9;

/// An example that is like the text of an error.
#[derive(Debug)]
struct Near {
    text: String,
    route: String,
    similarity: f64,
}

pub(super) fn errors_section(
    args: &EvalArgs,
    cases: &[Case],
    tally: &Tally,
    subject: &Subject,
) -> Result<Markup, Failure> {
    let mut wrong: Vec<&Judged> = tally.judged.iter().filter(|judged| !judged.right).collect();
    wrong.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let all = wrong.len();
    wrong.truncate(WORST);
    let worst: Vec<&Case> = wrong.iter().map(|judged| &cases[judged.case]).collect();
    let near = nearest(args, subject, &worst)?;
    let about = match all {
        0 => "Nothing came out wrong.".to_owned(),
        1 => "One case came out wrong.".to_owned(),
        _ if all > WORST => format!(
            "{} cases came out wrong. Here are the {WORST} that were decided with the most \
             confidence; waypost eval --wrong prints all.",
            count(all)
        ),
        _ => format!("All {} cases that came out wrong, the most confident first.", count(all)),
    };
    let explained = match (&subject.kind, &args.examples) {
        (Kind::Student(_), None) if all > 0 => {
            "Name the lines that the student learned from with --examples, and the nearest of them \
             stand beside each error."
        }
        _ => "",
    };
    let listed = html! {
        @for (at, (judged, case)) in wrong.iter().zip(&worst).enumerate() {
            (error(judged, case, near.get(at).map_or(&[], Vec::as_slice)))
        }
    };
    Ok(section("errors", "The worst errors", &about, explained, &listed))
}

/// Returns the examples that are most like each text; none where it is not known what was learned
/// from.
fn nearest(args: &EvalArgs, subject: &Subject, worst: &[&Case]) -> Result<Vec<Vec<Near>>, Failure> {
    match &subject.kind {
        Kind::Pack(router) => {
            let requests: Vec<_> = worst.iter().map(|case| dated(case)).collect();
            let found = router.nearest(&requests, NEAREST)?;
            let near = |near: waypost::observe::why::Nearest| Near {
                text: near.text,
                route: std::iter::once(near.route)
                    .chain(near.tools)
                    .collect::<Vec<_>>()
                    .join(" · "),
                similarity: near.similarity,
            };
            Ok(found.into_iter().map(|alike| alike.into_iter().map(near).collect()).collect())
        }
        Kind::Student(bundle) => {
            let Some(file) = &args.examples else { return Ok(Vec::new()) };
            let examples = train::read(file)?;
            let texts: Vec<Text> = worst.iter().map(|case| Text::new(&case.request.text)).collect();
            let texts: Vec<&str> = texts.iter().map(Text::normalized).collect();
            let others = examples.iter().map(|example| example.text.as_str());
            let near = |(index, similarity): (usize, f32)| Near {
                text: examples[index].text.clone(),
                route: examples[index].route.clone(),
                similarity: f64::from(similarity),
            };
            let found = nearest_each(bundle.features(), &texts, others, NEAREST);
            Ok(found.into_iter().map(|alike| alike.into_iter().map(near).collect()).collect())
        }
    }
}

fn error(judged: &Judged, case: &Case, near: &[Near]) -> Markup {
    let sure = if judged.confidence >= SURE { "sure" } else { "" };
    html! {
        article class="error" {
            p class="said" dir="auto" { (shorten(&case.request.text, LONGEST.0)) }
            ul class="tags" {
                li class=(sure) { (format_args!("{:.2} sure", judged.confidence)) }
                @if let Some(layer) = judged.layer { li { "by " (layer) } }
                @if let Some(language) = judged.language { li { "in " (language) } }
                @if judged.asked { li { "asked back" } }
            }
            (versus(judged))
            @if !judged.differing.is_empty() { (arguments(&judged.differing)) }
            @if !near.is_empty() { (examples(near)) }
        }
    }
}

fn versus(judged: &Judged) -> Markup {
    // A fault that the two lines above already say is not said again.
    let more = |fault: &&String| {
        !["decision ", "route ", "tools ", "arguments "].iter().any(|told| fault.starts_with(told))
    };
    let more: Vec<&str> = judged.faults.iter().filter(more).map(String::as_str).collect();
    html! {
        dl class="versus" {
            dt { "expected" }
            dd class="" { bdi { (shorten(&judged.wanted, LONGEST.0)) } }
            dt { "came" }
            dd class="came" { bdi { (shorten(&judged.came, LONGEST.0)) } }
            @if !more.is_empty() {
                dt { "and" }
                dd class="" { bdi { (shorten(&more.join("; "), LONGEST.0)) } }
            }
        }
    }
}

fn arguments(differing: &[Argument]) -> Markup {
    let value = |value: &Json| html! { code { (shorten(&value.to_string(), LONGEST.1)) } };
    html! {
        div class="scroll" tabindex="0" {
            table {
                thead {
                    tr { @for head in ["argument", "expected", "came"] { th scope="col" { (head) } } }
                }
                tbody {
                    @for argument in differing {
                        tr {
                            th scope="row" { (shorten(&argument.name, LONGEST.1)) }
                            td { (value(&argument.wanted)) }
                            td {
                                @match &argument.given {
                                    Some(given) => (value(given)),
                                    None => "nothing",
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn examples(near: &[Near]) -> Markup {
    html! {
        dl class="versus" {
            dt { "nearest examples" }
            dd {
                ul class="near" {
                    @for Near { text, route, similarity } in near {
                        li {
                            bdi { "“" (shorten(text, LONGEST.1)) "”" }
                            span class="soft" {
                                (format_args!(" {similarity:.2} alike, learned as {route}"))
                            }
                        }
                    }
                }
            }
        }
    }
}
