//! Whole turns of the flywheel on made-up texts: who teaches, and whether the challenger is promoted.

use waypost_core::records::era::Era;
use waypost_core::records::label::Verdict;

use super::*;
use crate::Bundle;
use crate::Scratch;
use crate::TrainOptions;
use crate::evaluate::compare::{Comparison, ComparisonRules, Pair, compare};
use crate::random::Random;
use crate::train;

const ROUTES: usize = 6;

/// A text of a route: two words of its own among some that all share.
fn text(route: usize, random: &mut Random) -> String {
    let mut own = || format!("{}{}", ["ka", "ro", "mi", "tu", "le", "so"][route], random.below(12));
    let (first, second) = (own(), own());
    let shared = [random.below(9), random.below(9)];
    format!("the {first} and x{} {second} of y{}", shared[0], shared[1])
}

fn rows(n: usize, random: &mut Random) -> Vec<(String, usize)> {
    (0..n).map(|at| (text(at % ROUTES, random), at % ROUTES)).collect()
}

fn name(route: usize) -> String {
    format!("route {route}")
}

fn example(text: &str, route: &str, weight: f32) -> Labelled {
    Labelled {
        text: text.to_owned(),
        language: None,
        route: route.to_owned(),
        tools: Vec::new(),
        weight,
    }
}

fn student(examples: &[Labelled]) -> Bundle {
    let options = TrainOptions {
        folds: 2,
        scope_groups: 0,
        names_as_examples: false,
        table: None,
        ..TrainOptions::default()
    };
    train(examples, &options, None, &mut |_| {}).unwrap()
}

/// Two examples a route, then a teacher that says of each text what `says` makes of its route.
fn turn(seed: u64, curates: bool, says: impl Fn(usize, &mut Random) -> usize) -> Comparison {
    let mut random = Random::new(seed);
    let own: Vec<Labelled> = rows(2 * ROUTES, &mut random)
        .iter()
        .map(|(text, route)| example(text, &name(*route), 1.0))
        .collect();
    let labels: Vec<Label> = rows(240, &mut random)
        .into_iter()
        .enumerate()
        .map(|(at, (text, route))| Label {
            decision_id: format!("d{at:03}"),
            session_id: Some(format!("s{}", at / 2)),
            owner: None,
            pack: "p".to_owned(),
            at: format!("2025-11-06T09:{:02}:{:02}Z", at / 60, at % 60),
            kind: LabelKind::Teacher,
            text,
            language: "en".to_owned(),
            era: Era::default(),
            verdict: Verdict::Right { route: name(says(route, &mut random)), tools: Vec::new() },
        })
        .collect();
    let seen = |label: &Label| label.text.clone();
    let curated = curate_beside(&own, &[], &labels, &seen, &Limits::default());
    let known = |text: &String| own.iter().any(|example| example.text == *text);
    let mut all = own.clone();
    if curates {
        all.extend(curated.kept.iter().map(|t| example(&t.text, &t.route, t.weight)));
    } else {
        let texts: BTreeMap<&String, &Label> = labels.iter().map(|l| (&l.text, l)).collect();
        for (text, label) in texts.into_iter().filter(|(text, _)| !known(text)) {
            let Verdict::Right { route, .. } = &label.verdict else { continue };
            all.push(example(text, route, 0.5));
        }
    }
    let (champion, challenger) = (student(&own), student(&all));
    let mut scratch = Scratch::default();
    let mut said = |bundle: &Bundle, text: &str| {
        let scores = bundle.score(text, &mut scratch);
        bundle.routes()[scores.best().unwrap().0].clone()
    };
    let pairs: Vec<Pair> = rows(300, &mut random)
        .iter()
        .map(|(text, route)| Pair {
            truth: name(*route),
            champion: said(&champion, text),
            challenger: said(&challenger, text),
        })
        .collect();
    compare(&pairs, &ComparisonRules::default())
}

#[test]
fn s4_28_a_teacher_that_guesses_is_never_promoted_and_one_that_mostly_knows_is() {
    let guesses = |_, random: &mut Random| random.below(ROUTES);
    let knows = |route, random: &mut Random| {
        if random.below(20) == 0 { random.below(ROUTES) } else { route }
    };
    let mut promoted = 0;
    for seed in 0..10 {
        for curates in [true, false] {
            let guessed = turn(seed, curates, guesses);
            let changes = guessed.is_promotable() && guessed.changed > 0;
            assert!(!changes, "seed {seed}, curated {curates}: {:?}", guessed.overall);
        }
        promoted += usize::from(turn(seed, true, knows).is_promotable());
    }
    assert!(promoted >= 9, "{promoted} of 10 good challengers");
}
