//! A teacher whose labels are shuffled, many times: no student of it should come into service.

use serde::Serialize;
use waypost::learning::evaluate::compare::{ComparisonRules, compare};
use waypost::records::label::LabelKind;

use super::stream::{curated, with_taught};
use super::world::{Student, World, label, pairs};

/// The number of shufflings, each of other routes.
const SEEDS: u64 = 100;
/// Routes of each: a hundred trainings of all would take an hour.
const ROUTES: usize = 10;

/// The outcome of the shufflings: how many challengers came into service.
#[derive(Serialize)]
pub(super) struct Found {
    pub(super) seeds: u64,
    /// Challengers promoted with everything in place.
    pub(super) promoted: u64,
    /// Challengers promoted by the comparison alone: every label is learned from.
    pub(super) promoted_uncurated: u64,
}

pub(super) fn run(world: &World) -> anyhow::Result<Found> {
    let mut found = Found { seeds: SEEDS, promoted: 0, promoted_uncurated: 0 };
    for seed in 0..SEEDS {
        let small = world.guessing(ROUTES, seed);
        let champion = Student::train(&small.examples)?;
        let labels: Vec<_> = small
            .turns
            .iter()
            .enumerate()
            .map(|(at, t)| label(at, &t.session, LabelKind::Teacher, &t.text, &t.teacher))
            .collect();
        let curated = curated(&small, &labels);
        found.promoted += u64::from(is_promoted(
            &small,
            &champion,
            &Student::train(&with_taught(&small.examples, &curated.kept))?,
        ));
        let mut all = small.examples.clone();
        for turn in &small.turns {
            if !all.iter().any(|row| row.text == turn.text) {
                all.push(waypost::learning::Labelled {
                    text: turn.text.clone(),
                    language: Some("en".to_owned()),
                    route: turn.teacher.clone(),
                    tools: Vec::new(),
                    weight: LabelKind::Teacher.weight(),
                });
            }
        }
        found.promoted_uncurated +=
            u64::from(is_promoted(&small, &champion, &Student::train(&all)?));
    }
    Ok(found)
}

fn is_promoted(world: &World, champion: &Student, challenger: &Student) -> bool {
    let rows = world.cases.iter().map(|case| (case.text.as_str(), case.label.as_str()));
    let comparison = compare(&pairs(rows, champion, challenger), &ComparisonRules::default());
    comparison.is_promotable() && comparison.changed > 0
}
