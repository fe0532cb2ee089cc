//! `cargo xtask bench routes`: how long it takes to select among many routes, and how much memory.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use waypost::learning::{Bundle, Input, Labelled, Scores, Scratch, TrainOptions, train};

use super::samples::word;
use super::timing::{Spread, spread};

/// The numbers of routes, each with the time that semantic-router takes for its search alone, its
/// encoder stubbed, in milliseconds; measured once, on a two-core machine.
const SIZES: [(usize, f64); 4] = [(10, 0.2), (100, 0.5), (1000, 6.0), (10_000, 76.0)];

const EXAMPLES_OF_A_ROUTE: usize = 10;

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    super::known(arguments, &[], &[])?;
    let mut out = format!("Machine: {}.\n\n", super::machine());
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "| routes | p50 ms | p99 ms | semantic-router's search, ms | memory of the weights, MB | training, seconds | right of the examples, % |"
    );
    let _ = writeln!(out, "|--:|--:|--:|--:|--:|--:|--:|");
    for (routes, peer) in SIZES {
        let examples = examples(routes);
        let started = Instant::now();
        let bundle = train(&examples, &TrainOptions::default(), None, &mut |_| {})?;
        let seconds = started.elapsed().as_secs_f64();
        let times = timed(&bundle, &examples);
        let megabytes = bundle.to_bytes().len() as f64 / 1e6;
        let right = right(&bundle, &examples);
        let [p50, p99] = [times.p50, times.p99].map(|time| 1000.0 * time.as_secs_f64());
        let _ = writeln!(
            out,
            "| {routes} | {p50:.3} | {p99:.3} | {peer} | {megabytes:.1} | {seconds:.1} | {right:.1} |"
        );
    }
    super::print(out.trim_end());
    Ok(())
}

/// Made-up texts: two words of the route's own and three that any route may have.
fn examples(routes: usize) -> Vec<Labelled> {
    let mut examples = Vec::new();
    for route in 0..routes {
        for i in 0..EXAMPLES_OF_A_ROUTE {
            let more = word(route / 1728);
            let own = [word(route * 13 + i % 5) + &more, word(route * 11 + 7 + i % 3) + &more];
            let shared = [word(route + i), word(3 * route + i), word(i)];
            let text = format!("{} {} {} {} {}", shared[0], own[0], shared[1], own[1], shared[2]);
            examples.push(Labelled {
                text,
                language: Some("en".to_owned()),
                route: format!("route_{route}"),
                tools: Vec::new(),
                weight: 1.0,
            });
        }
    }
    examples.sort_by(|a, b| a.text.cmp(&b.text));
    examples.dedup_by(|a, b| a.text == b.text);
    examples
}

fn timed(bundle: &Bundle, examples: &[Labelled]) -> Spread {
    let (mut scratch, mut scores) = (Scratch::default(), Scores::default());
    let mut at = 0;
    spread(|| {
        at = (at + 7919) % examples.len();
        let input = Input { language: Some("en"), ..Input::from(&examples[at].text) };
        bundle.score_into(black_box(input), &mut scratch, &mut scores);
    })
}

/// The share of a sample of the examples that are given their own route, in percent.
fn right(bundle: &Bundle, examples: &[Labelled]) -> f64 {
    let mut scratch = Scratch::default();
    let sample: Vec<&Labelled> = examples.iter().step_by(examples.len().div_ceil(500)).collect();
    let is_right = |example: &&&Labelled| {
        let scores = bundle.score(&example.text, &mut scratch);
        scores.best().is_some_and(|(best, _)| bundle.routes()[best] == example.route)
    };
    100.0 * sample.iter().filter(is_right).count() as f64 / sample.len() as f64
}
