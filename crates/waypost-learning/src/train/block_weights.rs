//! Chooses the weight of the static table's block in each language, by cross-validation.
//!
//! A fixed weight that helps English hurts a language that the table was not made for. The weights
//! are tried on one part of the examples, with a student of the others.

use std::collections::{BTreeMap, BTreeSet};

use super::folds::stratified;
use super::linear::{Problem, fit};
use crate::calibrate::Temperature;
use crate::features::ByLanguage;
use crate::parallel::in_halves;
use crate::train::late_fusion::ENOUGH;
use crate::train::{Set, TrainOptions};

/// The weights that are tried. The first leaves the table out.
const LENGTHS: [f32; 4] = [0.0, 0.6, 1.2, 2.0];

/// The weight that vectors are made with before one is chosen.
const USUAL: f32 = 1.0;

/// The table must bring the held-out loss down to this share. Its gain is 7 to 28% on public sets
/// of one language; on packs of five languages and a few routes it is smaller, and the table lost
/// its gain in validation again on cases in other people's words (six of 586 of `ocean`).
const GAIN: f64 = 0.93;

/// Examples that are looked at, at most: the choice among four needs no more, and larger sets cost
/// time for nothing.
const ROWS: usize = 3000;

/// One part in this many is held out.
const PARTS: usize = 3;

/// Passes over the texts while weights are compared.
const EPOCHS: usize = 6;

/// The usual weight.
pub(crate) fn usual() -> ByLanguage {
    ByLanguage::all(USUAL)
}

/// Returns the best weight for each language of `set`, whose table block has the usual one.
pub(crate) fn choose(set: &Set, options: &TrainOptions) -> ByLanguage {
    let sampled = sample(set, options);
    let held: Vec<usize> =
        sampled.iter().filter(|(_, part)| *part == 0).map(|(row, _)| *row).collect();
    let trained: Vec<u32> =
        sampled.iter().filter(|(_, part)| *part != 0).map(|(row, _)| *row as u32).collect();
    let languages: BTreeSet<&str> =
        held.iter().filter_map(|row| set.languages[*row].as_deref()).collect();
    let groups: Vec<(Option<&str>, Vec<usize>)> = std::iter::once((None, held.clone()))
        .chain(languages.into_iter().map(|language| {
            let of = |row: &usize| set.languages[*row].as_deref() == Some(language);
            (Some(language), held.iter().copied().filter(of).collect())
        }))
        .filter(|(language, rows): &(_, Vec<usize>)| language.is_none() || rows.len() >= ENOUGH / 2)
        .collect();
    let rows: BTreeSet<usize> = sampled.iter().map(|(row, _)| *row).collect();
    let tried = |length: &f32| -> Vec<f64> {
        let matrix = set.with_table_length(&rows, *length);
        let buckets = set.features.config.buckets();
        let problem =
            Problem { rows: &trained, epochs: EPOCHS, ..set.problem(&matrix, buckets, options) };
        let weights = fit(&problem);
        let routes = set.routes.len();
        let loss = |(_, rows): &(Option<&str>, Vec<usize>)| {
            let mut margins = vec![0.0; weights.stride];
            let mut all = Vec::new();
            for row in rows {
                weights.margins(matrix.row(*row), &mut margins);
                all.extend_from_slice(&margins[..routes]);
            }
            let labels: Vec<u32> = rows.iter().map(|row| set.labels[*row]).collect();
            Temperature::loss(&all, routes, &labels)
        };
        groups.iter().map(loss).collect()
    };
    let losses: Vec<Vec<f64>> =
        in_halves(&LENGTHS, options.threads, |lengths| lengths.iter().map(tried).collect());
    let best = |group: usize| {
        let at = (1..LENGTHS.len()).min_by(|a, b| losses[*a][group].total_cmp(&losses[*b][group]));
        let at = at.filter(|at| losses[*at][group] <= GAIN * losses[0][group]);
        LENGTHS[at.unwrap_or(0)]
    };
    let mut lengths = ByLanguage { languages: BTreeMap::new(), other: best(0) };
    for (group, (language, _)) in groups.iter().enumerate() {
        if let Some(language) = language {
            lengths.languages.insert((*language).to_owned(), best(group));
        }
    }
    lengths
}

/// Returns rows of the set that were given, evenly taken from every route, each with its part.
fn sample(set: &Set, options: &TrainOptions) -> Vec<(usize, usize)> {
    let given = ..set.given;
    let (labels, marks) = (&set.labels[given], &set.marks[given]);
    let folds = stratified(labels, marks, set.routes.len(), 60, options.seed);
    let share = (ROWS * 60 / set.given.max(1)).clamp(PARTS, 60) as u32;
    let taken = folds.iter().enumerate().filter(|(_, fold)| **fold < share);
    taken.map(|(row, fold)| (row, *fold as usize % PARTS)).collect()
}
